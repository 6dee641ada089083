import ArgumentParser
import NightjarTime

/// An argument that is a number with a minus, such as `-5min` or `-1`. The argument parser would
/// read it as an option, and its error would not help the user.
struct NegativeArgument {
  let argument: String
  /// The words of the command; empty: the user typed no command.
  let command: [String]

  /// The options whose value may be a time relative to now, as in `--since -7d`.
  private static let timeOptions = ["--since", "--until"]

  /// The commands whose arguments are the words of a time.
  private static let timeCommands = ["alarm", "analyze"]

  /// The arguments, in which an offset from UTC is joined with the time before it, as in `18:00
  /// -0600`. The parser would read an offset that is a word of its own as an option.
  ///
  /// - Parameters:
  ///   - arguments: the arguments after the command's name.
  static func withOffsets(_ arguments: ArraySlice<String>, of command: String) -> [String] {
    var joined: [String] = []
    let words = arguments.prefix { $0 != "--" }
    for argument in words {
      guard timeCommands.contains(command), isOffset(argument), let time = joined.last,
        isTime(joined.suffix(2) + [argument]) || isTime([time, argument])
      else {
        joined.append(argument)
        continue
      }
      joined[joined.count - 1] = "\(time) \(argument)"
    }
    return joined + arguments[words.endIndex...]
  }

  /// Whether an argument is an offset such as `-06`, `-0600` or `-06:00`.
  private static func isOffset(_ argument: String) -> Bool {
    let digits = argument.dropFirst().filter { $0 != ":" }
    return argument.first == "-" && [2, 4].contains(digits.count)
      && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Whether words can be read as a time. This is also true of a time in the past.
  private static func isTime(_ words: some Collection<String>) -> Bool {
    do throws(PhraseProblem) {
      _ = try WallClock.here.reader.time(words.joined(separator: " "))
      return true
    } catch { return error.isPast }
  }

  /// - Parameters:
  ///   - arguments: the arguments after the command's name.
  ///   - command: the words of the command; empty: the user typed no command.
  /// - Throws: `CommandError` about the first argument that is a number with a minus.
  static func refuse(
    in arguments: ArraySlice<String>, of command: [String]
  ) throws(CommandError) {
    var before = ""
    for argument in arguments.prefix(while: { $0 != "--" }) {
      defer { before = argument }
      guard argument.first == "-", Invocation.isMeantAsSpan(String(argument.dropFirst())),
        !timeOptions.contains(before)
      else { continue }
      let command = command + arguments.prefix(1)
      throw .usage(NegativeArgument(argument: argument, command: command).sentence(behind: before))
    }
  }

  private func sentence(behind before: String) -> String {
    let called = self.called
    if let called, let value = Self.value(of: before, of: called.type) {
      return sentence(of: before, value)
    }
    let rest = argument.dropFirst()
    let negative = "a time span cannot be negative: '\(argument)'"
    switch called?.words {
    case nil, "start", "extend":
      return "\(negative); to take time away write \(Typed.nightjar) shorten NAME \(rest)"
    case "shorten", "snooze", "analyze timespan": return "\(negative); write \(rest)"
    case "alarm" where Self.isOffset(argument):
      return
        "'\(argument)' would be an offset from UTC, which follows a date and a time, as in "
        + "2026-12-24 18:00 \(argument)"
    case "alarm":
      return
        "an alarm rings at a time to come, not '\(argument)'; write one such as 17:30 or +\(rest)"
    case let command?:
      return
        "nightjar \(command) has no option '\(argument)'; write other arguments that begin with a "
        + "minus after --"
    }
  }

  private func sentence(of option: String, _ value: String) -> String {
    switch value {
    case "N", "NUMBER": "\(option) takes no negative number: '\(argument)'"
    case "SPAN": "\(option) takes a time span, which cannot be negative: '\(argument)'"
    default:
      "'\(argument)' would be an option; if it is the \(value) of \(option), write "
        + "\(option)=\(argument)"
    }
  }

  /// The placeholder for the value of an option, such as `SPAN` for `--timeout <span>`. Nil if
  /// there is no such option, or if the option has no value. The placeholder is searched in the
  /// help text, because the argument parser has it only there.
  private static func value(
    of option: String, of type: any ParsableCommand.Type
  ) -> String? {
    let help = Nightjar.helpMessage(for: type, columns: 1_000)
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      var words = line.split(separator: " ")[...]
      while let word = words.popFirst(), word.hasPrefix("-") {
        guard word == option || word == "\(option)," else { continue }
        let value = words.first { !$0.hasPrefix("-") }?.drop { $0 == "[" }
        return value?.first == "<" ? value?.dropFirst().prefix { $0 != ">" }.uppercased() : nil
      }
    }
    return nil
  }

  /// The type of the command or subcommand, and its words; nil: there is none that users can see.
  private var called: (type: any ParsableCommand.Type, words: String)? {
    guard let name = command.first, let type = Self.command(name, of: Nightjar.self) else {
      return nil
    }
    guard let next = command.dropFirst().first, let subcommand = Self.command(next, of: type) else {
      return (type, name)
    }
    return (subcommand, "\(name) \(next)")
  }

  private static func command(
    _ name: String, of type: any ParsableCommand.Type
  ) -> (any ParsableCommand.Type)? {
    type.configuration.subcommands.first {
      $0.configuration.commandName == name && $0.configuration.shouldDisplay
    }
  }
}
