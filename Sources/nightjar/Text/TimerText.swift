import NightjarClient
import NightjarInterface
import NightjarTime

/// A timer, as text for people.
struct TimerText {
  let timer: NightjarTimer
  let nowUsec: Int64
  let zone: ZoneRules
  /// How long ago it rang, if the daemon's report is not recent.
  private let agoUsec: Int64?

  init(
    _ timer: NightjarTimer, nowUsec: Int64 = LocalTime.nowUsec(),
    zone: ZoneRules = LocalTime.zone, agoUsec: Int64? = nil
  ) {
    self.timer = timer
    self.nowUsec = nowUsec
    self.zone = zone
    self.agoUsec = agoUsec ?? timer.firedAgoUsec
  }

  /// Its state and when it rings: `rings at 14:32:10`, `paused, 03:12 left`, `rang 3 min ago`.
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

  /// `cancelled, 03:12 was left`; for a stopwatch, its elapsed time.
  var cancelled: String {
    isStopwatch ? "stopped at \(remaining)" : "cancelled, \(remaining) was left"
  }

  /// `dismissed, rang 3 min ago`.
  var dismissed: String { "dismissed, \(state)" }

  /// The text after a removal.
  var removed: String { "removed" }

  /// `work is over, rest waits: nightjar advance pomodoro`.
  private var waiting: String {
    let over = timer.step.map { "\($0.name) is over" } ?? "waiting"
    let next = timer.step?.nextName.map { ", \($0) waits" } ?? ""
    return "\(over)\(next): \(Typed.nightjar) advance \(Quoting.quoted(timer.name))"
  }

  /// The state in one word; `skipped` if it expired without a ring.
  var stateWord: String {
    timer.state == .fired && timer.isSkipped ? "skipped" : timer.state.rawValue
  }

  var isStopwatch: Bool { timer.kind == .stopwatch }

  /// The kind and duration, as the text before the time of the ring: `4 min, `. Empty if the time
  /// of the ring is enough.
  var what: String {
    switch timer.kind {
    case .countdown:
      timer.repetition == nil
        ? "\(SpanFormat.people(usec: timer.durationUsec)), " : "\(rhythm), "
    case .alarm: timer.repetition == nil ? "" : "\(rhythm), "
    case .sequence:
      timer.step.map { "\(step($0)), \(SpanFormat.people(usec: timer.durationUsec)), " } ?? ""
    case .stopwatch, .other: ""
    }
  }

  /// The answer to a start or a restart: `4 min, rings at 14:32:10`, and for an alarm whether it
  /// repeats.
  ///
  /// - Parameter typed: the time of an alarm as the user typed it, if known.
  func begun(typed: String? = nil) -> String {
    (AlarmText(self).answer(typed: typed) ?? what + state) + wake
  }

  /// `every 10 min`, or the calendar expression.
  var rhythm: String {
    if let calendar = timer.calendar {
      return CalendarText.short(calendar) + (timer.zone.map { " (\($0))" } ?? "")
    }
    let usec = timer.repetition?.periodUsec ?? timer.durationUsec
    return "every \(SpanFormat.people(usec: usec))"
  }

  /// `work, step 1 of 2, round 3 of 4`.
  func step(_ step: NightjarTimer.Step) -> String {
    let rounds = step.rounds.map { $0 == 1 ? "" : ", round \(step.round) of \($0)" }
    return "\(step.name), step \(step.index) of \(step.steps)\(rounds ?? ", round \(step.round)")"
  }

  /// `command failed, exit status 2`; nil: none of its commands failed.
  var failure: String? { timer.failure.map { "command \(OutcomeText($0).words())" } }

  /// A part of `more` that the caller may show elsewhere.
  enum Part { case failure, message, ring }

  /// The further facts of a list's line: the failure, the message, the step, the rhythm, the band.
  var more: String { more(band: timer.band) }

  /// The same as `more`, with the band at this moment.
  ///
  /// - Parameter left: the parts to leave out.
  func more(band: Band?, without left: Set<Part> = []) -> String {
    var parts: [String] = []
    if !left.contains(.failure), let failure { parts.append(failure) }
    if !left.contains(.message), let message = timer.message { parts.append(message) }
    if let step = timer.step { parts.append(self.step(step)) }
    if let repetition = timer.repetition {
      parts.append(rhythm + (repetition.isSnoozed ? ", snoozed" : ""))
    } else if isSnoozed {
      parts.append("snoozed")
    }
    if let skips { parts.append(skips) }
    if let ringHere { parts.append(ringHere) }
    if let ownerAway { parts.append(ownerAway) }
    let isToldByState = timer.state == .fired || timer.state == .waiting
    if !left.contains(.ring), !isToldByState, timer.firedUsec != nil { parts.append(rang) }
    if isStopwatch, !timer.laps.isEmpty {
      parts.append(timer.laps.count == 1 ? "1 lap" : "\(timer.laps.count) laps")
    }
    if let band, timer.state == .running || timer.state == .paused {
      parts.append(band.text ?? band.name)
    }
    return parts.joined(separator: ", ")
  }

  /// The state of this machine's ring for another machine's timer; nil: this machine does not ring
  /// for it.
  var ringHere: String? {
    timer.ringHere.map { word in
      switch TimersInterface.RingHere(rawValue: word) {
      case .on: "rings here for its machine"
      case .due: "due, and its machine is away"
      case .dismissed: "dismissed, and its machine does not know yet"
      case nil: word
      }
    }
  }

  /// For a timer of a session: a text if the owner's machine is away. Nil: that machine is online,
  /// or this is no session.
  var ownerAway: String? {
    guard let owner = timer.owner, let word = timer.ownerState,
      let state = TimersInterface.OwnerState(rawValue: word), state != .online
    else { return nil }
    guard state != .unknown else { return "as it was when this machine was connected last" }
    return CommandError.away(
      owner, state.rawValue, sinceUsec: timer.ownerSinceUsec, nowUsec: nowUsec)
  }

  /// The owner of a session's timer, and whether the owner's machine is online: `kim/phone,
  /// online`.
  var owner: String? {
    timer.owner.map { owner in
      ownerAway.map { $0.hasPrefix(owner) ? $0 : "\(owner), \($0)" } ?? "\(owner), online"
    }
  }

  /// The same as `state`, with the remaining time of a running timer.
  var stateAndRemaining: String {
    guard timer.state == .running, !isStopwatch else { return state }
    return "running, \(remaining) left, \(rings)"
  }

  /// `03:12`, or `31 d 2 h`; for a stopwatch its elapsed time.
  var remaining: String {
    guard isStopwatch else { return SpanFormat.countdown(remainingUsec: timer.remainingUsec) }
    return SpanFormat.days(usec: timer.elapsedUsec) ?? remainingInHours
  }

  /// The same as `remaining`, in hours without days.
  var remainingInHours: String {
    isStopwatch
      ? SpanFormat.stopwatch(usec: timer.elapsedUsec)
      : SpanFormat.clock(remainingUsec: timer.remainingUsec)
  }

  /// `rings at 14:32:10`, or with the date if that is not today.
  var rings: String {
    if timer.isAway {
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

  /// `passes over Thu 26 Nov 09:30:00, next Fri 27 Nov 09:30:00`, after a skip.
  var passedOver: String {
    let last = timer.passedOverUsec.last.map { " \(point($0))" } ?? " the next ring"
    return "passes over\(last)\(next)"
  }

  /// `rings Thu 26 Nov 09:30:00 after all`, after a skip was reverted.
  var reinstated: String {
    timer.deadlineUsec.map { "rings \(point($0)) after all" } ?? "the skip is taken back"
  }

  private var next: String {
    guard let deadlineUsec = timer.deadlineUsec else {
      return timer.state == .paused ? ", \(remaining) left when it continues" : ""
    }
    return ", next \(point(deadlineUsec))"
  }

  /// An instant, with the date if that is not today.
  func point(_ usec: Int64) -> String {
    LocalTime.short(usec, nowUsec: nowUsec, in: zone)
  }

  /// `skips Thu 26 Nov 09:30:00`; nil: it skips no ring.
  var skips: String? {
    let points = timer.passedOverUsec
    guard let first = points.first else { return nil }
    return points.count == 1
      ? "skips \(point(first))" : "skips \(points.count) from \(point(first))"
  }

  /// `except 2026-12-24..2027-01-01, until 2027-06-30`; nil: it has neither.
  var days: String? { Self.days(except: timer.except, until: timer.until) }

  static func days(except: [String], until: String?) -> String? {
    let list =
      except.count > 3 ? "\(except.count) stretches of days" : except.joined(separator: ", ")
    let parts = [until.map { "until \($0)" }, except.isEmpty ? nil : "except \(list)"]
    return except.isEmpty && until == nil ? nil : parts.compactMap(\.self).joined(separator: ", ")
  }

  /// Whether the timer can wake the machine. Empty if the user did not ask for that.
  var wake: String {
    guard let wake = timer.wake else { return "" }
    guard !wake.isPossible else { return ", and wakes the machine for it" }
    return ", but cannot wake the machine" + (wake.reason.map { ": \($0)" } ?? "")
  }

  /// The condition under which it rings at that time; else empty.
  var condition: String {
    guard !isSnoozed else { return "" }
    switch timer.clock {
    case .awake: return ", if awake until then"
    case .present: return timer.isAway ? "" : ", if the session is in use until then"
    case .elapsed, .wall, .other: return ""
    }
  }

  private var away: String { "locked or idle" }

  /// It counts a snooze by real time, not by its own clock. Only a timer that counts real time has
  /// a deadline on CLOCK_BOOTTIME, and a snooze counts real time on every clock.
  var isSnoozed: Bool { timer.clock != .elapsed && timer.deadlineBoottimeUsec != nil }

  /// `rang 3 min ago, 2 h late: the machine slept`.
  var rang: String {
    timer.isSkipped
      ? "did not ring, due \(ago)" : "rang \(ago)\(timer.isUnanswered ? ", unanswered" : "")"
  }

  /// `3 min ago, 2 h late: the machine slept`. For a timer that did not ring: how long ago it was
  /// due.
  var ago: String {
    let noticedUsec = agoUsec ?? timer.firedUsec.map { nowUsec - $0 } ?? 0
    let usec = noticedUsec + (timer.isSkipped ? timer.lateUsec ?? 0 : 0)
    let ago = usec < 1_000_000 ? "just now" : "\(SpanFormat.people(usec: usec, units: 1)) ago"
    if let usec = timer.earlyUsec {
      return ago + ", \(SpanFormat.people(usec: usec)) early: the clock was ahead"
    }
    let late = Self.late(usec: timer.lateUsec, cause: timer.lateCause).map { ", \($0)" } ?? ""
    return ago + late + (timer.isEstimated ? Self.estimated : "")
  }

  /// Added to a ring by a wall clock that was not synchronised.
  static let estimated = ", estimated: the clock was not set yet"

  /// `2 h late: the machine slept`; nil for up to a second without a cause, which users do not
  /// notice.
  static func late(usec: Int64?, cause: Cause?) -> String? {
    usec.flatMap { LateText.late(usec: $0, cause: cause?.rawValue) }
  }

  /// A cause of a span or of lateness, as a clause.
  static func reason(_ cause: Cause) -> String { LateText.reason(cause.rawValue) }

  /// `key=value key=value`, with escaped control characters.
  static func labels(_ labels: [NightjarTimer.Label]) -> String {
    labels.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  static func reasons(_ causes: [Cause]) -> String {
    causes.isEmpty ? "the reason is not known" : causes.map(reason).joined(separator: ", ")
  }
}
