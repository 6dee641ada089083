internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarTrust
internal import Varlink

/// Listens, reads calls and sends replies. One epoll descriptor watches all clients, and the loop
/// watches that descriptor as a single source.
final class Server: NotificationObserver {
  /// The most bytes that are read from one client before another client is served.
  static let readBytes = 64 * 1024
  /// How long, in microseconds, calls are answered in one loop iteration before timers and other
  /// sources have their turn. The same limit applies to writing to streams.
  static let iterationUsec: Int64 = 2_000
  /// How long, in microseconds, the server answers calls of one client before the other clients
  /// have a turn.
  static let turnUsec: Int64 = 100
  /// The most calls of one client that the server answers in a turn.
  static let callsInTurn = 32
  /// The most calls, and the most bytes of input, of a light turn. A client whose last turn was
  /// longer is served after the others.
  static let (lightCalls, lightBytes) = (16, 8 * 1024)
  /// The least time, in microseconds, for writing to streams in one iteration while clients wait.
  static let streamsTurnUsec: Int64 = 20
  /// How many times each unfinished stream writes in one iteration while no client waits.
  static let streamRounds = 8
  /// How many quick calls the server answers between two readings of the clock, and the most bytes
  /// of a quick call. The server also reads the clock after each longer call.
  static let (callsBetweenClockReads, bytesBetweenClockReads) = (64, 512)
  /// The most connections that the server accepts in one iteration: accepting and closing one
  /// connection takes as long as ten calls.
  private static let acceptsAtOnce = 4

  let loop: EventLoop
  let core: TimerCore
  let methods: Methods
  let clock: LoopClock
  let clients: EpollSet
  /// Writes log lines that clients can cause as often as they like, and limits their number.
  let log: LimitedLog
  private let listeners: [Int32]
  private let shortage: Shortage
  let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Server.readBytes, alignment: 16)

  /// The sessions, indexed by descriptor.
  var sessions: [Session?] = []
  private(set) var sessionCount = 0
  private var registrations: UInt32 = 0
  /// Sessions whose replies await a commit.
  var gated: [Session] = []
  /// Sessions with a call that has more replies to come.
  var streaming: [Session] = []
  /// Sessions whose waiting calls are answered at the end of the iteration.
  var postponed: [Session] = []
  var callsSinceClockRead = 0
  /// Of the current client's turn: the number of calls that were answered, and when the turn began,
  /// in microseconds since the iteration began.
  var callsInTurn = 0
  var turnBeganUsec: Int64 = 0
  /// The number of bytes that were read in the current client's turn, and the number of turns since
  /// the daemon started.
  var (bytesInTurn, turns) = (0, 0)
  /// Ready sessions whose last turn was long; `serveHeavy` serves them after the others.
  var heavy: [(session: Session, events: EpollSet.Events)] = []
  /// When writing to streams ends in this iteration, in microseconds since the iteration began: at
  /// `share` if clients wait, and at `longest` even if no client waits.
  var streamsEnd: (share: Int64, longest: Int64) = (0, 0)
  let budget = WatchersBudget()
  /// Sessions whose stream has more to write than one iteration allows.
  var unfinished: [Session] = []
  /// Events that have not been delivered to all streams yet, in order.
  var undelivered: [Delivery] = []
  private var sources: [Source] = []
  private var clientSource: Source?
  var tickTimer: TimerSource?
  /// Whether the next tick of all streams may have another time than the one for which the tick
  /// timer is armed.
  var isTickStale = false
  private var isEnding = false

  /// Serves clients on `listeners`, the descriptors of listening sockets, which stay open until
  /// exit.
  init(
    loop: EventLoop, core: TimerCore, methods: Methods, clock: LoopClock,
    listeners: [Int32], shortage: Shortage
  ) throws(SystemError) {
    self.loop = loop
    self.core = core
    self.methods = methods
    self.clock = clock
    self.listeners = listeners
    self.shortage = shortage
    clients = try EpollSet()
    log = try LimitedLog(loop: loop)
    clientSource = try loop.watchReadable(clients.raw) { [unowned self] in serve() }
    tickTimer = try loop.timer(on: .monotonic) { [unowned self] in tick() }
    try listen()
    core.bus.register(self)
  }

  deinit { buffer.deallocate() }

  var watcherCount: Int { streaming.count }

  private func listen() throws(SystemError) {
    for listener in listeners {
      sources.append(
        try loop.watchReadable(listener) { [unowned self] in accept(from: listener) })
    }
  }

  /// Stops accepting connections for good. The server still serves the clients that are connected.
  func end() {
    isEnding = true
    stopListening()
  }

  private func stopListening() {
    for source in sources { source.cancel() }
    sources = []
  }

  func warn(_ text: String) {
    log.write("trouble", .warning, "\(text), ignoring")
  }
}

// MARK: - Connections

extension Server {
  private func accept(from listener: Int32) {
    for _ in 0..<Self.acceptsAtOnce {
      guard sessionCount < Limits.connections else {
        warn("there are \(sessionCount) connections; more have to wait")
        return stopListening()
      }
      do {
        guard let descriptor = try UnixSocket.accept(from: listener) else { return }
        try admit(VarlinkConnection(owning: descriptor.take()))
      } catch {
        warn("a connection could not be taken: \(error)")
        // Without this, the connection that could not be accepted would wake the loop again and
        // again.
        if error.isShortage { pauseListening() }
        return
      }
    }
  }

  /// Stops accepting connections for a while because descriptors or another resource have run out.
  /// New clients wait in the kernel's queue. The server tries again after some time; it does not
  /// wait until a client disconnects, because no client may be connected.
  private func pauseListening() {
    stopListening()
    shortage.again { [weak self] in self?.listenAgain() }
  }

  private func listenAgain() {
    guard sources.isEmpty, !isEnding else { return }
    do {
      try listen()
    } catch {
      warn("the socket is not listened on: \(error)")
      pauseListening()
    }
  }

  private func admit(_ connection: VarlinkConnection) throws(SystemError) {
    let raw = connection.descriptor
    guard let peer = connection.peer else { return warn("the user of a client is not known") }
    guard PeerTrust.mayCall(peer.uid) else {
      log.write(
        "refused", .warning, "refused a connection of user \(peer.uid), process \(peer.pid)",
        [("NIGHTJAR_PEER_UID", "\(peer.uid)")])
      return
    }
    registrations &+= 1
    let token = UInt64(registrations) << 32 | UInt64(UInt32(bitPattern: raw))
    try clients.add(raw, token: token, .readable)
    while sessions.count <= Int(raw) { sessions.append(nil) }
    sessions[Int(raw)] = Session(connection, token: token, peer: peer, budget: budget)
    sessionCount += 1
  }

  func close(_ session: Session) {
    let raw = session.connection.descriptor
    guard sessions[Int(raw)] === session else { return }
    do { try clients.remove(raw) } catch { warn("a connection was not watched: \(error)") }
    session.connection.isBroken = true
    session.releaseStream()
    sessions[Int(raw)] = nil
    sessionCount -= 1
    gated.removeAll { $0 === session }
    streaming.removeAll { $0 === session }
    unfinished.removeAll { $0 === session }
    postponed.removeAll { $0 === session }
    listenAgain()
    shortage.relieved()
  }

}

/// Events, and the sessions whose streams have not received them yet.
struct Delivery {
  let events: [Event]
  let isDurable: Bool
  /// The sessions that have not received the events yet.
  var sessions: ArraySlice<Session>
}
