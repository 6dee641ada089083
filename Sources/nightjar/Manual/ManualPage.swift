import NightjarWire

/// A manual page.
struct ManualPage {
  /// What man(1) is asked for.
  let name: String
  /// 1: commands, 5: files, 7: everything else.
  let section: Int
  /// For apropos(1): a line without a full stop.
  let summary: String
  /// What is on it, behind NAME.
  let blocks: [ManualBlock]

  init(_ name: String, section: Int, summary: String, blocks: [ManualBlock]) {
    self.name = name
    self.section = section
    self.summary = summary
    self.blocks = blocks
  }

  /// A page that somebody has written: `text` is as `ManualBlock` has it.
  init(_ name: String, section: Int, summary: String, _ text: String) {
    self.init(name, section: section, summary: summary, blocks: ManualBlock.blocks(text))
  }

  /// What the page says it belongs to, and of when it is: a page is the same whenever it is built.
  static let source = "Nightjar \(NightjarVersion.current)"
  static let date = NightjarVersion.date

  var fileName: String { "\(name).\(section)" }

  /// The page, as man(1) reads it.
  var text: String {
    var roff = Roff(name: name, section: section)
    roff.addName(name, summary: summary)
    for section in sections { roff.add(section) }
    return roff.text
  }

  /// What is on it, each with its heading.
  var sections: [ArraySlice<ManualBlock>] {
    let starts = blocks.indices.filter { index in
      if case .section = blocks[index] { true } else { false }
    }
    return zip(starts, starts.dropFirst() + [blocks.endIndex]).map { blocks[$0..<$1] }
  }
}

/// All manual pages there are. Another one is added to `written`.
enum ManualPages {
  static let written: [ManualPage] = [
    .overview, .daemon, .configuration, .hooks, .time, .interface, .promises,
  ]

  static let all = written + CommandHelp.visible.map(CommandPage.page)
}
