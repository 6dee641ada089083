import ArgumentParser
import NightjarClient
import NightjarInterface
import NightjarTime
import Varlink

/// The options of timers that end: bands, and the rules for expiries in the background.
struct EndingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Give a name to the part of the timer in which at most SPAN remains: 5min=warn. Commas "
        + "separate several bands: 60s=warn,10s=urgent. A band can also have a colour, a range of "
        + "the progress and a text: 10s=urgent:red:0.9..1:Hurry.",
      valueName: "span=name,..."))
  var band: [String] = []

  @Option(
    help: ArgumentHelp(
      "What the timer does if it expires in the background, for example in sleep: fire (ring), "
        + "skip (do not ring), or a time span (ring if it is at most that late).",
      valueName: "policy"),
    completion: .list(words))
  var late: String?

  @Option(
    help: ArgumentHelp(
      "What the timer does if it expires several times in the background.", valueName: "policy"))
  var missed: Wire.Missed?

  @Flag(help: "Wake the machine if it sleeps when the timer expires.")
  var wake = false

  func apply(to timer: inout Wire.Start) throws(CommandError) {
    if !band.isEmpty { timer.bands = try BandArgument.bands(band) }
    if let late { try Self.apply(late: late, to: &timer) }
    timer.missed = missed
    timer.wake = wake
  }

  private static let words = Wire.Late.allCases.map(\.rawValue)

  private static func apply(
    late text: String, to timer: inout Wire.Start
  ) throws(CommandError) {
    switch Wire.Late(rawValue: text) {
    case .fire: timer.late = .fire
    case .skip: timer.late = .skip
    case .other:
      let span = text.hasPrefix("fire-within=") ? String(text.dropFirst(12)) : text
      guard Invocation.isMeantAsSpan(span) || Invocation.isSpan(span) else {
        throw .usage(
          "--late is \(words.joined(separator: ", ")) or a time span such as 10min, not '\(text)'")
      }
      // Zero is a valid length for --late. It means that the timer rings only if it is on time.
      timer.fireWithinUsec =
        try DurationArgument.parsed(span).span == .usec(0)
        ? 0 : try DurationArgument(span, in: "--late").usec
    }
  }
}
