import Glibc
import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Misbehaving clients, and many clients.
@Suite(.blocking) struct ClientTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  /// Starts `count` timers that run for an hour, named `t` and a number.
  private func startTimers(_ count: Int) throws {
    let calls = (0..<count).map { Call.start(name: "t\($0)", durationUsec: hour) }
    for result in try daemon.connect().callAll(calls, deadline: .after(usec: 60 * second)) {
      _ = try result.get()
    }
  }

  private static let getInfo = RawSocket.bytes([RawSocket.text("org.varlink.service.GetInfo", "{}")]
  )

  private static func starts(_ count: Int, _ flags: String = "") -> [UInt8] {
    RawSocket.bytes(
      (0..<count).map {
        RawSocket.text("Start", #"{"name":"n\#($0)","duration_usec":\#(hour)}"#, flags)
      })
  }

  // MARK: Order

  @Test func `Calls in a pipeline are answered in order, changes and questions alike`() throws {
    let socket = try daemon.rawSocket()
    let named = #"{"name":"tea"}"#
    let start = RawSocket.text("Start", #"{"name":"tea","duration_usec":60000000}"#)
    let calls = [
      start, RawSocket.text("Get", named), start, RawSocket.text("Pause", named),
      RawSocket.text("Get", named), RawSocket.text("Remove", named), RawSocket.text("Get", named),
      start, RawSocket.text("org.varlink.service.GetInfo", "{}"),
    ]
    let replies = try socket.exchange(RawSocket.bytes(calls), replies: calls.count)
    let seen = replies.map { reply in
      reply.error ?? reply.parameters["timer"]?["state"]?.stringValue ?? "info"
    }
    #expect(
      seen == [
        "running", "running", "org.nightjar.Timers.TimerExists", "paused", "paused", "paused",
        "org.nightjar.Timers.TimerNotFound", "running", "info",
      ])
  }

  @Test func `Ten thousand changes in a pipeline are made in order`() throws {
    let replies = try daemon.rawSocket().exchange(Self.starts(10_000), replies: 10_000)
    #expect(replies.compactMap { $0.parameters["timer"]?["id"]?.integerValue } == Array(1...10_000))
    #expect(try daemon.status().counts.running == 10_000)
  }

  // MARK: Pieces

  /// Expects that the daemon has forgotten the clients that left: the kernel reports their end
  /// before it reports a later client.
  private func expectOnlyClient() throws {
    let client = try daemon.connect()
    try awaitTrue("clients that left are still counted") {
      try client.status().counts.clients == 1
    }
  }

  @Test func `Clients that leave within a message, or before their replies, leave nothing behind`()
    throws
  {
    try startTimers(1000)
    let start = RawSocket.text("Start", #"{"name":"tea","duration_usec":60000000}"#)
    for count in [1, 20, Self.getInfo.count - 1] {
      try daemon.rawSocket().send(Array(Self.getInfo[..<count]))
    }
    try daemon.rawSocket().send(Array(start.utf8))
    for _ in 0..<20 {
      let socket = try daemon.rawSocket()
      for _ in 0..<10 { try socket.send(frame: RawSocket.text("List", "{}")) }
      try socket.send(frame: RawSocket.text("Watch", "{}", #","more":true"#))
    }
    try expectOnlyClient()
    #expect(try daemon.status().counts.running == 1000)
  }

  @Test func `Calls that want no reply are carried out even if their client has left`() throws {
    try daemon.rawSocket().send(Self.starts(5000, #","oneway":true"#))
    try expectOnlyClient()
    #expect(try daemon.status().counts.running == 5000)
  }

  // MARK: Half-closed

  @Test func `A client that has shut down sending gets all replies whole, and what it follows`()
    throws
  {
    try startTimers(3000)
    let socket = try daemon.rawSocket()
    let calls = [
      RawSocket.text("Start", #"{"name":"tea","duration_usec":60000000}"#),
      RawSocket.text("Get", #"{"name":"tea"}"#), RawSocket.text("Remove", #"{"name":"tea"}"#),
    ]
    let lists = Array(repeating: RawSocket.text("List", "{}"), count: 20)
    let stream = RawSocket.text("List", "{}", #","more":true"#)
    try socket.send(RawSocket.bytes(calls + lists + [stream]))
    socket.shutdownWriting()
    for _ in calls { #expect(try socket.reply()?.parameters["timer"]?["name"] == "tea") }
    for _ in lists { #expect(try #require(try socket.frame()).count > 200_000) }
    var count = 0
    while let reply = try socket.reply(), reply.continues { count += 1 }
    #expect(count == 3000)
    #expect(try socket.frame() == nil)
    do {
      let socket = try daemon.rawSocket()
      try socket.send(frame: RawSocket.text("Events", #"{"after":0}"#, #","more":true"#))
      socket.shutdownWriting()
      // The last two are the start and the removal of tea.
      for seq in 1...3002 {
        #expect(try socket.reply()?.parameters["event"]?["seq"]?.integerValue == Int64(seq))
      }
      try daemon.connect().start("tea", usec: hour)
      #expect(try socket.reply()?.parameters["event"]?["name"] == "tea")
    }
    // The daemon does not keep polling a connection that has hung up.
    try expectOnlyClient()
  }

  // MARK: Crowds

  @Test func `Thousands of clients at once are each served, and more than fit wait for room`()
    throws
  {
    try OpenFiles.allowMany()
    try daemon.connect().start("tea", usec: hour)
    var sockets = try (0..<Limits.connections).map { _ in try daemon.rawSocket() }
    for (number, socket) in sockets.enumerated() {
      try socket.send(frame: RawSocket.text("Get", #"{"name":"c\#(number)"}"#))
      try socket.send(frame: RawSocket.text("Get", #"{"name":"tea"}"#))
    }
    for (number, socket) in sockets.enumerated() {
      #expect(try socket.reply()?.parameters["name"]?.stringValue == "c\(number)")
      #expect(try socket.reply()?.parameters["timer"]?["name"] == "tea")
    }
    let late = try daemon.rawSocket()
    try late.send(Self.getInfo)
    // The connected clients are still served; each that leaves makes room.
    let status = try Wire.Status.Reply(sockets[0].call("Status", "{}").parameters)
    #expect(status.counts.clients == Int64(Limits.connections))
    sockets.removeFirst(10)
    #expect(try late.reply()?.parameters["product"] == "nightjard")
  }

  // MARK: Those that do not read

  @Test func `A client that never reads costs little memory, and others are served meanwhile`()
    throws
  {
    try startTimers(1000)
    let before = try daemon.ownKilobytes
    let greedy = try daemon.rawSocket()
    // Each answer is a page of 256 KiB.
    let count = 220
    let calls = Array(repeating: RawSocket.text("List", "{}"), count: count)
    // Sent at once: the daemon has read all calls by the time it runs out of room for the answers.
    try greedy.send(RawSocket.bytes(calls))
    let client = try daemon.connect()
    for number in 0..<100 {
      try client.start("other\(number)", usec: hour)
      #expect(try client.get("t\(number)").state == .running)
    }
    let after = try daemon.ownKilobytes
    #expect(after - before < 32 * 1024, "grew by \(after - before) kB")
    var bytes = 0
    for _ in 0..<count { bytes += try #require(try greedy.frame()).count }
    #expect(bytes > 50_000_000, "were owed \(bytes) bytes")
  }

  @Test func `The daemon stops reading from a client that only sends`() throws {
    let before = try daemon.ownKilobytes
    let socket = try daemon.rawSocket()
    let bytes = Array(repeatElement(Self.getInfo, count: 1000).joined())
    var (sent, refusals) = (0, 0)
    // The daemon answers in between, so only many refused sends in a row show that it has stopped
    // reading.
    while refusals < 50, sent < 64 * 1024 * 1024 {
      let count = socket.sendWhatFits(bytes)
      sent += count
      refusals = count == 0 ? refusals + 1 : 0
      if count == 0 { #expect(try daemon.status().counts.clients >= 2) }
    }
    #expect(sent < 8 * 1024 * 1024)
    #expect(try daemon.ownKilobytes - before < 8 * 1024)
  }

  @Test func `Memory that many clients used is returned when they have left`() throws {
    try startTimers(1000)
    let before = try daemon.ownKilobytes
    for _ in 0..<3 {
      let sockets = try (0..<40).map { _ in try daemon.rawSocket() }
      for socket in sockets {
        for _ in 0..<4 { try socket.send(frame: RawSocket.text("List", "{}")) }
      }
      for socket in sockets { #expect(try socket.frame() != nil) }
    }
    try expectOnlyClient()
    #expect(try daemon.ownKilobytes - before < 32 * 1024)
  }
}
