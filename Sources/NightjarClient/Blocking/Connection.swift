import Glibc
package import NightjarVarlink

/// One call: a method and its parameters.
package struct Call: Equatable, Sendable {
  /// The method's full name: the interface, a dot, the method.
  package let method: String
  /// The parameters, an object.
  package let parameters: JSONValue

  /// - Parameters:
  ///   - method: the method's full name.
  ///   - parameters: an object.
  package init(method: String, parameters: JSONValue = .object([])) {
    self.method = method
    self.parameters = parameters
  }

  /// Whether the call changes nothing. Such a call may be sent twice.
  package var isQuestion: Bool {
    [Call.get(name: ""), .list(), .status(), .why(name: "")].contains { $0.method == method }
  }

  /// The same call with an undo ID: the user can undo it together with all other changes of this
  /// ID. The call is returned unchanged if the ID is nil, or if the method is `Get`.
  package func undoable(_ undoID: String?) -> Call {
    guard let undoID, method != Call.get(name: "").method else { return self }
    return with(ChangeOptions(undoID: undoID))
  }
}

/// A blocking connection to the daemon.
///
/// It is for one thread, for example in a command line, a script or a test. It does one thing at a
/// time. Varlink allows no other call before a stream of replies has ended. After any error except
/// a refusal or a stream's timeout, the connection cannot be used any more.
package final class Connection {
  /// The most calls, and the most bytes of calls, that `callAll` sends before it reads replies.
  /// They must all fit into the socket's buffer: while the daemon waits for this client to read,
  /// the daemon does not read.
  private static let window = (calls: 64, bytes: 32 * 1024)

  private enum State { case idle, streaming, broken }

  private let socket: StreamSocket
  private var frames = FrameBuffer.ofReplies
  private var state = State.idle

  /// Connects to the daemon's socket.
  ///
  /// - Parameters:
  ///   - path: the socket, see `NightjarPaths.socket`.
  ///   - deadline: how long to wait for a place in the daemon's queue.
  /// - Throws: `ClientError.daemonUnreachable`, `.anotherUsersDaemon`, or `.timedOut`.
  package init(path: String, deadline: Deadline = .never) throws(ClientError) {
    socket = try StreamSocket(path: path, deadline: deadline)
  }

  /// The ID of the process at the other end. It is the service manager's if the service manager
  /// created the socket. Nil if unknown.
  package var peerProcessID: Int32? { socket.peer?.processID }

  /// Whether the daemon has answered on this connection.
  package private(set) var hasAnswered = false

  /// The descriptor to poll for input; nil if the connection has ended.
  package var descriptor: Int32? { state == .broken ? nil : socket.descriptor }

  /// Calls a method and waits for its one reply.
  ///
  /// - Returns: the reply's parameters, an object.
  /// - Throws: `ClientError`; a refusal leaves the connection usable.
  package func call(_ call: Call, deadline: Deadline = .never) throws(ClientError) -> JSONValue {
    switch try answer(to: call, deadline: deadline) {
    case .success(let parameters): return parameters
    case .failure(let error): throw .refused(error)
    }
  }

  /// Calls a method and waits for its one reply.
  ///
  /// - Returns: the reply's parameters, an object, or the refusal.
  /// - Throws: `ClientError`, never a refusal.
  package func answer(
    to call: Call, deadline: Deadline = .never
  ) throws(ClientError) -> Result<JSONValue, NightjarError> {
    try requireIdle()
    var output: [UInt8] = []
    VarlinkCall.write(method: call.method, parameters: call.parameters, into: &output)
    try send(output, deadline: deadline)
    return try answer(deadline: deadline)
  }

  /// Calls a method and waits for its one reply, however late it is.
  ///
  /// - Parameters:
  ///   - soon: when the reply counts as late.
  ///   - whenLate: called once at that moment, unless the reply is there.
  /// - Returns: the reply's parameters, an object, or the refusal.
  /// - Throws: `ClientError`, never a refusal.
  package func answer(
    to call: Call, soon: Deadline, whenLate: () -> Void
  ) throws(ClientError) -> Result<JSONValue, NightjarError> {
    try requireIdle()
    var output: [UInt8] = []
    VarlinkCall.write(method: call.method, parameters: call.parameters, into: &output)
    try send(output, deadline: .never)
    if !socket.hasSomething(by: soon) { whenLate() }
    return try answer(deadline: .never)
  }

  /// Calls methods in a pipeline: many are on the way at once, and their replies come in order.
  ///
  /// - Returns: for each call, in order, the reply's parameters or the refusal. O(number of calls).
  /// - Throws: `ClientError`, never a refusal.
  package func callAll(
    _ calls: [Call], deadline: Deadline = .never
  ) throws(ClientError) -> [Result<JSONValue, NightjarError>] {
    try requireIdle()
    var results: [Result<JSONValue, NightjarError>] = []
    results.reserveCapacity(calls.count)
    var next = 0
    while next < calls.count {
      var output: [UInt8] = []
      let first = next
      while next < calls.count, next - first < Self.window.calls, output.count < Self.window.bytes {
        VarlinkCall.write(
          method: calls[next].method, parameters: calls[next].parameters, into: &output)
        next += 1
      }
      try send(output, deadline: deadline)
      for _ in first..<next { results.append(try answer(deadline: deadline)) }
    }
    return results
  }

  /// Calls a method with `more`; the result returns the replies one by one.
  ///
  /// The connection belongs to the stream until its last reply has been read. To end the stream
  /// early, release both objects.
  package func stream(_ call: Call, deadline: Deadline = .never) throws(ClientError) -> ReplyStream
  {
    try requireIdle()
    var output: [UInt8] = []
    VarlinkCall.write(
      method: call.method, parameters: call.parameters, more: true, into: &output)
    try send(output, deadline: deadline)
    state = .streaming
    return ReplyStream(connection: self)
  }

  /// The next reply of a stream; nil after the last one.
  fileprivate func nextInStream(deadline: Deadline) throws(ClientError) -> JSONValue? {
    guard state == .streaming else { return nil }
    let reply = try receive(deadline: deadline)
    if !reply.continues { state = .idle }
    switch reply.result {
    case .success(let parameters): return parameters
    case .failure(let error): throw .refused(error)
    }
  }

  private func requireIdle() throws(ClientError) {
    precondition(state != .streaming, "a stream is being read from this connection")
    guard state == .idle else { throw .connectionLost }
  }

  /// The one reply of a call that was sent.
  private func answer(
    deadline: Deadline
  ) throws(ClientError) -> Result<JSONValue, NightjarError> {
    let reply = try receive(deadline: deadline)
    guard !reply.continues else {
      state = .broken
      throw .protocolViolation("more replies than were asked for")
    }
    return reply.result
  }

  private func send(_ bytes: [UInt8], deadline: Deadline) throws(ClientError) {
    do {
      try socket.send(bytes, deadline: deadline)
    } catch {
      state = .broken
      throw error
    }
  }

  /// Waits for one reply. A timeout loses no bytes. Still, only a stream can continue after a
  /// timeout. After a single call, the late reply would look like the reply to the next call.
  private func receive(deadline: Deadline) throws(ClientError) -> VarlinkReply {
    do {
      while true {
        if let reply = try frames.takeReply() {
          hasAnswered = true
          return reply
        }
        try socket.receive(into: &frames, deadline: deadline)
      }
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
  /// - Parameter deadline: when to stop waiting and throw `timedOut`. No reply is lost then, and
  ///   the stream can still be read.
  /// - Returns: the reply's parameters; nil after the last reply.
  /// - Throws: `ClientError`; a refusal ends the stream and leaves the connection usable.
  package func next(deadline: Deadline = .never) throws(ClientError) -> JSONValue? {
    try connection.nextInStream(deadline: deadline)
  }
}
