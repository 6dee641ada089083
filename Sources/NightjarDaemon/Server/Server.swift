internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarTrust
internal import NightjarVarlink

/// Listens, reads calls, sends replies: all clients behind one epoll descriptor, which the loop
/// watches as a single source.
final class Server: NotificationObserver {
  /// The most that is read from one client in a row.
  static let readBytes = 64 * 1024
  /// So long, in microseconds, calls are answered in one pass before timers and others have their
  /// turn, and so long at the most streams are told something.
  static let passUsec: Int64 = 2_000
  /// So long, in microseconds, calls of one client are answered before others have their turn.
  static let turnUsec: Int64 = 100
  /// So many calls are, at the most.
  static let callsInTurn = 32
  /// A client whose last turn had more calls than this, or in which more bytes were read, is served behind
  /// the others.
  static let (lightCalls, lightBytes) = (16, 8 * 1024)
  /// So long, in microseconds, streams are told something in one pass while clients wait, at the least.
  static let streamsTurnUsec: Int64 = 20
  /// So often each stream that has more writes some of it in one pass, while no client waits.
  static let streamRounds = 8
  /// So many calls that take next to no time, because they are no longer than this, are answered between two
  /// looks at the clock.
  static let (callsBetweenLooks, bytesBetweenLooks) = (64, 512)
  /// The most connections that are taken in one pass: taking one, and closing it, takes as long as ten calls.
  private static let acceptsAtOnce = 4

  let loop: EventLoop
  let core: TimerCore
  let methods: Methods
  let clock: PassClock
  let clients: EpollSet
  /// For what clients can bring about as often as they like.
  let log: LimitedLog
  private let listeners: [Int32]
  /// Nil where no service manager could hold anything.
  private let keeper: StreamKeeper?
  private let shortage: Shortage
  let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Server.readBytes, alignment: 16)

  /// By descriptor.
  var sessions: [Session?] = []
  private(set) var sessionCount = 0
  private var registrations: UInt32 = 0
  /// Those that a commit lets go on.
  var gated: [Session] = []
  /// Those with a call that has more replies to come.
  var streaming: [Session] = []
  /// Sessions that may go on with their calls. They do so at the end of the pass.
  var postponed: [Session] = []
  var callsSinceLook = 0
  /// Calls that were answered in the present client's turn, and when that began within the pass.
  var callsInTurn = 0
  var turnBeganUsec: Int64 = 0
  /// How many bytes were read in the present client's turn, and how many turns there have been.
  var (bytesInTurn, turns) = (0, 0)
  /// Those that are ready and asked for much in their last turn.
  var heavy: [(session: Session, events: EpollSet.Events)] = []
  /// Until when within the pass streams may be told something: while clients wait, and at the longest.
  var streamsEnd: (share: Int64, longest: Int64) = (0, 0)
  let budget = WatchersBudget()
  /// Those whose stream has more to write than one pass allows.
  var unfinished: [Session] = []
  /// What happened that some streams are still to be told, in order.
  var untold: [Delivery] = []
  private var sources: [Source] = []
  private var clientSource: Source?
  var tickTimer: TimerSource?
  /// The next tick may be another's.
  var isTickStale = false
  private var isEnding = false

  /// Serves on `listeners`, descriptors of listening sockets that stay open as long as the process.
  init(
    loop: EventLoop, core: TimerCore, methods: Methods, clock: PassClock,
    listeners: [Int32], keeper: StreamKeeper?, shortage: Shortage
  ) throws(SystemError) {
    self.loop = loop
    self.core = core
    self.methods = methods
    self.clock = clock
    self.listeners = listeners
    self.keeper = keeper
    self.shortage = shortage
    clients = try EpollSet()
    log = try LimitedLog(loop: loop)
    clientSource = try loop.watchReadable(clients.raw) { [unowned self] in serve() }
    tickTimer = try loop.timer(on: .monotonic) { [unowned self] in tick() }
    try listen()
    core.bus.register(self)
  }

  deinit { buffer.deallocate() }

  /// How many watch something.
  var watcherCount: Int { streaming.count }

  private func listen() throws(SystemError) {
    for listener in listeners {
      sources.append(
        try loop.watchReadable(listener) { [unowned self] in accept(from: listener) })
    }
  }

  /// Takes no more connections, for good; those that are there are served on.
  func end() {
    isEnding = true
    stopListening()
  }

  /// The process ends now: hands streams over to the next one.
  func leave() {
    for session in streaming { session.leave() }
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
        _ = try admit(descriptor.take())
      } catch {
        warn("a connection could not be taken: \(error)")
        // The one that waits would wake the loop for ever.
        if error.isShortage { pauseListening() }
        return
      }
    }
  }

  /// Descriptors or the like have run out: clients that connect now wait in the kernel's queue. Not for
  /// another client to leave: there may be none.
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

  /// Goes on with the streams that the last process left, as if their clients had just asked for
  /// what they have not been sent yet.
  func resumeStreams() {
    guard let keeper else { return }
    for kept in keeper.kept {
      do {
        if let session = try admit(kept.descriptor, keptSlot: kept.slot) {
          session.outlet.begin(withRest: kept.rest)
          take(kept.call + [0], as: session)
        } else {
          keeper.release(kept.slot)
        }
      } catch {
        warn("a connection could not be gone on with: \(error)")
        keeper.release(kept.slot)
      }
    }
    keeper.forgetKept()
  }

  private func admit(_ raw: Int32, keptSlot: Int? = nil) throws(SystemError) -> Session? {
    let descriptor = Descriptor(owning: raw)
    let peer = try PeerCredentials.of(socket: raw)
    guard PeerTrust.mayCall(peer.uid) else {
      log.write(
        "refused", .warning, "refused a connection of user \(peer.uid), process \(peer.pid)",
        [("NIGHTJAR_PEER_UID", "\(peer.uid)")])
      return nil
    }
    registrations &+= 1
    let token = UInt64(registrations) << 32 | UInt64(UInt32(bitPattern: raw))
    try clients.add(raw, token: token, readable: true, writable: false)
    while sessions.count <= Int(raw) { sessions.append(nil) }
    let session = Session(
      descriptor: descriptor, token: token, peer: peer, budget: budget, keeper: keeper,
      keptSlot: keptSlot)
    sessions[Int(raw)] = session
    sessionCount += 1
    return session
  }

  func close(_ session: Session) {
    let raw = session.descriptor.raw
    guard sessions[Int(raw)] === session else { return }
    do { try clients.remove(raw) } catch { warn("a connection was not watched: \(error)") }
    session.isBroken = true
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

/// Events on their way to those who follow them.
struct Delivery {
  let events: [Event]
  let isDurable: Bool
  /// Those who have not been told yet.
  var sessions: ArraySlice<Session>
}
