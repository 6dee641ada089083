import ArgumentParser

/// Whether the terminal is left alone.
struct QuietOption: ParsableArguments {
  @Flag(name: .customLong("quiet"), help: "Do not ring the terminal.")
  var isQuiet = false
}
