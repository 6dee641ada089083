import Testing

@testable import NightjarTime

/// Points in time as people write them, beyond what systemd accepts, and refused ones.
@Suite struct TimestampTests {
  /// 2026-11-21 15:00 in Berlin, a Saturday.
  private let now: Int64 = 1_795_269_600_000_000

  private func read(_ text: String, in name: String = "Europe/Berlin") throws -> String {
    let zone = try #require(ZoneDatabase.zone(named: name))
    return CivilTime.rfc3339(utcUsec: try Timestamp(text, now: now, local: zone).usec)
  }

  @Test(arguments: [
    ("9am", "2026-11-21T08:00:00Z"), ("9:30 pm", "2026-11-21T20:30:00Z"),
    ("12am", "2026-11-20T23:00:00Z"), ("12:15PM", "2026-11-21T11:15:00Z"),
    ("17:30", "2026-11-21T16:30:00Z"), ("tomorrow 9:00", "2026-11-22T08:00:00Z"),
    ("yesterday 6pm", "2026-11-20T17:00:00Z"), ("today", "2026-11-20T23:00:00Z"),
    ("2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00Z"),
    ("2026-12-24T18:00:00Z", "2026-12-24T18:00:00Z"),
    ("2026-12-24t18:00:00.25z", "2026-12-24T18:00:00.250000Z"),
    ("2026-12-24 18:00-05:30", "2026-12-24T23:30:00Z"),
    ("2026-07-01T12:00", "2026-07-01T10:00:00Z"),
    ("Thu 2026-12-24 18:00 America/New_York", "2026-12-24T23:00:00Z"),
    ("2026-07-01 12:00 CET", "2026-07-01T11:00:00Z"), ("@1800000000", "2027-01-15T08:00:00Z"),
    ("+1h 30min", "2026-11-21T15:30:00Z"), ("90s ago", "2026-11-21T13:58:30Z"),
  ])
  func `The forms that people write are accepted`(text: String, expected: String) throws {
    #expect(try read(text) == expected)
  }

  @Test func `Today is the local day, also with an abbreviation for the other half of the year`()
    throws
  {
    // 23:46 in Berlin on the 21st. By summer time it would be past midnight.
    let zone = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    let late = now + 31_560_000_000
    let time = try Timestamp("15:21 CEST", now: late, local: zone)
    #expect(CivilTime.rfc3339(utcUsec: time.usec) == "2026-11-21T13:21:00Z")
  }

  @Test
  func `A time that clocks skip is when they jumped, and one that they show twice is the first`()
    throws
  {
    #expect(try read("2026-03-29 02:30") == "2026-03-29T01:00:00Z")
    #expect(try read("2026-10-25 02:30") == "2026-10-25T00:30:00Z")
    #expect(try read("2027-03-14 02:10", in: "America/New_York") == "2027-03-14T07:00:00Z")
    #expect(try read("2026-11-01 01:10", in: "America/New_York") == "2026-11-01T05:10:00Z")
  }

  @Test func `A time of day alone differs from a date`() throws {
    #expect(try Timestamp("9:00", now: now, local: .utc).isTimeOfDay)
    for text in ["today 9:00", "2026-11-21 9:00", "now", "+1h"] {
      #expect(try !Timestamp(text, now: now, local: .utc).isTimeOfDay)
    }
  }

  @Test(arguments: [
    ("", 1, "empty"), ("noon", 1, "'noon' at 1 is no time"), ("9", 2, "such as 9:00"),
    ("25:00", 1, "the hour at 1 is from 0 to 23"), ("13pm", 1, "from 1 to 12"),
    ("2026-02-30", 9, "that month has 28 days"), ("2026-13-01", 6, "the month at 6"),
    ("Sun 2026-11-21", 1, "2026-11-21 is a Saturday, not a Sunday"), ("Mon", 4, "ends too soon"),
    ("17:30 Europe/Nowhere", 7, "there is no zone 'Europe/Nowhere'"), ("1969-12-31", 1, "1970"),
    ("tomorrow 9", 11, "such as 9:00"), ("5mins ago", 2, "did you mean 'min'?"),
    ("+1:30", 3, "unexpected ':' at 3; a length of time has units here, such as 1min 30s"),
    ("1:30 ago", 2, "has units here"), ("@1:30", 3, "has units here"),
    // Found by the fuzzer: a point in time after the year 9999 could not be shown, and an error in
    // a span after a sign had the position within the span.
    ("@253402300800", 1, "behind the year 9999"), ("@9223372036854", 1, "behind the year 9999"),
    ("+8000y", 1, "behind the year 9999"), ("+1x", 3, "unknown unit 'x' at 3"),
    ("@1,5", 3, "',' at 3"), ("+infinity", 2, "the span at 2 is too long"),
    ("+PT5M", 2, "'PT5M' is in ISO 8601"), (" Mon 2026-11-21", 2, "not a Monday (at 2)"),
  ])
  func `An invalid point in time is refused with its position and the remedy`(
    text: String, position: Int, sentence: String
  ) throws {
    let error = try #require(throws: TimeError.self) {
      try Timestamp(text, now: now, local: .utc)
    }
    #expect(error.position == position && error.description.contains(sentence), "\(error)")
  }
}
