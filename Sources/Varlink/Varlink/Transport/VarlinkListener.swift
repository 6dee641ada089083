internal import Glibc

/// Why a socket cannot be listened on.
public struct ListenFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The errno: EADDRINUSE if a process listens at the path, or a file is there that is no socket;
  /// ENAMETOOLONG if the path has more than 107 bytes.
  public let code: Int32

  /// The system's words for the errno.
  public var description: String { String(cString: strerror(code)) }
}

/// A listening UNIX stream socket.
public final class VarlinkListener: Sendable {
  /// The descriptor of the socket, for a loop. The listener closes it.
  public let descriptor: Int32
  /// The file of the socket, which goes with the listener; nil: it belongs to whoever made it.
  private let path: String?

  /// Takes over the descriptor of a listening socket, such as 3, which a service manager passes on
  /// (sd_listen_fds(3)).
  public init(owning descriptor: Int32) {
    self.descriptor = descriptor
    path = nil
    // A service manager passes it on as it made it; `accept` must not block.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Makes a socket at a path and listens on it. A socket on which nobody listens is replaced.
  public init(path: String) throws(ListenFailure) {
    let lock = Self.lock(Self.folder(of: path))
    defer { close(lock) }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0)
    var code = descriptor < 0 ? errno : Self.bind(descriptor, path)
    if code == EADDRINUSE, Self.isStale(path), unlink(path) == 0 {
      code = Self.bind(descriptor, path)
    }
    if code == 0, listen(descriptor, SOMAXCONN) != 0 {
      code = errno
      unlink(path)
    }
    guard code == 0 else {
      close(descriptor)
      throw ListenFailure(code: code)
    }
    (self.descriptor, self.path) = (descriptor, path)
  }

  deinit {
    // In the other order, this could remove the file of a successor, who finds nobody listening.
    if let path { unlink(path) }
    close(descriptor)
  }

  /// Locks a folder (flock(2)): of two services that start at once, one would find the socket of
  /// the other, on which nobody listens yet. Gives up after a second, or if the folder cannot be
  /// read: the lock is only for this, and somebody else may have it for something else.
  private static func lock(_ folder: String) -> Int32 {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return descriptor }
    for _ in 0..<100 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { break }
      poll(nil, 0, 10)
    }
    return descriptor
  }

  private static func folder(of path: String) -> String {
    let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    return folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(folder)
  }

  private static func bind(_ descriptor: Int32, _ path: String) -> Int32 {
    guard !path.isEmpty, path.utf8.count <= VarlinkConnection.longestPath else {
      return ENAMETOOLONG
    }
    return sockaddr_un.with(path) { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
  }

  private static func isStale(_ path: String) -> Bool {
    // connect(2) says the same of a file that is no socket.
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    do throws(ConnectFailure) {
      _ = try VarlinkConnection(path: path)
      return false
    } catch {
      return error.code == ECONNREFUSED
    }
  }

  /// Accepts all clients that wait.
  ///
  /// - Parameter body: takes over the descriptor of a connection.
  /// - Returns: false if there was no descriptor for the next client, who continues to wait. Until
  ///   a descriptor was closed, a loop must not wait for the listener, which stays readable.
  public func accept(_ body: (Int32) -> Void) -> Bool {
    while true {
      let connection = Glibc.accept(descriptor, nil, nil)
      guard connection < 0 else {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        body(connection)
        continue
      }
      switch errno {
      case EAGAIN: return true
      // A client closed its connection before it was accepted, and another client may be waiting.
      case EINTR, ECONNABORTED: continue
      default: return false
      }
    }
  }
}

extension sockaddr_un {
  /// Calls `body` with the address of a path, which must fit.
  static func with(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
