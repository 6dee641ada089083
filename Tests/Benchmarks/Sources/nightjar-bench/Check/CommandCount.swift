internal import ArgumentParser

/// One `nightjar start`, the whole program with its dynamic loader, counted beside a daemon.
struct CommandCount: ParsableArguments {
  /// The name by which it has a threshold, and what is counted, in words.
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
    // A zone with a rule for its summers, as most people have one.
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
