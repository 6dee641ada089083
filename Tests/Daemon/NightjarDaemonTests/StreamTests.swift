import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// What a new watch shows, calls behind a stream on the same connection, and clients that ask for
/// much.
@Suite(.blocking) struct StreamTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  /// A connection that watches a timer and has read its state.
  private func watching(_ name: String) throws -> RawSocket {
    let socket = try daemon.rawStream("Watch", #"{"name":"\#(name)"}"#)
    while try #require(try socket.reply()).parameters["synced"] == nil {}
    return socket
  }

  @Test(arguments: [true, false])
  func `Calls behind a stream wait for its end, however they came`(together: Bool) throws {
    try client.start("tea", usec: hour)
    try client.start("egg", usec: hour)
    let watch = RawSocket.text("Watch", #"{"name":"tea"}"#, #","more":true"#)
    let behind = [
      RawSocket.text("Get", #"{"name":"egg"}"#), RawSocket.text("Watch", "{}", #","more":true"#),
    ]
    let socket = try together ? daemon.rawSocket() : watching("tea")
    try socket.send(RawSocket.bytes(together ? [watch] + behind : behind))
    while together, try #require(try socket.reply()).parameters["synced"] == nil {}
    // When another client is answered, the daemon has read this.
    #expect(try client.status().counts.watchers == 1)
    _ = try client.timer(.perform(.pause, name: "tea"))
    let paused = try #require(try socket.reply())
    #expect(paused.parameters["event"]?["type"] == "paused" && paused.continues)
    _ = try client.timer(.perform(.remove, name: "tea"))
    let removed = try #require(try socket.reply())
    #expect(removed.parameters["event"]?["type"] == "removed" && !removed.continues)
    let got = try #require(try socket.reply())
    #expect(got.parameters["timer"]?["name"] == "egg" && !got.continues)
    #expect(try #require(try socket.reply()).parameters["timer"]?["name"] == "egg")
    #expect(try client.status().counts.watchers == 1)
  }

  @Test func `The end of a watch ends a connection that has shut down sending`() throws {
    try client.start("tea", usec: hour)
    let socket = try watching("tea")
    socket.shutdownWriting()
    _ = try client.timer(.perform(.remove, name: "tea"))
    #expect(try #require(try socket.reply()).parameters["event"]?["type"] == "removed")
    #expect(try socket.reply() == nil)
    #expect(try client.status().counts.clients == 1)
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

  // MARK: Long work for one client

  @Test func `Clients that ask for long stories let others be answered in between`() throws {
    try client.start("tea", usec: hour)
    // Each in a commit and a row of its own, so that a story is read from a thousand places.
    for _ in 0..<Limits.whyEvents {
      _ = try client.timer(.extend(name: "tea", byUsec: second))
    }
    let busy = try daemon.rawSocket()
    let why = RawSocket.text("Why", #"{"name":"tea"}"#)
    try busy.send(RawSocket.bytes([String](repeating: why, count: 50)))
    // All stories take seconds; one slice of one takes a few milliseconds.
    let begun = Now.boottimeUsec
    _ = try client.get("tea")
    #expect(Now.boottimeUsec - begun < second)
    let story = try #require(try busy.reply())
    #expect(story.parameters["events"]?.arrayValue?.count == Int(Limits.whyEvents))
  }

  @Test func `A client that never stops asking takes turns with the others`() throws {
    let calls = (0..<20_000).map { Call.start(name: "t\($0)", durationUsec: hour) }
    for result in try client.callAll(calls) { _ = try result.get() }
    let list = RawSocket.bytes([RawSocket.text("List", #"{"prefix":"none"}"#)])
    let flood = try daemon.rawSocket()
    // Each call visits every timer; together they take seconds.
    _ = flood.sendWhatFits(Array(repeatElement(list, count: 2000).joined()))
    let begun = Now.boottimeUsec
    _ = try client.get("t1")
    #expect(Now.boottimeUsec - begun < second / 2)
  }
}
