import NightjarTestSupport
import Testing

@testable import NightjarTime

/// Calendar expressions: matches at changes of clocks, expressions that never match, and refused
/// ones with their sentences.
@Suite struct CalendarTests {
  /// `2026-03-29 02:30` and the like, in UTC.
  private func instant(_ text: String) -> Int64 {
    let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
    let date = CivilDate(year: Int(numbers[0]), month: Int(numbers[1]), day: Int(numbers[2]))
    let minutes = numbers[3] * 60 + numbers[4]
    return CivilTime(date: date, usecOfDay: minutes * 60_000_000).utcUsec
  }

  private func elapses(
    _ text: String, in name: String, after base: String, count: Int
  ) throws -> [String] {
    let zone = try #require(ZoneDatabase.zone(named: name))
    let expression = try CalendarExpression(text, local: zone)
    var usec = instant(base)
    return (0..<count).compactMap { _ in
      guard let next = expression.next(afterUsec: usec, in: zone) else { return nil }
      usec = next
      let (utc, civil) = (CivilTime(utcUsec: next), zone.civil(atUsec: next))
      func clock(_ time: CivilTime) -> String {
        let text = "\(time.hour * 100 + time.minute)"
        return String(repeating: "0", count: 4 - text.count) + text
      }
      return "\(civil.date.day) \(clock(civil))=\(clock(utc))Z"
    }
  }

  /// An expression, its zone, an instant, and the first matches after the instant.
  private func check(_ row: Row) throws {
    let expected = row[3].split(separator: ", ").map(String.init)
    #expect(try elapses(row[0], in: row[1], after: row[2], count: expected.count) == expected)
  }

  @Test(
    arguments: Row.table(
      #"""
      // Forward 02:00 → 03:00.
      02:30 => Europe/Berlin => 2026-03-28 00:00 => 28 0230=0130Z, 29 0300=0100Z, 30 0230=0030Z
      02,03:00 => Europe/Berlin => 2026-03-28 12:00 => 29 0300=0100Z, 30 0200=0000Z, 30 0300=0100Z
      // Back 03:00 → 02:00.
      02:30 => Europe/Berlin => 2026-10-24 12:00 => 25 0230=0030Z, 26 0230=0130Z
      02:30 => America/New_York => 2027-03-13 12:00 => 14 0300=0700Z, 15 0230=0630Z
      01:30 => America/New_York => 2026-10-31 12:00 => 1 0130=0530Z, 2 0130=0630Z
      // Half an hour: forward 02:00 → 02:30, back 02:00 → 01:30.
      02:10 => Australia/Lord_Howe => 2026-10-03 00:00 => 4 0230=1530Z, 5 0210=1510Z
      01:45 => Australia/Lord_Howe => 2026-04-04 00:00 => 5 0145=1445Z, 6 0145=1515Z
      // At midnight: 24:00 → 01:00.
      00:30 => America/Santiago => 2026-09-05 12:00 => 6 0100=0400Z, 7 0030=0330Z
      // A whole day was skipped.
      2011-12-30 12:00 => Pacific/Apia => 2011-12-29 00:00 => 31 0000=1000Z
      """#))
  func `An expression for an hour matches at the end of a gap, and once in a repeated hour`(
    row: Row
  ) throws {
    try check(row)
  }

  @Test(
    arguments: Row.table(
      #"""
      // At 03:00 CEST the clocks go back to 02:00 CET; an hour later they show 03:00 again.
      03:00 => Europe/Berlin => 2026-10-24 12:00 => 25 0300=0200Z, 26 0300=0200Z
      02:00 => America/New_York => 2026-10-31 12:00 => 1 0200=0700Z, 2 0200=0700Z
      // Half an hour.
      02:00 => Australia/Lord_Howe => 2026-04-04 00:00 => 5 0200=1530Z, 6 0200=1530Z
      // At midnight: 24:00 → 23:00 of the day before.
      00:00 => America/Santiago => 2026-04-04 12:00 => 5 0000=0400Z, 6 0000=0400Z
      """#))
  func `An alarm at the very time at which clocks go back rings when they show it again`(
    row: Row
  ) throws {
    try check(row)
  }

  @Test(
    arguments: Row.table(
      #"""
      *:30 => Europe/Berlin => 2026-10-24 23:00 => 25 0130=2330Z, 25 0230=0030Z, \#
      25 0230=0130Z, 25 0330=0230Z
      *:30 => Europe/Berlin => 2026-03-29 00:00 => 29 0130=0030Z, 29 0330=0130Z
      """#))
  func `An expression for every hour matches in every hour that passes`(row: Row) throws {
    try check(row)
  }

  @Test func `Ten years of a daily alarm are at the right local time every day`() throws {
    let zone = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    let expression = try CalendarExpression("07:15", local: zone)
    var usec = instant("2026-01-01 00:00")
    var day = CivilDate(year: 2026, month: 1, day: 1).daysSinceEpoch
    for _ in 0..<3_653 {
      usec = try #require(expression.next(afterUsec: usec, in: zone))
      let civil = zone.civil(atUsec: usec)
      #expect(civil.date.daysSinceEpoch == day && civil.hour == 7 && civil.minute == 15)
      day += 1
    }
  }

  @Test func `A gap is recognised up to its last microsecond`() throws {
    let zone = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    let expression = try CalendarExpression("02:30", local: zone)
    let jump = instant("2026-03-29 01:00")
    #expect(expression.next(afterUsec: jump - 1, in: zone) == jump)
    #expect(expression.next(afterUsec: jump, in: zone) == instant("2026-03-30 00:30"))
  }

  @Test func `A field with every day matches every day, counted from either end`() throws {
    let expression = try CalendarExpression("*-*~* 9:00", local: .utc)
    #expect(try expression == CalendarExpression("*-*-* 9:00", local: .utc))
  }

  @Test(arguments: ["2020-01-01", "*-02-30", "Mon 2026-12-25", "*-04,06-31 12:00"])
  func `An expression that never matches again is recognised`(text: String) throws {
    let expression = try CalendarExpression(text, local: .utc)
    #expect(expression.next(afterUsec: instant("2026-11-21 00:00"), in: .utc) == nil)
  }

  @Test(arguments: [
    ("", 1, "empty"), ("Mo 9:00", 1, "'Mo' at 1 is no day of the week"),
    ("Sat..Mon", 1, "write Sat..Sun,Mon..Mon"), ("9", 2, "expected ':' and minutes at 2"),
    ("25:00", 1, "the hour at 1 is from 0 to 23"), ("9:60", 3, "the minute at 3"),
    ("*-13-1", 3, "the month at 3 is from 1 to 12"),
    ("*-*~29", 5, "the day at 5 is from 1 to 28"),
    ("9:30 Europe/Nowhere", 6, "there is no zone 'Europe/Nowhere'"),
    ("10..8:00", 5, "write the smaller one first"), ("*:0/0", 5, "a step of 0 at 5"),
    ("9:30pm", 5, "unexpected 'p' at 5"), ("*:0/90", 5, "leave it out"),
    ("10..8:00", 5, "ends before it begins, at 5"),
    ("@9000000000", 2, "the number at 2 is behind the year 2199"),
  ])
  func `An invalid expression is refused with its position and the remedy`(
    text: String, position: Int, sentence: String
  ) throws {
    let error = try #require(throws: TimeError.self) { try CalendarExpression(text, local: .utc) }
    #expect(error.position == position && error.description.contains(sentence), "\(error)")
  }
}
