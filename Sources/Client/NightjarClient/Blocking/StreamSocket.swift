import Glibc
import NightjarInterface
import NightjarTrust
import Varlink

/// A connected UNIX stream socket, which is closed exactly once.
struct StreamSocket: ~Copyable {
  /// The most bytes that are received with one call of recv(2).
  private static let mostAtOnce = 16 * 1024

  let descriptor: Int32

  /// Connects to the socket at `path`.
  ///
  /// While the daemon is stopped, connections wait in its queue. If the queue is full, connect(2)
  /// blocks. To limit the wait, the deadline is set as the socket's send timeout (SO_SNDTIMEO,
  /// socket(7)).
  init(path: String, deadline: Deadline) throws(ClientError) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw .daemonUnreachable(path: path, code: errno) }
    let code = Self.connect(descriptor, path: path, deadline: deadline)
    guard code == 0 else {
      close(descriptor)
      if code == EAGAIN || code == EINPROGRESS { throw .timedOut }
      throw .daemonUnreachable(path: path, code: code)
    }
    // Check the user before anything is sent, because a call may contain secrets.
    guard let user = Self.peer(of: descriptor)?.userID, PeerTrust.mayServe(user) else {
      close(descriptor)
      throw .anotherUsersDaemon(path: path)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The process that listens at the other end, and its user, as the kernel recorded them
  /// (SO_PEERCRED, unix(7)). With socket activation, it is the service manager.
  var peer: (processID: Int32?, userID: UInt32)? { Self.peer(of: descriptor) }

  private static func peer(of descriptor: Int32) -> (processID: Int32?, userID: UInt32)? {
    // struct ucred, which Swift's Glibc module lacks: pid, uid, gid.
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      return nil
    }
    return (credentials.pid > 0 ? credentials.pid : nil, credentials.uid)
  }

  /// Sends all of `bytes`.
  func send(_ bytes: [UInt8], deadline: Deadline) throws(ClientError) {
    var sent = try sendNow(bytes[...])
    while sent < bytes.count {
      try wait(for: Int16(POLLOUT), deadline: deadline)
      sent += try sendNow(bytes[sent...])
    }
  }

  /// Sends as much as the kernel accepts at once.
  ///
  /// - Returns: the number of bytes that were sent.
  func sendNow(_ bytes: ArraySlice<UInt8>) throws(ClientError) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(
          descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno != EINTR {
        // If bytes were sent before the error, return their number. The next call gets the error
        // again.
        if errno == EAGAIN || sent > 0 { return sent }
        throw .connectionLost
      }
    }
    return sent
  }

  /// Waits until bytes arrive, and appends them to `frames`.
  func receive(into frames: inout FrameBuffer, deadline: Deadline) throws(ClientError) {
    while try !receiveNow(into: &frames) {
      try wait(for: Int16(POLLIN), deadline: deadline)
    }
  }

  /// Appends the bytes that have arrived to `frames`, at most `mostAtOnce`.
  ///
  /// - Returns: whether any bytes had arrived.
  func receiveNow(into frames: inout FrameBuffer) throws(ClientError) -> Bool {
    while true {
      let (count, code) = withUnsafeTemporaryAllocation(byteCount: Self.mostAtOnce, alignment: 1) {
        let count = recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        let code = errno
        if count > 0 { frames.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        return (count, code)
      }
      if count > 0 { return true }
      if count < 0, code == EAGAIN { return false }
      guard count < 0, code == EINTR else { throw .connectionLost }
    }
  }

  /// Waits until bytes have arrived, or the other end has closed the connection.
  ///
  /// - Returns: false if the deadline passed first.
  func hasSomething(by deadline: Deadline) -> Bool {
    do throws(ClientError) { try wait(for: Int16(POLLIN), deadline: deadline) } catch {
      return error != .timedOut
    }
    return true
  }

  private func wait(for events: Int16, deadline: Deadline) throws(ClientError) {
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    while true {
      let ready = poll(&request, 1, deadline.pollMsec)
      if ready > 0 { return }
      if ready < 0, errno != EINTR { throw .connectionLost }
      if deadline.hasPassed { throw .timedOut }
    }
  }

  /// - Returns: 0 on success; otherwise an errno.
  private static func connect(_ descriptor: Int32, path: String, deadline: Deadline) -> Int32 {
    guard !path.isEmpty, path.utf8.count <= NightjarPaths.longestSocketPath else {
      return path.isEmpty ? ENOENT : ENAMETOOLONG
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    if deadline != .never {
      let leftMsec = max(1, Int(deadline.pollMsec))
      var timeout = timeval(tv_sec: leftMsec / 1_000, tv_usec: leftMsec % 1_000 * 1_000)
      let length = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, length)
    }
    while true {
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if result == 0 { return 0 }
      if errno != EINTR { return errno }
    }
  }
}

/// The system's message for an errno.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  // Swift imports the POSIX variant of strerror_r, which fills the buffer.
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
}
