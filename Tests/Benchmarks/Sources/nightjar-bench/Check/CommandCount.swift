internal import ArgumentParser

/// Counts one `nightjar start` that calls a running daemon: the whole program with its dynamic
/// loader.
struct CommandCount: ParsableArguments {
  /// The name in the file of thresholds, and what is counted, in words.
  static let name = "command-start"
  private static let work = "one nightjar start, the whole program"

  @Option(help: ArgumentHelp("The command, without debug symbols.", valueName: "file"))
  var command: String

  @Option(help: ArgumentHelp("The daemon that it asks.", valueName: "file"))
  var daemon: String

  /// How many instructions it executes.
  func counted() -> CheckReport.Count {
    let nightjard = Nightjard(binary: Path.absolute(daemon))
    let server = nightjard.start()
    defer { server.end() }
    // A time zone with daylight saving time, because most users have one.
    let surroundings = [
      "HOME=\(nightjard.folder.path)", "NIGHTJAR_SOCKET=\(nightjard.socketPath)",
      "TZ=Europe/Berlin",
    ]
    let start = [Path.absolute(command), "start", "counted", "1h"]
    return CheckReport.Count(
      name: Self.name, work: Self.work,
      instructions: Double(Callgrind.instructions(of: start, in: surroundings)))
  }
}
