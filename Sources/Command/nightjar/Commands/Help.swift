import ArgumentParser
import Glibc
import NightjarConfig
import NightjarTime

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

  @Flag(help: .hidden) var isFirst = false

  func run() throws {
    guard !isFirst else { return Output.ready(Self.firstPage) }
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

  // MARK: Lists

  /// The commands of the first page: what most people need, in the order in which they need it.
  static let first = [
    "start", "alarm", "list", "watch", "pause", "stop", "snooze", "extend", "edit", "undo", "why",
    "doctor",
  ]

  private static let withoutVerb = [
    ("nightjar tea 4min", "start a timer called tea"),
    ("nightjar wake 7am", "ring at that time, today or tomorrow"),
    ("nightjar pomodoro", "work for 25 minutes and rest for 5, four times"),
  ]

  /// The answer to `nightjar --help`: one screen.
  static var firstPage: [String] {
    [Nightjar.configuration.abstract, ""] + columns(withoutVerb) + [""]
      + columns(first.map { ($0, abstract($0)) })
      + [
        "", "nightjar COMMAND --help describes a command. nightjar help lists all of them.",
      ]
  }

  /// The answer to `nightjar help`: all commands and topics.
  private static var list: [String] {
    func block(_ title: String, _ rows: [(String, String)]) -> [String] {
      ["", Terminal.styled(title, .bold)] + columns(rows)
    }
    return ["nightjar help TOPIC opens the manual page about a command or another topic.", ""]
      + columns(withoutVerb)
      + Nightjar.configuration.groupedSubcommands.flatMap { group in
        block(
          group.name,
          group.subcommands.map { type in
            let name = type.configuration.commandName ?? ""
            return (name, abstract(name))
          })
      } + block("Other topics", HelpTopic.others.map { ($0.word, $0.summary) })
      + [
        "", "Each command takes --help, and --socket PATH, the path of the daemon's socket.",
        "nightjar @MACHINE COMMAND acts on the timers of another of your machines, and",
        "list --everywhere shows those of all; with --queue a command that changes timers",
        "waits until that machine is online; see nightjar-mqtt(1). nightjar --version",
        "prints the version.",
      ]
  }

  private static func abstract(_ name: String) -> String {
    command([name], of: Nightjar.self)?.configuration.abstract ?? ""
  }

  private static func columns(_ rows: [(String, String)]) -> [String] {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.flatMap { word, text in
      let gap = String(repeating: " ", count: width - word.count)
      return TextWrap.lines(
        "  \(word)\(gap)\(text)", width: min(80, Terminal.columns), indent: width + 2)
    }
  }
}
