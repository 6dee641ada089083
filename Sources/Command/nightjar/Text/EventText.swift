package import NightjarClient
package import NightjarTime
import Varlink

package struct EventText {
  let event: Wire.Event
  let zone: ZoneRules
  /// The causes of the background span that the event names; empty: unknown.
  private let spanCauses: [Wire.Cause]
  /// The properties of the event's timer before the event; nil: unknown.
  var before: CarriedParts?

  /// - Parameters:
  ///   - span: the background span that the event names; nil: unknown.
  ///   - zone: the zone in which times are written.
  package init(_ event: Wire.Event, in span: Wire.Span? = nil, zone: ZoneRules = LocalTime.zone) {
    self.event = event
    self.zone = zone
    spanCauses = span?.span == event.spanId ? span?.causes ?? [] : []
  }

  /// The text of the event without the timer's name, such as `paused, 03:12 left`.
  var sentence: String {
    switch event.type {
    case .started: "started\(what)\(clock)\(labels)\(message)\(others.map { ", \($0)" }.joined())"
    case .restarted: "restarted"
    case .paused, .resumed, .cancelled: event.type.rawValue + left
    case .extended: extended
    case .snoozed: "snoozed\(event.byUsec.map { " for \(SpanFormat.said(usec: $0))" } ?? "")"
    case .updated: UpdateText(event, before: before, others: others).sentence
    case .rang where event.snoozed: "the snooze is over, and it rang\(late)\(rings)"
    case .rang: "rang\(late)\(missed)\(rings)\(then)"
    case .didNotRing:
      "did not ring\(missed)\(late)\(event.quietsRing ? "; its ring stays quiet" : "")\(then)"
    case .joined:
      (event.count ?? 1) == 1
        ? "expired, and joined the snoozed ring\(then)"
        : "expired \(event.count ?? 1) times, and joined the snoozed ring\(then)"
    case .advanced: "continued with \(stepName)"
    case .undone: "undone: \(undoneWords) was taken back"
    case .renamedTo: "has another name now: \(event.newName ?? "")"
    case .renamedFrom: "renamed; it was \(event.oldName ?? "")"
    case .dismissed where event.answered != nil: "the ring was dismissed"
    case .stopped: "the ring was stopped"
    case .unanswered: "the ring was not answered"
    case .unnoticed: "the ring was \(unnoticed)\(event.reason.map { ": \($0)" } ?? "")"
    case .rangAgain: "rang again\(sounds), because it was not answered\(late)"
    case .stayedQuiet: "did not ring \(event.snoozed ? "at the end of the snooze" : "again")\(late)"
    case .leftRing:
      "the clock was set back, so \(event.count ?? 1) of its expiries will come again"
    case .bandCrossed:
      (event.band.map { "now \($0.name)" } ?? "in no band") + left
    case .lapped: "lap at \(SpanFormat.stopwatch(usec: event.elapsedUsec ?? 0))"
    case .rescheduled where event.stepName != nil:
      "back to \(stepName): a clock that was ahead had counted on"
    case .rescheduled where event.rung != nil:
      "back to round \((event.rung ?? 0) + 1): a clock that was ahead had counted on"
    case .rescheduled where event.deadlineUsec.map { $0 <= event.timeUsec } ?? false:
      "was due at \(LocalTime.short(event.deadlineUsec ?? 0, nowUsec: event.timeUsec, in: zone)), "
        + "while the clock was wrong"
    case .rescheduled:
      "the calendar changed, rings "
        + (alarmTime(event.deadlineUsec) ?? "at another time")
    case .ranOut: "over, because its calendar has no further time"
    case .skipped:
      "skips \(alarmTime(event.skippedUsec) ?? "the next ring")"
        + (alarmTime(event.deadlineUsec).map { ", next \($0)" } ?? "")
    case .unskipped: "rings \(alarmTime(event.skippedUsec) ?? "at the next time") after all"
    case .pausedAfterSpan: "paused\(because)\(left)"
    case .restartedAfterSpan: "\(stepName) begins anew\(because)"
    case .cameDue: cameDue
    case .zoneChanged:
      "the time zone is \(event.zone.flatMap { $0.isEmpty ? nil : $0 } ?? "another") now"
    case .forgotten: "removed after a day"
    case .didEnterBackground where event.span?.isAbsence == true:
      "the session is locked or idle: the clock present stands still"
    case .willEnterForeground where event.span?.isAbsence == true:
      "the session is in use again after \(length)"
    case .didEnterBackground: "went into the background: \(causes)"
    case .willEnterForeground: "back in the foreground after \(length): \(causes)"
    case .spanCorrected:
      "corrected, the span from \(entered) was \(length): \(causes)"
        + (event.earlyUsec.map { "; a ring was \(SpanFormat.said(usec: $0)) early" } ?? "")
    case .clockStepped: stepped
    case .actionStarted: "runs \(command)\(attempt)"
    case .actionEnded: "\(command): \(outcome)"
    default: event.type.rawValue.split(separator: "_").joined(separator: " ")
    }
  }

  /// The words for the undone change, such as `the dismissal`.
  private var undoneWords: String {
    event.undoneType.flatMap(Self.change) ?? "a change"
  }

  /// The words for a change that can be undone, such as `the dismissal`; nil: the event is no such
  /// change.
  static func change(_ type: Wire.EventType) -> String? {
    switch type {
    case .started: "the start"
    case .restarted: "the restart"
    case .paused: "the pause"
    case .resumed: "the resume"
    // An event of this type is an extension, a reduction, or another duration.
    case .extended: "the new length"
    case .snoozed: "the snooze"
    case .updated: "the update"
    case .advanced: "the next step"
    case .cancelled: "the cancellation"
    case .dismissed: "the dismissal"
    case .stopped: "the end of the ring"
    case .removed: "the removal"
    case .lapped: "the lap"
    case .skipped: "the skip"
    case .unskipped: "the end of the skip"
    case .renamedTo, .renamedFrom: "the new name"
    default: nil
    }
  }

  /// The text of the event. If the event is about a timer, the text begins with the timer's name.
  package var sentenceWithName: String {
    event.name.map { "\($0): \(sentence)" } ?? sentence
  }

  /// Whether the event is about time that was hidden from the daemon. `why` shows this time as
  /// background spans, not as events.
  var isAboutSpan: Bool {
    let types: [Wire.EventType] = [
      .didEnterBackground, .willEnterForeground, .spanCorrected, .cameDue,
    ]
    return types.contains(event.type)
  }

  /// The kind and the duration of the new timer, as the client gave them.
  private var what: String {
    switch event.started {
    case .countdown(let duration): ": \(SpanFormat.said(usec: duration.usec))"
    case .repeating(let duration, let rounds):
      ": every \(SpanFormat.said(usec: duration.usec))\(times(rounds))"
    case .alarm(let time):
      " an alarm for \(alarmTime(time.sinceEpoch.usec) ?? "")"
    case .calendar(let expression, let zone, let rounds):
      " an alarm: \(CalendarText.short(expression))\(zone.map { " (\($0))" } ?? "")"
        + times(rounds) + (days.map { ", \($0)" } ?? "") + first
    case .stopwatch: " a stopwatch"
    case .sequence(let sequence): " a sequence: \(steps(sequence))"
    case nil: kind + duration
    }
  }

  /// The excepted days of an alarm, and its last day; nil: it has neither.
  private var days: String? {
    event.alarm.flatMap { TimerText.days(except: $0.except ?? [], until: $0.until) }
  }

  /// The words for the first ring of a repeating alarm.
  private var first: String {
    alarmTime(event.durationUsec.map { event.timeUsec + $0 }).map { ", first \($0)" } ?? ""
  }

  private func times(_ rounds: Int64) -> String {
    rounds == 0 ? "" : rounds == 1 ? ", once" : ", \(rounds) times"
  }

  private func steps(_ sequence: Wire.Sequence) -> String {
    let steps = sequence.steps.map { step in
      let long = step.longUsec.map { long in
        " (\(SpanFormat.text(usec: long, units: 2)) every \(sequence.longEvery ?? 1) rounds)"
      }
      return "\(step.name) \(SpanFormat.text(usec: step.durationUsec, units: 2))\(long ?? "")"
    }
    let rounds =
      switch sequence.rounds ?? 1 {
      case 0: ", without end"
      case 1: ""
      case let rounds: ", \(rounds) rounds"
      }
    return steps.joined(separator: ", ") + rounds
  }

  /// The words for the kind of timer, if the event has no specification.
  private var kind: String {
    guard let kind = event.kind, kind != .countdown else { return "" }
    return kind == .alarm ? " an alarm" : " a \(kind.rawValue)"
  }

  private func alarmTime(_ usec: Int64?) -> String? {
    usec.map { LocalTime.short($0, nowUsec: event.timeUsec, in: zone, ofAlarm: true) }
  }

  private func time(_ usec: Int64?) -> String? {
    usec.map { LocalTime.short($0, nowUsec: event.timeUsec, in: zone) }
  }

  private var because: String {
    spanCauses.isEmpty
      ? " after time was hidden" : ", because \(TimerText.reasons(spanCauses))"
  }

  private var labels: String {
    guard let labels = event.labels, !labels.isEmpty else { return "" }
    return " (\(TimerText.labels(labels)))"
  }

  /// The words for the number of the sound, such as `, for the second time`.
  private var sounds: String { event.sounds.map { ", for the \(Self.ordinal($0)) time" } ?? "" }

  /// The words for the expiries of a ring, such as `, 3 expiries since Mon 23 Nov 07:00:00`.
  private var rings: String {
    guard let expiries = event.expiries, expiries > 1, let since = time(event.firstDueUsec) else {
      return ""
    }
    return ", \(expiries) expiries since \(since)"
  }

  /// What a sequence does after an expiry, such as `; rest begins`.
  private var then: String {
    guard let step = event.stepName else { return "" }
    switch event.state {
    case .running: return "; \(step) begins"
    case .waiting: return "; \(step) is over, and the next step waits"
    default: return ""
    }
  }

  /// The words for the message, such as `, message: Take the bread out`.
  private var message: String { event.message.map { ", message: \($0)" } ?? "" }

  private var stepName: String { event.stepName ?? "a step" }

  private var missed: String {
    guard let missed = event.missed, missed > 0 else { return "" }
    if event.type == .didNotRing { return " (\(missed + 1) times)" }
    return ", and stands for \(missed) more"
  }

  private var late: String {
    TimerText.lateness(event.lateUsec, event.lateCause, isEstimated: event.estimated)
  }

  private var cameDue: String {
    let named = event.names ?? []
    let more = (event.count ?? Int64(named.count)) - Int64(named.count)
    let names = named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "expired in the background: \(names)"
  }

  private var duration: String {
    event.durationUsec.flatMap { $0 > 0 ? ": \(SpanFormat.text(usec: $0, units: 2))" : nil } ?? ""
  }

  private var clock: String {
    // An alarm always uses the wall clock.
    guard let clock = event.clock, clock != .elapsed, event.kind != .alarm else { return "" }
    return ", on the \(clock.rawValue) clock"
  }

  private var left: String {
    if let usec = event.elapsedUsec { return " at \(SpanFormat.stopwatch(usec: usec))" }
    return event.remainingUsec.map { ", \(SpanFormat.countdown(remainingUsec: $0)) left" } ?? ""
  }

  private var unnoticed: String {
    TimerText.unnoticed(unseen: event.unseen, unheard: event.unheard) ?? "not noticed"
  }

  private var extended: String {
    guard let byUsec = event.byUsec else { return "extended" }
    let verb = byUsec < 0 ? "shortened" : "extended"
    return "\(verb) by \(SpanFormat.said(usec: Int64(clamping: byUsec.magnitude)))\(left)"
  }

  /// The fields of `Event` that need no words of their own, because the sentences about starts and
  /// updates contain or omit them. All other fields are printed with their names.
  private static let known: Set<String> = [
    "seq", "time_usec", "type", "name", "id", "counted_usec", "paused_usec", "kind", "clock",
    "duration_usec", "repeat", "alarm", "sequence", "ring", "labels", "data", "message", "bands",
    "request", "wake", "answered",
  ]

  /// The words for the other fields, such as `priority 7`.
  private var others: [String] {
    (JSONValue(event).objectValue ?? []).filter {
      !Self.known.contains($0.key) && $0.value != false && $0.value != .array([])
    }.map { member in
      let value = member.value == true ? "" : " \(member.value.stringValue ?? member.value.text)"
      return member.key.replacing("_", with: " ") + value
    }
  }

  private var command: String { event.command ?? "a command" }

  private var attempt: String {
    guard let attempt = event.attempt, attempt > 1 else { return "" }
    return ", for the \(Self.ordinal(attempt)) time"
  }

  /// The ordinal number, such as `second` or `12th`.
  private static func ordinal(_ number: Int64) -> String {
    switch number {
    case 1: "first"
    case 2: "second"
    case 3: "third"
    default: "\(number)th"
    }
  }

  private var outcome: String {
    let words = OutcomeText(
      outcome: event.outcome, exitStatus: event.exitStatus, signal: event.signal,
      reason: event.reason
    ).words(after: " after \(SpanFormat.text(usec: event.durationUsec ?? 0, units: 2))")
    return words + (event.lastLines.last.map { ": \($0)" } ?? "")
  }

  private var causes: String { TimerText.reasons(event.span?.causes ?? []) }

  /// The time at which the background span began. It is computed with the corrected clock.
  private var entered: String {
    LocalTime.short(event.span?.enteredUsec ?? 0, nowUsec: event.timeUsec, in: zone)
  }

  private var length: String {
    guard let span = event.span else { return "some time" }
    return Self.length(of: span)
  }

  /// The length of a background span, such as `about 40 min`.
  static func length(of span: Wire.Span) -> String {
    let about = span.estimated && span.elapsedUsec >= 1_000_000 ? "about " : ""
    return about + SpanFormat.text(usec: span.elapsedUsec, units: 2)
  }

  private var stepped: String {
    guard let offsetUsec = event.offsetUsec.map(Self.exact(stepUsec:)) else {
      return "the clock was set"
    }
    let direction = offsetUsec < 0 ? "back" : "forward"
    let amount = SpanFormat.text(usec: Int64(clamping: offsetUsec.magnitude), units: 2)
    return "the clock was set \(direction) by \(amount)"
  }

  /// A step of the clock, rounded to 10 ms. The measured step has an error of some microseconds.
  /// Without rounding, a step of an hour could be printed as 59 min 59 s.
  static func exact(stepUsec: Int64) -> Int64 {
    let unit: Int64 = 10_000
    return (stepUsec + (stepUsec < 0 ? -unit / 2 : unit / 2)) / unit * unit
  }
}
