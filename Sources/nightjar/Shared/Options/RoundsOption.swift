import ArgumentParser

/// How often something rings that repeats.
struct RoundsOption: ParsableArguments {
  @Option(
    name: .customLong("rounds"),
    help: ArgumentHelp("How often it rings, if it repeats.", valueName: "n"))
  var count: Int64?

  /// The same within its limits; 0: without end.
  func checked() throws(CommandError) -> Int64 {
    try Rounds.checked(count, option: "--rounds")
  }
}
