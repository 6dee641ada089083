import ArgumentParser
import NightjarInterface

/// The clock of a timer whose kind allows a choice.
struct ClockOption: ParsableArguments {
  @Option(name: .customLong("clock"), help: "The time that the timer counts.")
  var word: TimersInterface.Clock?
}
