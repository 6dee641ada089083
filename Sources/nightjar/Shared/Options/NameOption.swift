import ArgumentParser

/// A timer's name where a word of it could be taken for something else.
struct NameOption: ParsableArguments {
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("The name, where it could be taken for a time.", valueName: "name"))
  var name: String?
}

/// A command to run, as it stands word by word behind `--`. The argument parser has no place for it beside
/// the words of a time: `Invocation` makes an option of each.
struct CommandArguments: ParsableArguments {
  /// What the option is called.
  static let option = "--exec-word"

  @Option(name: .customLong("exec-word"), help: .hidden)
  var command: [String] = []
}
