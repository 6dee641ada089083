import CLinux
import Glibc
internal import Varlink

/// Stream sockets in the file system (unix(7)). All are non-blocking and close-on-exec.
public enum UnixSocket {
  /// How many times `becomesStale` tries to connect, and at which interval in milliseconds.
  private static let (staleLooks, staleLookMsec): (Int, Int32) = (20, 10)

  /// Binds a path and listens on it. The socket has mode 0600 from the beginning. A missing folder
  /// is created with mode 0700 (its parent must exist).
  ///
  /// Replaces a socket file if no process listens on it any more. If a process listens on it,
  /// leaves the file as it is and throws EADDRINUSE.
  ///
  /// - Parameter isFolderLocked: whether the caller has locked the folder with flock(2).
  /// - Throws: EADDRINUSE if a process listens there; EBUSY if another process has locked the
  ///   folder, perhaps to listen there; EEXIST if the path is not a socket; EPERM if the socket
  ///   file belongs to another user; ENAMETOOLONG if the path is too long for a client;
  ///   the errors of mkdir, open and bind.
  public static func listen(
    path: String, backlog: Int32 = 128, isFolderLocked: Bool = false
  ) throws(SystemError) -> Descriptor {
    let (length, longest) = (path.utf8.count, VarlinkConnection.longestPath)
    guard length <= longest else {
      throw SystemError(
        operation: "socket \(path) (a path of \(length) bytes, at most \(longest) can be)",
        code: ENAMETOOLONG)
    }
    let folder = try openParent(of: path)
    // If two daemons start at once, both could find the old file stale, and the second could then
    // remove the new socket of the first. The lock on the folder prevents this.
    guard isFolderLocked || flock(folder.raw, LOCK_EX | LOCK_NB) == 0 else {
      throw SystemError(
        operation: "lock the folder of \(path)", code: errno == EWOULDBLOCK ? EBUSY : errno)
    }
    // Unlock explicitly. Closing the descriptor would not unlock the folder while a child between
    // fork and exec has a copy of the descriptor.
    defer { if !isFolderLocked { flock(folder.raw, LOCK_UN) } }
    let socket = try bindReplacingStale(path)
    try checkedErrno(Glibc.listen(socket.raw, backlog), "listen on \(path)")
    return socket
  }

  /// Accepts the next connection; nil if none is waiting.
  ///
  /// - Throws: EMFILE or ENFILE if descriptors have run out. The connection then stays in the
  ///   queue, and the listening socket stays readable. The caller must stop watching it until a
  ///   connection is closed; otherwise the loop spins.
  public static func accept(from listening: Int32) throws(SystemError) -> Descriptor? {
    while true {
      let result = nj_accept(listening)
      switch -result {
      case EAGAIN: return nil
      // ECONNABORTED means that the client has given up. Another connection may be waiting
      // (accept(2)).
      case EINTR, ECONNABORTED: continue
      default: return Descriptor(owning: try checked(result, "accept"))
      }
    }
  }

  public static func parent(of path: String) -> String {
    switch path.utf8.lastIndex(of: UInt8(ascii: "/")) {
    case nil: "."
    case path.startIndex?: "/"
    case let slash?: String(path[..<slash])
    }
  }

  private static func openParent(of path: String) throws(SystemError) -> Descriptor {
    let parent = parent(of: path)
    if mkdir(parent, 0o700) < 0, errno != EEXIST {
      throw SystemError(operation: "create the folder \(parent)", code: errno)
    }
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    return Descriptor(owning: try checkedErrno(open(parent, flags), "open the folder \(parent)"))
  }

  private static func bindReplacingStale(_ path: String) throws(SystemError) -> Descriptor {
    do {
      return try bind(path)
    } catch {
      guard error.code == EADDRINUSE else { throw error }
      guard let owner = socketOwner(path) else {
        throw SystemError(operation: "bind \(path), which is no socket", code: EEXIST)
      }
      guard owner == geteuid() else {
        throw SystemError(operation: "replace \(path), which belongs to user \(owner)", code: EPERM)
      }
      guard becomesStale(path) else { throw error }
    }
    try checkedErrno(unlink(path), "remove the stale socket \(path)")
    return try bind(path)
  }

  private static func bind(_ path: String) throws(SystemError) -> Descriptor {
    let socket = Descriptor(owning: try checked(nj_unix_socket(), "socket"))
    // Linux gives the socket file the mode of the socket's own inode, less the umask (unix_bind_bsd
    // in its af_unix.c). Setting the umask instead would change it for all threads.
    try checkedErrno(fchmod(socket.raw, 0o600), "fchmod of a socket")
    try checked(nj_unix_bind(socket.raw, path), "bind \(path)")
    return socket
  }

  /// The owner of a socket file; nil if it is not a socket.
  private static func socketOwner(_ path: String) -> UInt32? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return status.st_uid
  }

  /// Whether no process listens on the socket. If a process does, waits a moment and checks again:
  /// it may be a child of a killed daemon that is between fork and exec and has a copy of the
  /// socket.
  private static func becomesStale(_ path: String) -> Bool {
    for _ in 0..<Self.staleLooks {
      if isStale(path) { return true }
      poll(nil, 0, Self.staleLookMsec)
    }
    return isStale(path)
  }

  /// Whether the kernel refuses a connection, which means that no process listens on the socket.
  private static func isStale(_ path: String) -> Bool {
    do throws(ConnectFailure) {
      _ = try VarlinkConnection(path: path)
      return false
    } catch {
      return error.code == ECONNREFUSED
    }
  }
}
