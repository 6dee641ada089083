public import NightjarModel

/// A reading of the clocks of one boot, and the values of the counters at this reading. All later
/// values of the counters are computed from it. The counters continue over reboots.
public struct Anchor: Equatable, Sendable {
  /// The clock reading at which the counters had the values below.
  public var moment: Moment
  /// The `elapsed` counter at `moment`.
  public var elapsedUsec: Int64
  /// The `awake` counter at `moment`.
  public var awakeUsec: Int64
  /// Whether the wall clock was synchronised at `moment`.
  public var synchronized: Bool

  /// Makes an anchor. For a new state folder the counters are zero.
  public init(
    moment: Moment, elapsedUsec: Int64 = 0, awakeUsec: Int64 = 0, synchronized: Bool = false
  ) {
    self.moment = moment
    self.elapsedUsec = elapsedUsec
    self.awakeUsec = awakeUsec
    self.synchronized = synchronized
  }
}

/// Computes the counters from the kernel's clocks, and the clock reading at which a counter reaches
/// a deadline.
///
/// A deadline is stored once, as a value of one of these counters. When a background span ends,
/// only the anchor moves, and no timer is changed. So the end of a span costs the same for one
/// timer and for a million.
public struct Timelines: Sendable {
  /// The current anchor; its moment is of this boot.
  public private(set) var anchor: Anchor
  /// MONOTONIC at the last SIGTSTP, if no SIGCONT has followed. Until SIGCONT, the `awake` counter
  /// does not advance.
  public private(set) var stoppedMonotonicUsec: Int64?
  /// How far the `present` counter is behind that of `awake`.
  public internal(set) var absence: Absence

  /// Begins with `anchor`. The stop at `stoppedMonotonicUsec` may have been before the moment of
  /// `anchor`.
  public init(
    anchor: Anchor, stoppedMonotonicUsec: Int64? = nil, absence: Absence = Absence()
  ) {
    self.anchor = anchor
    self.stoppedMonotonicUsec = stoppedMonotonicUsec
    self.absence = absence
  }

  /// The counter of `timeline` at `moment`, a moment of the anchor's boot.
  public func reading(_ timeline: Timeline, at moment: Moment) -> Int64 {
    switch timeline {
    case .elapsed: anchor.elapsedUsec + (moment.boottimeUsec - anchor.moment.boottimeUsec)
    case .awake: anchor.awakeUsec + (counted(moment) - counted(anchor.moment))
    case .wall: moment.realtimeUsec
    case .present: absence.presentUsec(atAwake: reading(.awake, at: moment))
    }
  }

  /// The `elapsed` and `awake` counters at `moment`.
  public func counters(at moment: Moment) -> Counters {
    Counters(
      elapsedUsec: reading(.elapsed, at: moment), awakeUsec: reading(.awake, at: moment))
  }

  /// MONOTONIC at `moment`; while SIGTSTP stops the daemon, MONOTONIC at the time of the stop.
  private func counted(_ moment: Moment) -> Int64 {
    min(moment.monotonicUsec, stoppedMonotonicUsec ?? .max)
  }

  /// The reading of the timeline's kernel clock (BOOTTIME, MONOTONIC, REALTIME) at which the
  /// timeline's counter reaches `deadline`. For `present`, this assumes that the user does not
  /// leave before.
  public func kernelUsec(_ timeline: Timeline, deadline: Int64) -> Int64 {
    switch timeline {
    case .elapsed: deadline - anchor.elapsedUsec + anchor.moment.boottimeUsec
    case .awake: deadline - anchor.awakeUsec + anchor.moment.monotonicUsec
    case .wall: deadline
    case .present: kernelUsec(.awake, deadline: deadline + absence.usec)
    }
  }

  /// The anchor to write to disk at `moment`. It gives the same counters as the present anchor, but
  /// begins at `moment`.
  public func anchor(at moment: Moment) -> Anchor {
    Anchor(
      moment: moment, elapsedUsec: reading(.elapsed, at: moment),
      awakeUsec: reading(.awake, at: moment), synchronized: anchor.synchronized)
  }

  /// Stops the `awake` counter at `moment`, at a SIGTSTP.
  mutating func stopAwake(at moment: Moment) {
    stoppedMonotonicUsec = moment.monotonicUsec
  }

  /// Lets the `awake` counter continue from a reading of MONOTONIC, which may be before `moment`.
  mutating func resumeAwake(fromMonotonicUsec monotonicUsec: Int64, at moment: Moment) {
    guard stoppedMonotonicUsec != nil else { return }
    anchor = anchor(at: moment)
    anchor.awakeUsec += moment.monotonicUsec - monotonicUsec
    stoppedMonotonicUsec = nil
  }

  /// Subtracts `usec` from the `awake` counter, for MONOTONIC time before `moment` in which the
  /// daemon did not run.
  mutating func excludeFromAwake(usec: Int64, at moment: Moment) {
    anchor = anchor(at: moment)
    anchor.awakeUsec -= usec
  }

  /// Moves the anchor to the clocks of another boot. Since `old`, the `elapsed` counter advanced by
  /// `elapsedUsec`, and the `awake` counter did not advance.
  mutating func reanchor(from old: Anchor, to moment: Moment, elapsedUsec: Int64) {
    anchor = Anchor(
      moment: moment, elapsedUsec: old.elapsedUsec + elapsedUsec, awakeUsec: old.awakeUsec,
      synchronized: false)
    stoppedMonotonicUsec = nil
  }

  /// Adds `usec` to the `elapsed` counter: the error that a wrong wall clock caused over reboots.
  mutating func correctElapsed(byUsec usec: Int64) {
    anchor.elapsedUsec += usec
  }

  /// Notes whether the wall clock is synchronised.
  mutating func note(synchronized: Bool) {
    anchor.synchronized = synchronized
  }
}
