import ArgumentParser

/// A command whose manual page says more than its help.
protocol Documented: ParsableCommand {
  /// As `ManualBlock` has it: first what goes into DESCRIPTION, in front of the help's own words,
  /// then sections. Options, usage and the usual exit codes are not among them: the page has those
  /// by itself.
  static var manual: String { get }
}

/// The manual page of a command: what the argument parser knows of it, and what is written beside
/// it.
enum CommandPage {
  /// Sections that come behind those that only one page has.
  private static let lastSections = ["EXIT STATUS", "FILES", "NOTES", "EXAMPLES", "SEE ALSO"]

  static func page(_ help: CommandHelp) -> ManualPage {
    let own = sections(of: help)
    var blocks: [ManualBlock] = [.section("SYNOPSIS"), .synopsis(help.usage)]
    blocks.append(.section("DESCRIPTION"))
    blocks += own.first?.blocks ?? []
    if own.first?.blocks.isEmpty ?? true { blocks.append(.paragraph([sentence(help.abstract)])) }
    blocks += discussion(of: help)
    for command in help.subcommands { blocks += subcommand(command) }
    blocks += [.section("OPTIONS")] + options(help.arguments, usage: help.usage[0])
    for section in own.dropFirst() where !lastSections.contains(section.title) {
      blocks += [.section(section.title)] + section.blocks
    }
    for title in lastSections {
      let written = own.first { $0.title == title }?.blocks ?? usual(title, help)
      if !written.isEmpty { blocks += [.section(title)] + written }
    }
    return ManualPage(
      help.words.joined(separator: "-"), section: 1, summary: summary(help.abstract),
      blocks: blocks)
  }

  /// What is written about it; the first is what stands in front of all sections.
  private static func sections(
    of help: CommandHelp
  ) -> [(title: String, blocks: [ManualBlock])] {
    guard let type = help.type as? any Documented.Type else { return [] }
    var sections: [(title: String, blocks: [ManualBlock])] = [("DESCRIPTION", [])]
    for block in ManualBlock.blocks(type.manual) {
      if case .section(let title) = block {
        sections.append((title, []))
      } else {
        sections[sections.count - 1].blocks.append(block)
      }
    }
    return sections
  }

  // MARK: Options

  /// As the help has them: groups that have a title stand behind the others.
  private static func options(
    _ arguments: [CommandHelp.Argument], usage: String
  ) -> [ManualBlock] {
    var titles: [String?] = [nil]
    for argument in arguments where !titles.contains(argument.title) {
      titles.append(argument.title)
    }
    return titles.flatMap { title -> [ManualBlock] in
      let group = arguments.filter { $0.title == title }.map { entry($0, usage: usage) }
      return (title.map { [.subsection($0)] } ?? []) + [.list(group, isCompact: false)]
    }
  }

  private static func entry(
    _ argument: CommandHelp.Argument, usage: String
  ) -> ManualBlock.Entry {
    let term =
      argument.kind == .positional ? ManualUsage.positional(usage) : argument.term
    var text = sentence(argument.abstract)
    // Most say already what there is.
    if !argument.values.allSatisfy({ text.contains($0) }) {
      text += " One of \(argument.values.joined(separator: ", "))."
    }
    if let value = argument.defaultValue {
      text += argument.mayStandWithoutValue ? " By itself: \(value)." : " The default is \(value)."
    }
    return ManualBlock.Entry(usage: term, text.marked("`", Set(argument.values)))
  }

  private static func subcommand(_ help: CommandHelp) -> [ManualBlock] {
    let arguments = help.arguments.filter { !$0.isEveryCommands }
    return [
      .subsection(help.words.joined(separator: " ")), .paragraph([sentence(help.abstract)]),
    ] + discussion(of: help) + options(arguments, usage: help.usage[0])
  }

  /// What the help says beyond its first sentence; what stands for something is marked by its
  /// capitals.
  private static func discussion(of help: CommandHelp) -> [ManualBlock] {
    let blocks = ManualBlock.blocks(help.discussion)
    let usage = ManualText(usage: help.usage.joined(separator: " ")).runs
    let terms = blocks.flatMap(\.terms).flatMap(\.runs)
    let standing = (usage + terms).filter { $0.font == .italic }.map(\.text)
    return blocks.map { $0.marked("_", Set(standing).subtracting(["JSON"])) }
  }

  // MARK: Words

  private static func usual(_ title: String, _ help: CommandHelp) -> [ManualBlock] {
    switch title {
    case "EXIT STATUS": ManualBlock.blocks(exitStatus(help))
    case "SEE ALSO": ManualBlock.blocks("nightjar(1), nightjard(1)")
    default: []
    }
  }

  private static func exitStatus(_ help: CommandHelp) -> String {
    let isStart = help.type is any StartCommand.Type
    return """
      0  Done.
      1  Refused; standard error says why.\(isStart ? "" : "\n3  There is no timer of that name.")
      4  No daemon runs, and none could be started.
      64  Wrong usage.
      """
  }

  /// Text as a sentence, if it is not one yet.
  private static func sentence(_ text: String) -> String {
    guard let last = text.last else { return "" }
    return ".…?".contains(last) ? text : text + "."
  }

  /// Text as apropos(1) shows it: no sentence, and only its beginning where it goes on to explain.
  private static func summary(_ text: String) -> String {
    let end = [": ", "; "].compactMap { text.firstRange(of: $0)?.lowerBound }.min()
    let words = text[..<(end ?? text.endIndex)]
    let phrase = words.last == "." ? words.dropLast() : words
    return phrase.prefix(1).lowercased() + phrase.dropFirst()
  }
}
