import ArgumentParser
import NightjarClient

/// The options that all commands have that start a timer.
struct NewTimerOptions: ParsableArguments {
  @Flag(help: "If there is a timer of that name, replace it.")
  var replace = false

  @Flag(help: "If there is a timer of that name that is not over, keep it and start no other.")
  var ifAbsent = false

  @Option(help: ArgumentHelp("A label; may be given several times.", valueName: "key=value"))
  var label: [String] = []

  @OptionGroup var changeable: ChangeableOptions

  func apply(to timer: inout Wire.Start) throws(CommandError) {
    guard !(replace && ifAbsent) else {
      throw .usage("give --replace or --if-absent, not both")
    }
    timer.replace = replace
    timer.ifAbsent = ifAbsent
    if !label.isEmpty { timer.labels = try LabelArguments.labels(label) }
    try changeable.apply(to: &timer)
  }
}
