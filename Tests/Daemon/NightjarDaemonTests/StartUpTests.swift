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

  /// Expects that a daemon refuses to start, with one sentence that contains each of these texts.
  private func expectRefusal(
    _ parts: String..., code: Int32 = 1, by configure: (inout DaemonProcess.Options) -> Void
  ) throws {
    let (end, said) = try rig.refusedDaemon(configure)
    let isSentence = said.hasPrefix("nightjard: ") && said.split(separator: "\n").count == 1
    #expect(
      end == .exited(code) && isSentence && parts.allSatisfy { said.contains($0) },
      "\(end): \(said)")
  }

  /// The system calls with these names, of a daemon that has a timer and is ended at once.
  private func calls(_ names: String) throws -> [Substring] {
    let first = try rig.daemon()
    try first.connect().start("tea", usec: hour)
    try first.terminate()
    let trace = "\(rig.path)/trace"
    let daemon = try rig.daemon {
      // -D: the daemon is the test's child, and strace is the daemon's.
      $0.wrapper = ["strace", "-D", "-f", "-y", "-o", trace, "-e", "trace=\(names)"]
    }
    try daemon.terminate()
    return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
  }

  @Test func `The daemon reports that it is ready when its timers are armed, not before`() throws {
    let calls = try calls("timerfd_settime,sendmsg,sendto")
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
    let calls = try calls("pwrite64,fdatasync").filter { $0.contains("nightjar.db-wal>") }
    let grown = try #require(calls.firstIndex { $0.contains(", 1048576, 0)") })
    #expect(grown == 1)
    #expect(calls.prefix(3).map { $0.contains("fdatasync(") } == [true, false, true], "\(calls)")
  }

  // MARK: The socket

  @Test func `A second daemon says that the socket or the state folder is in use, and by whom`()
    throws
  {
    let first = try rig.daemon()
    try expectRefusal("another daemon answers at \(rig.path)/socket", "--socket") {
      $0.stateFolder = "\($0.folder)/other"
    }
    let pid = first.process.pid
    try expectRefusal("\(rig.path)/nightjar", "process \(pid)", "--state-dir") {
      $0.socketPath = "\($0.folder)/second"
    }
    #expect(try first.status().pid == Int64(pid))
    #expect(access("\(rig.path)/second", F_OK) != 0)
    // A crash releases the lock.
    first.process.kill()
    _ = try rig.daemon()
  }

  @Test(arguments: [
    ("file", "nightjar", "file, which is no socket", "--socket"),
    ("file/socket", "nightjar", "file", "--socket"),
    ("no/such/folder/socket", "nightjar", "No such file or directory", "--socket"),
    (String(repeating: "x", count: 108), "nightjar", "107", "--socket"),
    ("socket", "file", "file", "--state-dir"), ("socket", "file/below", "below", "--state-dir"),
  ])
  func `A place that cannot be used is refused, and a file there stays as it is`(
    socket: String, state: String, reason: String, option: String
  ) throws {
    try "precious".write(toFile: "\(rig.path)/file", atomically: true, encoding: .utf8)
    try expectRefusal(rig.path, reason, option) {
      ($0.socketPath, $0.stateFolder) = ("\($0.folder)/\(socket)", "\($0.folder)/\(state)")
    }
    #expect(try String(contentsOfFile: "\(rig.path)/file", encoding: .utf8) == "precious")
  }

  @Test func `A socket from the service manager is served, waiting clients first`() throws {
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

  @Test func `A relative state folder is relative to where the daemon was started`() throws {
    let daemon = try rig.daemon { options in
      options.arguments = ["--socket", "socket", "--state-dir=here"]
      options.wrapper = ["env", "-C", options.folder]
    }
    #expect(try daemon.status().storage.stateDirectory == "\(rig.path)/here")
  }

  /// A user without a name, a home and rights. The test's folders are made accessible to it, as
  /// /tmp is.
  private func asStranger(_ options: inout DaemonProcess.Options) {
    chmod(options.folder, 0o1777)
    options.wrapper = ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups"]
  }

  @Test(arguments: ["nightjar.db", "nightjar.db-witness"])
  func `A file of the state folder that cannot be read is named, with the remedy`(file: String)
    throws
  {
    guard !Root.isMissing(for: "a daemon of a user who may not read its database") else { return }
    try makeFolder("\(rig.path)/nightjar")
    try #require(chown("\(rig.path)/nightjar", 4242, 4242) == 0)
    _ = try rig.daemon { asStranger(&$0) }.terminate()
    let path = "\(rig.path)/nightjar/\(file)"
    try #require(chmod(path, 0) == 0)
    try expectRefusal(path, "Permission denied", "read and write it") { asStranger(&$0) }
  }

  @Test func `Without XDG_RUNTIME_DIR and HOME the sentence names the option to give`() throws {
    guard !Root.isMissing(for: "a daemon of a user who has no home") else { return }
    func options(_ options: inout DaemonProcess.Options, _ arguments: [String]) {
      asStranger(&options)
      options.environment = ["HOME": "", "XDG_RUNTIME_DIR": ""]
      options.arguments = arguments
    }
    try expectRefusal("XDG_RUNTIME_DIR", "--socket") { options(&$0, []) }
    let socketPath = "\(rig.path)/socket"
    try expectRefusal("XDG_STATE_HOME", "--state-dir") { options(&$0, ["--socket", socketPath]) }
    // A relative path in XDG's variables is ignored, as its specification demands.
    try expectRefusal("--socket") {
      options(&$0, [])
      $0.environment["XDG_RUNTIME_DIR"] = "run"
      $0.environment["XDG_STATE_HOME"] = "state"
    }
    let daemon = try rig.daemon {
      options(&$0, ["--socket", socketPath, "--state-dir", $0.stateFolder])
    }
    let status = try daemon.rawSocket().call("Status", "{}").parameters
    #expect(status["pid"] == .integer(Int64(daemon.process.pid)))
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

  @Test func `Root may call a user's daemon, but a client of root sends it nothing`() throws {
    guard !Root.isMissing(for: "a daemon of another user than the client") else { return }
    let daemon = try rig.daemon { asStranger(&$0) }
    let status = try daemon.rawSocket().call("Status", "{}").parameters
    #expect(status["pid"] == .integer(Int64(daemon.process.pid)))
    #expect(throws: ClientError.anotherUsersDaemon(path: daemon.options.socketPath)) {
      try daemon.status()
    }
  }

  // MARK: The command line

  @Test(arguments: [
    (["--sokcet", "/x"], "'--sokcet' is not an option"), (["--socket"], "--socket needs a path"),
    (["--state-dir="], "--state-dir needs a path"), (["--config"], "--config needs a path"),
    (["--socket", ""], "--socket needs a path"),
    (["--\u{1B}[31mx\u{202E}\n"], #"'--\u{1B}[31mx\u{202E}\n' is not an option"#),
  ])
  func `A wrong command line is answered with one sentence, and code 64`(
    arguments: [String], sentence: String
  ) throws {
    try expectRefusal(sentence, code: 64) { $0.arguments = arguments }
  }

  @Test func `The version and the options are printed on request`() throws {
    let version = try rig.refusedDaemon { $0.arguments = ["--version"] }
    #expect(version.end == .exited(0) && version.said == "nightjard \(NightjarVersion.current)")
    let help = try rig.refusedDaemon { $0.arguments = ["--help"] }
    let options = ["--socket", "--state-dir", "--config"]
    #expect(help.end == .exited(0) && options.allSatisfy { help.said.contains($0) })
  }
}
