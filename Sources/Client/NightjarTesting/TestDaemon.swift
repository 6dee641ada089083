internal import Glibc
public import NightjarClient
internal import NightjarModel
internal import NightjarTime

/// A Nightjar daemon for tests, in the test's own process. It has the real engine and the real
/// methods and listens on a real socket, but its time is simulated. Time passes only in
/// `advance(by:)` and the other methods below, which do not wait.
///
///     let daemon = try TestDaemon()
///     let client = TimerClient(socketPath: daemon.socketPath)
///     try await client.start("tea", for: .seconds(180))
///     try daemon.advance(by: .seconds(180))
///     #expect(try await client.timer("tea").ringing == .ringing)
///
/// When one of these methods returns, the messages about its effects have been sent: events, ticks,
/// and the end of a connection. The client's next read finds them. A watch has begun when the
/// client has read its first element.
///
/// Changes that the daemon has acknowledged survive `crash()`, `restart()` and `reboot()`, as they
/// do on the disk of the real daemon.
///
/// Several threads may use a test daemon at once. When the last reference to it is gone, the
/// socket, its folder and all connections are removed. A test daemon writes no ledger to disk,
/// shows no notifications and plays no sounds. It reads neither the machine's clocks nor its time
/// zone, so a test has the same result everywhere.
public final class TestDaemon: Sendable {
  /// The path of the socket, for `TimerClient(socketPath:)` or `NIGHTJAR_SOCKET`. The socket is in
  /// a folder of its own.
  public let socketPath: String
  private let thread: ServingThread

  /// Creates a daemon without timers. The daemon has just started, and its machine has been running
  /// for a minute.
  ///
  /// - Parameters:
  ///   - time: the wall clock's time; by default 2023-11-14 22:13:20 UTC.
  ///   - zone: the machine's time zone, such as `Europe/Berlin`. It applies to alarms without a
  ///     zone of their own.
  /// - Throws: `.system` if the socket or the thread cannot be created, `.noSuchZone`,
  ///   `.impossibleTime`.
  public init(
    at time: WallTime = WallTime(sinceEpoch: .seconds(1_700_000_000)), zone: String = "UTC"
  ) throws(TestDaemonError) {
    guard let rules = ZoneDatabase.zone(named: zone) else { throw .noSuchZone(zone) }
    let listener = try ListeningSocket()
    socketPath = listener.path
    thread = try ServingThread(
      try Desk(listener, realtimeUsec: time.sinceEpoch.usec, zone: rules))
  }

  deinit { thread.end() }

  /// The time of the machine's wall clock.
  public var now: WallTime {
    WallTime(usec: thread.withDesk { $0.now.realtimeUsec })
  }
}

/// Methods that let time pass. Lengths are rounded down to whole microseconds. All methods throw
/// `TestDaemonError.impossibleTime` if a length is negative, or if the clocks cannot show the
/// resulting time.
extension TestDaemon {
  /// Lets time pass while the machine and the daemon run. Timers expire in order, each at its own
  /// time, and clients that watch get their ticks. O(expiries and ticks).
  public func advance(by length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.advance(usec: length.usec)
    }
  }

  /// Lets the machine sleep, which is a background span with the cause `sleep`. Timers whose
  /// deadline is during the sleep fire late, at the end of the sleep. A timer with `wake` ends the
  /// sleep at its deadline, and the machine is awake for the rest of `length`.
  ///
  /// - Returns: how long the machine slept.
  @discardableResult
  public func sleep(for length: Duration) throws(TestDaemonError) -> Duration {
    let usec = try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.sleep(usec: length.usec)
    }
    return .microseconds(usec)
  }

  /// Sets the wall clock forward by `length`, or back if it is negative. No time passes.
  public func step(by length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.step(byUsec: length.usec)
    }
  }

  /// Freezes the machine for `length`. The daemon gets no message about it, and notices it only if
  /// a timer was due during that time. There is then a background span with the cause `freeze`.
  public func freeze(for length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.freeze(usec: length.usec)
    }
  }
}

/// Methods that stop and end the daemon. When the daemon ends, its connections end. The socket
/// stays, as with socket activation, and the next daemon serves the clients that have connected in
/// the meantime.
extension TestDaemon {
  /// Stops the daemon by SIGTSTP until `continue()`, which is a background span with the cause
  /// `stop`. Calls wait until the daemon continues. If time passes, or the clock is set, while the
  /// daemon is stopped, the daemon notices it when it continues.
  public func stop() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.stop() }
  }

  /// Continues a stopped daemon by SIGCONT.
  public func `continue`() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.goOn() }
  }

  /// Kills the daemon and starts it again, which is a background span with the cause `down`. All
  /// changes that the daemon has acknowledged are kept.
  ///
  /// - Parameter length: the time until a daemon runs again.
  public func crash(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.crash(downForUsec: length.usec)
    }
  }

  /// Ends the daemon by SIGTERM and starts it again, which is a background span with the cause
  /// `down`.
  ///
  /// - Parameter length: the time until a daemon runs again.
  public func restart(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.restart(downForUsec: length.usec)
    }
  }

  /// Reboots the machine, which is a background span with the cause `reboot`.
  ///
  /// - Parameter length: the time until a daemon runs again.
  public func reboot(downFor length: Duration = .seconds(30)) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.reboot(downForUsec: length.usec)
    }
  }
}
