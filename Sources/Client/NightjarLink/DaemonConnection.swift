internal import Glibc
package import NightjarInterface
package import NightjarSystem
internal import NightjarTrust
package import Varlink

/// A connection to this machine's daemon, on the event loop. Calls are sent at once, and replies
/// arrive in the order of the calls.
package final class DaemonConnection {
  private let connection: VarlinkConnection
  private var source: Source?
  /// The handlers of replies that have not arrived, in the order of the calls.
  private var waiting: [(VarlinkReply) throws -> Void] = []
  private let ended: (_ reason: Sentence) -> Void
  /// Whether the daemon has not answered a call.
  package var isWaiting: Bool { !waiting.isEmpty }

  /// Connects to the daemon's socket.
  ///
  /// - Parameter ended: called once when the connection is lost, but not after `close`.
  package init(
    loop: EventLoop, path: String, ended: @escaping (_ reason: Sentence) -> Void
  ) throws(SystemError) {
    self.ended = ended
    do throws(ConnectFailure) { connection = try VarlinkConnection(path: path) } catch {
      throw SystemError(operation: "connect to \(path)", code: error.code)
    }
    guard let user = connection.peer?.uid, PeerTrust.mayServe(user) else {
      let user = connection.peer.map { "user \($0.uid)" } ?? "an unknown user"
      throw SystemError(operation: "use \(path), where \(user) listens", code: EPERM)
    }
    source = try loop.watch(connection) { [weak self] in self?.takeReplies() }
  }

  deinit { source?.cancel() }

  /// Closes the connection. After that, no handler of replies is called.
  package func close() {
    source?.cancel()
    source = nil
    waiting = []
  }

  /// Calls a method of the daemon.
  ///
  /// - Parameters:
  ///   - more: whether to ask for any number of replies.
  ///   - reply: called with the reply; if `more` is true, called with each reply. If it throws, the
  ///     connection is lost.
  package func call(
    _ method: String, _ parameters: JSONValue? = nil, more: Bool = false,
    _ reply: @escaping (VarlinkReply) throws -> Void
  ) {
    guard source != nil else { return }
    waiting.append(reply)
    connection.write(method, parameters, more: more)
    connection.flush()
    source?.update()
  }

  private func takeReplies() {
    do {
      while source != nil, !waiting.isEmpty, let reply = try connection.nextReply() {
        let handler = waiting[0]
        if !reply.continues { waiting.removeFirst() }
        try handler(reply)
      }
    } catch {
      return end("it does not speak Varlink: \(error)")
    }
    if connection.isBroken || connection.hasInputEnded { end("it has closed the connection") }
  }

  private func end(_ reason: Sentence) {
    guard source != nil else { return }
    close()
    ended(reason)
  }
}
