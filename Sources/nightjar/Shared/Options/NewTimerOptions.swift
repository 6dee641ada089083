import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

/// What every command that starts a timer takes.
struct NewTimerOptions: ParsableArguments {
  @Flag(help: "Start anew over a timer of that name.")
  var replace = false

  @Flag(help: "Leave a timer of that name as it is, unless it is over.")
  var ifAbsent = false

  @Option(help: ArgumentHelp("A label; may be given several times.", valueName: "key=value"))
  var label: [String] = []

  @Option(help: ArgumentHelp("An object of the owner's own.", valueName: "json"))
  var data: String?

  /// Puts them into a timer.
  func apply(to timer: inout NewTimer) throws(CommandError) {
    guard !(replace && ifAbsent) else {
      throw .usage("give --replace or --if-absent, not both")
    }
    timer.replace = replace
    timer.ifAbsent = ifAbsent
    timer.labels = try LabelArguments.labels(label)
    timer.data = try LabelArguments.data(data)
  }
}

/// What a timer that comes to an end takes besides: bands, and what becomes of what nobody saw.
struct EndingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What it is called when so little remains: 5min=warn, 60s=warn,10s=urgent; with a colour, a "
        + "progress of its own and a text: 10s=urgent:red:0.9..1:Hurry.",
      valueName: "span=name,..."))
  var band: [String] = []

  @Option(
    help: ArgumentHelp(
      "What came due unseen, as in sleep: fire, skip, or a time span: ring if it is no later.",
      valueName: "policy"))
  var late: String?

  @Option(
    help: ArgumentHelp(
      "What came due unseen several times: once (the last rings, and counts them), each, skip.",
      valueName: "policy"))
  var missed: TimersInterface.Missed?

  @Flag(help: "Wake the machine for it, if it sleeps then.")
  var wake = false

  /// Puts them into a timer.
  func apply(to timer: inout NewTimer) throws(CommandError) {
    timer.bands = try BandArgument.bands(band)
    timer.late = try late.map { (text) throws(CommandError) in try Self.late(text) }
    timer.missed = missed?.policy
    guard !(wake && timer.clock == .awake) else {
      throw .usage(
        "the clock awake stands still while the machine sleeps; leave out --wake or --clock awake")
    }
    timer.wake = wake
  }

  private static func late(_ text: String) throws(CommandError) -> NewTimer.Late {
    switch text {
    case "fire": return .fire
    case "skip": return .skip
    default:
      let span = text.hasPrefix("fire-within=") ? String(text.dropFirst(12)) : text
      guard Invocation.isMeantAsSpan(span) else {
        throw .usage("--late is fire, skip or a time span such as 10min, not '\(text)'")
      }
      // No time at all is a length here: it rings if it is on time.
      if try DurationArgument.parsed(span).span == .usec(0) { return .fireWithin(.zero) }
      return .fireWithin(.microseconds(try DurationArgument(span).usec))
    }
  }
}
