import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A thousand clients that watch the same timer.
@Suite(.blocking, .timed) struct WatchersTests {
  private static let watchers = 1_000
  private static let changes = 40

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    try OpenFiles.allowMany()
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  /// A client that reads everything, and parses only what is not a tick: in a debug build, parsing
  /// would take too long for a thousand.
  private struct Watcher {
    let socket: RawSocket
    var events: [Int64] = []
    var ticks = 0

    mutating func read() throws {
      socket.connection.receive()
      while let frame = socket.connection.nextFrame() { try take(frame) }
    }

    /// Whether it is more than a tick.
    private static func isWord(_ text: UnsafeRawBufferPointer) -> Bool {
      guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
      return strstr(start, "\"event\"") != nil || strstr(start, "\"synced\"") != nil
    }

    private mutating func take(_ frame: [UInt8]) throws {
      guard (frame + [0]).withUnsafeBytes({ Self.isWord($0) }) else {
        ticks += 1
        return
      }
      let reply = try frame.withUnsafeBytes { try VarlinkReply.parse($0).json.value }
      if let seq = reply["event"]?["seq"]?.integerValue { events.append(seq) }
    }
  }

  /// All reading clients.
  private struct WatcherGroup {
    var watchers: [Watcher]
    private var requests: [pollfd]
    private let boundUsec = Now.boottimeUsec + 120 * second

    init(_ watchers: [Watcher]) {
      self.watchers = watchers
      requests = watchers.map {
        pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0)
      }
    }

    /// The least number of ticks that a client has got.
    var ticks: Int { watchers.map(\.ticks).min() ?? 0 }

    /// Reads what has arrived, or arrives within 100 ms.
    ///
    /// - Throws: `Unmet` after two minutes without the expected result.
    mutating func read() throws {
      guard Now.boottimeUsec < boundUsec else {
        throw Unmet(description: "\(watchers.count) watchers, of whom one has \(ticks) ticks")
      }
      poll(&requests, nfds_t(requests.count), 100)
      for index in requests.indices where requests[index].revents != 0 {
        try watchers[index].read()
      }
    }
  }

  private func watching(_ call: Call) throws -> RawSocket {
    var bytes: [UInt8] = []
    VarlinkCall.write(method: call.method, parameters: call.parameters, more: true, into: &bytes)
    let socket = try daemon.rawSocket()
    try socket.send(bytes)
    return socket
  }

  @Test func `Beside one of 1,000 watches that never reads no other misses anything`() async throws
  {
    // One round, because it takes long.
    let issue = try await BareTimer.issue(rounds: 1, delays)
    #expect(issue == nil)
  }

  /// - Returns: which timers elsewhere were late, beyond the lateness of a bare timer in the same
  ///   seconds.
  private func delays(_ bare: BareTimer) throws -> [String] {
    try client.start("tea", usec: hour)
    for number in 1...100 { try client.start("tea/\(number)", usec: hour) }
    var group = WatcherGroup(
      try (1..<Self.watchers).map { _ in
        Watcher(socket: try watching(.watch(name: "tea", tickUsec: 100 * millisecond)))
      })
    while group.ticks < 2 { try group.read() }
    let before = try daemon.residentKilobytes
    // It asks for more than the others, and more often: their timer and a hundred others, every 10
    // ms.
    let mute = try watching(.watch(prefix: "tea", tickUsec: 10 * millisecond))
    try fill(mute, beside: &group)
    let changed = try changeAll(&group)
    let resident = try daemon.residentKilobytes
    #expect(try client.status().counts.watchers == Int64(Self.watchers), "it is still connected")
    let ledger = try daemon.ledger()
    let changes = ledger.filter { $0.name == "tea" && $0.type == .extended }.map(\.seq)
    #expect(changes.count == changed)
    // The events that are still on their way to the clients.
    while group.watchers.contains(where: { $0.events.count < changes.count }) { try group.read() }
    #expect(group.watchers.allSatisfy { $0.events == changes })
    let late = ledger.filter { $0.type == .rang }.compactMap(\.lateUsec).sorted()
    let late99 = late[late.count * 99 / 100]
    print(
      "1,000 watchers: at least \(group.ticks) ticks each, \(changed) changes, lateness elsewhere "
        + "\(late[late.count / 2]) µs median, \(late99) µs p99, \(late.last ?? 0) µs longest; "
        + "resident \(before) kB, then \(resident) kB")
    // A loop iteration lasts 3 ms at most. The rest is the time that the machine takes to wake
    // 1,000 readers and to run other programs: the latest of most clients shows the daemon's share.
    let wrong = [
      excess("half", late[late.count / 2], over: 10 * millisecond + bare.lateUsec(0.5)),
      excess("99 of 100", late99, over: 200 * millisecond + bare.lateUsec(0.99)),
    ]
    try #require(
      resident - before < 8 * 1024, "one who does not read costs \(resident - before) kB")
    return wrong.compactMap(\.self)
  }

  /// Changes the watched timer whenever all clients have got the last change, while other timers
  /// ring every 25 ms for five seconds, and longer if there were few changes by then.
  ///
  /// - Returns: the number of changes.
  private func changeAll(_ group: inout WatcherGroup) throws -> Int {
    for number in 1...200 {
      try client.start("elsewhere/\(number)", usec: Int64(number) * 25 * millisecond)
    }
    for index in group.watchers.indices { group.watchers[index].ticks = 0 }
    var changed = 0
    while try client.get("elsewhere/200").state != .over || changed < Self.changes / 2 {
      try group.read()
      if changed < Self.changes, group.watchers.allSatisfy({ $0.events.count == changed }) {
        let by = changed % 2 == 0 ? 2 * second : -second
        _ = try client.timer(.extend(name: "tea", byUsec: by))
        changed += 1
      }
    }
    // Fifty would be all of them.
    #expect(group.ticks >= 40)
    return changed
  }

  // MARK: The client that never reads

  /// Waits until the kernel accepts nothing more for it: the others have got five ticks and it has
  /// got none, although the daemon has tried meanwhile.
  private func fill(_ mute: RawSocket, beside group: inout WatcherGroup) throws {
    var (unread, ticks): (Int32, Int) = (0, 0)
    while unread == 0 || group.ticks < ticks + 5 {
      try group.read()
      let before = unread
      try #require(ioctl(mute.descriptor, UInt(FIONREAD), &unread) == 0)
      if unread != before { ticks = group.ticks }
    }
    print("1,000 watchers: one has left \(unread) bytes unread")
  }
}
