import NightjarClient
import NightjarInterface
import NightjarTime

struct TimerText {
  let timer: Wire.Timer
  let nowUsec: Int64
  let zone: ZoneRules
  /// The time since the timer rang, in microseconds; nil: it is computed from the time of the ring.
  private let agoUsec: Int64?

  init(
    _ timer: Wire.Timer, nowUsec: Int64 = LocalTime.nowUsec(),
    zone: ZoneRules = LocalTime.zone, agoUsec: Int64? = nil
  ) {
    self.timer = timer
    self.nowUsec = nowUsec
    self.zone = zone
    self.agoUsec = agoUsec ?? timer.firedAgoUsec
  }

  /// The state and the time of the ring, such as `rings at 14:32:10`, `paused, 03:12 left` or `rang
  /// 3 min ago`.
  var state: String {
    switch timer.state {
    case .running: rings
    case .paused: isStopwatch ? "paused at \(remaining)" : "paused, \(remaining) left"
    case .fired: rang
    case .waiting: waiting
    case .cancelled: "cancelled"
    case .other(let word): word
    }
  }

  /// The text after a timer was cancelled, such as `cancelled, 03:12 was left`. For a stopwatch it
  /// has the elapsed time.
  var cancelled: String {
    isStopwatch ? "stopped at \(remaining)" : "cancelled, \(remaining) was left"
  }

  /// The text after a ring was dismissed, such as `dismissed, rang 3 min ago`. A timer that is shown
  /// as snoozed was removed with its snooze.
  var dismissed: String { timer.snoozed ? "dismissed" : "dismissed, \(state)" }

  var removed: String { "removed" }

  /// The text for a sequence that waits, such as `work is over, rest waits: nightjar advance
  /// pomodoro`.
  private var waiting: String {
    let over = timer.step.map { "\($0.name) is over" } ?? "waiting"
    let next = timer.step?.nextName.map { ", \($0) waits" } ?? ""
    return "\(over)\(next): \(Typed.nightjar) advance \(Quoting.quoted(timer.name))"
  }

  /// The state in one word. It is `skipped` if the timer expired without a ring, and `ringing` if
  /// it continues while it rings.
  var stateWord: String {
    if timer.ringsAndContinues { return "ringing" }
    return timer.state == .fired && timer.skipped ? "skipped" : timer.state.rawValue
  }

  var isStopwatch: Bool { timer.kind == .stopwatch }

  /// The kind and the duration, before the time of the ring, such as `4 min, `. It is empty if the
  /// time of the ring says enough.
  var what: String {
    switch timer.kind {
    case .countdown:
      timer.repeat == nil
        ? "\(SpanFormat.said(usec: timer.durationUsec)), " : "\(rhythm), "
    case .alarm: timer.repeat == nil ? "" : "\(rhythm), "
    case .sequence:
      timer.step.map { "\(step($0)), \(SpanFormat.said(usec: timer.durationUsec)), " } ?? ""
    case .stopwatch, .other: ""
    }
  }

  /// The text after a start or a restart, such as `4 min, rings at 14:32:10`. For an alarm it says
  /// whether the alarm repeats.
  ///
  /// - Parameters:
  ///   - typed: the time of an alarm as the user typed it; nil: unknown.
  ///   - namesZone: whether the user named the zone of that time.
  func begun(typed: String? = nil, namesZone: Bool = false) -> String {
    (AlarmText(self).answer(typed: typed, namesZone: namesZone) ?? what + state) + wake
  }

  /// The words for the repetition: `every 10 min`, or the calendar expression.
  var rhythm: String {
    if let calendar = timer.calendar {
      return CalendarText.short(calendar) + (timer.zone.map { " (\($0))" } ?? "")
    }
    let usec = timer.repeat?.periodUsec ?? timer.durationUsec
    return "every \(SpanFormat.said(usec: usec))"
  }

  /// The words for the step of a sequence, such as `work, step 1 of 2, round 3 of 4`.
  func step(_ step: Wire.StepState) -> String {
    let rounds = step.rounds.map { $0 == 1 ? "" : ", round \(step.round) of \($0)" }
    return "\(step.name), step \(step.index) of \(step.steps)\(rounds ?? ", round \(step.round)")"
  }

  /// The words for a failed command, such as `command failed, exit status 2`; nil: no command of
  /// the timer failed.
  var failure: String? { timer.failure.map { "command \(OutcomeText($0).words())" } }

  /// A part that `more` leaves out if the caller shows it in another place.
  enum Part { case failure, message, ring }

  /// The other facts about the timer in a list: the failed command, the message, the step, the
  /// repetition and the band.
  var more: String { more(band: timer.band) }

  /// The same facts as in `more`, but with the given band.
  ///
  /// - Parameter left: the parts to leave out.
  func more(band: Wire.Band?, without left: Set<Part> = []) -> String {
    var parts: [String] = []
    if !left.contains(.failure), let failure { parts.append(failure) }
    if !left.contains(.message), let message = timer.message { parts.append(message) }
    if let step = timer.step { parts.append(self.step(step)) }
    if timer.repeat != nil {
      parts.append(rhythm)
    }
    if timer.snoozed { parts.append("snoozed") }
    if let skips { parts.append(skips) }
    if let ringHere { parts.append(ringHere) }
    if let ownerAway { parts.append(ownerAway) }
    let isImpliedByState = timer.state == .fired || timer.state == .waiting
    if !left.contains(.ring), !isImpliedByState, timer.firedUsec != nil { parts.append(rang) }
    if isStopwatch, let laps = timer.laps, !laps.isEmpty {
      parts.append(laps.count == 1 ? "1 lap" : "\(laps.count) laps")
    }
    if let band, timer.state == .running || timer.state == .paused {
      parts.append(band.text ?? band.name)
    }
    return parts.joined(separator: ", ")
  }

  /// The state of the ring on this machine, for a timer of another machine; nil: this machine does
  /// not ring for the timer.
  var ringHere: String? {
    timer.ringHere.map { word in
      switch word {
      case .on: "rings here for its machine"
      case .due: "due, and its machine is away"
      case .dismissed: "dismissed, and its machine does not know yet"
      case .other(let word): word
      }
    }
  }

  /// The text for a timer of a session whose owner is away. Nil if the owner is online, or if the
  /// timer belongs to no session.
  var ownerAway: String? {
    guard let owner = timer.owner, let state = timer.ownerState else { return nil }
    guard state.isKnown, state != .online else { return nil }
    guard state != .unknown else { return "as it was when this machine was connected last" }
    return CommandError.away(
      owner, state.rawValue, sinceUsec: timer.ownerSinceUsec, nowUsec: nowUsec)
  }

  /// The owner of a timer in a session, and the state of the owner's machine, such as `kim/phone,
  /// online`.
  var owner: String? {
    timer.owner.map { owner in
      ownerAway.map { $0.hasPrefix(owner) ? $0 : "\(owner), \($0)" } ?? "\(owner), online"
    }
  }

  /// The state, and for a running timer also the remaining time.
  var stateAndRemaining: String {
    guard timer.state == .running, !isStopwatch else { return state }
    return "running, \(remaining) left, \(rings)"
  }

  /// The remaining time, such as `03:12` or `31 d 2 h`. For a stopwatch it is the elapsed time.
  var remaining: String {
    guard isStopwatch else { return SpanFormat.countdown(remainingUsec: timer.remainingUsec) }
    return SpanFormat.days(usec: timer.elapsedUsec) ?? remainingInHours
  }

  /// The remaining time in hours, minutes and seconds, without days. For a stopwatch it is the
  /// elapsed time.
  var remainingInHours: String {
    isStopwatch
      ? SpanFormat.stopwatch(usec: timer.elapsedUsec)
      : SpanFormat.clock(remainingUsec: timer.remainingUsec)
  }

  /// The words for the time of the ring, such as `rings at 14:32:10`. If the ring is not today,
  /// they have the date.
  var rings: String {
    if timer.away {
      return isStopwatch ? "stands still at \(remaining): \(away)" : "stands still: \(away)"
    }
    if timer.waitsForClock {
      return "due by a clock that may be wrong, waits for it to be set, a minute by default"
    }
    guard let deadlineUsec = timer.deadlineUsec else {
      return isStopwatch ? "running, \(remaining)" : timer.state.rawValue
    }
    let point = LocalTime.short(deadlineUsec, nowUsec: nowUsec, in: zone)
    let now = LocalTime(usec: nowUsec, in: zone)
    let isToday = LocalTime(usec: deadlineUsec, in: zone).isSameDay(as: now)
    return "rings \(isToday ? "at " : "")\(point)\(condition)"
  }

  /// The text after a skip, such as `passes over Thu 26 Nov 09:30:00, next Fri 27 Nov 09:30:00`.
  var passedOver: String {
    let last = timer.passedOverUsec.last.map { " \(point($0))" } ?? " the next ring"
    return "passes over\(last)\(next)"
  }

  /// The text after a skip was undone, such as `rings Thu 26 Nov 09:30:00 after all`.
  var reinstated: String {
    timer.deadlineUsec.map { "rings \(point($0)) after all" } ?? "the skip is taken back"
  }

  private var next: String {
    guard let deadlineUsec = timer.deadlineUsec else {
      return timer.state == .paused ? ", \(remaining) left when it continues" : ""
    }
    return ", next \(point(deadlineUsec))"
  }

  /// The time of an instant. If the instant is not today, the date is before the time.
  func point(_ usec: Int64) -> String {
    LocalTime.short(usec, nowUsec: nowUsec, in: zone)
  }

  /// The words for the rings that the timer will skip, such as `skips Thu 26 Nov 09:30:00`; nil: it
  /// skips none.
  var skips: String? {
    let points = timer.passedOverUsec
    guard let first = points.first else { return nil }
    return points.count == 1
      ? "skips \(point(first))" : "skips \(points.count) from \(point(first))"
  }

  /// The words for the days of an alarm, such as `except 2026-12-24..2027-01-01, until 2027-06-30`;
  /// nil: it has neither excepted days nor a last day.
  var days: String? { Self.days(except: timer.except ?? [], until: timer.until) }

  static func days(except: [String], until: String?) -> String? {
    let list =
      except.count > 3 ? "\(except.count) stretches of days" : except.joined(separator: ", ")
    let parts = [until.map { "until \($0)" }, except.isEmpty ? nil : "except \(list)"]
    return except.isEmpty && until == nil ? nil : parts.compactMap(\.self).joined(separator: ", ")
  }

  /// The words that say whether the timer can wake the machine; empty: the timer has no `wake`.
  var wake: String {
    guard let wake = timer.wake else { return "" }
    guard !wake.can else { return ", and wakes the machine for it" }
    return ", but cannot wake the machine" + (wake.reason.map { ": \($0)" } ?? "")
  }

  /// The words for the condition on which the timer rings at its time; empty: there is no
  /// condition.
  var condition: String {
    guard !timer.snoozed else { return "" }
    switch timer.clock {
    case .awake: return ", if awake until then"
    case .present: return timer.away ? "" : ", if the session is in use until then"
    case .elapsed, .wall, .other: return ""
    }
  }

  private var away: String {
    guard timer.deadlineUsec == nil else { return "locked or idle" }
    return timer.clock == .awake
      ? "its machine is away" : "its machine is locked, idle or away"
  }

  /// The words for a ring in the past, such as `rang 3 min ago, 2 h late: the machine slept`.
  var rang: String {
    timer.skipped
      ? "did not ring, due \(ago)" : "rang \(ago)\(timer.unanswered ? ", unanswered" : "")"
  }

  /// How long ago the timer rang, such as `3 min ago, 2 h late: the machine slept`. For a timer
  /// that did not ring, it is how long ago the timer was due.
  var ago: String {
    let noticedUsec = agoUsec ?? timer.firedUsec.map { nowUsec - $0 } ?? 0
    let usec = noticedUsec + (timer.skipped ? timer.lateUsec ?? 0 : 0)
    let ago = usec < 1_000_000 ? "just now" : "\(SpanFormat.text(usec: usec, units: 1)) ago"
    if let usec = timer.earlyUsec {
      return ago + ", \(SpanFormat.said(usec: usec)) early: the clock was ahead"
    }
    let late = Self.late(usec: timer.lateUsec, cause: timer.lateCause).map { ", \($0)" } ?? ""
    return ago + late + (timer.estimated ? Self.estimated : "")
  }

  /// The words for a ring whose time depended on a wall clock that was not synchronised.
  static let estimated = ", estimated: the clock was not set yet"

  /// The words for the lateness, such as `2 h late: the machine slept`. Nil if there is no cause
  /// and the lateness is at most a second, because users do not notice that.
  static func late(usec: Int64?, cause: Wire.Cause?) -> String? {
    usec.flatMap { LateText.late(usec: $0, cause: cause?.rawValue) }
  }

  /// The clause for a cause of a background span or of lateness.
  static func reason(_ cause: Wire.Cause) -> String { LateText.reason(cause.rawValue) }

  /// The labels, such as `key=value key=value`. Control characters are escaped.
  static func labels(_ labels: WireMap<String>) -> String {
    labels.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  static func reasons(_ causes: [Wire.Cause]) -> String {
    causes.isEmpty ? "the reason is not known" : causes.map(reason).joined(separator: ", ")
  }
}
