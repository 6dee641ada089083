import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The daemon reads the ledger of each release: `ledger.sql` makes its database, and `ledger.jsonl`
/// has its events, and of its timers what does not change as time passes.
@Suite(.blocking) struct LedgerTests {
  /// Soon after the last event, so that nothing is forgotten yet.
  private static let realtimeSeconds: Int64 = 1_700_000_457
  private static let lasting: Set<String> = [
    "id", "name", "kind", "clock", "started_usec", "bands", "late", "fire_within_usec", "missed",
    "calendar", "zone", "steps", "long_every", "after_sleep", "after_away", "laps", "ring",
    "labels", "data", "failure",
  ]

  private let rig: Rig

  init() throws { rig = try Rig() }

  /// What the daemon shows of the database: the events that were in it, and the timers.
  private func shown(_ version: String) throws -> (events: [JSONValue], timers: [JSONValue]) {
    let folder = "\(rig.path)/nightjar"
    try rig.tool(["mkdir", "-m", "700", folder])
    try rig.tool(
      ["sqlite3", "\(folder)/nightjar.db", ".read \(Released.folder)/\(version)/ledger.sql"])
    let last = try rig.query("SELECT lastSeq FROM anchor", on: "\(folder)/nightjar.db")
    let daemon = try rig.daemon {
      try $0.fakeWallClock(seconds: Self.realtimeSeconds - Int64(Date().timeIntervalSince1970))
    }
    let lines = try rig.tool(
      [try Binaries.nightjar(), "events", "--everything"], environment: daemon.clientEnvironment
    ).split(separator: "\n").map { try JSONValue.parse(String($0)) }
    #expect(daemon.process.output.contains("ready; timers"))
    return (
      lines.compactMap { $0["event"] }.filter { $0["seq"]?.integerValue ?? 0 <= Int64(last) ?? 0 },
      lines.compactMap { $0["timer"] }
    )
  }

  @Test(arguments: Released.versions) func `The ledger of a release is read, whatever came since`(
    _ version: String
  ) throws {
    let (events, timers) = try shown(version)
    if try Released.isWritten(version) {
      let lines =
        events.map { JSONValue.object([.init("event", $0)]) }
        + timers.map { timer in
          let kept = (timer.objectValue ?? []).filter { Self.lasting.contains($0.key) }
          return .object([.init("timer", .object(kept))])
        }
      try (lines.map(\.text).joined(separator: "\n") + "\n").write(
        toFile: "\(Released.folder)/\(version)/ledger.jsonl", atomically: true, encoding: .utf8)
    }
    let lines = try Released.text("ledger.jsonl", of: version).split(separator: "\n").map {
      try JSONValue.parse(String($0))
    }
    #expect(lines.count == events.count + timers.count && !timers.isEmpty)
    for (old, new) in zip(
      lines.compactMap { $0["event"] } + lines.compactMap { $0["timer"] },
      events + timers)
    {
      for member in old.objectValue ?? [] {
        #expect(new[member.key] == member.value, "\(member.key) of \(old)")
      }
    }
    for (name, state) in [("clock/0", "paused"), ("clock/1", "cancelled"), ("kind/4", "running")] {
      #expect(timers.first { $0["name"]?.stringValue == name }?["state"]?.stringValue == state)
    }
  }
}
