import Foundation
import Glibc
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Streams across restarts and crashes of the daemon, while their clients have unread output. A
/// service manager of the test holds the connections (sd_notify(3), FDSTORE=1).
@Suite(.blocking) struct HandOverTests {
  private static let streams = 20
  private static let events = 800

  private let rig: Rig
  private let manager: DescriptorStore

  init() throws {
    rig = try Rig()
    manager = try DescriptorStore(path: "\(rig.path)/manager")
  }

  /// Starts a daemon that gets the descriptors its manager holds, from number 3 on.
  private func daemon() throws -> DaemonProcess {
    try rig.resumedDaemon(by: manager, try manager.take())
  }

  /// The number of the next event that a client reads; nil at the end of the connection.
  private func seq(_ socket: RawSocket) throws -> Int64? {
    // Not parsed as JSON, because a debug build would take too long for so many events.
    let head = #"{"parameters":{"event":{"seq":"#
    guard let frame = try socket.frame() else { return nil }
    guard frame.starts(with: head.utf8) else {
      throw Unmet(description: String(decoding: frame, as: UTF8.self))
    }
    return Int64(
      String(decoding: frame.dropFirst(head.utf8.count).prefix { $0 != 0x2C }, as: UTF8.self))
  }

  @Test func `Events streams that are catching up continue after a restart, without a gap`()
    throws
  {
    let first = try daemon()
    let client = try first.connect()
    let data = JSONValue.object([.init("x", .string(String(repeating: "x", count: 1_000)))])
    try client.start("tea", usec: hour)
    for result in try client.callAll(
      (1..<Self.events).map { _ in .update(name: "tea", data: data) })
    { _ = try result.get() }
    let sockets = try (0..<Self.streams).map { _ in try first.rawSocket() }
    for (index, socket) in sockets.enumerated() {
      try socket.send(
        frame: RawSocket.text("Events", #"{"after":0}"#, #","more":true"#))
      // Some clients have read a part, so that streams are cut at various places.
      for number in 0..<(index * 7) { #expect(try seq(socket) == Int64(number + 1)) }
    }
    // The daemon has sent all of them as much as the kernel accepts.
    try awaitTrue("they are not all followed") {
      try client.status().counts.watchers == Int64(Self.streams)
    }
    try first.terminate()
    let next = try daemon()
    _ = try next.connect().start("egg", usec: hour)
    let last = try next.status().storage.lastSeq
    for (index, socket) in sockets.enumerated() {
      var expected = Int64(index * 7 + 1)
      while expected <= last {
        let seq = try seq(socket)
        guard seq == expected else {
          throw Unmet(description: "stream \(index): \(seq ?? -1) in place of \(expected)")
        }
        expected += 1
      }
    }
  }

  /// A stream of the events from now on, which the manager holds.
  private func follow(_ daemon: DaemonProcess, and calls: [String] = []) throws -> RawSocket {
    let socket = try daemon.rawSocket()
    try socket.send(RawSocket.bytes([RawSocket.text("Events", "{}", #","more":true"#)] + calls))
    try daemon.connect().start("first", usec: hour)
    _ = try #require(try seq(socket))
    return socket
  }

  @Test func `A crash does not end a stream that was completely sent`() throws {
    let first = try daemon()
    let socket = try follow(first)
    let last = try first.status().storage.lastSeq
    try first.crash()
    let next = try daemon()
    try next.connect().start("egg", usec: hour)
    #expect(try seq(socket) == last + 1)
  }

  @Test func `A crash ends a stream that was partly sent, and no event comes twice`() throws {
    let first = try daemon()
    let socket = try follow(first)
    let client = try first.connect()
    let before = try client.status().storage.lastSeq
    let data = JSONValue.object([.init("x", .string(String(repeating: "x", count: 4_000)))])
    // More than the kernel accepts for a client that does not read.
    for result in try client.callAll((0..<400).map { _ in .update(name: "first", data: data) }) {
      _ = try result.get()
    }
    try first.crash()
    let next = try daemon()
    try next.connect().start("egg", usec: hour)
    var expected = before + 1
    while let seq = try seq(socket) {
      try #require(seq == expected)
      expected += 1
    }
    #expect(expected > before + 1 && expected < before + 400)
  }

  @Test func `A crash ends a stream with calls waiting behind it`() throws {
    let first = try daemon()
    let socket = try follow(first, and: [RawSocket.text("Get", #"{"name":"first"}"#)])
    try first.crash()
    let next = try daemon()
    try next.connect().start("egg", usec: hour)
    #expect(try socket.frame() == nil)
  }

  @Test func `The unit lets the service manager hold all descriptors that the daemon hands over`()
    throws
  {
    let unit = try Documentation.text(of: "systemd/nightjar.service")
    // Besides the streams, the manager holds the pipe of each running command, and the memory file.
    let most = Limits.preservedStreams + Limits.actionsAtOnce + 1
    #expect(unit.contains("\nFileDescriptorStoreMax=\(most)\n"))
  }

  @Test func `Streams that have ended leave room for others`() throws {
    let first = try daemon()
    for _ in 0...Limits.preservedStreams {
      let socket = try first.rawSocket()
      try socket.send(frame: RawSocket.text("Watch", "{}", #","more":true"#))
      _ = try #require(try socket.frame())
    }
    try awaitTrue("they are followed still") { try first.status().counts.watchers == 0 }
    let socket = try follow(first)
    let last = try first.status().storage.lastSeq
    try first.crash()
    let next = try daemon()
    try next.connect().start("egg", usec: hour)
    #expect(try seq(socket) == last + 1)
  }
}
