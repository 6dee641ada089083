import ArgumentParser

/// The option for a name that could also be read as a time.
struct NameOption: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The name, if it could be read as a time.", valueName: "name"))
  var name: String?
}

/// The words of a command to run, given after `--`. The argument parser cannot combine them with
/// the words of a time, so `Invocation` turns each into an option.
struct CommandArguments: ParsableArguments {
  /// The option's name.
  static let option = "--exec-word"

  @Option(name: .customLong("exec-word"), help: .hidden)
  var command: [String] = []
}
