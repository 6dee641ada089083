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

  /// Starts `count` timers that run for an hour, named `prefix` and a number.
  private func startTimers(_ count: Int, prefix: String = "t") throws {
    let calls = (0..<count).map { Call.start(name: "\(prefix)\($0)", durationUsec: hour) }
    for result in try daemon.connect().callAll(calls, deadline: .after(usec: 60 * second)) {
      _ = try result.get()
    }
  }

  private static let getInfo = RawSocket.bytes([RawSocket.text("org.varlink.service.GetInfo", "{}")]
  )

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
    let socket = try daemon.rawSocket()
    let calls = (0..<10_000).map {
      RawSocket.text("Start", #"{"name":"n\#($0)","duration_usec":\#(hour)}"#)
    }
    let replies = try socket.exchange(RawSocket.bytes(calls), replies: 10_000)
    #expect(replies.compactMap { $0.parameters["timer"]?["id"]?.integerValue } == Array(1...10_000))
    #expect(try daemon.status().counts.running == 10_000)
  }

  // MARK: Pieces

  @Test func `A client that leaves in the middle of a message leaves nothing behind`() throws {
    for count in [1, 20, Self.getInfo.count - 1] {
      let socket = try daemon.rawSocket()
      try socket.send(Array(Self.getInfo[..<count]))
    }
    let half = RawSocket.text("Start", #"{"name":"tea","duration_usec":60000000}"#)
    try daemon.rawSocket().send(Array(half.utf8))
    try expectOnlyClient()
    #expect(try daemon.connect().names() == [])
  }

  /// Expects that the daemon has forgotten the clients that left: the kernel reports their end
  /// before it reports a later client.
  private func expectOnlyClient() throws {
    let client = try daemon.connect()
    try awaitTrue("clients that left are still counted") {
      try client.status().counts.clients == 1
    }
  }

  @Test func `A client that leaves before its replies come does no harm`() throws {
    try startTimers(1000)
    for _ in 0..<20 {
      let socket = try daemon.rawSocket()
      for _ in 0..<10 { try socket.send(frame: RawSocket.text("List", "{}")) }
      try socket.send(frame: RawSocket.text("Watch", "{}", #","more":true"#))
    }
    try expectOnlyClient()
  }

  @Test func `Calls that want no reply are carried out even if their client has left`() throws {
    let calls = (0..<5000).map {
      RawSocket.text("Start", #"{"name":"n\#($0)","duration_usec":\#(hour)}"#, #","oneway":true"#)
    }
    try daemon.rawSocket().send(RawSocket.bytes(calls))
    try expectOnlyClient()
    #expect(try daemon.status().counts.running == 5000)
  }

  // MARK: Half-closed

  @Test func `A client that has shut down sending gets all replies whole, and then the end`() throws
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
  }

  @Test
  func `A client that has shut down sending gets the whole ledger it asked for, and new events`()
    throws
  {
    try startTimers(3000)
    do {
      let socket = try daemon.rawSocket()
      try socket.send(frame: RawSocket.text("Events", #"{"after":0}"#, #","more":true"#))
      socket.shutdownWriting()
      for seq in 1...3000 {
        #expect(try socket.reply()?.parameters["event"]?["seq"]?.integerValue == Int64(seq))
      }
      try daemon.connect().start("tea", usec: hour)
      #expect(try socket.reply()?.parameters["event"]?["name"] == "tea")
    }
    // The daemon does not keep polling a connection that has hung up.
    try expectOnlyClient()
  }

  // MARK: Crowds

  @Test func `A thousand clients at once are each served`() throws {
    try OpenFiles.allowMany()
    try daemon.connect().start("tea", usec: hour)
    let sockets = try (0..<1000).map { _ in try daemon.rawSocket() }
    for (number, socket) in sockets.enumerated() {
      try socket.send(frame: RawSocket.text("Get", #"{"name":"c\#(number)"}"#))
      try socket.send(frame: RawSocket.text("Get", #"{"name":"tea"}"#))
    }
    for (number, socket) in sockets.enumerated() {
      #expect(try socket.reply()?.parameters["name"]?.stringValue == "c\(number)")
      #expect(try socket.reply()?.parameters["timer"]?["name"] == "tea")
    }
    #expect(try daemon.status().counts.clients == 1001)
  }

  @Test func `More clients than there is room for wait, and are served later`() throws {
    try OpenFiles.allowMany()
    var sockets: [RawSocket] = []
    for _ in 0..<Limits.connections { sockets.append(try daemon.rawSocket()) }
    try sockets[Limits.connections - 1].send(Self.getInfo)
    #expect(try sockets[Limits.connections - 1].reply()?.error == nil)
    let late = try daemon.rawSocket()
    try late.send(Self.getInfo)
    // The connected clients are still served; each that leaves makes room.
    try sockets[0].send(Self.getInfo)
    #expect(try sockets[0].reply()?.error == nil)
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
