import ArgumentParser

/// The option of commands that begin to take part in a session.
struct GroupOption: ParsableArguments {
  @Option(
    name: .customLong("group"),
    help: ArgumentHelp("The group, if not that of the configuration.", valueName: "group"))
  var name: String?
}
