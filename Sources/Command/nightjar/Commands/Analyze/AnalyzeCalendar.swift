import ArgumentParser
import NightjarModel
internal import NightjarParameters
import NightjarTime
import Varlink

struct AnalyzeCalendar: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar",
    abstract: "Show the next times of a calendar expression, such as Mon..Fri 9:30.",
    discussion: """
      If the clocks are put forward over a time, it means the instant of the change. If the time \
      occurs twice, it means the first of the two. An expression for every hour (* for the hour) \
      has two times if an hour occurs twice, and no time in a skipped hour.
      """)

  @Argument(
    help: ArgumentHelp(
      "Calendar expressions in the notation of systemd.time(7), and weekdays 7:00.",
      valueName: "expression"))
  var expressions: [String]

  @Option(
    help: ArgumentHelp("How many times to show for each expression.", valueName: "n"))
  var iterations = 1

  @OptionGroup(title: "Days") var days: DaysOptions

  @OptionGroup var base: BaseTimeOption
  @OptionGroup var format: AnalyzeFormatOption

  private static let iterationLimits = 1...10_000

  func validate() throws {
    let limits = Self.iterationLimits
    guard limits.contains(iterations) else {
      throw ValidationError("--iterations is from \(limits.lowerBound) to \(limits.upperBound)")
    }
  }

  func run() throws {
    let local = ZoneDatabase.local
    let now = try base.usec(local: local)
    let reader = PhraseReader(nowUsec: now, local: local)
    let wall = WallClock(nowUsec: now, zone: local)
    var values = SettingValues()
    try days.add(to: &values, at: wall)
    let said = values.applied(to: .object([]))["alarm"]
    let except = DayRange.merged((said?["except"]?.strings ?? []).compactMap { DayRange($0) })
    let until = (said?["until"]?.stringValue).flatMap { DayRange($0)?.last }
    try Analyze.each(expressions) { (text) throws(PhraseProblem) in
      let expression = try reader.expression(text)
      let elapses = sequence(state: now) { usec -> Int64? in
        guard let rules = try? reader.rules(of: expression) else { return nil }
        let schedule = Schedule(
          expression: expression.description, zone: "", except: except,
          until: until)
        let next = schedule.next(afterUsec: usec, in: rules) {
          expression.next(afterUsec: $0, in: rules)
        }
        guard let next else { return nil }
        usec = next
        return next
      }.prefix(iterations)
      if format.isJSON {
        Output.ready(Self.json(expression, Array(elapses)).text)
      } else {
        Output.lines(Self.lines(text, expression, Array(elapses), in: local, now: now))
      }
    }
  }

  /// The lines about a calendar expression: the text, its normalized form, and the times at which
  /// it matches, in local time.
  private static func lines(
    _ text: String, _ expression: CalendarExpression, _ elapses: [Int64], in zone: ZoneRules,
    now: Int64
  ) -> [String] {
    var lines = [text, "  means  \(expression)"]
    for usec in elapses {
      let length = SpanFormat.text(usec: usec - now, units: 2)
      lines.append("  comes  \(zone.text(usec: usec)), in \(length)")
    }
    return elapses.isEmpty ? lines + ["  never comes"] : lines
  }

  private static func json(_ expression: CalendarExpression, _ elapses: [Int64]) -> JSONValue {
    .object([
      .init("normalized", .string(expression.description)),
      .init("elapses", .array(elapses.map { .string(CivilTime.rfc3339(utcUsec: $0)) })),
    ])
  }
}
