import ArgumentParser

/// The option for a name that the command could also read as a time.
struct NameOption: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The name. Needed if the name could be read as a time.", valueName: "name"))
  var name: String?
}

/// The words of a command to run, which the user typed after `--`. The argument parser cannot
/// combine them with the words of a time, so `Invocation` converts each word to an option.
struct CommandArguments: ParsableArguments {
  /// The name of the option into which a word is converted.
  static let option = "--exec-word"

  @Option(name: .customLong("exec-word"), help: .hidden)
  var command: [String] = []
}
