import Foundation

/// A piece of a manual page.
enum ManualBlock {
  case section(String)
  case subsection(String)
  /// A command with its arguments.
  case usage(ManualText)
  case paragraph(ManualText)
  case example([String])
  case list([Entry])

  /// An entry of a list: a term of one or more words, and its description.
  struct Entry {
    var term: ManualText
    var text: ManualText
  }

  /// The terms of a list.
  var terms: [ManualText] {
    if case .list(let entries) = self { entries.map(\.term) } else { [] }
  }

  /// All of its texts.
  var texts: [ManualText] {
    switch self {
    case .section, .subsection, .example: []
    case .usage(let text), .paragraph(let text): [text]
    case .list(let entries): entries.flatMap { [$0.term, $0.text] }
    }
  }

  /// The text without macros.
  var plain: String {
    switch self {
    case .section(let title), .subsection(let title): title
    case .example(let lines): lines.joined(separator: "\n")
    case .usage, .paragraph, .list: texts.map(\.plain).joined(separator: "\n")
    }
  }
}

/// A manual page in Sources/Manual.
struct ManualPage {
  struct Section {
    let title: String
    var blocks: [ManualBlock]

    /// The terms of its lists that use one of these macros.
    func terms(_ macro: String) -> [String] {
      blocks.flatMap(\.terms).flatMap { $0.texts(macro) }
    }
  }

  let fileName: String
  let source: String
  /// From the lines `.Dd`, `.Dt` and `.Os`.
  fileprivate(set) var date = ""
  fileprivate(set) var title = ""
  fileprivate(set) var version = ""
  /// For apropos(1): a line without a full stop.
  fileprivate(set) var summary = ""
  /// The content after NAME.
  fileprivate(set) var blocks: [ManualBlock] = []
  /// Why the tests cannot read all of it.
  fileprivate(set) var fault: String?

  private init(unread fileName: String, _ source: String) {
    self.fileName = fileName
    self.source = source
  }

  /// The argument for man(1).
  var name: String { String(fileName.dropLast(2)) }
  /// 1: commands, 5: files, 7: everything else.
  var number: String { String(fileName.suffix(1)) }
  var path: String { "\(Self.folder)/\(fileName)" }
  var plain: String { blocks.map(\.plain).joined(separator: "\n") }

  var sections: [Section] {
    blocks.reduce(into: []) { sections, block in
      if case .section(let title) = block {
        sections.append(Section(title: title, blocks: []))
      } else if !sections.isEmpty {
        sections[sections.count - 1].blocks.append(block)
      }
    }
  }

  func section(_ title: String) -> Section? { sections.first { $0.title == title } }

  // MARK: All pages

  static let folder = "\(ManualInstallTests.sources)/Sources/Manual"

  static let fileNames: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  static let all = fileNames.map { name in
    ManualPage(name, (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? "")
  }

  /// A page such as `nightjar-start.1`; nil: it does not exist.
  static func named(_ fileName: String) -> ManualPage? { all.first { $0.fileName == fileName } }
}

// MARK: - mdoc

extension ManualPage {
  /// Parses the part of mdoc(7) that these pages use.
  init(_ fileName: String, _ source: String) {
    self.init(unread: fileName, source)
    var reader = MdocReader(page: self)
    do throws(UnknownMdoc) {
      try reader.read(source)
      self = reader.page
    } catch {
      fault = "\(fileName):\(reader.line): \(error)"
    }
  }
}

private struct MdocReader {
  var page: ManualPage
  /// The number of the current line.
  private(set) var line = 0
  private var section = ""
  private var paragraph = ManualText()
  private var usage: ManualText?
  private var example: [String]?
  private var list: [ManualBlock.Entry]?
  /// Its entries are paragraphs.
  private var isItemList = false

  init(page: ManualPage) { self.page = page }

  mutating func read(_ source: String) throws(UnknownMdoc) {
    for line in source.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      self.line += 1
      if example != nil {
        try addToExample(line)
      } else if line.hasPrefix(".\\\"") {
        // A comment.
        continue
      } else if line.hasPrefix(".") {
        try readMacros(line.dropFirst())
      } else {
        guard !line.isEmpty else { throw UnknownMdoc("an empty line") }
        try addText { (text) throws(UnknownMdoc) in try text.addLine(line) }
      }
    }
    endParagraph()
    guard list == nil, example == nil else { throw UnknownMdoc("a list or example without an end") }
  }

  private mutating func readMacros(_ line: Substring) throws(UnknownMdoc) {
    let words = line.split(separator: " ", maxSplits: 1)
    let rest = words.count == 2 ? words[1] : ""
    switch words.first {
    case "Dd": page.date = String(rest)
    case "Dt": page.title = String(rest)
    case "Os": page.version = String(rest)
    case "Nd": page.summary = try ManualText.unescaped(rest)
    case "Sh":
      endParagraph()
      section = try ManualText.unescaped(rest)
      if section != "NAME" { page.blocks.append(.section(section)) }
    case "Ss":
      endParagraph()
      page.blocks.append(.subsection(try ManualText.unescaped(rest)))
    case "Pp": if list == nil { endParagraph() }
    case "Bd":
      guard rest == "-literal -offset indent" else { throw UnknownMdoc("Bd \(rest)") }
      endParagraph()
      example = []
    case "Bl": try beginList(rest)
    case "It": try addEntry(rest)
    case "El":
      guard let list else { throw UnknownMdoc("an end of no list") }
      page.blocks += isItemList ? list.map { .paragraph($0.text) } : [.list(list)]
      self.list = nil
    case "Nm" where section == "NAME": break
    case "Nm" where section == "SYNOPSIS":
      endParagraph()
      usage = ManualText()
      fallthrough
    default:
      let name = page.name
      try addText { (text) throws(UnknownMdoc) in try text.addMacros(line, name: name) }
    }
  }

  /// Adds to the current entry, usage or paragraph.
  private mutating func addText(
    _ add: (inout ManualText) throws(UnknownMdoc) -> Void
  ) throws(UnknownMdoc) {
    if var entries = list, !entries.isEmpty {
      try add(&entries[entries.count - 1].text)
      list = entries
    } else if var text = usage {
      try add(&text)
      usage = text
    } else {
      try add(&paragraph)
    }
  }

  private mutating func endParagraph() {
    if let usage { page.blocks.append(.usage(usage)) }
    if !paragraph.parts.isEmpty { page.blocks.append(.paragraph(paragraph)) }
    (usage, paragraph) = (nil, ManualText())
  }

  private mutating func beginList(_ options: Substring) throws(UnknownMdoc) {
    guard list == nil else { throw UnknownMdoc("a list in a list") }
    guard options.hasPrefix("-tag ") || options.hasPrefix("-item") else {
      throw UnknownMdoc("Bl \(options)")
    }
    endParagraph()
    isItemList = options.hasPrefix("-item")
    list = []
  }

  private mutating func addEntry(_ term: Substring) throws(UnknownMdoc) {
    guard list != nil else { throw UnknownMdoc("an entry of no list") }
    var text = ManualText()
    if !term.isEmpty { try text.addMacros(term, name: page.name) }
    list?.append(ManualBlock.Entry(term: text, text: ManualText()))
  }

  private mutating func addToExample(_ line: Substring) throws(UnknownMdoc) {
    guard line == ".Ed" else {
      guard !line.hasPrefix(".") else { throw UnknownMdoc("a macro in an example") }
      example?.append(try ManualText.unescaped(line))
      return
    }
    page.blocks.append(.example(example ?? []))
    example = nil
  }
}
