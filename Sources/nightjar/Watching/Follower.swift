import NightjarClient

/// Follows the daemon for those who show timers: what there is, kept up to date, and never given up.
struct Follower {
  /// What was seen of the daemon's words, in the order in which they came.
  struct News {
    var events: [Event] = []
    /// Something is otherwise than it was.
    var isAny = false
  }

  let session: Session
  private(set) var board: Board
  private var stream: NightjarClient.LiveStream
  /// What the board has may be out of date.
  private var needsAll = false
  /// How long the daemon may take for all there is, in microseconds.
  private static let patienceUsec: Int64 = 2_000_000

  /// Connects, and starts the daemon if there is none.
  init(_ subject: Board.Subject, socket: SocketOption) throws(CommandError) {
    session = try Session.openToFollow(socket)
    board = Board(subject)
    do throws(ClientError) {
      stream = try session.liveStream(subject.call, goesOnByNumber: true)
    } catch {
      throw session.explained(error)
    }
    stream.givesUp = false
  }

  /// Whether the daemon is away; it is waited for.
  var isAway: Bool { stream.isAway }

  /// All timers as they are shown, cancelled ones too.
  mutating func inOrder() -> [LiveTimer] { board.inOrder() }

  /// The latest that rang.
  mutating func firstRung() -> LiveTimer? { board.firstRung() }

  /// The first of those that neither rang nor are cancelled.
  mutating func firstOther() -> LiveTimer? { board.firstOther() }

  /// What to poll for the daemon's next word; nil while it is away.
  var descriptor: Int32? { stream.descriptor }

  /// How long to poll at most before `read` should be called; -1: for ever.
  var pollMsec: Int32 { (stream.nextTry ?? .never).pollMsec }

  /// Takes in all that has come, without waiting for more.
  mutating func read() throws(CommandError) -> News {
    var news = News()
    let (wasAway, hadReconnections) = (isAway, stream.reconnections)
    var isStale = false
    do throws(ClientError) {
      while case .reply(let reply) = try stream.next(deadline: .after(usec: 0)) {
        let change = try NightjarClient.Change(reply)
        // What was folded may be that time was hidden, and what was told once more leaves out what is
        // not there any more.
        isStale = isStale || change.missedAfter != nil && change.timer == nil
        isStale = isStale || Self.movesTime(change.event)
        board.apply(change, at: .now)
        if let event = change.event { news.events.append(event) }
        news.isAny = true
      }
    } catch {
      throw CommandError(explaining: error, of: session.device)
    }
    if isAway, !wasAway || !news.isAny, BridgeSession.hasLeft(session.path) {
      throw session.leftSession
    }
    // A daemon that came back may have another ledger: the stream then begins anew with that by itself,
    // and tells what there is, but not of what is there no more.
    isStale = isStale || stream.reconnections != hadReconnections
    needsAll = needsAll || isStale
    if needsAll, !isAway { askForAll() }
    news.isAny = news.isAny || wasAway != isAway
    return news
  }

  /// How far a span has moved the clocks `awake` and `present` only the daemon knows, and which timers stand
  /// still in an absence.
  private static func movesTime(_ event: Event?) -> Bool {
    event?.type == .willEnterForeground || event?.type == .spanCorrected
      || event?.type == .didEnterBackground && event?.span?.isAbsence == true
  }

  /// Asks for all there is, over a connection of its own.
  private mutating func askForAll() {
    do throws(CommandError) {
      let asking = try session.openAgain(limit: .after(usec: Self.patienceUsec))
      board.replace(with: try asking.timers(prefix: board.subject.prefix), at: .now)
      needsAll = false
    } catch {
      // It has gone or was stopped again, and will be asked again when it has anything to say.
    }
  }
}
