import NightjarClient
import NightjarTime
import NightjarWire

/// What an entry of the ledger says, in plain words.
struct EventText {
  let event: Event
  let zone: ZoneRules

  init(_ event: Event, zone: ZoneRules = LocalTime.zone) {
    self.event = event
    self.zone = zone
  }

  /// Without the timer's name: `paused, 03:12 left`.
  var sentence: String {
    switch event.type {
    case "started": "started\(kind)\(duration)\(clock)"
    case "restarted": "restarted"
    case "paused", "resumed", "cancelled": event.type.rawValue + left
    case "extended": extended
    case "snoozed": "snoozed\(event.byUsec.map { " for \(SpanFormat.people(usec: $0))" } ?? "")"
    case "updated": updated
    case "fired":
      "rang\(TimerText.late(usec: event.lateUsec, cause: event.lateCause).map { ", \($0)" } ?? "")"
        + missed
    case "skipped":
      "came due unseen, and did not ring" + missed
        + (TimerText.late(usec: event.lateUsec, cause: event.lateCause).map { ", \($0)" } ?? "")
    case "stepped": "\(stepName) begins\(missed)\(late)"
    case "step_ended": "\(stepName) is over, and the next step waits\(missed)\(late)"
    case "advanced": "went on to \(stepName)"
    case "acknowledged": "the ring was dismissed"
    case "band_crossed":
      (event.band.map { "now \($0.name)" } ?? "in no band") + left
    case "lapped": "lap at \(SpanFormat.stopwatch(usec: event.elapsedUsec ?? 0))"
    case "rescheduled":
      "the calendar changed, rings "
        + (event.deadlineUsec.map { LocalTime.short($0, nowUsec: event.timeUsec, in: zone) }
          ?? "at another time")
    case "paused_after_sleep": "paused by the sleep\(left)"
    case "restarted_after_sleep": "\(stepName) begins anew after the sleep"
    case "came_due": cameDue
    case "zone_changed":
      "the time zone is \(event.zone.flatMap { $0.isEmpty ? nil : $0 } ?? "another") now"
    case "expired": "put away by itself"
    case "did_enter_background": "went into the background: \(causes)"
    case "will_enter_foreground": "back in the foreground after \(length): \(causes)"
    case "span_corrected": "corrected, it was \(length): \(causes)"
    case "clock_stepped": stepped
    case "action_started": "runs \(command)\(attempt)"
    case "action_ended": "\(command): \(outcome)"
    default: event.type.rawValue.split(separator: "_").joined(separator: " ")
    }
  }

  /// With the name of the timer in front, where it is about one.
  var sentenceWithName: String {
    event.name.map { "\($0): \(sentence)" } ?? sentence
  }

  /// Whether it is about the machine's time, which `why` tells by its spans.
  var isAboutSpan: Bool {
    ["did_enter_background", "will_enter_foreground", "span_corrected", "came_due"]
      .contains(event.type)
  }

  private var kind: String {
    guard let kind = event.kind, kind != .countdown else { return "" }
    return kind == .alarm ? " an alarm" : " a \(kind.rawValue)"
  }

  private var stepName: String { event.stepName ?? "a step" }

  private var missed: String {
    guard let missed = event.missed, missed > 0 else { return "" }
    if event.type == "skipped" { return missed == 1 ? "" : " (\(missed) times)" }
    return ", and stands for \(missed) more"
  }

  private var late: String {
    TimerText.late(usec: event.lateUsec, cause: event.lateCause).map { ", \($0)" } ?? ""
  }

  private var cameDue: String {
    let count = event.count ?? Int64(event.names.count)
    let more = count - Int64(event.names.count)
    let names = event.names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "came due meanwhile: \(names)"
  }

  private var duration: String {
    event.durationUsec.flatMap { $0 > 0 ? ": \(SpanFormat.people(usec: $0, units: 2))" : nil } ?? ""
  }

  private var clock: String {
    guard let clock = event.clock, clock != .elapsed else { return "" }
    return ", on the \(clock.rawValue) clock"
  }

  private var left: String {
    if let usec = event.elapsedUsec { return " at \(SpanFormat.stopwatch(usec: usec))" }
    return event.remainingUsec.map { ", \(SpanFormat.clock(remainingUsec: $0)) left" } ?? ""
  }

  private var extended: String {
    guard let byUsec = event.byUsec else { return "extended" }
    let verb = byUsec < 0 ? "shortened" : "extended"
    return "\(verb) by \(SpanFormat.people(usec: Int64(clamping: byUsec.magnitude)))\(left)"
  }

  private var updated: String {
    var parts: [String] = []
    if let labels = event.labels, !labels.isEmpty {
      parts.append("labels \(TimerText.labels(labels))")
    }
    if let data = event.data, data != .object([]) { parts.append("data \(data.text)") }
    return "updated: " + (parts.isEmpty ? "no labels, no data" : parts.joined(separator: ", "))
  }

  private var command: String { event.command.map(Terminal.visible) ?? "a command" }

  private var attempt: String {
    guard let attempt = event.attempt, attempt > 1 else { return "" }
    return ", for the \(attempt == 2 ? "second" : "third") time"
  }

  private var outcome: String {
    let after = "after \(SpanFormat.people(usec: event.durationUsec ?? 0, units: 2))"
    switch event.outcome {
    case .exited? where event.exitStatus == 0: return "done \(after)"
    case .exited?: return "failed \(after), exit status \(event.exitStatus ?? 1)"
    case .signalled?: return "ended by signal \(event.signal ?? 0) \(after)"
    case .timedOut?: return "took too long, and was ended \(after)"
    case .notStarted?: return "could not be started: \(event.reason ?? "nobody knows why")"
    case .givenUp?: return "started again and again, and nobody saw its end: given up"
    case .dropped?: return "not started: too many others were waiting"
    case .unseen?: return "ran on when the daemon ended"
    default: return "ended"
    }
  }

  private var causes: String { TimerText.reasons(event.span?.causes ?? []) }

  private var length: String {
    guard let span = event.span else { return "some time" }
    let about = span.isEstimated ? "about " : ""
    return about + SpanFormat.people(usec: span.elapsedUsec, units: 2)
  }

  private var stepped: String {
    guard let offsetUsec = event.offsetUsec else { return "the clock was set" }
    let direction = offsetUsec < 0 ? "back" : "forward"
    let amount = SpanFormat.people(usec: Int64(clamping: offsetUsec.magnitude), units: 2)
    return "the clock was set \(direction) by \(amount)"
  }
}
