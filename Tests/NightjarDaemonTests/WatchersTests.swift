import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import NightjarWire
import Testing

/// Very many who watch the same timer.
@Suite struct WatchersTests {
  private static let watchers = 1_000
  private static let changes = 40

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 8_192)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  /// One that reads all it is sent, and looks closer only at what is no tick: a thousand are much for
  /// a test that is built to be debugged.
  private struct Watcher {
    let socket: RawSocket
    /// The beginning of a reply.
    var pending: [UInt8] = []
    var events: [Int64] = []
    var ticks = 0

    mutating func read(_ chunk: inout [UInt8]) throws {
      let count = recv(socket.descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return }
      var start = 0
      while let end = Self.end(of: chunk, from: start, to: count) {
        try take(pending + chunk[start..<end])
        pending = []
        start = end + 1
      }
      pending += chunk[start..<count]
    }

    /// Where the next NUL is.
    private static func end(of bytes: [UInt8], from start: Int, to end: Int) -> Int? {
      bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0, end - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
      }
    }

    /// Whether it says more than a tick does.
    private static func isWord(_ text: UnsafeRawBufferPointer) -> Bool {
      guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
      return strstr(start, "\"event\"") != nil || strstr(start, "\"synced\"") != nil
    }

    private mutating func take(_ frame: [UInt8]) throws {
      let text = (frame + [0])
      guard text.withUnsafeBytes({ Self.isWord($0) }) else {
        ticks += 1
        return
      }
      let reply = try frame.withUnsafeBytes { try VarlinkReply.parse($0).parameters }
      if let seq = reply["event"]?["seq"]?.integerValue { events.append(seq) }
    }
  }

  private func watcher(_ call: Call) throws -> Watcher {
    var bytes: [UInt8] = []
    VarlinkCall.write(method: call.method, parameters: call.parameters, more: true, into: &bytes)
    let socket = try daemon.rawSocket()
    try socket.send(bytes)
    return Watcher(socket: socket)
  }

  @Test func `1,000 with a tick of 100 ms, one of whom never reads: nobody else misses anything`()
    throws
  {
    try client.start("tea", usec: hour)
    let call = Call.watch(name: "tea", tickUsec: 100 * millisecond)
    let mute = try watcher(call)
    var watchers = try (1..<Self.watchers).map { _ in try watcher(call) }
    // Timers elsewhere, one every 25 ms for five seconds; the last ends the test.
    for number in 1...200 {
      try client.start("elsewhere/\(number)", usec: Int64(number) * 25 * millisecond)
    }
    let before = try daemon.residentKilobytes
    var changed = 0
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var requests = watchers.map {
      pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0)
    }
    var told: [Int64] = []
    var isOver = false
    while !isOver {
      poll(&requests, nfds_t(requests.count), 100)
      for index in requests.indices where requests[index].revents != 0 {
        try watchers[index].read(&chunk)
      }
      isOver = try client.timer(.get(name: "elsewhere/200")).state == .fired
      // A change whenever all have been told of the last.
      if changed < Self.changes, watchers.allSatisfy({ $0.events.count == changed }) {
        let by = changed % 2 == 0 ? second : -second
        _ = try client.timer(.extend(name: "tea", byUsec: by))
        changed += 1
      }
    }
    let resident = try daemon.residentKilobytes
    let ledger = try daemon.ledger()
    told = ledger.filter { $0.name == "tea" && $0.type == .extended }.map(\.seq)
    #expect(told.count == changed && changed >= Self.changes / 2)
    // What was on its way to them.
    let bound = Date(timeIntervalSinceNow: 10)
    while watchers.contains(where: { $0.events.count < told.count }), Date() < bound {
      poll(&requests, nfds_t(requests.count), 100)
      for index in requests.indices { try watchers[index].read(&chunk) }
    }
    #expect(watchers.allSatisfy { $0.events == told })
    let ticks = watchers.map(\.ticks)
    let late = ledger.filter { $0.type == .fired }.compactMap(\.lateUsec).sorted()
    let late99 = late[late.count * 99 / 100]
    print(
      "1,000 watchers: \(ticks.min() ?? 0) to \(ticks.max() ?? 0) ticks each in 5 s, lateness "
        + "elsewhere \(late[late.count / 2]) µs median, \(late99) µs p99, \(late.last ?? 0) µs longest; "
        + "resident \(before) kB, then \(resident) kB")
    // Fifty would be all of them.
    #expect(ticks.min() ?? 0 >= 40)
    // A pass of the loop lasts 3 ms at most. The rest is for a machine on which 1,000 readers are woken, and
    // which may have others to run: how late the most were tells the daemon's part.
    #expect(late[late.count / 2] < 10 * millisecond)
    #expect(late99 < 200 * millisecond)
    #expect(resident - before < 8 * 1024)
    withExtendedLifetime(mute) {}
  }
}
