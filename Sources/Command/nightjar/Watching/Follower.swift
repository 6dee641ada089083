import NightjarClient

/// Follows the timers of the daemon, for commands that show them. It keeps the timers up to date,
/// also after a reconnection.
struct Follower {
  /// The changes that the last call of `read` found, in order.
  struct News {
    var events: [Wire.Event] = []
    /// Whether anything has changed.
    var isAny = false
  }

  let session: Session
  var board: Board
  private var stream: NightjarClient.LiveStream
  /// Whether the timers of the board may be out of date, so that all must be listed again.
  private var needsAll = false
  /// How long the daemon may take to list all timers, in microseconds.
  private static let timeoutUsec: Int64 = 2_000_000

  /// Connects to the daemon, and starts it if none runs.
  init(_ subject: Board.Subject, socket: SocketOption) throws(CommandError) {
    session = try Session.openToFollow(socket)
    board = Board(subject)
    do throws(ClientError) {
      stream = try session.liveStream(subject.call, continuesBySeq: true)
    } catch {
      throw session.explained(error)
    }
    stream.givesUp = false
  }

  /// Whether the daemon is away. The follower then waits until the daemon answers again.
  var isAway: Bool { stream.isAway }

  /// The descriptor that becomes readable when the daemon sends a message; nil: the daemon is away.
  var descriptor: Int32? { stream.descriptor }

  /// The longest time until the next call of `read`, in milliseconds; -1: there is no limit.
  var pollMsec: Int32 { (stream.nextTry ?? .never).pollMsec }

  /// Reads all messages that have arrived. It does not wait for more.
  mutating func read() throws(CommandError) -> News {
    var news = News()
    let (wasAway, hadReconnections) = (isAway, stream.reconnections)
    var isStale = false
    do throws(ClientError) {
      while case .reply(let reply) = try stream.next(deadline: .after(usec: 0)) {
        let change = try Wire.Watch.Reply(reply)
        // The daemon has left out changes. They may include a background span, and the timers that
        // the daemon then repeats do not show which timers were removed.
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
    // After a reconnection, the daemon may have another ledger. The stream then lists the present
    // timers, but does not report removed ones.
    isStale = isStale || stream.reconnections != hadReconnections
    needsAll = needsAll || isStale
    if needsAll, !isAway {
      askForAll()
      news.isAny = true
    }
    news.isAny = news.isAny || wasAway != isAway
    return news
  }

  /// Whether an event changes times that only the daemon knows: how far a background span moved the
  /// clocks `awake` and `present`, and which timers an absence stops.
  private static func movesTime(_ event: Wire.Event?) -> Bool {
    event?.type == .willEnterForeground || event?.type == .spanCorrected
      || event?.type == .didEnterBackground && event?.span?.isAbsence == true
  }

  /// Lists all timers again, on a connection of its own.
  private mutating func askForAll() {
    do throws(CommandError) {
      let asking = try session.openAgain(limit: .after(usec: Self.timeoutUsec))
      board.replace(with: try asking.timers(prefix: board.subject.prefix), at: .now)
      needsAll = false
    } catch {
      // The daemon is away or stopped again. The next call of `read` tries again.
    }
  }
}
