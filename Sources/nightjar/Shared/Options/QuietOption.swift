import ArgumentParser

/// Whether the command leaves the terminal's bell, notifications and title alone.
struct QuietOption: ParsableArguments {
  @Flag(name: .customLong("quiet"), help: "Do not ring the terminal.")
  var isQuiet = false
}
