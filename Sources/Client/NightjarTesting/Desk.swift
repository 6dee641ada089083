internal import Glibc
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarSimulation
internal import NightjarTime
internal import Varlink

/// The test daemon. It has the engine on a simulated machine, and the connections of the clients.
/// Only one thread may use it at a time.
final class Desk {
  /// What the daemon does at present.
  enum State {
    case running
    /// The daemon is stopped by SIGTSTP, so calls wait.
    case stopped
    /// The daemon has ended, and will not be started again.
    case ended
  }

  /// A descriptor for which poll(2) waits.
  struct Interest: Sendable {
    /// The number of the connection; nil for the listening socket.
    var number: UInt64?
    var descriptor: Int32
    /// The events for which poll(2) waits. After poll(2), the events that it found.
    var events: Int32
  }

  let machine: SimulatedMachine
  var state = State.running
  private let calendar: ZoneCalendar
  private var listener: ListeningSocket?
  private var connections: [Connection] = [] {
    didSet { if connections.count < oldValue.count { isFull = false } }
  }
  /// Whether there is no descriptor for another connection. New connections then wait until one has
  /// ended. During that time poll(2) does not wait for the listening socket, which would stay
  /// readable, so that poll(2) would always return at once.
  private var isFull = false
  private var connectionCount: UInt64 = 0
  /// The core and the methods of the running daemon.
  private var present: (core: TimerCore, methods: Methods)?
  /// The failure after which the daemon cannot continue; nil: there was none.
  private var failure: StoreError?

  /// Starts the daemon, on a machine with this time and zone.
  init(
    _ listener: ListeningSocket, realtimeUsec: Int64, zone: ZoneRules
  ) throws(TestDaemonError) {
    self.listener = listener
    calendar = ZoneCalendar(local: zone)
    machine = SimulatedMachine(calendar: calendar, maximumTimers: Limits.timers)
    machine.clocks = SimulatedClocks(realtimeUsec: realtimeUsec)
    machine.zoneName = zone.name ?? ""
    guard machine.clocks.canShow(passing: 0) else { throw .impossibleTime }
    machine.onPublished = { [unowned self] events in deliver(events) }
    try play { machine throws(StoreError) in try machine.boot() }
    begin()
  }

  /// Runs an event of the machine. If that fails, which is a bug, the daemon does nothing after
  /// that.
  func play(_ body: (SimulatedMachine) throws(StoreError) -> Void) throws(TestDaemonError) {
    do throws(StoreError) {
      if let failure { throw failure }
      try body(machine)
    } catch {
      failure = error
      throw .broken(error.description)
    }
  }

  var now: Moment { machine.clocks.now }

  // MARK: Start and end

  /// Prepares the daemon that has just been started for calls.
  func begin() {
    guard let core = machine.core else { return }
    let startedUsec = now.realtimeUsec
    let dependencies = Methods.Dependencies(
      reader: machine.disk,
      status: { [unowned self] in report(startedUsec: startedUsec) },
      testRing: { RingTestStream({ $0(Self.silence) }, onReady: { _ in }) },
      // The test daemon has no rings, so there is nothing to hold.
      holdRings: { HoldStream(begin: { _ in 1 }, end: { _ in }, onReady: { _ in }) },
      releaseRings: { $0 == 1 },
      reportReadFailure: { _, _ in })
    let methods = Methods(
      core: core, calendar: calendar, dependencies: dependencies
    ) { SpecDefaults() }
    present = (core, methods)
    state = .running
  }

  /// Ends all connections to the daemon. Clients that have not been accepted yet wait for the next
  /// daemon.
  func disconnect() {
    present = nil
    connections = []
  }

  /// Ends the daemon, its machine and its socket.
  func end() {
    disconnect()
    // The machine and its daemon refer to each other, which would keep both in memory.
    machine.crash()
    listener = nil
    state = .ended
  }

  private static let silence = RingCheck(reason: "a test daemon has no popups and sounds")

  private func report(startedUsec: Int64) -> StatusReport {
    var report = StatusReport(
      pid: getpid(), startedUsec: startedUsec,
      // The state is in memory. It has no tables, and therefore no schema.
      storage: StatusReport.Storage(folder: "(memory)", schemaVersion: 0), ring: Self.silence)
    report.clients = connections.count
    report.watchers = connections.filter { $0.stream != nil }.count
    report.sleep = (seen: true, inhibitor: true, reason: nil)
    return report
  }
}

// MARK: - Clients

extension Desk {
  /// The descriptors for which poll(2) waits; nil: the daemon has ended.
  func interests() -> [Interest]? {
    switch state {
    case .ended: return nil
    case .stopped: return []
    case .running where failure != nil: return []
    case .running:
      let clients = connections.map {
        Interest(number: $0.number, descriptor: $0.descriptor, events: $0.awaited)
      }
      guard let listener, !isFull else { return clients }
      return [Interest(descriptor: listener.descriptor, events: POLLIN)] + clients
    }
  }

  /// Serves the descriptors for which poll(2) has found events.
  func serve(_ found: [Interest]) {
    // After poll(2) returned, another thread may have stopped or restarted the daemon.
    guard state == .running, failure == nil else { return }
    for interest in found where interest.events != 0 {
      if let number = interest.number {
        connections.first { $0.number == number }?.take(interest.events)
      } else {
        accept()
      }
    }
    do throws(TestDaemonError) { try settle() } catch { disconnect() }
  }

  private func accept() {
    guard let listener else { return }
    isFull = !listener.accept { descriptor in
      connectionCount += 1
      connections.append(Connection(descriptor, number: connectionCount))
    }
  }

  /// Answers all calls that wait, writes the output of streams that have more, and sends the
  /// output.
  func settle() throws(TestDaemonError) {
    var isBusy = true
    while isBusy {
      isBusy = false
      for connection in connections {
        pump(connection)
        if try answerNext(on: connection) { isBusy = true }
      }
    }
    sendAll()
    connections.removeAll(where: \.isOver)
  }

  /// Sends the output of all connections, as far as the kernel accepts it.
  func sendAll() {
    for connection in connections { connection.send() }
  }

  /// Answers one call, in one iteration of the daemon's loop. The changes of the call are stored
  /// before any client sees them.
  ///
  /// - Returns: whether a call was waiting.
  private func answerNext(on connection: Connection) throws(TestDaemonError) -> Bool {
    guard connection.canAnswer, connection.input.pendingBytes > 0 else { return false }
    var frame: [UInt8]?
    let outcome = connection.input.drain { bytes in
      frame = Array(bytes)
      return false
    }
    // A message that is too long ends the connection, because Varlink has no error reply to an
    // invalid message.
    if outcome == .frameTooLong { connection.isBroken = true }
    guard let frame else { return false }
    try play { machine throws(StoreError) in
      try machine.runIteration { _ in answer(frame, on: connection) }
    }
    return true
  }

  private func answer(_ frame: [UInt8], on connection: Connection) {
    frame.withUnsafeBytes { bytes in
      do throws(VarlinkProtocolError) {
        let call = try VarlinkCall.parse(bytes)
        guard let stream = present?.methods.answer(call, to: connection.outlet, at: now) else {
          return
        }
        connection.stream = stream
        connection.hasMore = true
      } catch {
        connection.isBroken = true
      }
    }
    pump(connection)
  }

  private func pump(_ connection: Connection) {
    while connection.hasMore, connection.outlet.hasRoom, let stream = connection.stream {
      follow(connection, stream.pump(connection.outlet, at: now))
    }
  }

  private func follow(_ connection: Connection, _ state: StreamState) {
    connection.hasMore = state == .hasMore
    if state == .ended { connection.stream = nil }
  }

  /// Delivers committed events to the streams.
  private func deliver(_ events: [Event]) {
    // A daemon that has just started has no streams yet.
    guard let present, present.core === machine.core else { return }
    for connection in connections {
      guard let stream = connection.stream else { continue }
      let hadMore = connection.hasMore
      follow(
        connection, stream.deliver(events, durable: true, to: connection.outlet, at: now))
      if hadMore, connection.stream != nil { connection.hasMore = true }
    }
  }

  // MARK: Ticks

  /// The time until the next tick, in microseconds; nil if no watch has ticks.
  var untilTickUsec: Int64? {
    connections.compactMap { $0.stream?.nextTickUsec }.min().map { max(0, $0 - now.monotonicUsec) }
  }

  /// Sends the ticks of all streams whose tick is due.
  func tick() {
    for connection in connections {
      guard let stream = connection.stream, let at = stream.nextTickUsec, at <= now.monotonicUsec
      else { continue }
      stream.tick(connection.outlet, at: now)
    }
  }
}
