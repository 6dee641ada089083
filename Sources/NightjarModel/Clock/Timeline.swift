/// The counters on which a deadline can stand.
public enum Timeline: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// Real time that passes whether anyone is awake or not. No step of the wall clock moves it.
  case elapsed = 0
  /// Time in which the machine is awake, without the stops and freezes of the daemon.
  case awake = 1
  /// The calendar: CLOCK_REALTIME, with its steps.
  case wall = 2
  /// Time of `awake` in which the user was there, as far as the user's sessions say.
  case present = 3

  /// Whether it counts by CLOCK_MONOTONIC: no wrong clock makes it doubtful, and it stops while the machine
  /// sleeps.
  public var countsUptime: Bool {
    switch self {
    case .awake, .present: true
    case .elapsed, .wall: false
    }
  }
}

/// Where the two counters that outlive boots stood at one moment.
public struct Counters: Equatable, BitwiseCopyable, Sendable {
  /// Of `elapsed`, in microseconds.
  public var elapsedUsec: Int64
  /// Of `awake`, likewise.
  public var awakeUsec: Int64

  /// Makes a pair of readings.
  public init(elapsedUsec: Int64, awakeUsec: Int64) {
    self.elapsedUsec = elapsedUsec
    self.awakeUsec = awakeUsec
  }
}
