internal import NightjarInterface
internal import NightjarParameters
internal import NightjarService
internal import NightjarSystem
internal import Varlink

/// A client: its connection, its stream, and its place in the server's lists.
final class Session {
  let connection: VarlinkConnection
  /// Identifies the connection in epoll events: a registration number in the high half, and the
  /// descriptor in the low half. The number shows whether an event belongs to an earlier connection
  /// that had the same descriptor.
  let token: UInt64
  let peer: PeerCredentials
  /// Writes the further replies to a call; nil: no call has further replies. Later calls of the
  /// client wait until the stream ends.
  private(set) var stream: (any ReplyStream)?
  /// The number of bytes that `budget` counts for this session.
  private var countedBytes = 0
  /// Whether the session is in the server's list of sessions that wait for a commit.
  var isListedAsGated = false
  /// Whether the session is in the server's list of sessions whose stream has more to write.
  var isListedAsUnfinished = false
  /// Whether the session is in the server's list `postponed`. The server continues with such a
  /// session at the end of an iteration and not before.
  var isPostponed = false
  /// Whether the client's last turn was long: many calls, many bytes or much time.
  var isHeavy = false
  /// The sequence number of the client's last turn; the server counts all turns.
  var lastTurn = 0
  /// The events for which the epoll set watches the connection at present.
  var watched = VarlinkConnection.Readiness.readable

  private let budget: WatchersBudget

  init(
    _ connection: VarlinkConnection, token: UInt64, peer: PeerCredentials, budget: WatchersBudget
  ) {
    self.connection = connection
    self.token = token
    self.peer = peer
    self.budget = budget
  }

  var outlet: Outlet { connection.outlet }

  /// Whether the client broke the protocol or is disconnected.
  var isBroken: Bool { connection.hasFailed }

  /// Sends the output up to the first reply that waits for a commit, as far as the kernel accepts
  /// it.
  ///
  /// - Parameter isWritable: the kernel has reported that the socket accepts more. After a send(2)
  ///   that had no room, the session does not try again before that report.
  func flush(isWritable: Bool = false) {
    if isWritable || !watched.contains(.writable) { connection.flush() }
    count()
  }

  /// Reports to the budget how much output this client has not read. Counts nothing if the daemon
  /// may not end the client's stream.
  private func count() {
    var bytes = 0
    if let stream, stream.canBeCut { bytes = outlet.backlogBytes + stream.deferredBytes }
    guard bytes != countedBytes else { return }
    budget.bytes += bytes - countedBytes
    countedBytes = bytes
  }

  /// The unread output of the session's stream in bytes, as last reported to the budget.
  var backlogBytes: Int { countedBytes }

  /// Answers a call with the replies of `stream`, which begin at `start` of the output.
  func begin(_ stream: any ReplyStream, from start: Int) {
    self.stream = stream
    outlet.beginStream(at: start)
  }

  /// Ends the stream with the error `TooSlow`, and drops its unsent replies.
  func cutStream() {
    guard let stream else { return }
    let position = stream.position(without: outlet.cutStream())
    JSONWriter.append(to: &outlet.output) { TimersError.tooSlow(after: position).write(to: &$0) }
    releaseStream()
  }

  /// Frees the stream because the stream or the connection has ended.
  func releaseStream() {
    stream = nil
    outlet.endStream()
    count()
  }
}
