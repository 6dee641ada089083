import Glibc
import NightjarSystem
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct UnixSocketTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = "\(folder.path)/nightjar/socket"
  }

  private func status(_ path: String) throws -> stat {
    var result = stat()
    try #require(lstat(path, &result) == 0)
    return result
  }

  /// Why a client cannot connect; nil: it can.
  private func refusal(_ path: String) -> Int32? {
    do throws(ConnectFailure) {
      _ = try VarlinkConnection(path: path)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `A new socket and its folder are accessible to the owner alone`() throws {
    // The umask applies to the process, so the test runs in one of its own.
    try Role.alone {
      umask(0)
      let folder = try TestFolder()
      let path = "\(folder.path)/nightjar/socket"
      let listening = try UnixSocket.listen(path: path)
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
      #expect(stat("\(folder.path)/nightjar", &status) == 0 && status.st_mode == S_IFDIR | 0o700)
      #expect(umask(0) == 0)
      _ = listening.raw
    }
  }

  @Test func `A client that connects is accepted, and its credentials are known`() throws {
    let listening = try UnixSocket.listen(path: path)
    let isNobodyThere = try UnixSocket.accept(from: listening.raw) == nil
    #expect(isNobodyThere)

    let client = try VarlinkConnection(path: path)
    guard let server = try UnixSocket.accept(from: listening.raw) else {
      Issue.record("no connection to accept")
      return
    }
    let me = PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid())
    #expect(PeerCredentials(socket: server.raw) == me)
    #expect(PeerCredentials(socket: client.descriptor) == me)
    for raw in [listening.raw, client.descriptor, server.raw] {
      #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
      #expect(fcntl(raw, F_GETFL) & O_NONBLOCK != 0)
    }
  }

  @Test func `A descriptor that is not a socket has no peer`() throws {
    let file = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
    #expect(PeerCredentials(socket: file.raw) == nil)
  }

  @Test func `A socket file without a listener is replaced`() throws {
    do { _ = try UnixSocket.listen(path: path) }
    let old = try status(path)
    // A process that another test forks has a copy of the listener until its exec.
    try awaitTrue("the listener is not closed") { refusal(path) == ECONNREFUSED }
    // Keeps the old file's inode number from being given to the new one.
    try #require(link(path, path + ".old") == 0)
    let listening = try UnixSocket.listen(path: path)
    #expect(try status(path).st_ino != old.st_ino)
    _ = try VarlinkConnection(path: path)
    _ = listening.raw
  }

  @Test func `A socket with a listener is left alone`() throws {
    let listening = try UnixSocket.listen(path: path)
    let file = try status(path).st_ino
    #expect(throws: SystemError(operation: "bind \(path)", code: EADDRINUSE)) {
      _ = try UnixSocket.listen(path: path)
    }
    #expect(try status(path).st_ino == file)
    _ = try VarlinkConnection(path: path)
    _ = listening.raw
  }

  @Test func `A listener with a full queue counts as a listener`() throws {
    let listening = try UnixSocket.listen(path: path, backlog: 0)
    let waiting = try VarlinkConnection(path: path)
    #expect(refusal(path) == EAGAIN)
    #expect(throws: SystemError(operation: "bind \(path)", code: EADDRINUSE)) {
      _ = try UnixSocket.listen(path: path)
    }
    _ = (listening.raw, waiting.descriptor)
  }

  @Test func `A file that is not a socket is left alone`() throws {
    try #require(mkdir("\(folder.path)/nightjar", 0o700) == 0)
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: SystemError(operation: "bind \(path), which is no socket", code: EEXIST)) {
      _ = try UnixSocket.listen(path: path)
    }
    #expect(try status(path).st_mode & S_IFMT == S_IFREG)
  }

  @Test func `If two start at once, the second finds the folder locked`() throws {
    try #require(mkdir("\(folder.path)/nightjar", 0o700) == 0)
    let other = Descriptor(owning: open("\(folder.path)/nightjar", O_RDONLY | O_CLOEXEC))
    try #require(flock(other.raw, LOCK_EX) == 0)
    #expect(throws: SystemError(operation: "lock the folder of \(path)", code: EBUSY)) {
      _ = try UnixSocket.listen(path: path)
    }
    flock(other.raw, LOCK_UN)
    _ = try UnixSocket.listen(path: path)
  }

  @Test func `A path of 107 bytes is bound, one of 108 is refused with the limit`() throws {
    let stem = "\(folder.path)/s/"
    let longest = stem + String(repeating: "x", count: 107 - stem.utf8.count)
    let listening = try UnixSocket.listen(path: longest)
    _ = try VarlinkConnection(path: longest)
    _ = listening.raw
    let tooLong = longest + "x"
    let error = SystemError(
      operation: "socket \(tooLong) (a path of 108 bytes, at most 107 can be)", code: ENAMETOOLONG)
    #expect(throws: error) { _ = try UnixSocket.listen(path: tooLong) }
    #expect(refusal(tooLong) == ENAMETOOLONG)
  }

  @Test func `A folder whose parent is missing is not created`() {
    let error = SystemError(operation: "create the folder \(folder.path)/a/b", code: ENOENT)
    #expect(throws: error) { _ = try UnixSocket.listen(path: "\(folder.path)/a/b/socket") }
  }
}
