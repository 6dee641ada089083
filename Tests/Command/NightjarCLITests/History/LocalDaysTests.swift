import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing

@testable import nightjar

@Suite(.blocking) struct LocalDaysTests {
  /// The time that a run between two instants has on each day.
  private static func shares(
    _ from: String, _ to: String, in zone: String, range: Range<Int64> = LocalDays.always
  ) throws -> [String: Int64] {
    var ledger = LedgerScript()
    let start = try LedgerScript.time(from, in: zone)
    ledger.start("run", at: start, ["kind": "stopwatch"])
    let end = try LedgerScript.time(to, in: zone)
    ledger.add("cancelled", "run", at: end, ["counted_usec": .integer(end - start)])
    let run = try #require(try ledger.runs(zone: zone, range: range).first)
    #expect(run.countedUsec == end - start)
    return run.byDay
  }

  @Test(
    arguments: Row.table(
      """
      // A run over midnight, and days on which clocks are changed, also by half an hour.
      Europe/Berlin => 2026-03-10 22:30 => 2026-03-11 01:00 => 03-10 1.5, 03-11 1.0
      Europe/Berlin => 2026-03-28 12:00 => 2026-03-30 12:00 => 03-28 12.0, 03-29 23.0, 03-30 12.0
      Europe/Berlin => 2026-10-24 12:00 => 2026-10-26 12:00 => 10-24 12.0, 10-25 25.0, 10-26 12.0
      Australia/Lord_Howe => 2024-04-06 12:00 => 2024-04-08 12:00 => 04-06 12.0, 04-07 24.5, 04-08 12.0
      // 2022-09-11 begins at 1:00 in Santiago; 2022-04-03 has 24:00 to 23:00 of the day before.
      America/Santiago => 2022-09-10 12:00 => 2022-09-12 12:00 => 09-10 12.0, 09-11 23.0, 09-12 12.0
      America/Santiago => 2022-04-02 12:00 => 2022-04-04 12:00 => 04-02 13.0, 04-03 24.0, 04-04 12.0
      // From 0:01 back to 23:01: midnight comes twice, and the first of them counts.
      America/St_Johns => 2010-11-06 12:00 => 2010-11-08 12:00 => 11-06 12.0, 11-07 25.0, 11-08 12.0
      // Apia left 2011-12-30 out.
      Pacific/Apia => 2011-12-29 12:00 => 2011-12-31 12:00 => 12-29 12.0, 12-31 12.0
      """))
  func `A run counts on each of its days, each its share`(row: Row) throws {
    let shares = try Self.shares(row[1], row[2], in: row[0]).sorted { $0.key < $1.key }
      .map { "\($0.key.dropFirst(5)) \(Double($0.value) / Double(hour))" }
    #expect(shares.joined(separator: ", ") == row[3])
  }

  @Test func `Only time within the range is counted, even from noon to noon`() throws {
    let from = try LedgerScript.time("2026-03-10 14:00", in: "Europe/Berlin")
    let until = try LedgerScript.time("2026-03-12 06:00", in: "Europe/Berlin")
    #expect(
      try Self.shares(
        "2026-03-01 00:00", "2026-03-20 00:00", in: "Europe/Berlin", range: from..<until)
        == ["2026-03-10": 10 * hour, "2026-03-11": 24 * hour, "2026-03-12": 6 * hour])
    #expect(
      try Self.shares(
        "2026-03-12 06:00", "2026-03-20 00:00", in: "Europe/Berlin", range: from..<until) == [:])
  }

  @Test func `A stretch begins and ends with its day, for every hour of several years`() throws {
    for name in ["Europe/Berlin", "America/Santiago", "America/St_Johns", "Pacific/Apia", "UTC"] {
      let days = LocalDays(zone: try #require(ZoneDatabase.zone(named: name)))
      let first = try LedgerScript.time("2009-12-31 12:00")
      var before = days.stretch(at: first)
      for usec in stride(from: first, to: try LedgerScript.time("2012-02-01"), by: Int(hour)) {
        let stretch = days.stretch(at: usec)
        #expect(stretch.fromUsec <= usec && usec < stretch.untilUsec)
        guard stretch != before else { continue }
        #expect(stretch.fromUsec == before.untilUsec)
        #expect(try #require(stretch.day) > (try #require(before.day)))
        before = stretch
      }
    }
  }
}
