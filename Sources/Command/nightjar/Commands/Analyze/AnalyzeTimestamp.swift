import ArgumentParser
import NightjarTime
import Varlink

struct AnalyzeTimestamp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timestamp", abstract: "Show when a point in time is, such as tomorrow 9:00.",
    discussion: """
      If the clocks are put forward over the time, it means the instant of the change. If the time \
      occurs twice, it means the first of the two.
      """)

  @Argument(
    help: ArgumentHelp(
      "Points in time in the notation of systemd.time(7), and 9am, next monday 9:00, 24 Dec 18:00, "
        + "ISO 8601.",
      valueName: "time"))
  var timestamps: [String]

  @OptionGroup var base: BaseTimeOption
  @OptionGroup var format: AnalyzeFormatOption

  func run() throws {
    let local = ZoneDatabase.local
    let now = try base.usec(local: local)
    try Analyze.each(timestamps) { (text) throws(PhraseProblem) in
      let usec = try PhraseReader(nowUsec: now, local: local).point(text)
      let utc = CivilTime.rfc3339(utcUsec: usec)
      guard !format.isJSON else {
        return Output.ready(
          JSONValue.object([.init("usec", .integer(usec)), .init("utc", .string(utc))]).text)
      }
      let length = SpanFormat.text(usec: abs(usec - now), units: 2)
      let words = usec < now ? "\(length) ago" : "in \(length)"
      Output.lines([text, "  means  \(local.text(usec: usec)), \(words)", "  in UTC \(utc)"])
    }
  }
}

/// The option for the instant that `analyze` uses as the present time.
struct BaseTimeOption: ParsableArguments {
  @Option(
    name: .customLong("base-time"),
    help: ArgumentHelp("Use this point in time as the present time.", valueName: "time"))
  var baseTime: String?

  func usec(local: ZoneRules) throws(CommandError) -> Int64 {
    let now = LocalTime.nowUsec()
    guard let baseTime else { return now }
    do throws(PhraseProblem) {
      return try PhraseReader(nowUsec: now, local: local).point(Sign.typed(baseTime))
    } catch {
      throw .usage("cannot read --base-time: \(error)", see: .time)
    }
  }
}
