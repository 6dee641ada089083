import NightjarClient
import NightjarInterface
import NightjarTime

struct TimerText {
  let timer: Wire.Timer
  let nowUsec: Int64
  let zone: ZoneRules

  init(
    _ timer: Wire.Timer, nowUsec: Int64 = LocalTime.nowUsec(),
    zone: ZoneRules = LocalTime.zone
  ) {
    self.timer = timer
    self.nowUsec = nowUsec
    self.zone = zone
  }

  /// The state with its time, such as `rings at 14:32:10` or `paused, 03:12 left`.
  var state: String {
    switch timer.state {
    case .running: rings
    case .paused: isStopwatch ? "paused at \(remaining)" : "paused, \(remaining) left"
    case .waiting: waiting
    case .over, .cancelled, .other: timer.state.rawValue
    }
  }

  /// What the timer shows, by importance: its ring, an expiry that did not ring, and its state.
  ///
  /// - Parameter state: the words for the state; nil: `state`; empty: none.
  func facts(state: String? = nil) -> String {
    var facts = [ring, miss].compactMap(\.self)
    let state = state ?? self.state
    if !state.isEmpty, timer.state != .over || facts.isEmpty { facts.append(state) }
    return facts.joined(separator: ", ")
  }

  /// The text after `stop` or `cancel`, such as `the ring is over, next Tue 24 Nov 07:00` or
  /// `cancelled, 03:12 was left`. For a stopwatch it has the elapsed time.
  var ended: String {
    guard timer.state == .cancelled else { return "the ring is over\(next)" }
    return isStopwatch ? "stopped at \(remaining)" : "cancelled, \(remaining) was left"
  }

  /// The text after a ring was dismissed, such as `dismissed, next Tue 24 Nov 07:00`.
  var dismissed: String { "dismissed\(next)" }

  var removed: String { "removed" }

  /// The text for a sequence that waits, such as `work is over, rest waits: nightjar advance
  /// pomodoro`.
  private var waiting: String {
    let over = timer.step.map { "\($0.name) is over" } ?? "waiting"
    let next = timer.step?.nextName.map { ", \($0) waits" } ?? ""
    return "\(over)\(next): \(Typed.nightjar) advance \(Quoting.quoted(timer.name))"
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
  enum Part { case failure, message }

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
    if let skips { parts.append(skips) }
    if let ringHere { parts.append(ringHere) }
    if let ownerAway { parts.append(ownerAway) }
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

  /// The ring and the state, and for a running timer also the remaining time.
  var stateAndRemaining: String {
    let isLeft = timer.state == .running && !isStopwatch
    return facts(state: isLeft ? "running, \(remaining) left, \(rings)" : nil)
  }

  /// The remaining time, such as `03:12` or `31 d 2 h`. For a stopwatch it is the elapsed time.
  var remaining: String {
    guard isStopwatch else { return SpanFormat.countdown(remainingUsec: timer.leftUsec) }
    return SpanFormat.days(usec: timer.elapsedUsec) ?? remainingInHours
  }

  /// The remaining time in hours, minutes and seconds, without days. For a stopwatch it is the
  /// elapsed time.
  var remainingInHours: String {
    isStopwatch
      ? SpanFormat.stopwatch(usec: timer.elapsedUsec)
      : SpanFormat.clock(remainingUsec: timer.leftUsec)
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
    guard let usec = timer.scheduledRingUsec else {
      return isStopwatch ? "running, \(remaining)" : timer.state.rawValue
    }
    let point = point(usec)
    let now = LocalTime(usec: nowUsec, in: zone)
    let isToday = LocalTime(usec: usec, in: zone).isSameDay(as: now)
    return "rings \(isToday ? "at " : "")\(point)\(condition)"
  }

  /// The text after a skip, such as `skips Thu 26 Nov 09:30, next Fri 27 Nov 09:30`.
  var skipped: String {
    let last = timer.skippedUsec.last.map { " \(point($0))" } ?? " the next ring"
    return "skips\(last)\(next)"
  }

  /// The text after a skip was undone, such as `rings Thu 26 Nov 09:30 after all`.
  var unskipped: String {
    timer.deadlineUsec.map { "rings \(point($0)) after all" } ?? "the skip is taken back"
  }

  /// How the timer continues, such as `, next Tue 24 Nov 07:00`; empty: it does not.
  private var next: String {
    switch timer.state {
    case .paused where timer.kind == .alarm: ", paused"
    case .paused where !isStopwatch: ", \(remaining) left when it continues"
    case .waiting: "; \(waiting)"
    default: timer.scheduledRingUsec.map { ", next \(point($0))" } ?? ""
    }
  }

  /// The time of an instant. If the instant is not today, the date is before the time. The time of
  /// an alarm has seconds only if it was set to the second.
  func point(_ usec: Int64) -> String {
    LocalTime.short(usec, nowUsec: nowUsec, in: zone, ofAlarm: timer.kind == .alarm)
  }

  /// The words for the rings that the timer will skip, such as `skips Thu 26 Nov 09:30`; nil: it
  /// skips none.
  var skips: String? {
    let points = timer.skippedUsec
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

  /// The open ring, such as `ringing, due 07:00`, `snoozed until 07:11` or `rang 07:00, unanswered,
  /// 3 expiries since Mon 07:00`; nil: no ring is open.
  var ring: String? {
    guard let ring = timer.openRing, let ringing = timer.ringing else { return nil }
    let words =
      switch ringing {
      case .ringing: "ringing, due \(brief(ring.dueUsec))"
      case .snoozed: "snoozed until \(brief(ring.untilUsec ?? nowUsec))"
      case .unanswered:
        "rang \(brief(isLateExpiry(ring) ? ring.rangUsec : ring.dueUsec)), unanswered"
      case .other(let word): word
      }
    let rings =
      ring.expiries > 1 ? ", \(ring.expiries) expiries since \(brief(ring.firstDueUsec))" : ""
    let lack =
      timer.isSnoozed
      ? nil : Self.unnoticed(unseen: ring.unseen, unheard: ring.unheard).map { ", \($0)" }
    return words + (timer.isSnoozed ? "" : lateness(of: ring)) + rings + (lack ?? "")
  }

  /// What a ring lacked; nil: nothing.
  static func unnoticed(unseen: Wire.RingLack?, unheard: Wire.RingLack?) -> String? {
    switch (unseen, unheard) {
    case (nil, nil): nil
    case (_?, nil): "not seen"
    case (nil, _?): "not heard"
    case (_?, _?): "neither seen nor heard"
    }
  }

  /// The expiries that did not ring, such as `did not ring, due Tue 07:00, 5 min late: the machine
  /// slept`; nil: there are none.
  var miss: String? {
    timer.miss.map { miss in
      let times = timer.misses.flatMap { $0 > 1 ? " \($0) times, last" : nil } ?? ","
      return "did not ring\(times) due \(brief(miss.dueUsec))"
        + Self.lateness(miss.lateUsec, miss.lateCause, isEstimated: miss.estimated)
    }
  }

  /// How long ago the ring sounded last, such as `3 min ago, 2 h late: the machine slept`.
  var ago: String {
    guard let ring = timer.openRing else { return "just now" }
    let usec = ring.agoUsec
    let ago = usec < 1_000_000 ? "just now" : "\(SpanFormat.text(usec: usec, units: 1)) ago"
    return ago
      + (early(ring) ?? Self.lateness(ring.lateUsec, ring.lateCause, isEstimated: ring.estimated))
  }

  /// The words for the lateness of the last sound. After a snooze, or if the ring insists, that is
  /// not the lateness of the expiry.
  private func lateness(of ring: Wire.OpenRing) -> String {
    if let early = early(ring) { return early }
    let words = Self.lateness(ring.lateUsec, ring.lateCause, isEstimated: ring.estimated)
    return words.isEmpty || isOfExpiry(ring) ? words : ", rang again\(words.dropFirst())"
  }

  private func early(_ ring: Wire.OpenRing) -> String? {
    ring.earlyUsec.map { ", \(SpanFormat.said(usec: $0)) early: the clock was ahead" }
  }

  /// Whether the last sound was for an expiry, and not for the end of a snooze or to insist.
  private func isOfExpiry(_ ring: Wire.OpenRing) -> Bool {
    ring.rangUsec - ring.lateUsec == ring.dueUsec
  }

  /// Whether the ring sounded for an expiry that was late.
  private func isLateExpiry(_ ring: Wire.OpenRing) -> Bool {
    isOfExpiry(ring) && Self.late(usec: ring.lateUsec, cause: ring.lateCause) != nil
  }

  static func lateness(_ usec: Int64?, _ cause: Wire.Cause?, isEstimated: Bool) -> String {
    (late(usec: usec, cause: cause).map { ", \($0)" } ?? "") + (isEstimated ? estimated : "")
  }

  /// The time of an instant, as briefly as possible, such as `Mon 07:00`.
  private func brief(_ usec: Int64) -> String {
    LocalTime(usec: usec, in: zone).brief(now: LocalTime(usec: nowUsec, in: zone))
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
