import ArgumentParser
import Glibc
import NightjarConfig

/// Replaces the argument parser's own `help` command.
struct Help: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Open the manual page about a topic.",
    discussion: """
      A topic is a command, such as start, or one of the other words that nightjar help lists, \
      such as time. The name of a page is a topic, too, such as nightjar.time. The command shows \
      the page with man(1).
      """)

  @Argument(
    help: ArgumentHelp("The topic; without one, all topics are listed.", valueName: "topic"),
    completion: .list(HelpTopic.all.map(\.word)))
  var words: [String] = []

  func run() throws {
    guard let word = words.first else { return Output.ready(Self.list) }
    guard let topic = HelpTopic(named: word) else { throw Self.unknown(word) }
    // The page of a command also describes its subcommands, so they have no topics of their own.
    let path = [topic.word] + words.dropFirst()
    let command = Self.command(path, of: Nightjar.self)
    guard words.count == 1 || command != nil else {
      throw CommandError.usage("give one topic: nightjar help \(topic.word)")
    }
    guard let man = InstalledProgram.path(of: "man") else {
      throw try Self.helpWithoutManual(topic, path, command)
    }
    let page = topic.file.map { ["-l", $0] } ?? ["\(topic.section)", topic.page]
    execv(man, (["man"] + page).map { strdup($0) } + [nil])
    throw CommandError(.refused, "cannot run \(man): \(SystemError.words(errno))")
  }

  /// The command or subcommand with this path of names; nil: there is none.
  private static func command(
    _ path: [String], of type: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type)? {
    path.reduce(type) { type, name in
      type?.configuration.subcommands.first { $0.configuration.commandName == name }
    }
  }

  /// The replacement for a page if man is not installed: a request to print the command's `--help`.
  ///
  /// - Throws: `CommandError`: the topic is no command.
  private static func helpWithoutManual(
    _ topic: HelpTopic, _ path: [String], _ command: (any ParsableCommand.Type)?
  ) throws(CommandError) -> any Error {
    let remedy = "man is not installed; to read \(topic.name) install Debian's package man-db"
    guard let command else { throw CommandError(.refused, remedy) }
    Output.complain("\(remedy); this is nightjar \(path.joined(separator: " ")) --help:")
    return CleanExit.helpRequest(command)
  }

  private static func unknown(_ word: String) -> CommandError {
    let all = HelpTopic.all
    let near = NearName.nearest(to: word, among: all.map(\.word) + all.map(\.page))
      .map { "did you mean '\($0)'? " }
    let others = HelpTopic.others.map(\.word).joined(separator: ", ")
    return .usage(
      "no topic is called '\(word)'; \(near ?? "")topics are all commands, and \(others)")
  }

  /// All topics, as lines that fit on the terminal.
  private static var list: [String] {
    let width = (HelpTopic.others.map(\.word.count).max() ?? 0) + 2
    let commands = HelpTopic.commands.map(\.word).joined(separator: " ")
    let others = HelpTopic.others.map { topic in
      let gap = String(repeating: " ", count: width - topic.word.count)
      return "  \(topic.word)\(gap)\(topic.summary)"
    }
    let head = "nightjar help TOPIC opens the manual page about a topic."
    return [head, "", Terminal.styled("Commands", .bold)]
      + TextWrap.lines("  " + commands, width: min(80, Terminal.columns), indent: 2)
      + ["", Terminal.styled("Other topics", .bold)] + others
  }
}
