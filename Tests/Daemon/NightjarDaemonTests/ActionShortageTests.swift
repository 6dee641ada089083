import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Commands of a daemon that has no descriptors left.
@Suite(.blocking) struct ActionShortageTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
    client = try daemon.connect()
    // By now the daemon has opened every descriptor that it opens on first use.
    try daemon.start("warm", running: ["true"])
    _ = try daemon.end(of: "warm")
  }

  /// Sets the soft limit of the daemon's descriptors from outside (prlimit(2)).
  private func limit(descriptors: Int) throws {
    try rig.tool(["prlimit", "--pid", "\(daemon.process.pid)", "--nofile=\(descriptors):"])
  }

  /// The numbers of the daemon's descriptors once all but `clients` clients have left.
  private func open(clients: Int64) throws -> Set<Int> {
    try awaitTrue("clients are left") { try client.status().counts.clients == clients }
    func numbers() throws -> Set<Int> {
      Set(
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.process.pid)/fd")
          .compactMap { Int($0) })
    }
    // The daemon may be about to read a folder.
    var (last, now) = (Set<Int>(), try numbers())
    while now != last { (last, now) = (now, try numbers()) }
    return now
  }

  /// Leaves the daemon `count` descriptors beside the open ones.
  private func leaveDescriptors(_ count: Int) throws {
    let open = try open(clients: 1)
    // A new descriptor gets the lowest free number.
    let free = (0...open.count + count).filter { !open.contains($0) }
    try limit(descriptors: free[count])
  }

  private func start(_ name: String) throws {
    var timer = Wire.Start(name: name, .countdown(.microseconds(20_000)))
    timer.ring = Wire.Ring(
      running: ["/bin/sh", "-c", "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran"], environment: [:])
    _ = try client.timer(.start(timer))
  }

  /// The events of a command, read on a connection that existed before.
  private func events(of name: String) throws -> [String] {
    try daemon.settledLedger().filter { $0.name == name && "\($0.type)".contains("action") }.map {
      $0.type == .actionEnded ? $0.end : "started"
    }
  }

  @Test(arguments: [0, 1, 2])
  func `A command that finds no descriptors waits, and runs once when there are some`(left: Int)
    throws
  {
    try leaveDescriptors(left)
    for name in ["a", "b", "c"] { try start(name) }
    try daemon.process.awaitLine("NIGHTJAR_ACTIONS=short")
    #expect(try rig.lines(of: "ran") == [])
    try awaitTrue("they do not wait") { try client.status().commands.waiting == 3 }
    try limit(descriptors: 1024)
    for name in ["a", "b", "c"] {
      _ = try daemon.end(of: name)
      #expect(try events(of: name) == ["started", "exited 0"])
    }
    // Each started once, with attempt 1: a start that failed for lack of descriptors does not
    // count.
    #expect(try rig.lines(of: "ran") == ["1", "1", "1"])
    #expect(try daemon.unfinished(rig) == "" && daemon.children == 0)
  }

  @Test func `A waiting command runs as soon as a client has left its descriptor`() throws {
    // All numbers below the limit must be in use: six of the descriptors are clients'.
    var others: [Connection] = []
    var open = try open(clients: 1)
    while others.count < 6 || open.count <= open.max() ?? 0 {
      others.append(try daemon.connect())
      open = try self.open(clients: Int64(others.count) + 1)
    }
    try limit(descriptors: open.count)
    try start("tea")
    try daemon.process.awaitLine("NIGHTJAR_ACTIONS=short")
    others.removeAll()
    try rig.awaitFile("ran", "1")
    try limit(descriptors: 1024)
    _ = try daemon.end(of: "tea")
    #expect(try events(of: "tea") == ["started", "exited 0"])
  }

  @Test func `A command that waits for descriptors is run by the next daemon`() throws {
    try leaveDescriptors(0)
    try start("tea")
    try daemon.process.awaitLine("NIGHTJAR_ACTIONS=short")
    try awaitTrue("it is not taken back on disk") { try daemon.unfinished(rig).hasSuffix("|0") }
    try daemon.crash()
    let next = try rig.actingDaemon()
    #expect(try next.end(of: "tea").end == "exited 0")
    #expect(try rig.lines(of: "ran") == ["1"])
  }

  @Test func `Hooks that could not be read for lack of descriptors are read later`() throws {
    let folder = "\(rig.path)/home/.config/nightjar/hooks/started.d"
    try makeFolder(folder)
    try writeFile("#!/bin/sh\necho hook >>\(rig.path)/ran\n", to: "\(folder)/hook", mode: 0o755)
    try leaveDescriptors(0)
    daemon.process.signal(SIGHUP)
    try daemon.process.awaitLine("changes of hooks are noticed late")
    try limit(descriptors: 1024)
    try awaitTrue("the hook is not run") {
      try client.start("x\(Now.boottimeUsec)", usec: hour)
      return FileManager.default.fileExists(atPath: "\(rig.path)/ran")
    }
  }

  @Test func `A daemon without descriptors listens again when it has some`() throws {
    try leaveDescriptors(0)
    let waiting = try daemon.rawSocket()
    try waiting.send(frame: RawSocket.text("Status", "{}"))
    try daemon.process.awaitLine("could not be taken")
    try limit(descriptors: 1024)
    #expect(try #require(try waiting.reply()).error == nil)
  }
}
