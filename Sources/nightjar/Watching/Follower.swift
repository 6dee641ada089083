import NightjarClient

/// Follows the daemon for commands that show timers: the present timers, kept up to date across
/// reconnections.
struct Follower {
  /// The changes since the last read, in order.
  struct News {
    var events: [Event] = []
    /// Something changed.
    var isAny = false
  }

  let session: Session
  private(set) var board: Board
  private var stream: NightjarClient.LiveStream
  /// The board may be out of date.
  private var needsAll = false
  /// How long the daemon may take to list all timers, in microseconds.
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

  /// Whether the daemon is away; the follower waits for it.
  var isAway: Bool { stream.isAway }

  /// All timers in the order of the list, including cancelled ones.
  mutating func inOrder() -> [LiveTimer] { board.inOrder() }

  /// The timer that rang last.
  mutating func firstRung() -> LiveTimer? { board.firstRung() }

  /// The first timer that neither rang nor is cancelled.
  mutating func firstOther() -> LiveTimer? { board.firstOther() }

  /// The descriptor to poll for the daemon's next message; nil while the daemon is away.
  var descriptor: Int32? { stream.descriptor }

  /// The longest time to poll before calling `read`; -1: forever.
  var pollMsec: Int32 { (stream.nextTry ?? .never).pollMsec }

  /// Reads all messages that have arrived, without waiting for more.
  mutating func read() throws(CommandError) -> News {
    var news = News()
    let (wasAway, hadReconnections) = (isAway, stream.reconnections)
    var isStale = false
    do throws(ClientError) {
      while case .reply(let reply) = try stream.next(deadline: .after(usec: 0)) {
        let change = try NightjarClient.Change(reply)
        // The skipped changes may include a background span, and a repeated list omits removed
        // timers.
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
    // The daemon may have come back with another ledger. The stream then starts again by itself and
    // lists the present timers, but does not report the removed ones.
    isStale = isStale || stream.reconnections != hadReconnections
    needsAll = needsAll || isStale
    if needsAll, !isAway { askForAll() }
    news.isAny = news.isAny || wasAway != isAway
    return news
  }

  /// Only the daemon knows how far a background span moved the clocks `awake` and `present`, and
  /// which timers stop in an absence.
  private static func movesTime(_ event: Event?) -> Bool {
    event?.type == .willEnterForeground || event?.type == .spanCorrected
      || event?.type == .didEnterBackground && event?.span?.isAbsence == true
  }

  /// Lists all timers, over a separate connection.
  private mutating func askForAll() {
    do throws(CommandError) {
      let asking = try session.openAgain(limit: .after(usec: Self.patienceUsec))
      board.replace(with: try asking.timers(prefix: board.subject.prefix), at: .now)
      needsAll = false
    } catch {
      // The daemon is away or stopped again. The next `read` tries again.
    }
  }
}
