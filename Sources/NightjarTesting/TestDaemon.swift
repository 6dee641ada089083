internal import Glibc
public import NightjarClient
internal import NightjarModel
internal import NightjarTime

/// A Nightjar daemon for tests, in the test's own process: it has the real engine and the real methods,
/// and listens on a real socket, but the time is simulated. Nothing passes until `advance(by:)` or one of
/// the others says so, and then nobody waits for it.
///
///     let daemon = try TestDaemon()
///     let client = TimerClient(socketPath: daemon.socketPath)
///     try await client.start("tea", for: .seconds(180))
///     try daemon.advance(by: .seconds(180))
///     #expect(try await client.timer("tea").state == .fired)
///
/// What these methods bring about (events, ticks, the end of a connection) has been sent when they
/// return, so that whoever reads next finds it. A watch has begun when its first element was read.
///
/// What a client was answered is kept, as the daemon keeps it on disk: `crash()`, `restart()` and
/// `reboot()` lose nothing of it.
///
/// It may be used from several threads at once. The socket, its folder and all connections go with the last
/// reference to it. It keeps no ledger on disk, rings for nobody, and reads neither the machine's clocks nor
/// its time zone, so that a test runs everywhere alike.
public final class TestDaemon: Sendable {
  /// The socket, in a folder of its own, for `TimerClient(socketPath:)`, or `NIGHTJAR_SOCKET`.
  public let socketPath: String
  private let thread: ServingThread

  /// A daemon without timers that has just been started, on a machine that has been up for a minute.
  ///
  /// - Parameters:
  ///   - time: what the wall clock shows; by default 2023-11-14 22:13:20 UTC.
  ///   - zone: the machine's own time zone, such as `Europe/Berlin`; alarms that name none go by it.
  /// - Throws: `.system` if there can be no socket or thread, `.noSuchZone`, `.impossibleTime`.
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

  /// What the machine's wall clock shows.
  public var now: WallTime {
    WallTime(usec: thread.withDesk { $0.now.realtimeUsec })
  }
}

/// Time. Lengths count in whole microseconds, rounded down. All throw `TestDaemonError.impossibleTime`
/// if a length is below zero or no clock could show the end of it.
extension TestDaemon {
  /// Time passes, and everything is up: what comes due does so in order, each at its own time, and so do
  /// the ticks of those who watch. O(what comes due, and ticks).
  public func advance(by length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.advance(usec: length.usec)
    }
  }

  /// The machine sleeps: a span of the cause `sleep`. What comes due meanwhile fires at its end, late,
  /// but a timer with `wake` ends it when it is due; the rest of `length` passes awake then.
  ///
  /// - Returns: how long the machine slept.
  @discardableResult
  public func sleep(for length: Duration) throws(TestDaemonError) -> Duration {
    let usec = try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.sleep(usec: length.usec)
    }
    return .microseconds(usec)
  }

  /// Somebody sets the wall clock, ahead or, below zero, back. No time passes.
  public func step(by length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.step(byUsec: length.usec)
    }
  }

  /// Nothing on the machine runs for that long, and nobody says so. If something came due, that is how
  /// the daemon finds out: a span of the cause `freeze`.
  public func freeze(for length: Duration) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.freeze(usec: length.usec)
    }
  }
}

/// The process. Connections end where the daemon does; the socket stays, as under socket activation, and
/// whoever connects is served by the next.
extension TestDaemon {
  /// SIGTSTP stops the daemon, until `continue()`: a span of the cause `stop`. Whoever calls meanwhile
  /// waits. Time may pass and the clock be set; the daemon sees it when it goes on.
  public func stop() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.stop() }
  }

  /// SIGCONT: a daemon that was stopped goes on.
  public func `continue`() throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in try desk.goOn() }
  }

  /// The daemon is killed, and started again: a span of the cause `down`. All that was acknowledged is
  /// there again.
  ///
  /// - Parameter length: how long there is no daemon.
  public func crash(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.crash(downForUsec: length.usec)
    }
  }

  /// SIGTERM ends the daemon, and it is started again: a span of the cause `down`.
  ///
  /// - Parameter length: how long there is no daemon.
  public func restart(downFor length: Duration = .zero) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.restart(downForUsec: length.usec)
    }
  }

  /// The machine is shut down and started anew: a span of the cause `reboot`.
  ///
  /// - Parameter length: how long it takes until the daemon runs again.
  public func reboot(downFor length: Duration = .seconds(30)) throws(TestDaemonError) {
    try thread.withDesk { (desk) throws(TestDaemonError) in
      try desk.reboot(downForUsec: length.usec)
    }
  }
}
