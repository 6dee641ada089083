import Foundation
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Calls behind a stream on the same connection, and streams that ask for much.
@Suite(.blocking) struct StreamTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  /// A connection that watches a timer and has read its state.
  private func watching(_ name: String) throws -> RawSocket {
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Watch", #"{"name":"\#(name)"}"#, #","more":true"#))
    while try #require(try socket.reply()).parameters["synced"] == nil {}
    return socket
  }

  @Test(arguments: [true, false])
  func `Calls behind a stream wait for its end, however they came`(together: Bool) throws {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    try client.start("egg", usec: hour)
    let watch = RawSocket.text("Watch", #"{"name":"tea"}"#, #","more":true"#)
    let behind = [
      RawSocket.text("Get", #"{"name":"egg"}"#), RawSocket.text("Watch", "{}", #","more":true"#),
    ]
    let socket: RawSocket
    if together {
      socket = try daemon.rawSocket()
      try socket.send(RawSocket.bytes([watch] + behind))
      while try #require(try socket.reply()).parameters["synced"] == nil {}
    } else {
      socket = try watching("tea")
      try socket.send(RawSocket.bytes(behind))
    }
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

  @Test func `The end of a watch ends the connection of a client that has shut down sending`()
    throws
  {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let socket = try watching("tea")
    socket.shutdownWriting()
    _ = try client.timer(.perform(.remove, name: "tea"))
    #expect(try #require(try socket.reply()).parameters["event"]?["type"] == "removed")
    #expect(try socket.reply() == nil)
    #expect(try client.status().counts.clients == 1)
  }

  /// Changes that do not fit for a client that never reads are folded, and all states are sent
  /// again: the names of removed timers do not accumulate.
  @Test func `A watching client that never read gets all states once more`() throws {
    let client = try daemon.connect()
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Watch", "{}", #","more":true"#))
    #expect(try #require(try socket.reply()).parameters["synced"] == true)
    // Each with data, so that the output soon exceeds all buffers.
    let data = JSONValue.object([.init("x", .string(String(repeating: "x", count: 3000)))])
    for round in 0..<10 {
      let calls = (0..<600).flatMap { number in
        let name = "t\(round * 600 + number)"
        return [
          Call.start(name: name, durationUsec: hour, data: data), .perform(.remove, name: name),
        ]
      }
      for result in try client.callAll(calls) { _ = try result.get() }
    }
    try client.start("last", usec: hour)
    var (synced, last) = (false, false)
    while !synced || !last {
      let reply = try #require(try socket.reply())
      if reply.parameters["synced"] == true {
        synced = true
        #expect(reply.parameters["missed_after"]?.integerValue != nil)
      }
      if reply.parameters["timer"]?["name"] == "last" { last = true }
    }
  }

  // MARK: Long work for one client

  @Test func `Clients that ask for long stories let others be answered in between`() throws {
    let client = try daemon.connect()
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
    guard case .array(let events) = story.parameters["events"] else {
      throw Unmet(description: "no events in \(story)")
    }
    #expect(events.count == Int(Limits.whyEvents))
  }

  @Test func `A client that never stops asking takes turns with the others`() throws {
    let client = try daemon.connect()
    let calls = (0..<20_000).map { Call.start(name: "t\($0)", durationUsec: hour) }
    for result in try client.callAll(calls) { _ = try result.get() }
    let list = RawSocket.bytes([RawSocket.text("List", #"{"prefix":"none"}"#)])
    let flood = try daemon.rawSocket()
    // Each call visits every timer; together they take seconds.
    _ = flood.sendWhatFits(Array(repeatElement(list, count: 2000).joined()))
    let begun = Now.boottimeUsec
    _ = try client.get("t1")
    #expect(Now.boottimeUsec - begun < second / 2)
    // A call whose client did not wait is carried out as well.
    let hasty = try daemon.rawSocket()
    try hasty.send(
      frame: RawSocket.text(
        "Start", #"{"name":"hasty","duration_usec":60000000}"#, #","oneway":true"#))
    hasty.shutdownWriting()
    #expect(try hasty.frame() == nil)
    #expect(try client.get("hasty").state == .running)
  }

  // MARK: The folder
}
