import Foundation
import Glibc
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// kill -9, SIGTERM and a full disk between an event, the start of its command, and the command's
/// end: the command runs at least once, and is never lost. There is no service manager here, so
/// only the daemon knows how a command ended.
@Suite(.blocking) struct ActionCrashTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test
  func
    `A command that was still waiting when the daemon was killed runs afterwards, as its first attempt`()
    throws
  {
    let first = try rig.actingDaemon()
    for number in 0..<Limits.actionsAtOnce {
      try first.start("busy/\(number)", usec: 1_000, shell: rig.untilGo)
    }
    let events = try first.events(after: 0)
    for _ in 0..<Limits.actionsAtOnce { _ = try events.event { $0.type == .actionStarted } }
    try first.start(
      "tea", usec: 1_000, shell: "echo $NIGHTJAR_ATTEMPT $NIGHTJAR_SEQ >>\(rig.path)/ran")
    let rang = try first.events(after: 0).event { $0.type == .rang && $0.name == "tea" }
    #expect(try first.unfinished(rig).hasSuffix("\(rang.seq)|0|0"))
    try first.crash()
    #expect(try rig.lines(of: "ran") == [])
    try rig.go()
    let second = try rig.actingDaemon()
    #expect(try second.end(of: "tea").end == "exited 0")
    #expect(try rig.lines(of: "ran") == ["1 \(rang.seq)"])
    // The commands that were running were started again.
    let again = try second.events(after: 0)
    for _ in 0..<Limits.actionsAtOnce {
      let end = try again.event { $0.type == .actionEnded && $0.name?.hasPrefix("busy/") == true }
      #expect(end.end == "exited 0" && end.attempt == 2)
    }
    #expect(try second.unfinished(rig) == "")
  }

  @Test
  func
    `A command that was running is started again, with its attempt number, and given up after the third`()
    throws
  {
    var daemon = try rig.actingDaemon()
    try daemon.start(
      "tea", usec: 1_000, shell: "echo $NIGHTJAR_ATTEMPT $$ >>\(rig.path)/ran; \(rig.untilGo)")
    for attempt: Int64 in 1...3 {
      let start = try daemon.events(after: 0).event {
        $0.type == .actionStarted && $0.attempt == attempt
      }
      #expect(start.name == "tea")
      try rig.awaitLines(Int(attempt), of: "ran")
      try daemon.crash()
      // A machine that stops ends the whole group too, the command and its children.
      let words = try #require(try rig.lines(of: "ran").last?.split(separator: " "))
      #expect(words[0] == "\(attempt)")
      kill(-(try #require(pid_t(words[1]))), SIGKILL)
      daemon = try rig.actingDaemon()
    }
    #expect(try rig.lines(of: "ran").count == 3)
    #expect(try daemon.end(of: "tea").end == "given_up")
    #expect(try daemon.unfinished(rig) == "")
    try daemon.process.lines.next("a word about it") { $0.contains("given up") }
    try rig.go()
  }

  @Test
  func
    `Without a service manager, a command that outlives its daemon is started again beside itself`()
    throws
  {
    let first = try rig.actingDaemon()
    try first.start(
      "tea", usec: 1_000, shell: "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran; \(rig.untilGo)")
    try rig.awaitFile("ran", "1\n")
    try first.crash()
    let second = try rig.actingDaemon()
    try rig.awaitFile("ran", "1\n2\n")
    try rig.go()
    let end = try second.end(of: "tea")
    #expect(end.end == "exited 0" && end.attempt == 2)
    #expect(try second.unfinished(rig) == "")
  }

  @Test
  func
    `A command runs if the daemon is killed between the record of its start and the start itself`()
    throws
  {
    let first = try rig.actingDaemon()
    try first.start("tea", on: [.started], shell: "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran")
    _ = try first.end(of: "tea")
    try first.crash()
    // The disk at that moment: the row exists, with one attempt, and the command does not run.
    let command =
      #"{"event":"started","name":"tea","id":1,"exec":["/bin/sh","-c","echo again $NIGHTJAR_ATTEMPT >>\#(rig.path)/ran"],"timeout_usec":60000000,"unit":"x.service","environment":{}}"#
    try rig.tool([
      "sqlite3", "\(rig.path)/nightjar/nightjar.db",
      "INSERT INTO action VALUES (1, 0, 1, '\(command)')",
    ])
    let second = try rig.actingDaemon()
    _ = try second.events(after: 0).event { $0.type == .actionEnded && $0.attempt == 2 }
    #expect(try rig.lines(of: "ran") == ["1", "again 2"])
    #expect(try second.unfinished(rig) == "")
  }

  @Test func `A stored command that cannot be read is ignored, and stops nothing`() throws {
    let first = try rig.actingDaemon()
    try first.terminate()
    for (seq, text) in [(1, ""), (2, "{}"), (3, "nonsense"), (4, #"{"event":"rang","exec":[]}"#)] {
      try rig.tool([
        "sqlite3", "\(rig.path)/nightjar/nightjar.db",
        "INSERT INTO action VALUES (\(seq), 0, 0, '\(text)')",
      ])
    }
    let second = try rig.actingDaemon()
    try second.start("tea", running: ["true"])
    #expect(try second.end(of: "tea").end == "exited 0")
    #expect(try second.unfinished(rig) == "")
  }

  @Test
  func
    `A daemon that is terminated leaves its children alone, and the next does not run them again`()
    throws
  {
    let first = try rig.actingDaemon()
    try first.start(
      "tea", usec: 1_000, shell: "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran; \(rig.untilGo)")
    _ = try first.events(after: 0).event { $0.type == .actionStarted }
    try rig.awaitLines(1, of: "ran")
    #expect(try first.terminate() == .exited(0))
    let second = try rig.actingDaemon()
    let end = try second.end(of: "tea")
    #expect(end.end == "unseen" && end.attempt == 1)
    #expect(try second.unfinished(rig) == "")
    try rig.go()
    try second.start("egg", running: ["true"])
    _ = try second.end(of: "egg")
    #expect(try rig.lines(of: "ran") == ["1"])
  }

  @Test func `After kills at any moment, each ring's command has run at least once`() throws {
    var random = SplitMix(seed: Seed.ofThisRun)
    var rings = 0
    for round in 0..<12 {
      let daemon = try rig.actingDaemon()
      let client = try daemon.connect()
      for number in 0..<20 {
        var timer = Wire.Start(
          name: "\(round)/\(number)", .countdown(.microseconds(Int64(random.next() % 60_000) + 1)))
        timer.ring = Wire.Ring(
          running: ["/bin/sh", "-c", "echo $NIGHTJAR_SEQ >>\(rig.path)/ran"], environment: [:])
        _ = try client.timer(.start(timer))
        rings += 1
      }
      spin(usec: Int64(random.next() % 60_000))
      daemon.process.kill()
    }
    let last = try rig.actingDaemon()
    let rang = try last.events(after: 0)
    for _ in 0..<rings { _ = try rang.event { $0.type == .rang } }
    try awaitTrue("commands are left") { try last.unfinished(rig) == "" }
    let ledger = try last.settledLedger()
    let ran = Set(try rig.lines(of: "ran"))
    let expected = Set(ledger.filter { $0.type == .rang }.map { "\($0.seq)" })
    #expect(ran == expected, "seed \(Seed.ofThisRun)")
    let ends = ledger.filter { $0.type == .actionEnded }
    #expect(ends.count == rings && ends.allSatisfy { $0.end == "exited 0" })
    let again = ledger.filter { $0.type == .actionStarted && $0.attempt ?? 1 > 1 }.count
    print("kill -9: \(rings) commands, \(again) started again, seed \(Seed.ofThisRun)")
  }
}
