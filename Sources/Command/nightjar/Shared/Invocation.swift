import ArgumentParser
import NightjarConfig
import NightjarModel
import NightjarTime
import Varlink

/// Rewrites the user's arguments into the form that the argument parser expects.
package enum Invocation {
  /// The options of all commands that may also stand before the command's name.
  private static let leadingOptions = ["--socket"]
  private static let leadingFlags = ["--json"]
  /// The commands that have no machine's timers as their subject, so `@NAME` before them is
  /// refused.
  private static let ofThisMachine =
    ["mqtt", "presets", "rehearse", "analyze", "completions", "help", "--help", "-h", "--version"]
  /// The names that people try for the same commands, and the words that they stand for.
  package static let otherNames = [
    "ls": ["list"], "rm": ["remove"], "del": ["remove"], "delete": ["remove"], "add": ["start"],
    "version": ["--version"], "shorten": ["extend", "--less"],
    "export": ["events", "--everything"],
    "update": ["edit"], "rename": ["edit", "--is-rename"], "share": ["mqtt", "share"],
    "join": ["mqtt", "join"], "leave": ["mqtt", "leave"],
  ]

  /// The command's own name, for a name that may be another one.
  static func ownName(_ name: String) -> String { otherNames[name]?.first ?? name }

  /// The arguments with the command's name first. Where they have two readings, the user is asked
  /// if `canAsk` is true. Options before the name are moved after it, and
  /// `nightjar tea 4min` becomes `nightjar start tea 4min`.
  static func rewritten(
    _ arguments: [String], canAsk: Bool = true
  ) throws(CommandError) -> [String] {
    let arguments = Sign.written(in: arguments)
    // The parser's own page would list all commands with all their options.
    if ["--help", "-h"].contains(arguments.first) { return ["help", "--is-first"] }
    if let mark = arguments.first, let machine = SocketOption.device(in: mark) {
      try refuse(arguments.dropFirst(), for: machine)
      return try rewritten(["--socket=\(mark)"] + arguments.dropFirst(), canAsk: canAsk)
    }
    var index = 0
    while index < arguments.count, arguments[index].hasPrefix("-"),
      !Sign.isMeantAsSpan(arguments[index])
    {
      let argument = arguments[index]
      let isOurs =
        (leadingOptions + leadingFlags).contains(argument)
        || leadingOptions.contains { argument.hasPrefix("\($0)=") }
      guard isOurs else {
        // The parser handles requests for help and for the version, and reports mistakes.
        return arguments
      }
      index += leadingOptions.contains(argument) ? 2 : 1
    }
    guard index < arguments.count else { return arguments }
    let moved = arguments[..<index]
    if let machine = SocketOption.device(in: arguments[index]) {
      try refuse(moved + arguments[(index + 1)...], for: machine)
      let words = [arguments[index]] + moved + arguments[(index + 1)...]
      throw .usage(
        "the machine comes first: nightjar \(words.map(Quoting.quoted).joined(separator: " "))")
    }
    let words = otherNames[arguments[index]] ?? [arguments[index]]
    let name = words[0]
    let rest = words.dropFirst() + arguments[(index + 1)...]
    if name == "--version" { return [name] + rest }
    if Nightjar.commandNames.contains(name) {
      if startingOthers.contains(name), rest.prefix(while: { $0 != "--" }).contains("--save") {
        throw .usage(
          "--save is for start: it writes a preset of a countdown; presets of other timers are written "
            + "in config.toml", see: .configuration)
      }
      guard takingCommands.contains(name) else { return [name] + moved + rest }
      return try [name] + moved + withoutTerminator(rest[...])
    }
    let said = arguments[index...].prefix { !$0.hasPrefix("-") || Sign.isMeantAsSpan($0) }
    if let meant = try FirstWords(said, at: .here).arguments(canAsk: canAsk) {
      let options = arguments[(index + said.count)...]
      return try [meant[0]] + moved + Sign.written(in: Array(meant.dropFirst()))
        + withoutTerminator(options)
    }
    throw unknown(name, rest: rest)
  }

  /// The name of the command in the arguments; nil: they contain no command. Other arguments may be
  /// wrong.
  static func commandName(in arguments: [String]) -> String? {
    var rest = arguments[...]
    while let word = rest.first, word.hasPrefix("-") || SocketOption.device(in: word) != nil {
      rest = rest.dropFirst(leadingOptions.contains(word) ? 2 : 1)
    }
    guard let word = rest.first else { return nil }
    let name = ownName(word)
    if Nightjar.commandNames.contains(name) { return name }
    return Sign.isMeantAsSpan(word) ? "start" : nil
  }

  /// Throws an error if the arguments cannot be used for the timers of another machine.
  private static func refuse(
    _ arguments: ArraySlice<String>, for machine: String
  ) throws(CommandError) {
    let options = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
    if options.contains("--socket") {
      throw .usage(
        "@\(machine) and --socket say both whose timers are meant: leave out one of them")
    }
    guard let word = arguments.first(where: { !leadingFlags.contains($0) }) else {
      throw .usage(
        "say what to do with the timers of \(machine), such as \(Typed.program(for: machine)) list"
      )
    }
    if SocketOption.device(in: word) != nil {
      throw .usage("give one machine, not both @\(machine) and \(word)")
    }
    guard !ofThisMachine.contains(ownName(word)) else {
      throw .usage("'\(word)' is not for another machine: leave out @\(machine)")
    }
  }

  /// The commands that accept `--` and a command to run after their own arguments.
  private static let takingCommands = ["start", "alarm", "sequence"]

  /// The commands that start timers of other kinds than a countdown.
  private static let startingOthers = ["alarm", "sequence", "stopwatch"]

  /// The arguments, in which the words after `--` are replaced by options.
  private static func withoutTerminator(
    _ arguments: ArraySlice<String>
  ) throws(CommandError) -> [String] {
    guard let terminator = arguments.firstIndex(of: "--") else { return Array(arguments) }
    let command = arguments[(terminator + 1)...]
    guard !command.isEmpty else {
      throw .usage("there is no command after --; write one such as -- touch done")
    }
    return arguments[..<terminator] + command.map { "\(CommandArguments.option)=\($0)" }
  }

  private static func unknown(_ name: String, rest: ArraySlice<String>) -> CommandError {
    // The nearest name is `skip`, but that command would skip one more ring.
    if name == "unskip" {
      let names = rest.prefix { !$0.hasPrefix("-") }.map(Quoting.quoted)
      let typed = (names.isEmpty ? ["NAME"] : names).joined(separator: " ")
      return .usage("no command is called 'unskip'; write \(Typed.nightjar) skip \(typed) --undo")
    }
    if let near = nearVerb(name) {
      return .usage("no command is called '\(name)'; did you mean '\(near)'?")
    }
    return .usage("no command is called '\(name)'")
  }

  /// The command whose name is nearest to a mistyped one; nil: none is near.
  static func nearVerb(_ name: String) -> String? { NearName.nearest(to: name, among: verbs) }

  /// The commands that users type. Only programs use names that begin with an underscore or a dash.
  static var verbs: [String] {
    Nightjar.commandNames.filter { !$0.hasPrefix("_") && !$0.hasPrefix("-") }
  }

  package static func isSpan(_ text: String) -> Bool { WallClock.here.isSpan(text) }
}

extension Nightjar {
  /// The names of all commands, including the commands of the parser.
  static let commandNames: [String] =
    configuration.subcommands.compactMap { $0.configuration.commandName }
    + ["---completion"]
}
