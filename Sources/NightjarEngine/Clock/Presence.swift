public import NightjarModel

/// Whether the user is at the machine.
public enum Presence: Sendable {
  /// At least one session of the user is neither locked nor idle.
  case here
  /// All of the user's sessions are locked or idle.
  case away
  /// logind has not reported it: `present` counts as `awake` does.
  case untold
}

/// How far `present` is behind `awake`.
///
/// Both values are readings of `awake`, which does not count sleep, stops and freezes. So such time
/// is not subtracted twice if it overlaps with an absence.
public struct Absence: Equatable, Sendable {
  /// How much `awake` counted during absences that have ended, in microseconds.
  public var usec: Int64
  /// The counter of `awake` at which `present` stopped; nil: `present` is counting.
  public var sinceAwakeUsec: Int64?

  /// Makes one; without values the user has never been away.
  public init(usec: Int64 = 0, sinceAwakeUsec: Int64? = nil) {
    self.usec = usec
    self.sinceAwakeUsec = sinceAwakeUsec
  }

  /// The counter of `present` when that of `awake` stands at `awakeUsec`.
  func presentUsec(atAwake awakeUsec: Int64) -> Int64 {
    min(awakeUsec, sinceAwakeUsec ?? .max) - usec
  }

  mutating func begin(atAwake awakeUsec: Int64) {
    if sinceAwakeUsec == nil { sinceAwakeUsec = awakeUsec }
  }

  mutating func end(atAwake awakeUsec: Int64) {
    guard let since = sinceAwakeUsec else { return }
    usec += max(0, awakeUsec - since)
    sinceAwakeUsec = nil
  }
}

// MARK: - Absence, the sixth cause of a span

extension Background {
  /// Notes whether the user is at the machine at `now`. Does nothing if nothing has changed.
  ///
  /// From now on the `present` counter stops or continues; what it has counted so far does not
  /// change.
  public func note(presence told: Presence, at now: Moment) {
    guard told != presence else { return }
    change(presence: told, at: now)
    if told != .away { endAbsence(at: now) }
    bus.post(.presenceChanged(told), at: now)
  }

  /// Opens the span of an absence, if the user is away. Call it while a timer runs on `present`.
  /// Spans with other causes stay open beside it, because an absence hides no time from the other
  /// timelines.
  func beginAbsence(at now: Moment) {
    guard presence == .away, absence == nil else { return }
    let span = Span(id: takeSpanID(), causes: [.away], entered: now)
    openAbsence(span, enteredElapsedUsec: timelines.reading(.elapsed, at: now))
    bus.post(.absenceBegan(span), at: now)
  }

  /// Ends the absence at `left`, if one is open. `left` may be before `now`, because the daemon may
  /// find the end of an absence late.
  func endAbsence(leftAt left: Moment? = nil, at now: Moment) {
    let left = left ?? now
    guard let span = closeAbsence(at: left) else { return }
    bus.post(.absenceEnded(span), at: now)
  }
}
