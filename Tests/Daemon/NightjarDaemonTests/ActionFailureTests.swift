import Foundation
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Commands that fail or misbehave: bounded, reported, and gone.
@Suite(.blocking) struct ActionFailureTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  private func isAlive(_ pid: String) -> Bool {
    let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return state.map { !$0.contains(") Z ") } ?? false
  }

  /// The process ID that a command has written to a file.
  private func pid(in file: String) throws -> String {
    try String(contentsOfFile: "\(rig.path)/\(file)", encoding: .utf8)
      .trimmingCharacters(in: .newlines)
  }

  @Test func `At its time limit a command is ended, with a process that ignores SIGTERM`() throws {
    let shell = "(trap '' TERM; exec sleep 1000) & echo $! >\(rig.path)/pid; wait"
    try daemon.start("hang", shell: shell) { $0.ring?.timeoutUsec = 2 * second }
    let end = try daemon.end(of: "hang")
    #expect(end.end == "timed_out")
    #expect((2 * second..<10 * second).contains(try #require(end.durationUsec)))
    let child = try pid(in: "pid")
    try awaitTrue("process \(child) lives on") { !isAlive(child) }
    #expect(try daemon.children == 0 && daemon.unfinished(rig) == "")
    try daemon.process.lines.next("a word") {
      $0.contains("hang: (trap '' TERM") && $0.contains("too long")
    }
  }

  @Test func `A command that ended in time counts as such to a stopped daemon`() async throws {
    try daemon.start("tea", shell: "echo $$ >\(rig.path)/pid; \(rig.untilGo)") { timer in
      timer.ring?.timeoutUsec = 2 * second
    }
    try rig.awaitFile("pid", "\n")
    try daemon.stop()
    // The child ends now, while the daemon is stopped; when the daemon can see it, its time is up.
    let child = try pid(in: "pid")
    try rig.go()
    try awaitTrue("process \(child) lives on") { !isAlive(child) }
    await elapse(seconds: 2)
    try daemon.proceed()
    #expect(try daemon.end(of: "tea").end == "exited 0")
  }

  @Test func `A command that ignores SIGTERM is killed five seconds later`() throws {
    try daemon.start("deaf", shell: "trap '' TERM; while :; do sleep 1; done") { timer in
      timer.ring?.timeoutUsec = 2 * second
    }
    let end = try daemon.end(of: "deaf")
    #expect(end.end == "timed_out")
    #expect((7 * second..<12 * second).contains(try #require(end.durationUsec)))
    #expect(try daemon.children == 0)
  }

  @Test func `What a command has forked outlives the command's end, and may print`() throws {
    let before = try daemon.descriptors
    let shell = """
      (trap '' PIPE; while [ -d \(rig.path) ] && [ ! -e \(rig.path)/go ]; do echo still here || exit 1; sleep 1; done; \
      echo too late && echo over >\(rig.path)/over) & echo $! >\(rig.path)/pid; echo left
      """
    try daemon.start("fork", shell: shell)
    let end = try daemon.end(of: "fork")
    #expect(end.end == "exited 0" && (end.printedBytes ?? 0) >= 5)
    #expect(try isAlive(pid(in: "pid")))
    // The leftover process still has the pipe, and its output is not logged.
    try daemon.start("other", shell: "echo other")
    _ = try daemon.end(of: "other")
    try rig.go()
    try rig.awaitFile("over", "over")
    try awaitTrue("the pipe of what was left is still open") { try daemon.descriptors <= before }
    #expect(!daemon.process.lines.all.contains { $0.contains("too late") })
  }

  @Test func `Of 200 MB of output all but the beginning is dropped, and uses no memory`() throws {
    let before = try daemon.ownKilobytes
    try daemon.start("large", running: ["head", "-c", "200000000", "/dev/zero"])
    let end = try daemon.end(of: "large")
    #expect(end.end == "exited 0" && end.printedBytes == 200_000_000)
    let dropped = try #require(end.droppedBytes)
    #expect(dropped > 199_000_000 && dropped < 200_000_000 - 60_000)
    #expect(try daemon.ownKilobytes - before < 4 * 1024)
    let said = daemon.process.lines.all.filter { $0.contains("NIGHTJAR_EVENT=action_output") }
    #expect(said.count < 40 && said.reduce(0) { $0 + $1.utf8.count } < 1_000_000)
    try daemon.process.lines.next("a word about it") {
      $0.contains("head: \(dropped) bytes more were printed, and dropped")
    }
  }

  @Test func `Of a million lines of output a thousand are in the log`() throws {
    try daemon.start("lines", running: ["seq", "1000000"])
    let end = try daemon.end(of: "lines")
    #expect(end.end == "exited 0" && end.printedBytes == 6_888_896)
    let said = daemon.process.lines.all.filter { $0.contains("nightjard: seq: ") }
    #expect(said.count == Limits.loggedLines + 1 && said[999].contains("seq: 1000 "))
  }

  @Test func `The event of a command that fails says how, and it is not tried again`() throws {
    let rows = [
      (["nosuch"], "not_started no folder of PATH has it"),
      (["/no/such"], "not_started there is no such file"),
      (["/etc/passwd"], "not_started it may not be executed"),
      (["sh", "-c", "exit 3"], "exited 3"), (["sh", "-c", "kill -9 $$"], "signalled 9"),
    ]
    for (command, expected) in rows {
      try daemon.start(expected, running: command)
      let end = try daemon.end(of: expected)
      #expect(end.end == expected)
      guard let reason = end.reason else { continue }
      #expect(end.durationUsec == 0)
      try daemon.process.lines.next("a word") { $0.contains("could not be started: \(reason)") }
    }
    let started = try daemon.settledLedger().filter { $0.type == .actionStarted }
    #expect(started.map { $0.name ?? "" } == rows.map { $0.1 })
    #expect(try daemon.unfinished(rig) == "")
  }

  @Test func `A hundred commands leave nothing behind: no process, no descriptor, no row`() throws {
    try daemon.start("warm", running: ["true"])
    _ = try daemon.end(of: "warm")
    let before = try daemon.descriptors
    for number in 0..<100 {
      try daemon.start("\(number)", usec: 1, shell: number % 2 == 0 ? "echo x" : "exit 1")
    }
    let ends = try daemon.events(after: 0)
    for _ in 0..<101 { _ = try ends.event { $0.type == .actionEnded } }
    #expect(try daemon.children == 0 && daemon.unfinished(rig) == "")
    // The daemon may still have the descriptor of a client that has just left.
    try awaitTrue("descriptors are left open") { try daemon.descriptors <= before + 1 }
  }
}
