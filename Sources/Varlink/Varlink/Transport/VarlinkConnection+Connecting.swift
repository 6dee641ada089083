internal import Glibc

/// Why no connection to a socket could be made.
public struct ConnectFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The errno: ENOENT if there is no such file, ECONNREFUSED if no process listens, EAGAIN if the
  /// listener's queue is full, ENAMETOOLONG if the path is longer than `longestPath`.
  public let code: Int32

  /// The system's words for the errno.
  public var description: String { String(cString: strerror(code)) }
}

extension VarlinkConnection {
  /// The longest path of a socket in bytes. Linux would accept 108 bytes without a NUL, and other
  /// programs would then read past them.
  public static let longestPath = 107

  /// Connects to a socket.
  ///
  /// While a service is stopped, connections wait in its queue. If the queue is full, connect(2)
  /// blocks. To limit the wait, it is set as the socket's send timeout (SO_SNDTIMEO, socket(7)).
  ///
  /// - Parameters:
  ///   - msec: how long to wait while the queue of the listener is full, in milliseconds; 0: not at
  ///     all; -1: without a limit.
  ///   - frameBytes: the longest message that the other end may send, without its NUL.
  public convenience init(
    path: String, msec: Int32 = 0, frameBytes: Int = WireLimits.replyBytes
  ) throws(ConnectFailure) {
    guard !path.isEmpty, path.utf8.count <= Self.longestPath else {
      throw ConnectFailure(code: path.isEmpty ? ENOENT : ENAMETOOLONG)
    }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, msec == 0 ? kind | Int32(SOCK_NONBLOCK.rawValue) : kind, 0)
    guard descriptor >= 0 else { throw ConnectFailure(code: errno) }
    let code = Self.connect(descriptor, path, msec)
    guard code == 0 else {
      close(descriptor)
      throw ConnectFailure(code: code)
    }
    self.init(owning: descriptor, frameBytes: frameBytes)
  }

  /// - Returns: 0 on success; otherwise an errno.
  private static func connect(_ descriptor: Int32, _ path: String, _ msec: Int32) -> Int32 {
    if msec > 0 {
      var timeout = timeval(tv_sec: Int(msec) / 1_000, tv_usec: Int(msec) % 1_000 * 1_000)
      let length = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, length)
    }
    while true {
      let result = sockaddr_un.with(path) { Glibc.connect(descriptor, $0, $1) }
      if result == 0 { return 0 }
      if errno != EINTR { return errno }
    }
  }
}
