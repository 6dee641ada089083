import Glibc
package import Varlink

/// A blocking connection to the daemon.
///
/// A connection is for one thread, for example in a command line, a script or a test. It handles
/// one call at a time: in Varlink, no other call may be made before a stream of replies has ended.
/// After any error except a refusal or a stream's timeout, the connection cannot be used any more.
package final class Connection {
  /// The most calls, and the most bytes of calls, that `callAll` sends before it reads replies.
  /// These bytes must all fit into the socket's buffer, because the daemon does not read calls
  /// while it waits for this client to read replies.
  private static let window = (calls: 64, bytes: 32 * 1024)

  private enum State { case idle, streaming, broken }

  private let socket: VarlinkConnection
  private var state = State.idle

  /// Connects to the daemon's socket.
  ///
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - deadline: how long to wait until the daemon's queue has room for the connection.
  /// - Throws: `ClientError.daemonUnreachable`, `.anotherUsersDaemon`, or `.timedOut`.
  package init(path: String, deadline: Deadline = .never) throws(ClientError) {
    socket = try .toDaemon(path: path, deadline: deadline)
  }

  /// The process ID of the other end; nil if unknown. If the service manager created the socket, it
  /// is the process ID of the service manager.
  package var peerProcessID: Int32? {
    socket.peer.flatMap { $0.pid > 0 ? $0.pid : nil }
  }

  /// Whether the daemon has answered on this connection.
  package private(set) var hasAnswered = false

  /// The descriptor to poll for input; nil if the connection has ended.
  package var descriptor: Int32? { state == .broken ? nil : socket.descriptor }

  /// Calls a method and waits for its one reply.
  ///
  /// - Throws: `ClientError`. After a refusal, the connection can still be used.
  package func call<Method: WireMethod>(
    _ call: Method, deadline: Deadline = .never
  ) throws(ClientError) -> Method.Reply {
    try requireIdle()
    try send([Call(call)], deadline: deadline)
    return try Method.Reply(try onlyReply(deadline: deadline).accepted())
  }

  /// Calls a method and waits for its one reply.
  ///
  /// - Returns: the reply's parameters, an object.
  /// - Throws: `ClientError`. After a refusal, the connection can still be used.
  package func call(_ call: Call, deadline: Deadline = .never) throws(ClientError) -> JSONValue {
    switch try answer(to: call, deadline: deadline) {
    case .success(let parameters): return parameters
    case .failure(let error): throw .refused(error)
    }
  }

  /// Calls a method and waits for its one reply. Returns a refusal instead of throwing it.
  ///
  /// - Returns: the reply's parameters, an object, or the refusal.
  /// - Throws: `ClientError`, but not for a refusal.
  package func answer(
    to call: Call, deadline: Deadline = .never
  ) throws(ClientError) -> Result<JSONValue, TimersError> {
    try requireIdle()
    try send([call], deadline: deadline)
    return try onlyReply(deadline: deadline).answer()
  }

  /// Calls a method and waits for its one reply without a time limit.
  ///
  /// - Parameters:
  ///   - soon: the deadline after which the reply counts as late.
  ///   - whenLate: called once at that deadline, if the reply has not arrived.
  /// - Returns: the reply's parameters, an object, or the refusal.
  /// - Throws: `ClientError`, but not for a refusal.
  package func answer(
    to call: Call, soon: Deadline, whenLate: () -> Void
  ) throws(ClientError) -> Result<JSONValue, TimersError> {
    try requireIdle()
    try send([call], deadline: .never)
    if !socket.hasSomething(by: soon) { whenLate() }
    return try onlyReply(deadline: .never).answer()
  }

  /// Calls several methods without waiting for each reply before the next call. The replies arrive
  /// in the order of the calls.
  ///
  /// - Returns: for each call, in order, the reply's parameters or the refusal. O(number of calls).
  /// - Throws: `ClientError`, but not for a refusal.
  package func callAll(
    _ calls: [Call], deadline: Deadline = .never
  ) throws(ClientError) -> [Result<JSONValue, TimersError>] {
    try requireIdle()
    var results: [Result<JSONValue, TimersError>] = []
    results.reserveCapacity(calls.count)
    var next = 0
    while next < calls.count {
      let first = next
      while next < calls.count, next - first < Self.window.calls,
        socket.outlet.backlogBytes < Self.window.bytes
      {
        socket.write(calls[next].method, calls[next].parameters)
        next += 1
      }
      try send([], deadline: deadline)
      for _ in first..<next { results.append(try onlyReply(deadline: deadline).answer()) }
    }
    return results
  }

  /// Calls a method with `more`, and returns a stream of its replies.
  ///
  /// The connection belongs to the stream until the last reply has been read. To end the stream
  /// before that, release the stream and the connection.
  package func stream(_ call: Call, deadline: Deadline = .never) throws(ClientError) -> ReplyStream
  {
    try requireIdle()
    try send([call], more: true, deadline: deadline)
    state = .streaming
    return ReplyStream(connection: self)
  }

  /// The next reply of a stream; nil after the last one.
  fileprivate func nextInStream(deadline: Deadline) throws(ClientError) -> JSONValue? {
    guard state == .streaming else { return nil }
    let reply = try receive(deadline: deadline)
    if !reply.continues { state = .idle }
    return try reply.accepted().parsed()
  }

  private func requireIdle() throws(ClientError) {
    precondition(state != .streaming, "a stream is being read from this connection")
    guard state == .idle else { throw .connectionLost }
  }

  /// Waits for the one reply of a call that was sent.
  private func onlyReply(deadline: Deadline) throws(ClientError) -> VarlinkReply {
    let reply = try receive(deadline: deadline)
    guard !reply.continues else {
      state = .broken
      throw .protocolViolation("more replies than were asked for")
    }
    return reply
  }

  private func send(
    _ calls: [Call], more: Bool = false, deadline: Deadline
  ) throws(ClientError) {
    for call in calls { socket.write(call.method, call.parameters, more: more) }
    do {
      try socket.sendAll(deadline: deadline)
    } catch {
      state = .broken
      throw error
    }
  }

  /// Waits for one reply. A timeout loses no bytes, but only a stream can continue after a timeout.
  /// After a single call, the late reply would be taken for the reply to the next call.
  private func receive(deadline: Deadline) throws(ClientError) -> VarlinkReply {
    do {
      let reply = try socket.reply(deadline: deadline)
      hasAnswered = true
      return reply
    } catch {
      if error != .timedOut || state != .streaming { state = .broken }
      throw error
    }
  }
}

/// The replies to a call with `more`, in order.
package struct ReplyStream {
  private let connection: Connection

  fileprivate init(connection: Connection) {
    self.connection = connection
  }

  /// Waits for the next reply.
  ///
  /// - Parameter deadline: when to stop waiting and throw `timedOut`. In that case no reply is
  ///   lost, and the stream can still be read.
  /// - Returns: the reply's parameters; nil after the last reply.
  /// - Throws: `ClientError`. A refusal ends the stream, and the connection can still be used.
  package func next(deadline: Deadline = .never) throws(ClientError) -> JSONValue? {
    try connection.nextInStream(deadline: deadline)
  }
}
