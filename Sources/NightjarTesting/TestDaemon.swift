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
///     #expect(try await client.timer("tea").state == .fired)
///
/// When one of these methods returns, its effects (events, ticks, the end of a connection) have
/// been sent: the client's next read finds them. A watch has begun when the client has read its
/// first element.
///
/// Acknowledged changes survive `crash()`, `restart()` and `reboot()`, as they do on the real
/// daemon's disk.
///
/// It may be used from several threads at once. The socket, its folder and all connections end with
/// the last reference to it. It writes no ledger to disk, shows no popups and plays no sounds. It
/// reads neither the machine's clocks nor its time zone, so a test runs the same everywhere.
public final class TestDaemon: Sendable {
  /// The socket, in a folder of its own, for `TimerClient(socketPath:)` or `NIGHTJAR_SOCKET`.
  public let socketPath: String
  private let thread: ServingThread

  /// Creates a daemon without timers that has just started, on a machine that has been up for a
  /// minute.
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

/// Time. Lengths are rounded down to whole microseconds. All methods throw
/// `TestDaemonError.impossibleTime` if a length is negative or its end is beyond the range of the
/// clocks.
extension TestDaemon {
  /// Lets time pass while everything runs. Timers expire in order, each at its own time, and
  /// watching clients get their ticks. O(expiries and ticks).
  public func advance(by length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.advance(usec: length.usec)
    }
  }

  /// Lets the machine sleep: a background span of the cause `sleep`. Timers that expire meanwhile
  /// fire late, at the end of the sleep. A timer with `wake` ends the sleep at its deadline; the
  /// machine is then awake for the rest of `length`.
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

  /// Freezes the machine for `length` without notice. The daemon notices it only if a timer expired
  /// meanwhile. Then there is a background span of the cause `freeze`.
  public func freeze(for length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.freeze(usec: length.usec)
    }
  }
}

/// The process. Connections end with the daemon. The socket stays, as with socket activation, and
/// the next daemon serves clients that have connected meanwhile.
extension TestDaemon {
  /// Stops the daemon by SIGTSTP until `continue()`: a background span of the cause `stop`. Calls
  /// made meanwhile wait. If time passes or the clock is set meanwhile, the daemon notices it when
  /// it continues.
  public func stop() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.stop() }
  }

  /// Continues a stopped daemon by SIGCONT.
  public func `continue`() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.goOn() }
  }

  /// Kills the daemon and starts it again: a background span of the cause `down`. All acknowledged
  /// changes are still there.
  ///
  /// - Parameter length: how long there is no daemon.
  public func crash(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.crash(downForUsec: length.usec)
    }
  }

  /// Ends the daemon by SIGTERM and starts it again: a background span of the cause `down`.
  ///
  /// - Parameter length: how long there is no daemon.
  public func restart(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.restart(downForUsec: length.usec)
    }
  }

  /// Reboots the machine: a background span of the cause `reboot`.
  ///
  /// - Parameter length: how long it takes until the daemon runs again.
  public func reboot(downFor length: Duration = .seconds(30)) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.reboot(downForUsec: length.usec)
    }
  }
}
