import ArgumentParser

/// The number of rings of a repeating timer.
struct RoundsOption: ParsableArguments {
  @Option(
    name: .customLong("rounds"),
    help: ArgumentHelp("How often the timer rings, if it repeats.", valueName: "n"))
  var count: Int64?

  /// The number, checked against its limits; 0: no end.
  func checked() throws(CommandError) -> Int64 {
    try Rounds.checked(count, option: "--rounds")
  }
}
