/// A timeline: a counter of time. Each deadline is a value of such a counter.
public enum Timeline: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// Real time, which passes whether the machine is awake or not. Setting the wall clock does not
  /// change it.
  case elapsed = 0
  /// Time while the machine is awake and the daemon is neither stopped nor frozen.
  case awake = 1
  /// The calendar: CLOCK_REALTIME, with its steps.
  case wall = 2
  /// The part of `awake` in which the user is at the machine, according to the state of the user's
  /// sessions.
  case present = 3

  /// Whether the timeline is driven by CLOCK_MONOTONIC. Such a timeline does not depend on the wall
  /// clock, and stops while the machine sleeps.
  public var countsUptime: Bool {
    switch self {
    case .awake, .present: true
    case .elapsed, .wall: false
    }
  }
}

/// The readings of `elapsed` and `awake` at one moment. Both counters continue over reboots.
public struct Counters: Equatable, BitwiseCopyable, Sendable {
  public var elapsedUsec: Int64
  public var awakeUsec: Int64

  public init(elapsedUsec: Int64, awakeUsec: Int64) {
    self.elapsedUsec = elapsedUsec
    self.awakeUsec = awakeUsec
  }
}
