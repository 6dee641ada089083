import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Files that another user has put in a daemon's way are refused, each with one sentence, and left
/// as they are.
@Suite(.blocking) struct TrustTests {
  private let rig: Rig
  private var state: String { "\(rig.path)/nightjar" }

  init() throws { rig = try Rig() }

  private func expectRefusal(
    _ words: String..., by configure: (inout DaemonProcess.Options) -> Void = { _ in },
    from location: SourceLocation = #_sourceLocation
  ) throws {
    let (end, said) = try rig.refusedDaemon(configure)
    #expect(
      end == .exited(1) && said.split(separator: "\n").count == 1
        && words.allSatisfy { said.contains($0) }, "\(end): \(said)", sourceLocation: location)
  }

  private static let files = [
    "/lock", "/nightjar.db", "/nightjar.db-wal", "/nightjar.db-shm", "/nightjar.db-journal",
  ]

  /// Leaves a state folder with one timer, in which this file is there.
  private func used(with name: String) throws -> String {
    let daemon = try rig.daemon()
    try daemon.connect().start("tea", usec: hour)
    #expect(try daemon.terminate() == .exited(0))
    let path = state + name
    if name == "/children" { try makeFolder(path) }
    if !FileManager.default.fileExists(atPath: path) { try writeFile("", to: path) }
    return path
  }

  @Test(arguments: files)
  func `A link in place of a file is refused, and its target stays as it is`(name: String) throws {
    let path = try used(with: name)
    let precious = "\(rig.path)/precious"
    try "precious".write(toFile: precious, atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: path)
    try #require(symlink(precious, path) == 0)
    try expectRefusal("\(path) is not trusted: it is a symbolic link", "; move it away")
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
  }

  @Test(arguments: ["", "/children"] + files)
  func `A file or folder that others can write is refused, with the command that repairs it`(
    name: String
  ) throws {
    let path = try used(with: name)
    for mode: mode_t in [0o720, 0o702] {
      try #require(chmod(path, mode) == 0)
      try expectRefusal(
        "\(path) is not trusted: it can be written by other users (its mode is 0"
          + "\(String(mode, radix: 8)))", "chmod go-w \(path)")
    }
    try #require(chmod(path, 0o700) == 0)
    #expect(try rig.daemon().status().counts.running == 1)
  }

  @Test func `A database that another user has planted runs no command`() throws {
    guard !Root.isMissing(for: "a database of another user") else { return }
    let ran = "\(rig.path)/ran"
    let planter = try rig.daemon()
    try planter.start("planted", usec: second, running: ["/bin/touch", ran])
    // The daemon is killed before the timer rings.
    try planter.crash()
    try #require(chown("\(state)/nightjar.db", 4242, 4242) == 0)
    try expectRefusal("\(state)/nightjar.db is not trusted: it belongs to user 4242")
    #expect(!FileManager.default.fileExists(atPath: ran))
  }

  @Test func `A socket is not created in a folder where others can replace it`() throws {
    let folder = "\(rig.path)/open"
    try #require(mkdir(folder, 0o700) == 0 && chmod(folder, 0o777) == 0)
    try expectRefusal("\(folder) is not trusted: it can be written by other users", "--socket") {
      $0.socketPath = "\(folder)/socket"
    }
    #expect(access("\(folder)/socket", F_OK) != 0)
    // As in /tmp, where the sticky bit prevents that.
    chmod(folder, 0o1777)
    _ = try rig.daemon { $0.socketPath = "\(folder)/socket" }
  }

  @Test func `A socket that another user has left is not removed`() throws {
    guard !Root.isMissing(for: "a socket of another user") else { return }
    let path = "\(rig.path)/socket"
    try rig.daemon().crash()
    try #require(chown(path, 4242, 4242) == 0)
    let (end, said) = try rig.refusedDaemon()
    #expect(end == .exited(1) && said.contains("\(path), which belongs to user 4242"), "\(said)")
    #expect(access(path, F_OK) == 0)
  }

  // MARK: The configuration

  @Test func `A configuration that others can write is not read, and the log says so`() throws {
    let folder = "\(rig.path)/home/.config/nightjar"
    let file = "\(folder)/config.toml"
    try makeFolder(folder)
    try writeFile("[daemon]\nmaximum_timers = 1\n", to: file)
    chmod(file, 0o666)
    let daemon = try rig.daemon()
    let warning = try #require(try daemon.status().warning)
    #expect(
      warning.contains(
        "\(file): this can be written by other users (its mode is 0666); look what is in it, then: "
          + "chmod go-w \(file)"))
    let client = try daemon.connect()
    for name in ["a", "b"] { try client.start(name, usec: hour) }
    chmod(file, 0o644)
    chmod(folder, 0o777)
    try daemon.reload()
    try daemon.process.awaitLine("\(folder): this can be written by other users (its mode is 0777)")
    chmod(folder, 0o755)
    try daemon.reload()
    #expect(try client.status().warning == nil)
  }

  // MARK: Hooks

  @Test(arguments: ["rang.d/a", "rang.d", "", ".."])
  func `A hook that others can write or replace is not run`(what: String) throws {
    let hooks = "\(rig.path)/home/.config/nightjar/hooks"
    for hook in ["rang.d/a", "cancelled.d/a"] {
      try rig.addHook(hook, "echo \(hook) $NIGHTJAR_NAME >>\(rig.path)/ran")
    }
    let path =
      what.isEmpty ? hooks : what == ".." ? "\(rig.path)/home/.config/nightjar" : "\(hooks)/\(what)"
    let daemon = try rig.actingDaemon()
    let client = try daemon.connect()
    // The hook is checked when it is to run, not only when the folder is read.
    try #require(chmod(path, 0o777) == 0)
    try client.start("open", usec: 1)
    try #require(daemon.settledLedger().contains { $0.type == .rang && $0.name == "open" })
    try #require(chmod(path, 0o755) == 0)
    try client.start("closed", usec: 1)
    let ends = try daemon.events(after: 0)
    let end = try ends.event { $0.type == .actionEnded }
    #expect(end.command == "hook rang.d/a")
    #expect(try rig.lines(of: "ran") == ["rang.d/a closed"])
    // The next time the folder is read, the daemon logs it.
    try #require(chmod(path, 0o777) == 0)
    daemon.process.signal(SIGHUP)
    try daemon.process.lines.next("the hook") {
      $0.contains(
        "the hook \(hooks)/rang.d/a is not run: \(path) is not trusted: it can be written")
        || $0.contains("/.config/nightjar is not trusted: it can be written")
    }
  }

  @Test func `A hook of another user is not run`() throws {
    guard !Root.isMissing(for: "a hook of another user") else { return }
    for name in ["a", "b"] { try rig.addHook("rang.d/\(name)", "echo \(name) >>\(rig.path)/ran") }
    let hook = "\(rig.path)/home/.config/nightjar/hooks/rang.d/a"
    chown(hook, 65_534, 65_534)
    let daemon = try rig.actingDaemon()
    try daemon.connect().start("tea", usec: 1)
    _ = try daemon.events(after: 0).event { $0.type == .actionEnded }
    #expect(try rig.lines(of: "ran") == ["b"])
    #expect(daemon.process.output.contains("\(hook) is not trusted: it belongs to user 65534"))
  }

  // MARK: The log

  @Test func `A user who calls again and again is refused, and does not fill the log`() throws {
    guard !Root.isMissing(for: "a client of another user") else { return }
    let daemon = try rig.daemon()
    chmod(rig.path, 0o755)
    try #require(chmod(daemon.options.socketPath, 0o777) == 0)
    let script = """
      import socket, sys
      for _ in range(3000):
          peer = socket.socket(socket.AF_UNIX)
          peer.connect(sys.argv[1])
          try:
              peer.send(b'{"method":"org.varlink.service.GetInfo"}\\0')
              # Ended by the daemon: it has come to this one.
              if peer.recv(1): print("answered")
          except (BrokenPipeError, ConnectionResetError): pass
          peer.close()
      """
    let answered = try rig.tool(
      ["setpriv", "--reuid", "4242", "--regid", "4242", "--clear-groups", "/usr/bin/python3", "-c"]
        + [script, daemon.options.socketPath], package: "python3")
    #expect(try answered == "" && daemon.status().counts.clients == 1)
    #expect(try daemon.terminate() == .exited(0))
    let lines = daemon.process.lines.all
    let refusals = lines.filter { $0.contains("refused a connection of user 4242") }
    let omitted = refusals.compactMap { line -> Int? in
      guard let words = line.firstRange(of: " more such lines were left out") else { return nil }
      return line[..<words.lowerBound].split(separator: " ").last.flatMap { Int($0) }
    }
    #expect(refusals.count - omitted.count + omitted.reduce(0, +) == 3000, "\(refusals)")
    #expect(refusals.count <= 22 && lines.joined().utf8.count < 10_000)
  }
}
