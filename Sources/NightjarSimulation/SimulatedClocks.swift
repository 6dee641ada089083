public import NightjarModel

/// The clocks of a machine that nobody has to wait for.
public struct SimulatedClocks: Sendable {
  /// What would be read now.
  public private(set) var now: Moment
  /// How much time has passed, whatever the wall clock says of it.
  public private(set) var passedUsec: Int64 = 0
  /// By how much the wall clock is wrong: what it was set by, and came back with, since the beginning.
  public private(set) var wallErrorUsec: Int64 = 0
  private var boots: UInt64 = 1
  /// Nothing goes on behind the last second that people's clocks can show, the end of the year 9999.
  private static let endUsec: Int64 = 253_402_300_800_000_000

  /// A machine that has been up for `uptimeUsec` when its wall clock shows `realtimeUsec`.
  public init(realtimeUsec: Int64 = 1_700_000_000_000_000, uptimeUsec: Int64 = 60_000_000) {
    now = Moment(
      realtimeUsec: realtimeUsec, boottimeUsec: uptimeUsec, monotonicUsec: uptimeUsec,
      bootID: BootID(high: 0x6E_6A, low: 1))
  }

  /// Whether clocks can show what will be then: so much later, and set by so much.
  public func canShow(passing usec: Int64, setBy stepUsec: Int64 = 0) -> Bool {
    let limits = -Self.endUsec...Self.endUsec
    guard limits.contains(usec), limits.contains(stepUsec) else { return false }
    // None of these is near the end of what a number can hold.
    return (0..<Self.endUsec).contains(now.realtimeUsec + usec + stepUsec)
      && passedUsec + usec < Self.endUsec
  }

  /// Time passes while the machine is up.
  public mutating func advance(usec: Int64) {
    sleep(usec: usec)
    now.monotonicUsec += usec
  }

  /// Time passes while the machine sleeps.
  public mutating func sleep(usec: Int64) {
    passedUsec += usec
    now.realtimeUsec += usec
    now.boottimeUsec += usec
  }

  /// Somebody sets the wall clock.
  public mutating func step(usec: Int64) {
    wallErrorUsec += usec
    now.realtimeUsec += usec
  }

  /// The machine is off for `offUsec`, is started anew, and has been up for `uptimeUsec`; its wall
  /// clock comes back wrong by `errorUsec`.
  public mutating func reboot(offUsec: Int64, uptimeUsec: Int64, errorUsec: Int64 = 0) {
    boots += 1
    passedUsec += offUsec + uptimeUsec
    wallErrorUsec += errorUsec
    now = Moment(
      realtimeUsec: now.realtimeUsec + offUsec + uptimeUsec + errorUsec,
      boottimeUsec: uptimeUsec, monotonicUsec: uptimeUsec,
      bootID: BootID(high: 0x6E_6A, low: boots))
  }
}
