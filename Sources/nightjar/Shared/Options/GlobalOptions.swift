import ArgumentParser

/// The option that every command has.
struct SocketOption: ParsableArguments {
  @Option(
    name: .customLong("socket"),
    help: ArgumentHelp(
      "The daemon's socket, instead of NIGHTJAR_SOCKET or the usual place.", valueName: "path"),
    completion: .file())
  var path: String?
}

/// The option of commands that can answer for programs.
struct FormatOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print the daemon's own answers, one JSON object a line.")
  var isJSON = false
}
