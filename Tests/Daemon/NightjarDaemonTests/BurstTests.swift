import NightjarClient
import NightjarTestSupport
import Testing

/// Thousands of timers that expire in the same instant.
@Suite(.blocking) struct BurstTests {
  private static let count = 6_000

  @Test func `While thousands of timers ring, clients are answered, and the log is short`() throws {
    let rig = try Rig()
    let daemon = try rig.daemon { try $0.fakeWallClock(seconds: 0) }
    let client = try daemon.connect()
    let starts = (0..<Self.count).map {
      Call.start(name: "due/\($0)", durationUsec: hour, clock: .wall)
    }
    try carryOut(starts, by: client)
    try daemon.options.setWallClock(seconds: 7200)
    // Each answer is one loop iteration: some must come between the first ring and the last.
    let seen = try polledCounts(client, \.over, until: Int64(Self.count))
    #expect(seen.contains { $0 > 0 && $0 < Self.count })

    // All of it takes a second or two, and each second has twenty lines.
    try daemon.process.lines.next("how many more there were") { $0.hasSuffix(" more rang") }
    let lines = daemon.process.lines.all.filter { $0.contains("NIGHTJAR_EVENT=rang") }
    #expect((20...200).contains(lines.count))

    let rang = try daemon.settledLedger().filter { $0.type == "rang" }
    #expect(rang.count == Self.count && Set(rang.map(\.name)).count == Self.count)
    #expect(Set(rang.map(\.lateCause)) == ["step"])
  }

  @Test func `While thousands of retentions end at once, clients are answered`() throws {
    let rig = try Rig()
    let daemon = try rig.daemon { try $0.fakeWallClock(seconds: 0) }
    let client = try daemon.connect()
    let names = (0..<Self.count).map { "over/\($0)" }
    try carryOut(names.map { .start(name: $0, durationUsec: hour) }, by: client)
    try carryOut(names.map { .perform(.cancel, name: $0) }, by: client)
    // The last timer was cancelled longer ago than the retention.
    try daemon.options.pretendSleep(seconds: 25 * 3600)
    let seen = try polledCounts(client, \.cancelled, until: 0)
    #expect(seen.contains { $0 > 0 && $0 < Self.count })

    let forgotten = try daemon.settledLedger().filter { $0.type == "forgotten" }
    #expect(forgotten.count == Self.count && Set(forgotten.map(\.name)).count == Self.count)
  }

  private func carryOut(_ calls: [Call], by client: Connection) throws {
    for reply in try client.callAll(calls, deadline: .after(usec: 90 * second)) {
      _ = try reply.get()
    }
  }

  /// The values that a client gets by asking again and again, until one is `last`.
  private func polledCounts(
    _ client: Connection, _ count: KeyPath<Wire.Counts, Int64>, until last: Int64
  ) throws -> [Int64] {
    var seen: [Int64] = []
    try awaitTrue("the count is \(seen.last ?? -1), not \(last)") {
      seen.append(try client.status().counts[keyPath: count])
      return seen.last == last
    }
    return seen
  }
}
