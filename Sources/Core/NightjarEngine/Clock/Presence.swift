public import NightjarModel

/// Whether the user is at the machine.
public enum Presence: Sendable {
  /// At least one session of the user is neither locked nor idle.
  case here
  /// All of the user's sessions are locked or idle.
  case away
  /// logind has not reported the user's presence. The `present` counter then counts whenever
  /// `awake` counts.
  case unknown
}

/// How far the `present` counter is behind the `awake` counter, because the user was away.
///
/// Both values are readings of the `awake` counter, which does not advance during sleep, stops and
/// freezes. So such time is not subtracted twice if the user is away at the same time.
public struct Absence: Equatable, Sendable {
  /// How much `awake` counted during absences that have ended, in microseconds.
  public var usec: Int64
  /// The reading of `awake` at which `present` stopped; nil: `present` is counting.
  public var sinceAwakeUsec: Int64?

  /// Makes a value; without arguments the user has never been away.
  public init(usec: Int64 = 0, sinceAwakeUsec: Int64? = nil) {
    self.usec = usec
    self.sinceAwakeUsec = sinceAwakeUsec
  }

  /// The `present` counter at the moment when the `awake` counter is `awakeUsec`.
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
  /// From now on the `present` counter stops or continues. Its value does not jump.
  public func note(presence reported: Presence, at now: Moment) {
    guard reported != presence else { return }
    change(presence: reported, at: now)
    if reported != .away { endAbsence(at: now) }
    bus.post(.presenceChanged(reported), at: now)
  }

  /// Opens the background span of the user's absence, if the user is away. Call it while a timer
  /// runs on `present`. Spans with other causes stay open beside it, because timers on other
  /// timelines continue during an absence.
  func beginAbsence(at now: Moment) {
    guard presence == .away, absence == nil else { return }
    let span = Span(id: takeSpanID(), causes: [.away], entered: now)
    openAbsence(span, enteredElapsedUsec: timelines.reading(.elapsed, at: now))
    bus.post(.absenceBegan(span), at: now)
  }

  /// Ends the absence, if one is open, at `left`. `left` may be before `now`, because the daemon
  /// may learn of the user's return late.
  func endAbsence(leftAt left: Moment? = nil, at now: Moment) {
    let left = left ?? now
    guard let span = closeAbsence(at: left) else { return }
    bus.post(.absenceEnded(span), at: now)
  }
}
