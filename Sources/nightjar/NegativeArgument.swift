/// `-5min` or `-1`, which would be taken for an option: the parser's sentence about that would not help.
struct NegativeArgument {
  /// As it was typed.
  let argument: String
  /// The words of the command; empty: there is none.
  let command: [String]

  /// Options whose value is a point in time, which may be so long ago: `--since -7d`.
  private static let timeOptions = ["--since", "--until"]

  /// - Parameters:
  ///   - arguments: what stands behind the command's name.
  ///   - command: that name; empty: there is none.
  /// - Throws: `CommandError` about the first that begins with a minus and would be a number.
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

  /// - Parameter before: the word in front of it.
  private func sentence(behind before: String) -> String {
    let help = self.help
    if let option = help?.arguments.first(where: { $0.kind == .option && $0.names.contains(before) }
    ) {
      return sentence(of: option, before)
    }
    let rest = argument.dropFirst()
    let negative = "a time span cannot be negative: '\(argument)'"
    switch help?.words.dropFirst().joined(separator: " ") {
    case nil, "start", "extend":
      return "\(negative); to take time away write nightjar shorten NAME \(rest)"
    case "shorten", "snooze", "analyze timespan": return "\(negative); write \(rest)"
    case "alarm":
      return
        "an alarm rings at a time to come, not '\(argument)'; write one such as 17:30 or +\(rest)"
    case let command?:
      return
        "nightjar \(command) has no option '\(argument)'; what begins with a minus and is none "
        + "stands behind --"
    }
  }

  private func sentence(of option: CommandHelp.Argument, _ name: String) -> String {
    switch option.valueName {
    case "N", "NUMBER": "\(name) takes a number, and none below zero: '\(argument)'"
    case "SPAN": "\(name) takes a time span, which cannot be negative: '\(argument)'"
    default:
      "'\(argument)' would be an option; if it is the \(option.valueName) of \(name), write "
        + "\(name)=\(argument)"
    }
  }

  /// What the command takes; nil: it is none that is to be seen.
  private var help: CommandHelp? {
    guard let found = CommandHelp.visible.first(where: { $0.words.last == command.first }) else {
      return nil
    }
    return found.subcommands.first { $0.words.last == command.dropFirst().first } ?? found
  }
}
