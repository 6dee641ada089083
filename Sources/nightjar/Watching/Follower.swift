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

  /// Connects, and starts the daemon if there is none.
  init(_ subject: Board.Subject, socket: SocketOption) throws(CommandError) {
    session = try Session.open(socket)
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

  /// What to poll for the daemon's next word; nil while it is away.
  var descriptor: Int32? { stream.descriptor }

  /// How long to poll at most before `read` should be called; -1: for ever.
  var pollMsec: Int32 { (stream.nextTry ?? .never).pollMsec }

  /// Takes in all that has come, without waiting for more.
  mutating func read() throws(CommandError) -> News {
    var news = News()
    let wasAway = isAway
    do throws(ClientError) {
      while case .reply(let reply) = try stream.next(deadline: .after(usec: 0)) {
        let change = try NightjarClient.Change(reply)
        board.apply(change, at: .now)
        if let event = change.event { news.events.append(event) }
        news.isAny = true
      }
    } catch {
      throw CommandError(explaining: error)
    }
    if news.events.contains(where: { Self.movesAwakeTime($0.type) }) { correctAwakeTime() }
    news.isAny = news.isAny || wasAway != isAway
    return news
  }

  private static func movesAwakeTime(_ type: EventType) -> Bool {
    type == .willEnterForeground || type == .spanCorrected
  }

  /// How far the clock `awake` was moved by a span only the daemon knows.
  private mutating func correctAwakeTime() {
    let names = board.namesOnAwakeTime
    guard !names.isEmpty else { return }
    do throws(CommandError) {
      let asking = try Session.openAgain(path: session.path)
      for case .success(let reply) in try asking.callAll(names.map { .get(name: $0) }) {
        board.correct(try Session.timer(in: reply), at: .now)
      }
    } catch {
      // It has gone again: it will say so, and this is asked once more when it is back.
    }
  }
}
