public import NightjarCore

/// The clocks of a machine that nobody has to wait for.
public struct SimulatedClocks: Sendable {
  /// What would be read now.
  public private(set) var now: Moment
  private var boots: UInt64 = 1

  /// A machine that has been up for `uptimeUsec` when its wall clock shows `realtimeUsec`.
  public init(realtimeUsec: Int64 = 1_700_000_000_000_000, uptimeUsec: Int64 = 60_000_000) {
    now = Moment(
      realtimeUsec: realtimeUsec, boottimeUsec: uptimeUsec, monotonicUsec: uptimeUsec,
      bootID: BootID(high: 0x6E_6A, low: 1))
  }

  /// Time passes while the machine is up.
  public mutating func advance(usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
    now.monotonicUsec += usec
  }

  /// Time passes while the machine sleeps.
  public mutating func sleep(usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
  }

  /// Somebody sets the wall clock.
  public mutating func step(usec: Int64) {
    now.realtimeUsec += usec
  }

  /// The machine is off for `offUsec`, is started anew, and has been up for `uptimeUsec`; its wall
  /// clock comes back wrong by `errorUsec`.
  public mutating func reboot(offUsec: Int64, uptimeUsec: Int64, errorUsec: Int64 = 0) {
    boots += 1
    now = Moment(
      realtimeUsec: now.realtimeUsec + offUsec + uptimeUsec + errorUsec,
      boottimeUsec: uptimeUsec, monotonicUsec: uptimeUsec,
      bootID: BootID(high: 0x6E_6A, low: boots))
  }
}
