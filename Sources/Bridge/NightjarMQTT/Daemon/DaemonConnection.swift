internal import Glibc
internal import NightjarSystem
internal import NightjarTrust
internal import Varlink

/// A connection to this machine's daemon, on the event loop. Calls are sent at once, and replies
/// arrive in the order of the calls.
final class DaemonConnection {
  /// The most bytes that are received with one call of recv(2).
  private static let mostAtOnce = 64 * 1024

  private let socket: Descriptor
  private var source: Source?
  private var frames = FrameBuffer(limit: WireLimits.replyBytes)
  private var output: [UInt8] = []
  /// The handlers of replies that have not arrived, in the order of the calls.
  private var waiting: [(VarlinkReply) -> Void] = []
  private let ended: (_ reason: String) -> Void
  /// Whether the daemon has not answered a call.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Connects to the daemon's socket.
  ///
  /// - Parameter ended: called once when the connection is lost, but not after `close`.
  init(
    loop: EventLoop, path: String, ended: @escaping (_ reason: String) -> Void
  ) throws(SystemError) {
    self.ended = ended
    socket = try UnixSocket.connect(path: path)
    let peer = try PeerCredentials.of(socket: socket.raw)
    guard PeerTrust.mayServe(peer.uid) else {
      throw SystemError(operation: "use \(path), where user \(peer.uid) listens", code: EPERM)
    }
    source = try loop.watch(socket.raw) { [weak self] in self?.isReady($0) }
  }

  deinit { source?.cancel() }

  /// Closes the connection. After that, no handler of replies is called.
  func close() {
    source?.cancel()
    source = nil
    waiting = []
  }

  /// Calls a method of the daemon.
  ///
  /// - Parameters:
  ///   - more: whether to ask for any number of replies.
  ///   - reply: called with the reply; if `more` is true, called with each reply.
  func call(
    _ method: String, _ parameters: JSONValue? = nil, more: Bool = false,
    _ reply: @escaping (VarlinkReply) -> Void
  ) {
    guard source != nil else { return }
    waiting.append(reply)
    VarlinkCall.write(method: method, parameters: parameters, more: more, into: &output)
    send()
  }

  private func isReady(_ events: EpollSet.Events) {
    if events.contains(.writable) { send() }
    if !events.isDisjoint(with: [.readable, .closed]) { receive() }
  }

  private func send() {
    var sent = 0
    while sent < output.count {
      let count = output[sent...].withUnsafeBytes {
        Glibc.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR { continue }
      // After an error, stop here: the loop will read, get the same error, and end the connection.
      guard count >= 0 else { break }
      sent += count
    }
    output.removeFirst(sent)
    source?.watchesWritable = !output.isEmpty
  }

  private func receive() {
    let (count, code) = withUnsafeTemporaryAllocation(byteCount: Self.mostAtOnce, alignment: 1) {
      let count = recv(socket.raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      let code = errno
      if count > 0 { frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return (count, code)
    }
    guard count > 0 else {
      if count < 0, code == EAGAIN || code == EINTR { return }
      return end("it has closed the connection")
    }
    do {
      let outcome = try frames.drain { (frame) throws(VarlinkProtocolError) in
        let reply = try VarlinkReply.parse(frame)
        guard let handler = waiting.first else { return false }
        if !reply.continues { waiting.removeFirst() }
        handler(reply)
        return source != nil
      }
      if outcome == .frameTooLong { end("it sent a reply that is too long") }
    } catch {
      end("it does not speak Varlink: \(error)")
    }
  }

  private func end(_ reason: String) {
    guard source != nil else { return }
    close()
    ended(reason)
  }
}
