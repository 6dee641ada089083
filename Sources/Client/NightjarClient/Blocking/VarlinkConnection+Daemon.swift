import Glibc
import NightjarTrust
package import Varlink

extension VarlinkConnection {
  /// Connects to the daemon's socket.
  static func toDaemon(
    path: String, deadline: Deadline
  ) throws(ClientError) -> VarlinkConnection {
    let connection: VarlinkConnection
    do throws(ConnectFailure) {
      connection = try VarlinkConnection(
        path: path, msec: deadline == .never ? -1 : max(1, deadline.pollMsec))
    } catch {
      if error.code == EAGAIN || error.code == EINPROGRESS { throw .timedOut }
      throw .daemonUnreachable(path: path, code: error.code)
    }
    // Check the user before anything is sent, because a call may contain secrets.
    guard let user = connection.peer?.uid, PeerTrust.mayServe(user) else {
      throw .anotherUsersDaemon(path: path)
    }
    return connection
  }

  /// The next reply of the daemon that has arrived; nil if no complete reply has arrived.
  func arrivedReply() throws(ClientError) -> VarlinkReply? {
    while true {
      do throws(VarlinkProtocolError) {
        if let reply = try nextReply() { return reply }
      } catch {
        throw .protocolViolation(error.description)
      }
      guard receive() else { break }
    }
    if isBroken || hasInputEnded { throw .connectionLost }
    return nil
  }

  /// Waits for the next reply.
  func reply(deadline: Deadline) throws(ClientError) -> VarlinkReply {
    while true {
      if let reply = try arrivedReply() { return reply }
      try wait(deadline: deadline)
    }
  }

  /// Sends all output.
  func sendAll(deadline: Deadline) throws(ClientError) {
    flush()
    while !hasOutputEnded, !outlet.isDrained { try wait(deadline: deadline) }
    if hasOutputEnded { throw .connectionLost }
  }

  private func wait(deadline: Deadline) throws(ClientError) {
    while !wait(msec: deadline.pollMsec) {
      if deadline.hasPassed { throw .timedOut }
    }
  }

  /// Waits until bytes have arrived, or the other end has closed the connection.
  ///
  /// - Returns: false if the deadline passed first.
  func hasSomething(by deadline: Deadline) -> Bool {
    do throws(ClientError) {
      if input.pendingBytes == 0 { try wait(deadline: deadline) }
    } catch {
      return false
    }
    return true
  }
}

extension VarlinkReply {
  /// The parameters of the reply, or the refusal.
  ///
  /// - Throws: `ClientError.protocolViolation`.
  func result() throws(ClientError) -> Result<RawJSON, TimersError> {
    guard let error else { return .success(json) }
    return .failure(TimersError(name: error, parameters: try json.parsed()))
  }

  /// The parameters of the reply, or the refusal.
  ///
  /// - Throws: `ClientError.protocolViolation`.
  package func answer() throws(ClientError) -> Result<JSONValue, TimersError> {
    switch try result() {
    case .success(let json): .success(try json.parsed())
    case .failure(let error): .failure(error)
    }
  }

  /// The parameters of the reply.
  ///
  /// - Throws: `ClientError.refused`, `.protocolViolation`.
  func accepted() throws(ClientError) -> RawJSON {
    switch try result() {
    case .success(let json): return json
    case .failure(let error): throw .refused(error)
    }
  }
}

extension RawJSON {
  /// Throws `ClientError.refused` if the bytes are no object, or have a number that no double can
  /// have: such data cannot be sent.
  func check() throws(ClientError) {
    do {
      if try value.objectValue != nil { return }
    } catch {
      throw .refused(.invalidValue(parameter: "data", reason: "data is no JSON: \(error)"))
    }
    throw .refused(.invalidValue(parameter: "data", reason: "data is a JSON object"))
  }

  /// The object.
  ///
  /// - Throws: `ClientError.protocolViolation`.
  func parsed() throws(ClientError) -> JSONValue {
    do { return try value } catch { throw .protocolViolation(error.description) }
  }
}

/// The system's message for an errno.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  // Swift imports the POSIX variant of strerror_r, which fills the buffer.
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}
