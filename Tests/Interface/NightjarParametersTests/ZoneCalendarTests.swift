import NightjarModel
import NightjarParameters
import NightjarTime
import Testing

/// Days on which an alarm does not ring.
@Suite struct ZoneCalendarTests {
  // Wednesday, 2026-11-25, 12:00.
  private let nowUsec: Int64 = 1_795_608_000_000_000

  @Test func `A calendar skips days in its own zone, and ends on the last day`() throws {
    let calendar = ZoneCalendar(local: .utc)
    var schedule = try calendar.schedule("*-*-* 00:30", zone: "Europe/Berlin")
    schedule.except = [try #require(DayRange("2026-11-26..2026-11-28"))]
    schedule.until = Int32(CivilDate(year: 2026, month: 11, day: 30).daysSinceEpoch)
    // 00:30 in Berlin is 23:30 UTC on the day before.
    var found: [String] = []
    var after = nowUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      found.append(CivilTime.rfc3339(utcUsec: next))
      after = next
    }
    #expect(found == ["2026-11-28T23:30:00Z", "2026-11-29T23:30:00Z"])
  }

  /// Checking each instant separately would take minutes.
  @Test func `A year of excepted days is skipped in one step`() throws {
    let calendar = ZoneCalendar(local: .utc)
    var schedule = try calendar.schedule("*:*:*", zone: nil)
    schedule.except = [try #require(DayRange("2026-11-25..2066-11-25"))]
    let next = calendar.next(schedule, afterUsec: nowUsec)
    #expect(next.map { CivilTime.rfc3339(utcUsec: $0) } == "2066-11-26T00:00:00Z")
  }
}
