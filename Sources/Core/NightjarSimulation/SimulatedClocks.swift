public import NightjarModel

/// Simulated clocks of a machine. They advance only when the caller says so, so no test waits for
/// time.
public struct SimulatedClocks: Sendable {
  public private(set) var now: Moment
  /// The time that has really passed, in microseconds. It does not depend on the wall clock.
  public private(set) var passedUsec: Int64 = 0
  /// The error of the wall clock, in microseconds: the sum of its steps and of the errors with
  /// which it came back after reboots.
  public private(set) var wallErrorUsec: Int64 = 0
  private var boots: UInt64 = 1
  /// The end of the year 9999, the last that clocks can show. Simulated time ends there.
  private static let endUsec: Int64 = 253_402_300_800_000_000

  /// A machine that was booted `uptimeUsec` ago and whose wall clock shows `realtimeUsec`.
  public init(realtimeUsec: Int64 = 1_700_000_000_000_000, uptimeUsec: Int64 = 60_000_000) {
    now = Moment(
      realtimeUsec: realtimeUsec, boottimeUsec: uptimeUsec, monotonicUsec: uptimeUsec,
      bootID: BootID(high: 0x6E_6A, low: 1))
  }

  /// Whether the clocks can show the time after `usec` more have passed and the wall clock was set
  /// by `stepUsec`.
  public func canShow(passing usec: Int64, setBy stepUsec: Int64 = 0) -> Bool {
    let limits = -Self.endUsec...Self.endUsec
    guard limits.contains(usec), limits.contains(stepUsec) else { return false }
    // These numbers are small, so their sum cannot overflow.
    return (0..<Self.endUsec).contains(now.realtimeUsec + usec + stepUsec)
      && passedUsec + usec < Self.endUsec
  }

  /// Lets time pass while the machine is up.
  public mutating func advance(usec: Int64) {
    sleep(usec: usec)
    now.monotonicUsec += usec
  }

  /// Lets time pass while the machine sleeps.
  public mutating func sleep(usec: Int64) {
    passedUsec += usec
    now.realtimeUsec += usec
    now.boottimeUsec += usec
  }

  /// Sets the wall clock by `usec`.
  public mutating func step(usec: Int64) {
    wallErrorUsec += usec
    now.realtimeUsec += usec
  }

  /// Turns the machine off for `offUsec`, and boots it so that `uptimeUsec` have passed since the
  /// boot. `errorUsec` is added to the wall clock.
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
