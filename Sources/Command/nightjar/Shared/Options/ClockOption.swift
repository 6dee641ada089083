import ArgumentParser
import NightjarInterface

/// The option for the clock of a timer, for kinds of timers with a choice of clocks.
struct ClockOption: ParsableArguments {
  @Option(name: .customLong("clock"), help: "The time that the timer counts.")
  var word: Wire.Clock?
}
