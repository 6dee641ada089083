import ArgumentParser
import NightjarInterface

/// Which time a timer counts that may choose.
struct ClockOption: ParsableArguments {
  @Option(name: .customLong("clock"), help: "Which time counts.")
  var word: TimersInterface.Clock?
}
