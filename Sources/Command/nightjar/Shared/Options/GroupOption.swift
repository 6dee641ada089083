import ArgumentParser

/// The option of commands that share or join a session.
struct GroupOption: ParsableArguments {
  @Option(
    name: .customLong("group"),
    help: ArgumentHelp(
      "The group. By default the key group in the configuration.", valueName: "group"))
  var name: String?
}
