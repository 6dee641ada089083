import ArgumentParser

/// The option for the number of rings of a repeating timer.
struct RoundsOption: ParsableArguments {
  @Option(
    name: .customLong("rounds"),
    help: ArgumentHelp("How often the timer rings, if it repeats.", valueName: "n"))
  var count: Int64?

  /// The number, after a check against its limits; 0: the timer repeats without an end.
  func checked() throws(CommandError) -> Int64 {
    try Rounds.checked(count, option: "--rounds")
  }
}
