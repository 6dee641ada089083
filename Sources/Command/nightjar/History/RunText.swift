import NightjarClient
import NightjarTime
import Varlink

/// A run as text: the row of a table, or a JSON object.
struct RunText {
  let run: Run
  let nowUsec: Int64

  /// - Parameter pauses: whether the table has a column for pauses.
  static func header(pauses: Bool) -> [String] {
    ["NAME", "STATE", "STARTED", "ENDED", "RAN"] + (pauses ? ["PAUSED"] : []) + ["WHAT"]
  }

  func row(pauses: Bool) -> [String] {
    let paused = run.pausedUsec > 0 ? SpanFormat.text(usec: run.pausedUsec, units: 2) : ""
    return [
      run.name, run.state.rawValue,
      LocalTime.short(run.startedUsec, nowUsec: nowUsec), ended, ran,
    ] + (pauses ? [paused] : []) + [what]
  }

  /// The style of the row. The rows of runs that ended without a ring are dimmed.
  var style: Terminal.Style? {
    switch run.state {
    case .running: .green
    case .paused, .waiting: .yellow
    case .over: nil
    case .cancelled, .missed, .finished, .removed, .restarted, .replaced: .dim
    }
  }

  /// The time of the end, with the date if the run ended on another day than it began.
  private var ended: String {
    run.endedUsec.map { LocalTime.short($0, nowUsec: run.startedUsec) } ?? ""
  }

  /// The counted time. For an alarm, an empty text.
  private var ran: String {
    guard run.kind != .alarm else { return "" }
    return SpanFormat.text(usec: run.countedUsec, units: 2)
  }

  /// The text of the last column: how often the timer rang, how late, and other notable facts.
  private var what: String {
    var parts: [String] = []
    if !run.labels.isEmpty { parts.append(TimerText.labels(run.labels)) }
    if run.startsBeforeLedger { parts.append("begins before the ledger") }
    if run.rings > 1 { parts.append("rang \(run.rings) times") }
    if run.missed > 0 { parts.append("missed \(run.missed)") }
    if run.unnoticed > 0 { parts.append("\(run.unnoticed) neither seen nor heard") }
    if run.laps > 0 { parts.append(run.laps == 1 ? "1 lap" : "\(run.laps) laps") }
    let last = run.state == .missed ? run.missLate : run.late
    if let late = TimerText.late(usec: last?.usec, cause: last?.cause) { parts.append(late) }
    if run.breakUsec > 0 {
      parts.append("breaks \(SpanFormat.text(usec: run.breakUsec, units: 2))")
    }
    return parts.joined(separator: ", ")
  }

  var json: JSONValue {
    .members([
      ("name", .string(run.name)), ("id", .integer(run.id)),
      ("kind", .string(run.kind.rawValue)), ("clock", .string(run.clock.rawValue)),
      ("state", .string(run.state.rawValue)), ("started_usec", .integer(run.startedUsec)),
      ("ended_usec", run.endedUsec.map(JSONValue.integer)),
      ("counted_usec", .integer(run.countedUsec)), ("paused_usec", .integer(run.pausedUsec)),
      ("extended_usec", .integer(run.extendedUsec)), ("rings", .integer(run.rings)),
      ("missed", .integer(run.missed)), ("unnoticed", .integer(run.unnoticed)),
      ("late_usec", .integer(run.late?.usec ?? 0)),
      ("late_cause", (run.late?.cause?.rawValue).map(JSONValue.string)),
      ("cut", run.startsBeforeLedger ? true : nil),
      ("break_usec", run.steps.isEmpty ? nil : .integer(run.breakUsec)),
      ("steps", run.steps.isEmpty ? nil : .array(run.steps.map(Self.json))),
      ("labels", .object(run.labels.map { .init($0.key, .string($0.value)) })),
    ])
  }

  private static func json(_ step: Run.StepTime) -> JSONValue {
    [
      "name": .string(step.name), "break": .bool(step.isBreak),
      "counted_usec": .integer(step.countedUsec),
    ]
  }
}
