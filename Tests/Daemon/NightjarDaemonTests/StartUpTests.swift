import CLinux
import Foundation
import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// Where a daemon listens and stores its state, and when it refuses to start.
@Suite(.blocking) struct StartUpTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  private func mode(_ path: String) -> mode_t? {
    var info = stat()
    return lstat(path, &info) == 0 ? info.st_mode & 0o7777 : nil
  }

  private func make(_ path: String, mode: mode_t) throws {
    try #require(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
  }

  /// Expects one sentence of the daemon that contains each of these texts.
  private func expectSentence(
    _ refusal: (end: ChildProcess.Change, said: String), _ parts: String...
  ) {
    #expect(refusal.end == .exited(1), "\(refusal)")
    #expect(refusal.said.split(separator: "\n").count == 1, "\(refusal)")
    #expect(refusal.said.hasPrefix("nightjard: "), "\(refusal)")
    for part in parts { #expect(refusal.said.contains(part), "\(refusal)") }
  }

  @Test func `The daemon reports that it is ready when its timers are armed, not before`() throws {
    let first = try rig.daemon()
    try first.connect().start("tea", usec: hour)
    try first.terminate()
    let trace = "\(rig.path)/trace"
    let daemon = try rig.daemon {
      // -D: the daemon is the test's child, and strace is the daemon's.
      $0.wrapper = ["strace", "-D", "-o", trace, "-e", "trace=timerfd_settime,sendmsg,sendto"]
    }
    try daemon.terminate()
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let armed = calls.firstIndex { call in
      // The timerfd that detects steps of the wall clock belongs to no timer.
      call.contains("timerfd_settime") && !call.contains("TFD_TIMER_CANCEL_ON_SET")
        && !call.contains("it_value={tv_sec=0, tv_nsec=0}")
    }
    let ready = calls.firstIndex { $0.contains("READY=1") }
    #expect(try #require(armed) < #require(ready))
  }

  /// SQLite truncates the log at a clean end without syncing that.
  @Test func `The log's length is on disk before the next start makes it long again`() throws {
    let first = try rig.daemon()
    try first.connect().start("tea", usec: hour)
    try first.terminate()
    let trace = "\(rig.path)/trace"
    let daemon = try rig.daemon {
      $0.wrapper = ["strace", "-D", "-f", "-y", "-o", trace, "-e", "trace=pwrite64,fdatasync"]
    }
    try daemon.terminate()
    let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("nightjar.db-wal>") }
    let grown = try #require(calls.firstIndex { $0.contains(", 1048576, 0)") })
    #expect(grown == 1)
    #expect(calls.prefix(3).map { $0.contains("fdatasync(") } == [true, false, true], "\(calls)")
  }

  // MARK: The socket

  @Test func `The socket is for its owner alone, in a folder that is created for it`() throws {
    let daemon = try rig.daemon { $0.socketPath = "\($0.folder)/run/nightjar/socket" }
    #expect(try daemon.status().pid == Int64(daemon.process.pid))
    #expect(mode("\(rig.path)/run/nightjar/socket") == 0o600)
    #expect(mode("\(rig.path)/run/nightjar") == 0o700)
  }

  @Test func `A socket file without a listener is replaced`() throws {
    let first = try rig.daemon()
    try first.connect().start("tea", usec: hour)
    first.process.kill()
    #expect(access("\(rig.path)/socket", F_OK) == 0)
    #expect(try rig.daemon().connect().names() == ["tea"])
  }

  @Test func `A second daemon leaves a socket that is in use alone, and says so`() throws {
    let first = try rig.daemon()
    let refusal = try rig.refusedDaemon { $0.stateFolder = "\($0.folder)/other" }
    expectSentence(refusal, "another daemon answers at \(rig.path)/socket", "--socket")
    #expect(try first.status().pid == Int64(first.process.pid))
  }

  @Test func `A second daemon names the process that holds the state folder`() throws {
    let first = try rig.daemon()
    let refusal = try rig.refusedDaemon { $0.socketPath = "\($0.folder)/other" }
    expectSentence(refusal, "\(rig.path)/nightjar", "process \(first.process.pid)", "--state-dir")
    #expect(try first.status().pid == Int64(first.process.pid))
    #expect(access("\(rig.path)/other", F_OK) != 0)
    // A crash releases the lock.
    first.process.kill()
    _ = try rig.daemon()
  }

  @Test func `A file that is not a socket is not removed`() throws {
    let path = "\(rig.path)/socket"
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    expectSentence(try rig.refusedDaemon(), path, "--socket")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func `A socket path that is too long or has no folder is refused`() throws {
    let long = "\(rig.path)/\(String(repeating: "x", count: 108))"
    expectSentence(try rig.refusedDaemon { $0.socketPath = long }, "107", "--socket")
    expectSentence(
      try rig.refusedDaemon { $0.socketPath = "\($0.folder)/no/such/folder/socket" },
      "No such file or directory", "--socket")
  }

  @Test func `A socket from the service manager is served, with the waiting clients first`() throws
  {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    let path = "\(rig.path)/activated"
    try #require(nj_unix_bind(listener, path) == 0 && listen(listener, 16) == 0)
    let early = try RawSocket(path: path)
    try early.send(frame: RawSocket.text("org.varlink.service.GetInfo", "{}"))

    let daemon = try rig.daemon { options in
      options.environment = ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink"]
      // LISTEN_PID must be the daemon's own process ID, which only a shell that becomes the daemon
      // knows.
      options.wrapper = ["sh", "-c", #"LISTEN_PID=$$ exec "$0" "$@""#]
      options.descriptors = [3: listener]
    }
    #expect(try early.reply()?.parameters["product"] == "nightjard")
    let client = try Connection(path: path)
    #expect(try client.status().pid == Int64(daemon.process.pid))
    #expect(access(daemon.options.socketPath, F_OK) != 0)
    // The socket still belongs to the manager.
    try daemon.terminate()
    #expect(access(path, F_OK) == 0)
  }

  // MARK: The state folder

  @Test func `A missing state folder is created, for its owner alone`() throws {
    let daemon = try rig.daemon { $0.stateFolder = "\($0.folder)/a/b/c" }
    for folder in ["a", "a/b", "a/b/c"] { #expect(mode("\(rig.path)/\(folder)") == 0o700) }
    #expect(try daemon.status().storage.stateDirectory == "\(rig.path)/a/b/c")
  }

  @Test func `A relative state folder is relative to where the daemon was started`() throws {
    let daemon = try rig.daemon { options in
      options.arguments = ["--socket", "socket", "--state-dir=here"]
      options.wrapper = ["env", "-C", options.folder]
    }
    #expect(try daemon.status().storage.stateDirectory == "\(rig.path)/here")
  }

  @Test func `A state folder that is a file is refused`() throws {
    let path = "\(rig.path)/nightjar"
    try "precious".write(toFile: path, atomically: true, encoding: .utf8)
    expectSentence(try rig.refusedDaemon(), path, "--state-dir")
    expectSentence(
      try rig.refusedDaemon { $0.stateFolder = "\(path)/below" }, "\(path)/below", "--state-dir")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  /// A user without a name, a home and rights. The test's folders are made accessible to it, as
  /// /tmp is.
  private func asStranger(_ options: inout DaemonProcess.Options) {
    chmod(options.folder, 0o1777)
    options.wrapper = Self.stranger + options.wrapper
  }

  private static let stranger = ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups"]

  @Test func `A state folder that cannot be written is refused`() throws {
    guard !Root.isMissing(for: "a daemon of a user who may not write its state folder") else {
      return
    }
    try make("\(rig.path)/nightjar", mode: 0o755)
    expectSentence(
      try rig.refusedDaemon { asStranger(&$0) }, "\(rig.path)/nightjar", "Permission denied",
      "--state-dir")
    expectSentence(
      try rig.refusedDaemon {
        asStranger(&$0)
        $0.stateFolder += "/below"
      }, "Permission denied", "--state-dir")
  }

  @Test(arguments: ["nightjar.db", "nightjar.db-witness"])
  func `A file of the state folder that cannot be read is named, with the remedy`(file: String)
    throws
  {
    guard !Root.isMissing(for: "a daemon of a user who may not read its database") else { return }
    try make("\(rig.path)/nightjar", mode: 0o700)
    try rig.tool(["chown", "4242:4242", "\(rig.path)/nightjar"])
    _ = try rig.daemon { asStranger(&$0) }.terminate()
    let path = "\(rig.path)/nightjar/\(file)"
    try #require(chmod(path, 0) == 0)
    expectSentence(
      try rig.refusedDaemon { asStranger(&$0) }, path, "Permission denied", "read and write it")
  }

  @Test func `Without XDG_RUNTIME_DIR and HOME the sentence names the option to give`() throws {
    guard !Root.isMissing(for: "a daemon of a user who has no home") else { return }
    func options(_ options: inout DaemonProcess.Options, _ arguments: [String]) {
      asStranger(&options)
      options.environment = ["HOME": "", "XDG_RUNTIME_DIR": ""]
      options.arguments = arguments
    }
    expectSentence(try rig.refusedDaemon { options(&$0, []) }, "XDG_RUNTIME_DIR", "--socket")
    let socketPath = "\(rig.path)/socket"
    expectSentence(
      try rig.refusedDaemon { options(&$0, ["--socket", socketPath]) }, "XDG_STATE_HOME",
      "--state-dir")
    // A relative path in XDG's variables is ignored, as its specification demands.
    expectSentence(
      try rig.refusedDaemon {
        options(&$0, [])
        $0.environment["XDG_RUNTIME_DIR"] = "run"
        $0.environment["XDG_STATE_HOME"] = "state"
      }, "--socket")
    let daemon = try rig.daemon {
      options(&$0, ["--socket", socketPath, "--state-dir", $0.stateFolder])
    }
    #expect(try rawStatus(daemon)["pid"]?.integerValue == Int64(daemon.process.pid))
  }

  /// The reply to root of another user's daemon, without a client library.
  private func rawStatus(_ daemon: DaemonProcess) throws -> JSONValue {
    let call = #"{"method":"org.nightjar.Timers.Status"}"#
    let replies = try RawSocket(path: daemon.options.socketPath).exchange(
      Array(call.utf8) + [0], replies: 1)
    return try replies[0].answer().get()
  }

  @Test func `Without XDG_RUNTIME_DIR the socket is in the state folder`() throws {
    guard !Root.isMissing(for: "a daemon of a user who has no folder under /run/user") else {
      return
    }
    let daemon = try rig.daemon {
      asStranger(&$0)
      $0.arguments = []
      $0.environment = ["XDG_RUNTIME_DIR": ""]
      chmod("\($0.folder)/home", 0o777)
      $0.socketPath = "\($0.folder)/home/.local/state/nightjar/socket"
    }
    let storage = try rawStatus(daemon)["storage"]
    #expect(storage?["state_directory"]?.stringValue == "\(rig.path)/home/.local/state/nightjar")
  }

  @Test func `The daemon listens and stores its state where the variables say`() throws {
    let daemon = try rig.daemon {
      $0.arguments = []
      $0.environment = ["XDG_STATE_HOME": "\($0.folder)/kept"]
      $0.socketPath = "\($0.folder)/run/nightjar/socket"
    }
    #expect(try daemon.status().storage.stateDirectory == "\(rig.path)/kept/nightjar")
  }

  // MARK: Other users at the socket

  @Test(arguments: [4242, 65_534])
  func `A connection of another user is refused, and the owner is still served`(uid: Int) throws {
    guard !Root.isMissing(for: "a client of another user") else { return }
    let daemon = try rig.daemon()
    chmod(rig.path, 0o755)
    try #require(chmod(daemon.options.socketPath, 0o777) == 0)
    let script = """
      import socket, sys
      peer = socket.socket(socket.AF_UNIX)
      peer.settimeout(20)
      peer.connect(sys.argv[1])
      try:
          peer.send(b'{"method":"org.varlink.service.GetInfo"}\\0')
          print("got", len(peer.recv(65536)))
      except (BrokenPipeError, ConnectionResetError):
          print("got 0")
      """
    let id = String(uid)
    let output = try rig.tool(
      ["setpriv", "--reuid", id, "--regid", id, "--clear-groups", "/usr/bin/python3", "-c", script]
        + [daemon.options.socketPath], package: "python3")
    #expect(output == "got 0")
    #expect(try daemon.status().counts.clients == 1)
    #expect(daemon.process.output.contains("refused a connection of user \(uid)"))
  }

  @Test func `Root may call a user's daemon, but a client of root sends it nothing`() throws {
    guard !Root.isMissing(for: "a daemon of another user than the client") else { return }
    let daemon = try rig.daemon { asStranger(&$0) }
    #expect(try rawStatus(daemon)["pid"]?.integerValue == Int64(daemon.process.pid))
    #expect(throws: ClientError.anotherUsersDaemon(path: daemon.options.socketPath)) {
      try daemon.status()
    }
    #expect(mode(daemon.options.socketPath) == 0o600)
  }

  // MARK: The command line

  @Test(arguments: [
    (["--sokcet", "/x"], "'--sokcet' is not an option"), (["tea"], "'tea' is not an option"),
    (["--socket"], "--socket needs a path"), (["--state-dir="], "--state-dir needs a path"),
    (["--socket", ""], "--socket needs a path"), (["--config"], "--config needs a path"),
    (["--\u{1B}[31mx\u{202E}\n"], #"'--\u{1B}[31mx\u{202E}\n' is not an option"#),
  ])
  func `A wrong command line is answered with one sentence, and code 64`(
    arguments: [String], sentence: String
  ) throws {
    let (end, said) = try rig.refusedDaemon { $0.arguments = arguments }
    #expect(end == .exited(64))
    #expect(said.split(separator: "\n").count == 1 && said.contains(sentence), "\(said)")
  }

  @Test func `The version and the options are printed on request`() throws {
    let version = try rig.refusedDaemon { $0.arguments = ["--version"] }
    #expect(version.end == .exited(0) && version.said == "nightjard \(NightjarVersion.current)")
    let help = try rig.refusedDaemon { $0.arguments = ["--help"] }
    #expect(help.end == .exited(0))
    for option in ["--socket", "--state-dir", "--config"] { #expect(help.said.contains(option)) }
  }
}
