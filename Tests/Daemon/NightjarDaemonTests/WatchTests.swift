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
