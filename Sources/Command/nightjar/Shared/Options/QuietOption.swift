import ArgumentParser

/// The option with which the command does not use the terminal's bell, notifications and title.
struct QuietOption: ParsableArguments {
  @Flag(name: .customLong("quiet"), help: "Do not ring the terminal.")
  var isQuiet = false
}
