public import NightjarModel

/// Whether the user is at the machine.
public enum Presence: Sendable {
  /// A session of the user's is neither locked nor idle.
  case here
  /// All of the user's sessions are locked or idle.
  case away
  /// logind does not say: `present` counts as `awake` does.
  case untold
}

/// What `present` is behind `awake`.
///
/// It is kept as readings of `awake`, so whatever that leaves out (a sleep, a stop, a freeze) cannot be
/// left out twice where it meets an absence.
public struct Absence: Equatable, Sendable {
  /// How much `awake` counted in absences that are over, in microseconds.
  public var usec: Int64
  /// The counter of `awake` at which `present` stopped; nil: it counts.
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

// MARK: - The sixth cause

extension Background {
  /// The user is known to be there or away at `now`; a state that is told again changes nothing.
  ///
  /// From now on the counter of `present` stops or continues. What it has counted before stays counted.
  public func note(presence told: Presence, at now: Moment) {
    guard told != presence else { return }
    change(presence: told, at: now)
    if told != .away { endAbsence(at: now) }
    bus.post(.presenceChanged(told), at: now)
  }

  /// The user is away, and a timer on `present` runs: from now on that is a span of the ledger. Spans of the
  /// other causes go on beside it, since it hides nothing from the other timelines.
  func beginAbsence(at now: Moment) {
    guard presence == .away, absence == nil else { return }
    let span = Span(id: takeSpanID(), causes: [.away], entered: now)
    openAbsence(span, enteredElapsedUsec: timelines.reading(.elapsed, at: now))
    bus.post(.absenceBegan(span), at: now)
  }

  /// The absence is over at `left`, which may be before `now`, when that is found.
  func endAbsence(leftAt left: Moment? = nil, at now: Moment) {
    let left = left ?? now
    guard let span = closeAbsence(at: left) else { return }
    bus.post(.absenceEnded(span), at: now)
  }
}
