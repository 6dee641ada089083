import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Watching timers, and reading the ledger as it grows.
@Suite(.blocking) struct WatchTests {
  let rig: Rig
  let daemon: DaemonProcess
  private let bound = Deadline.after(usec: 30 * second)

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  private func next(_ stream: NightjarClient.ReplyStream) throws -> JSONValue {
    try #require(try stream.next(deadline: .after(usec: 30 * second)))
  }

  @Test func `A watch sends the states, then the end of them, then every change`() throws {
    let client = try daemon.connect()
    for name in ["run/1", "run/2", "runner"] { try client.start(name, usec: hour) }
    let watch = try daemon.watch(prefix: "run")
    let names = [try next(watch), try next(watch)].compactMap { $0["timer"]?["name"]?.stringValue }
    #expect(Set(names) == ["run/1", "run/2"])
    #expect(try next(watch)["synced"]?.boolValue == true)

    _ = try client.call(.perform(.pause, name: "runner"), deadline: bound)
    _ = try client.call(.perform(.pause, name: "run/2"), deadline: bound)
    let change = try next(watch)
    #expect(change["event"]?["type"]?.stringValue == "paused")
    #expect(change["timer"]?["name"]?.stringValue == "run/2")
    #expect(change["timer"]?["state"]?.stringValue == "paused")
  }

  @Test func `The first values are on disk when they are sent: no crash takes one back`() throws {
    var daemon = daemon
    for round in 0..<10 {
      let starts = try daemon.rawSocket()
      let calls = (0..<60).map {
        RawSocket.text("Start", #"{"name":"r\#(round)/\#($0)","duration_usec":3600000000}"#)
      }
      let watching = try daemon.rawSocket()
      try starts.send(RawSocket.bytes(calls))
      try watching.send(
        frame: RawSocket.text("Watch", #"{"prefix":"r\#(round)"}"#, #","more":true"#))
      var shown: Set<String> = []
      while let reply = try watching.reply(), reply.parameters["synced"] == nil {
        if let name = reply.parameters["timer"]?["name"]?.stringValue { shown.insert(name) }
      }
      daemon.process.kill()
      daemon = try rig.daemon()
      let there = Set(try daemon.connect().names(prefix: "r\(round)"))
      #expect(shown.isSubset(of: there), "round \(round)")
    }
  }

  @Test func `A timer that is removed ends its watch with a last reply`() throws {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let watch = try daemon.watch(name: "tea")
    #expect(try next(watch)["timer"]?["name"]?.stringValue == "tea")
    #expect(try next(watch)["synced"]?.boolValue == true)
    _ = try client.call(.perform(.remove, name: "tea"), deadline: bound)
    let last = try next(watch)
    #expect(last["event"]?["type"]?.stringValue == "removed")
    #expect(try watch.next(deadline: bound) == nil)
  }

  @Test func `Numbers of a ledger that is gone are refused, with the name of the present one`()
    throws
  {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let old = try client.status().storage.ledger
    #expect(old.utf8.count == 16)
    let known = try daemon.connect().stream(.events(after: 0, ledger: old))
    #expect(try next(known)["ledger"]?.stringValue == old)
    try daemon.terminate()
    try FileManager.default.removeItem(atPath: daemon.options.stateFolder)
    let again = try rig.daemon()
    let other = try again.connect()
    // The new ledger has more events than the old one.
    for index in 1...9 { try other.start("t\(index)", usec: hour) }
    let new = try other.status().storage.ledger
    #expect(new != old)
    for call: Call in [.events(after: 1, ledger: old), .watch(name: "t1", after: 1, ledger: old)] {
      let stream = try again.connect().stream(call)
      #expect(throws: ClientError.refused(.ledgerChanged(ledger: new))) {
        try stream.next(deadline: bound)
      }
    }
  }

  @Test func `Ticks come while a timer runs, and none once it is paused`() throws {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let watch = try daemon.watch(name: "tea", tickUsec: 20 * millisecond)
    #expect(try next(watch)["timer"] != nil)
    #expect(try next(watch)["synced"]?.boolValue == true)
    var remaining: [Int64] = []
    while remaining.count < 3 {
      let tick = try next(watch)
      #expect(tick["event"] == nil)
      remaining.append(try #require(tick["timer"]?["remaining_usec"]?.integerValue))
    }
    #expect(remaining == remaining.sorted(by: >))
    _ = try client.call(.perform(.pause, name: "tea"), deadline: bound)
    var reply = try next(watch)
    while reply["event"] == nil { reply = try next(watch) }
    #expect(reply["event"]?["type"]?.stringValue == "paused")
    // The next event is not a tick: it is the resumption.
    _ = try client.call(.perform(.resume, name: "tea"), deadline: bound)
    #expect(try next(watch)["event"]?["type"]?.stringValue == "resumed")
  }

  @Test func `The ledger is sent once, from the first entry on, across a restart`() throws {
    let client = try daemon.connect()
    for index in 1...20 { try client.start("t\(index)", usec: hour) }
    try daemon.terminate()
    let again = try rig.daemon()
    try again.connect().start("last", usec: hour)
    let ledger = try again.ledger { $0.name == "last" }
    #expect(ledger.map(\.seq) == Array(1...Int64(ledger.count)))
    #expect(ledger.filter { $0.type == "started" }.count == 21)
    #expect(ledger.contains { $0.type == "did_enter_background" })
    #expect(ledger.contains { $0.type == "will_enter_foreground" })
    // It is the same ledger, and its name shows that.
    let first = try #require(try again.events(after: 0).next(deadline: bound))
    #expect(first["ledger"]?.stringValue == (try again.connect().status().storage.ledger))
    // With a number, only the events after it come.
    let stream = try again.events(after: 10)
    #expect(try stream.event().seq == 11)
    #expect(
      try again.connect().refusal(of: .start(name: "last", durationUsec: second))
        == .timerExists(name: "last"))
  }
}
