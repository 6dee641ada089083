import Glibc
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// The total memory for many clients that watch and never read.
@Suite(.blocking) struct WatchersBudgetTests {
  private static let watchers = 100
  private static let updates = 240

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func update(_ count: Int) throws {
    let data = JSONValue.object([.init("x", .string(String(repeating: "x", count: 4_000)))])
    let calls = (0..<count).map { _ in Call.update(name: "tea", data: data) }
    for result in try client.callAll(calls) { _ = try result.get() }
  }

  @Test func `Clients that never read are cut within the budget, with their number`() throws {
    try client.start("tea", usec: hour)
    try update(1)
    let sockets = try (0..<Self.watchers).map { number in
      let (method, parameters) = number % 2 == 0 ? ("Watch", "{}") : ("Events", #"{"after":1}"#)
      return try daemon.rawStream(method, parameters)
    }
    var reader = try LiveStream(
      path: daemon.options.socketPath, connection: try daemon.connect(), call: .events(after: 0))
    try awaitTrue("they do not watch") {
      try client.status().counts.watchers == Int64(Self.watchers) + 1
    }
    let before = try daemon.ownKilobytes
    var last: Int64 = 2
    // A client that reads is never cut, however slow the others are.
    for _ in 0..<8 {
      try update(Self.updates / 8)
      last += Int64(Self.updates / 8)
      while reader.lastSeq ?? 0 < last {
        _ = try reader.next(deadline: .after(usec: 30 * second))
      }
    }
    #expect(reader.reconnections == 0)
    let grownBytes = Int(try daemon.ownKilobytes - before) * 1024
    print("\(Self.watchers) that never read: \(grownBytes) bytes for \(Self.updates) updates")
    // The allocation is up to twice as large as the unread output.
    #expect(grownBytes < 3 * Limits.watchersBytes)
    try daemon.process.lines.next("a word about it") { $0.contains("NIGHTJAR_WATCHERS=cut") }

    var cut = 0
    for socket in sockets { if try goOn(socket, to: last) { cut += 1 } }
    // Together they would exceed the budget by half.
    #expect(cut > Self.watchers / 4)
  }

  /// Reads up to an event. If the stream is cut, calls again with the number it was given.
  ///
  /// - Returns: whether it was cut.
  private func goOn(_ socket: RawSocket, to last: Int64) throws -> Bool {
    var (seq, wasCut): (Int64?, Bool) = (nil, false)
    while seq ?? 0 < last {
      let reply = try #require(try socket.reply())
      if let next = reply.parameters["event"]?["seq"]?.integerValue {
        #expect(seq == nil || next == (seq ?? 0) + 1)
        seq = next
      }
      // A stream that was not cut has folded the rest into one reply.
      if reply.parameters["missed_after"] != nil { return wasCut }
      guard let error = reply.error else { continue }
      #expect(error == "org.nightjar.Timers.TooSlow")
      let after = try #require(reply.parameters["after"]?.integerValue)
      #expect(seq == nil || after == seq)
      wasCut = true
      try socket.send(frame: RawSocket.text("Events", #"{"after":\#(after)}"#, #","more":true"#))
    }
    return wasCut
  }
}
