import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarWire
import Testing

/// How many commands run at a time, and in which order.
@Suite struct ActionQueueTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  /// Waits until a file is there, then ends.
  private var waiting: String { "while [ ! -e \(rig.path)/go ]; do sleep 0.02; done" }

  private func go() throws { try Data().write(to: URL(filePath: "\(rig.path)/go")) }

  @Test func `Eight run at a time; the others wait, in their order`() throws {
    let names = (0..<20).map { "t\($0)" }
    let client = try daemon.connect()
    for name in names {
      var timer = NewTimer(name: name, .countdown(.seconds(3600)))
      timer.ring = NewTimer.Ring(
        running: ["/bin/sh", "-c", "\(waiting); echo $NIGHTJAR_NAME >>\(rig.path)/order"],
        environment: [:])
      timer.ring?.events = [.started]
      _ = try client.timer(.start(timer))
    }
    let events = try daemon.events(after: 0)
    var started: [String] = []
    for _ in 0..<Limits.actionsAtOnce {
      started.append(try #require(try events.event { $0.type == .actionStarted }.name))
    }
    #expect(started == Array(names.prefix(Limits.actionsAtOnce)))
    #expect(try daemon.settledLedger().filter { $0.type == .actionStarted }.count == 8)
    #expect(try daemon.children == 8)
    try go()
    while started.count < names.count {
      started.append(try #require(try events.event { $0.type == .actionStarted }.name))
    }
    #expect(started == names)
    let ends = try daemon.events(after: 0)
    for _ in names { #expect(try ends.event { $0.type == .actionEnded }.end == "exited 0") }
  }

  @Test func `Those of one timer run one after another, and keep nobody else waiting`() throws {
    try daemon.start(
      "tea", usec: hour, shell: "\(waiting); echo $NIGHTJAR_EVENT >>\(rig.path)/order"
    ) { timer in
      timer.ring?.events = [.started, .paused, .resumed, .cancelled]
    }
    let client = try daemon.connect()
    for operation in [.pause, .resume, .cancel] as [Call.Operation] {
      _ = try client.timer(.perform(operation, name: "tea"))
    }
    try daemon.start("egg", running: ["true"])
    #expect(try daemon.end(of: "egg").end == "exited 0")
    let started = try daemon.settledLedger().filter { $0.type == .actionStarted }
    #expect(started.map(\.name) == ["tea", "egg"])
    try go()
    let ends = try daemon.events(after: 0)
    for _ in 0..<4 { _ = try ends.event { $0.type == .actionEnded && $0.name == "tea" } }
    let order = try String(contentsOfFile: "\(rig.path)/order", encoding: .utf8)
    #expect(order == "started\npaused\nresumed\ncancelled\n")
  }

  @Test func `More than may wait: the oldest of whoever has the most is dropped, and said to be`()
    throws
  {
    try daemon.start(
      "mine", usec: hour, shell: "\(waiting); echo $NIGHTJAR_EVENT >>\(rig.path)/mine"
    ) { timer in
      timer.ring?.events = [.started, .paused]
    }
    let client = try daemon.connect()
    _ = try client.timer(.perform(.pause, name: "mine"))
    // One of these runs as well; the others wait behind it.
    try daemon.start("flood", usec: hour, shell: waiting) { $0.ring?.events = [.updated] }
    let count = Limits.actionsWaiting + 100
    let calls = (0...count).map { Call.update(name: "flood", data: ["n": .integer(Int64($0))]) }
    for first in stride(from: 0, to: calls.count, by: 500) {
      let some = Array(calls[first..<min(first + 500, calls.count)])
      _ = try client.callAll(some, deadline: .after(usec: 60 * second))
    }
    let dropped = try daemon.settledLedger().filter { $0.outcome == .dropped }
    let updates = try daemon.ledger().filter { $0.type == .updated }
    // All but one that runs, and what may wait, among them that of `mine`.
    #expect(dropped.count == calls.count - 1 - (Limits.actionsWaiting - 1))
    #expect(dropped.allSatisfy { $0.name == "flood" && $0.attempt == 0 })
    #expect(dropped.map(\.callingSeq) == updates.dropFirst().prefix(dropped.count).map(\.seq))
    #expect(try daemon.unfinished(rig).split(separator: "\n").count == Limits.actionsWaiting + 2)
    try go()
    let ends = try daemon.events(after: 0)
    for _ in 0..<2 { _ = try ends.event { $0.type == .actionEnded && $0.name == "mine" } }
    #expect(try String(contentsOfFile: "\(rig.path)/mine", encoding: .utf8) == "started\npaused\n")
  }
}
