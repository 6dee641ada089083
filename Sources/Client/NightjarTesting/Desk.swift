internal import Glibc
internal import NightjarInterface
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
    /// The number of the client; nil for the listening socket.
    var number: UInt64?
    var descriptor: Int32
    /// For what poll(2) waits. After poll(2), what it found.
    var readiness: VarlinkConnection.Readiness
  }

  let machine: SimulatedMachine
  var state = State.running
  private let calendar: ZoneCalendar
  private var listener: ListeningSocket?
  private var clients: [Client] = [] {
    didSet { if clients.count < oldValue.count { isFull = false } }
  }
  /// Whether there is no descriptor for another connection. New connections then wait until one has
  /// ended. During that time poll(2) does not wait for the listening socket, which would stay
  /// readable, so that poll(2) would always return at once.
  private var isFull = false
  private var clientCount: UInt64 = 0
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
    clients = []
  }

  /// Ends the daemon, its machine and its socket.
  func end() {
    disconnect()
    // The machine and its daemon refer to each other, which would keep both in memory.
    machine.crash()
    listener = nil
    state = .ended
  }

  private static let silence = RingCheck(.missing, "a test daemon has no popups and sounds")

  private func report(startedUsec: Int64) -> StatusReport {
    var report = StatusReport(
      pid: getpid(), startedUsec: startedUsec,
      // The state is in memory. It has no tables, and therefore no schema.
      storage: StatusReport.Storage(folder: "(memory)", schemaVersion: 0), ring: Self.silence)
    report.clients = clients.count
    report.watchers = clients.filter { $0.stream != nil }.count
    report.sleep = SleepState(seen: true, inhibitor: true)
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
      let interests = clients.map {
        Interest(
          number: $0.number, descriptor: $0.connection.descriptor,
          readiness: $0.connection.awaited)
      }
      guard let listener, !isFull else { return interests }
      return [Interest(descriptor: listener.descriptor, readiness: .readable)] + interests
    }
  }

  /// Serves the descriptors for which poll(2) has found events.
  func serve(_ found: [Interest]) {
    // After poll(2) returned, another thread may have stopped or restarted the daemon.
    guard state == .running, failure == nil else { return }
    for interest in found where !interest.readiness.isEmpty {
      if let number = interest.number {
        clients.first { $0.number == number }?.connection.advance(interest.readiness)
      } else {
        accept()
      }
    }
    do throws(TestDaemonError) { try settle() } catch { disconnect() }
  }

  private func accept() {
    guard let listener else { return }
    isFull = !listener.accept { descriptor in
      clientCount += 1
      clients.append(Client(descriptor, number: clientCount))
    }
  }

  /// Answers all calls that wait, writes the output of streams that have more, and sends the
  /// output.
  func settle() throws(TestDaemonError) {
    var isBusy = true
    while isBusy {
      isBusy = false
      for client in clients {
        pump(client)
        if try answerNext(to: client) { isBusy = true }
      }
    }
    sendAll()
    clients.removeAll(where: \.isOver)
  }

  /// Sends the output of all connections, as far as the kernel accepts it.
  func sendAll() {
    for client in clients { client.connection.flush() }
  }

  /// Answers one call, in one iteration of the daemon's loop. The changes of the call are stored
  /// before any client sees them.
  ///
  /// - Returns: whether a call was waiting.
  private func answerNext(to client: Client) throws(TestDaemonError) -> Bool {
    guard client.canAnswer, let frame = client.connection.nextFrame() else { return false }
    try play { machine throws(StoreError) in
      try machine.runIteration { _ in answer(frame, to: client) }
    }
    return true
  }

  private func answer(_ frame: [UInt8], to client: Client) {
    frame.withUnsafeBytes { bytes in
      do throws(VarlinkProtocolError) {
        let call = try VarlinkCall.parse(bytes)
        guard let stream = present?.methods.answer(call, to: client.outlet, at: now) else {
          return
        }
        client.stream = stream
        client.hasMore = true
      } catch {
        client.connection.isBroken = true
      }
    }
    pump(client)
  }

  private func pump(_ client: Client) {
    while client.hasMore, client.outlet.hasRoom, let stream = client.stream {
      follow(client, stream.pump(client.outlet, at: now))
    }
  }

  private func follow(_ client: Client, _ state: StreamState) {
    client.hasMore = state == .hasMore
    if state == .ended { client.stream = nil }
  }

  /// Delivers committed events to the streams.
  private func deliver(_ events: [Event]) {
    // A daemon that has just started has no streams yet.
    guard let present, present.core === machine.core else { return }
    for client in clients {
      guard let stream = client.stream else { continue }
      let hadMore = client.hasMore
      follow(
        client, stream.deliver(events, durable: true, to: client.outlet, at: now))
      if hadMore, client.stream != nil { client.hasMore = true }
    }
  }

  // MARK: Ticks

  /// The time until the next tick, in microseconds; nil if no watch has ticks.
  var untilTickUsec: Int64? {
    clients.compactMap { $0.stream?.nextTickUsec }.min().map { max(0, $0 - now.monotonicUsec) }
  }

  /// Sends the ticks of all streams whose tick is due.
  func tick() {
    for client in clients {
      guard let stream = client.stream, let at = stream.nextTickUsec, at <= now.monotonicUsec
      else { continue }
      stream.tick(client.outlet, at: now)
    }
  }
}
