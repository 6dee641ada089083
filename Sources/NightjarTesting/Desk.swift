internal import Glibc
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSimulation
internal import NightjarTime
internal import NightjarVarlink

/// The daemon's part: the engine on a simulated machine, and those who are connected to it. Used by one
/// thread at a time.
final class Desk {
  /// Whether the daemon does anything.
  enum State {
    case running
    /// By SIGTSTP: whoever calls waits.
    case stopped
    /// For good.
    case ended
  }

  /// What poll(2) is to look at.
  struct Interest: Sendable {
    /// The connection; nil: the socket that is listened on.
    var number: UInt64?
    var descriptor: Int32
    /// What to look for, and then what was found.
    var events: Int32
  }

  let machine: SimulatedMachine
  var state = State.running
  private let calendar: ZoneCalendar
  private var listener: ListeningSocket?
  private var connections: [Connection] = [] {
    didSet { if connections.count < oldValue.count { isFull = false } }
  }
  /// Who comes has to wait until somebody leaves: to look for them would find them again and again.
  private var isFull = false
  private var connectionCount: UInt64 = 0
  /// Those who answer since the daemon was last started.
  private var present: (core: TimerCore, methods: Methods)?
  /// Why it cannot go on.
  private var failure: StoreError?

  /// A daemon that has just been started.
  init(
    _ listener: ListeningSocket, realtimeUsec: Int64, zone: ZoneRules
  ) throws(TestDaemonError) {
    self.listener = listener
    calendar = ZoneCalendar(local: zone)
    machine = SimulatedMachine(calendar: calendar, maximumTimers: Limits.timers)
    machine.clocks = SimulatedClocks(realtimeUsec: realtimeUsec)
    machine.zoneName = zone.name ?? ""
    guard machine.clocks.canShow(passing: 0) else { throw .impossibleTime }
    machine.onTold = { [unowned self] events in tell(events) }
    try play { machine throws(StoreError) in try machine.boot() }
    begin()
  }

  /// Something happens on the machine, which cannot go wrong; if it does, nothing goes on.
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

  // MARK: Coming and going

  /// The daemon is up.
  func begin() {
    guard let core = machine.core else { return }
    let startedUsec = now.realtimeUsec
    let surroundings = Methods.Surroundings(
      reader: machine.disk,
      status: { [unowned self] in report(startedUsec: startedUsec) },
      testRing: { TrialStream({ $0(Self.silence) }, onReady: { _ in }) },
      // Nothing rings here, so there is nothing to hold.
      holdRings: { HoldStream(number: 1, onEnd: { _ in }) }, releaseRings: { $0 == 1 },
      complain: { _, _ in })
    let methods = Methods(
      core: core, calendar: calendar, surroundings: surroundings
    ) { SpecDefaults() }
    present = (core, methods)
    state = .running
  }

  /// The daemon is gone, and its connections with it. Who has not been taken yet waits for the next.
  func disconnect() {
    present = nil
    connections = []
  }

  /// All of it is gone.
  func end() {
    disconnect()
    // The machine listens to its own daemon, which would keep both for ever.
    machine.crash()
    listener = nil
    state = .ended
  }

  private static let silence = RingReport(reason: "a test daemon rings for nobody")

  private func report(startedUsec: Int64) -> StatusReport {
    var report = StatusReport(
      pid: getpid(), startedUsec: startedUsec,
      // What it keeps has no tables.
      storage: StatusReport.Storage(folder: "(memory)", schemaVersion: 0), ring: Self.silence)
    report.clients = connections.count
    report.watchers = connections.filter { $0.stream != nil }.count
    report.sleep = (seen: true, inhibitor: true, reason: nil)
    return report
  }
}

// MARK: - Clients

extension Desk {
  /// What is to be waited for; nil when it is all over.
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

  /// Serves those that poll(2) has found something of.
  func serve(_ found: [Interest]) {
    // It may have been stopped, or restarted, since anybody looked.
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

  /// Answers what waits to be answered, goes on with streams that have more, and sends all of it.
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

  /// Sends what there is, as far as it is taken.
  func sendAll() {
    for connection in connections { connection.send() }
  }

  /// Answers one call. Each is a pass of the daemon's loop, so that what it has changed is kept before
  /// anybody is told of it.
  ///
  /// - Returns: whether there was one.
  private func answerNext(on connection: Connection) throws(TestDaemonError) -> Bool {
    guard connection.canAnswer, connection.input.pendingBytes > 0 else { return false }
    var frame: [UInt8]?
    let outcome = connection.input.drain { bytes in
      frame = Array(bytes)
      return false
    }
    // The protocol knows no reply to a message that is none: the connection ends.
    if outcome == .frameTooLong { connection.isBroken = true }
    guard let frame else { return false }
    try play { machine throws(StoreError) in
      try machine.pass { _ in answer(frame, on: connection) }
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

  /// Tells what has happened, and is on the disk, to those who follow it.
  private func tell(_ events: [Event]) {
    // One that has just been started is followed by nobody yet.
    guard let present, present.core === machine.core else { return }
    for connection in connections {
      guard let stream = connection.stream else { continue }
      let hadMore = connection.hasMore
      follow(
        connection, stream.tell(events, durable: true, to: connection.outlet, at: now))
      if hadMore, connection.stream != nil { connection.hasMore = true }
    }
  }

  // MARK: Ticks

  /// How long until a watch wants a tick, in microseconds; nil: none does.
  var untilTickUsec: Int64? {
    connections.compactMap { $0.stream?.nextTickUsec }.min().map { max(0, $0 - now.monotonicUsec) }
  }

  /// Ticks for those whose time has come.
  func tick() {
    for connection in connections {
      guard let stream = connection.stream, let at = stream.nextTickUsec, at <= now.monotonicUsec
      else { continue }
      stream.tick(connection.outlet, at: now)
    }
  }
}
