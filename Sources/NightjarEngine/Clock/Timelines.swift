public import NightjarModel

/// What ties the counters that outlive boots to the clocks of one boot.
public struct Anchor: Equatable, Sendable {
  /// The reading at which the counters stood as they stand here.
  public var moment: Moment
  /// The `elapsed` counter at `moment`.
  public var elapsedUsec: Int64
  /// The `awake` counter at `moment`.
  public var awakeUsec: Int64
  /// Whether the wall clock was known to be right at `moment`.
  public var synchronized: Bool

  /// Makes an anchor; a new state folder begins with counters at zero.
  public init(
    moment: Moment, elapsedUsec: Int64 = 0, awakeUsec: Int64 = 0, synchronized: Bool = false
  ) {
    self.moment = moment
    self.elapsedUsec = elapsedUsec
    self.awakeUsec = awakeUsec
    self.synchronized = synchronized
  }
}

/// Reads the counters from the kernel's clocks, and says which clock reading a deadline stands for.
///
/// Deadlines are stored once, as values of these counters. What hides time from the daemon moves
/// the anchor and touches no timer: that is how leaving a span costs the same for one timer and for
/// a million.
public struct Timelines: Sendable {
  /// The present anchor, of this boot.
  public private(set) var anchor: Anchor
  /// MONOTONIC at the SIGTSTP that has not been continued yet: the `awake` counter stands still.
  public private(set) var stoppedMonotonicUsec: Int64?
  /// What the `present` counter is behind that of `awake`.
  public internal(set) var absence: Absence

  /// Reads from `anchor` on, which may have been written after `stoppedMonotonicUsec`.
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

  /// Both counters that outlive boots, at `moment`.
  public func counters(at moment: Moment) -> Counters {
    Counters(
      elapsedUsec: reading(.elapsed, at: moment), awakeUsec: reading(.awake, at: moment))
  }

  /// MONOTONIC at `moment` as far as the `awake` counter goes along with it.
  private func counted(_ moment: Moment) -> Int64 {
    min(moment.monotonicUsec, stoppedMonotonicUsec ?? .max)
  }

  /// The reading of the timeline's own kernel clock (BOOTTIME, MONOTONIC, REALTIME) at which its
  /// counter will stand at `deadline`; of `present` if the user stays until then.
  public func kernelUsec(_ timeline: Timeline, deadline: Int64) -> Int64 {
    switch timeline {
    case .elapsed: deadline - anchor.elapsedUsec + anchor.moment.boottimeUsec
    case .awake: deadline - anchor.awakeUsec + anchor.moment.monotonicUsec
    case .wall: deadline
    case .present: kernelUsec(.awake, deadline: deadline + absence.usec)
    }
  }

  /// The anchor as it would be written at `moment`: the same counters, read later.
  public func anchor(at moment: Moment) -> Anchor {
    Anchor(
      moment: moment, elapsedUsec: reading(.elapsed, at: moment),
      awakeUsec: reading(.awake, at: moment), synchronized: anchor.synchronized)
  }

  /// The `awake` counter stands still from `moment` on, a SIGTSTP.
  mutating func stop(at moment: Moment) {
    stoppedMonotonicUsec = moment.monotonicUsec
  }

  /// The `awake` counter goes on, from MONOTONIC `monotonicUsec` on, which may be before `moment`.
  mutating func goOn(fromMonotonicUsec monotonicUsec: Int64, at moment: Moment) {
    guard stoppedMonotonicUsec != nil else { return }
    anchor = anchor(at: moment)
    anchor.awakeUsec += moment.monotonicUsec - monotonicUsec
    stoppedMonotonicUsec = nil
  }

  /// Leaves `usec` of the MONOTONIC time up to `moment` out of the `awake` counter.
  mutating func excludeFromAwake(usec: Int64, at moment: Moment) {
    anchor = anchor(at: moment)
    anchor.awakeUsec -= usec
  }

  /// Ties the counters to another boot's clocks, `elapsed` having advanced by `elapsedUsec` since
  /// `old` and `awake` not at all.
  mutating func reanchor(from old: Anchor, to moment: Moment, elapsedUsec: Int64) {
    anchor = Anchor(
      moment: moment, elapsedUsec: old.elapsedUsec + elapsedUsec, awakeUsec: old.awakeUsec,
      synchronized: false)
    stoppedMonotonicUsec = nil
  }

  /// Moves the `elapsed` counter by what the wall clock was wrong by over reboots.
  mutating func correctElapsed(byUsec usec: Int64) {
    anchor.elapsedUsec += usec
  }

  /// Notes whether the wall clock is known to be right.
  mutating func note(synchronized: Bool) {
    anchor.synchronized = synchronized
  }
}
