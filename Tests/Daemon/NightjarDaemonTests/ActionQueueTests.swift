import Foundation
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// How many commands run at a time, and in which order.
@Suite(.blocking) struct ActionQueueTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  @Test func `Eight commands run at a time; the others wait, in their order`() throws {
    let names = (0..<20).map { "t\($0)" }
    for name in names { try daemon.start(name, on: [.started], shell: rig.untilGo) }
    let events = try daemon.events(after: 0)
    func started(_ count: Int) throws -> [String] {
      try (0..<count).map { _ in try events.event { $0.type == .actionStarted }.name ?? "" }
    }
    let first = try started(8)
    #expect(try daemon.settledLedger().filter { $0.type == .actionStarted }.count == 8)
    let counts = try daemon.status().commands
    #expect(try counts.running == 8 && counts.waiting == 12 && daemon.children == 8)
    try rig.go()
    let rest = try started(12)
    #expect(first + rest == names)
    let ends = try daemon.events(after: 0)
    for _ in names { #expect(try ends.event { $0.type == .actionEnded }.end == "exited 0") }
  }

  @Test func `Commands of one timer run one after another, and delay no others`() throws {
    try daemon.start(
      "tea", on: [.started, .paused, .resumed],
      shell: "\(rig.untilGo); echo $NIGHTJAR_EVENT >>\(rig.path)/order")
    let client = try daemon.connect()
    for operation in [.pause, .resume, .pause] as [Wire.Operation] {
      _ = try client.timer(.perform(operation, name: "tea"))
    }
    try daemon.start("egg", running: ["true"])
    #expect(try daemon.end(of: "egg").end == "exited 0")
    let started = try daemon.settledLedger().filter { $0.type == .actionStarted }
    #expect(started.map(\.name) == ["tea", "egg"])
    try rig.go()
    let ends = try daemon.events(after: 0)
    for _ in 0..<4 { _ = try ends.event { $0.type == .actionEnded && $0.name == "tea" } }
    #expect(try rig.lines(of: "order") == ["started", "paused", "resumed", "paused"])
  }

  @Test(arguments: [Wire.Operation.cancel, .remove])
  func `The waiting commands of a timer that is cancelled or removed are not run`(
    operation: Wire.Operation
  ) throws {
    let last = operation == .cancel ? Wire.EventType.cancelled : .removed
    try daemon.start(
      "tea", on: [.started, .paused, .resumed, last],
      shell: "\(rig.untilGo); echo $NIGHTJAR_EVENT >>\(rig.path)/order")
    let client = try daemon.connect()
    for operation in [.pause, .resume] as [Wire.Operation] {
      _ = try client.timer(.perform(operation, name: "tea"))
    }
    // Commands of another timer wait in the same queue.
    try daemon.start("egg", on: [.started, .paused], shell: rig.untilGo)
    _ = try client.timer(.perform(.pause, name: "egg"))
    _ = try client.timer(.perform(operation, name: "tea"))
    let events = try daemon.events(after: 0)
    for _ in 0..<2 {
      let end = try events.event { $0.type == .actionEnded && $0.name == "tea" }
      #expect(end.end == "not_started its timer was \(last.rawValue)" && end.attempt == 0)
    }
    try rig.go()
    // The running command continues, and the event itself has its command.
    for _ in 0..<4 { #expect(try events.event { $0.type == .actionEnded }.end == "exited 0") }
    #expect(try rig.lines(of: "order") == ["started", last.rawValue])
    #expect(try daemon.unfinished(rig) == "")
  }

  @Test func `Commands of a cancelled timer that wait on disk only are not run either`() throws {
    let names = try startMany(Limits.actionsWaiting)
    try daemon.start("tea", on: [.started], shell: "echo tea >>\(rig.path)/order")
    try daemon.start("egg", on: [.started], shell: "echo egg >>\(rig.path)/order")
    _ = try daemon.connect().timer(.perform(.cancel, name: "tea"))
    try rig.go()
    #expect(try daemon.end(of: "tea").end == "not_started its timer was cancelled")
    #expect(try rig.awaitLines(names.count + 1, of: "order").sorted() == (names + ["egg"]).sorted())
    try awaitTrue("commands are left") { try daemon.unfinished(rig) == "" }
  }

  /// The daemon is killed before it has recorded the end of the command.
  @Test func `Commands of a cancelled timer that wait are not run by the next daemon`() throws {
    try startMany(0)
    for name in ["tea", "egg"] {
      try daemon.start(name, on: [.started], shell: "echo \(name) >>\(rig.path)/order")
    }
    _ = try daemon.connect().timer(.perform(.cancel, name: "tea"))
    try daemon.crash()
    let next = try rig.actingDaemon()
    try rig.go()
    #expect(try next.end(of: "tea").end == "not_started its timer was cancelled")
    #expect(try next.end(of: "egg").end == "exited 0")
    try awaitTrue("commands are left") { try next.unfinished(rig) == "" }
    #expect(try rig.lines(of: "order") == ["egg"])
  }

  @Test func `A command that ran when its timer was cancelled runs again after a crash`() throws {
    try daemon.start("tea", on: [.started], shell: rig.untilGo)
    // The command of the last of them waits.
    try startMany(0)
    _ = try daemon.connect().timer(.perform(.cancel, name: "tea"))
    try daemon.crash()
    let next = try rig.actingDaemon()
    try rig.go()
    let end = try next.end(of: "tea")
    #expect(end.end == "exited 0" && end.attempt == 2)
    try awaitTrue("commands are left") { try next.unfinished(rig) == "" }
  }

  @Test func `Of too many commands of a timer the oldest are dropped, as the ledger says`() throws {
    try daemon.start(
      "mine", on: [.started, .paused],
      shell: "\(rig.untilGo); echo $NIGHTJAR_EVENT >>\(rig.path)/mine")
    let client = try daemon.connect()
    _ = try client.timer(.perform(.pause, name: "mine"))
    // One of these commands runs; the others wait behind it.
    try daemon.start("flood", on: [.updated], shell: rig.untilGo)
    let room = Limits.actionsWaitingOfOne
    let calls = (0..<room + 100).map {
      Call.update(name: "flood", data: ["n": .integer(Int64($0))])
    }
    _ = try client.callAll(calls, deadline: .after(usec: 60 * second))
    let events = try daemon.events(after: 0)
    var dropped: [Wire.Event] = []
    while dropped.count < calls.count - 1 - room {
      dropped.append(try events.event { $0.outcome == .dropped })
    }
    let updates = try daemon.ledger().filter { $0.type == .updated }
    #expect(dropped.allSatisfy { $0.name == "flood" && $0.attempt == 0 })
    #expect(dropped.map(\.eventSeq) == updates.dropFirst().prefix(dropped.count).map(\.seq))
    _ = try daemon.settledLedger()
    #expect(try daemon.unfinished(rig).split(separator: "\n").count == room + 3)
    // Of many dropped commands, the log mentions the first.
    let said = daemon.process.lines.all.filter { $0.contains("too many of its kind") }
    #expect(said.count == 1)
    try rig.go()
    let ends = try daemon.events(after: 0)
    for _ in 0..<2 { _ = try ends.event { $0.type == .actionEnded && $0.name == "mine" } }
    #expect(try rig.lines(of: "mine") == ["started", "paused"])
  }

  /// Starts timers whose commands wait behind eight running ones, and returns their names.
  @discardableResult private func startMany(_ count: Int) throws -> [String] {
    for number in 0..<Limits.actionsAtOnce {
      try daemon.start("gate/\(number)", on: [.started], shell: rig.untilGo)
    }
    let names = (0..<count).map { "t\($0)" }
    let calls = names.map { name in
      var timer = Wire.Start(name: name, .countdown(.seconds(3600)))
      timer.ring = Wire.Ring(
        running: ["/bin/sh", "-c", "echo $NIGHTJAR_NAME >>\(rig.path)/order"], environment: [:])
      timer.ring?.on = [.started]
      return Call.start(timer)
    }
    for result in try daemon.connect().callAll(calls, deadline: .after(usec: 60 * second)) {
      _ = try result.get()
    }
    return names
  }

  @Test func `Commands that do not fit into memory wait on disk, also for a next daemon`() throws {
    let names = try startMany(Limits.actionsWaiting + 200)
    #expect(try daemon.unfinished(rig).split(separator: "\n").count == names.count + 8)
    try daemon.process.lines.next("a word") { $0.contains("others wait for one to end") }
    let counts = try daemon.status().commands
    #expect(counts.running == 8 && counts.waiting == Int64(names.count))
    try daemon.crash()
    let next = try rig.actingDaemon()
    try rig.go()
    #expect(try rig.awaitLines(names.count, of: "order").sorted() == names.sorted())
    try awaitTrue("commands are left") { try next.unfinished(rig) == "" }
    #expect(try next.ledger().filter { $0.outcome == .dropped } == [])
  }
}
