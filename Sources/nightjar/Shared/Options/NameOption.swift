import ArgumentParser

/// A timer's name, where one of its words could be read as something else.
struct NameOption: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The name, where it could be taken for a time.", valueName: "name"))
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
