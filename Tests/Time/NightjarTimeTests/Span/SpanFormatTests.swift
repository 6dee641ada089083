import NightjarTestSupport
import NightjarTime
import Testing

@Suite struct SpanFormatTests {
  private static let minute: Int64 = 60 * second
  private static let day: Int64 = 24 * hour

  @Test(
    arguments: [
      (0, "0 s"), (4 * minute, "4 min"), (90 * minute, "1 h 30 min"), (51 * hour, "2 d 3 h"),
      (1_500_000, "1.5 s"), (61_500_000, "1 min 1.5 s"), (250_000, "250 ms"), (1_500, "1.5 ms"),
      (7, "7 µs"), (-90 * second, "-1 min 30 s"), (2 * day + 5 * second, "2 d 5 s"),
      (400 * day, "400 d"), (1_000_001, "1.000001 s"),
    ] as [(Int64, String)])
  func `For people, units have spaces and the largest is the day`(usec: Int64, text: String) {
    #expect(SpanFormat.text(usec: usec) == text)
  }

  @Test(
    arguments: [
      (3 * minute + 59_900_000, 1, "3 min"), (3 * minute + 59_900_000, 2, "3 min 59 s"),
      (51 * hour, 1, "2 d"), (2 * day + 5 * second, 2, "2 d"), (2 * day + 5 * minute, 2, "2 d"),
      (59_900_000, 1, "59 s"), (250_000, 1, "250 ms"), (minute + 100, 2, "1 min"),
      (-3 * minute - 1, 1, "-3 min"),
    ] as [(Int64, Int, String)])
  func `With a number of units, the rest is cut off and never rounded up`(
    usec: Int64, units: Int, text: String
  ) {
    #expect(SpanFormat.text(usec: usec, units: units) == text)
  }

  @Test func `Without days, hours count beyond 24, and spreadsheets get minutes and seconds too`() {
    #expect(SpanFormat.text(usec: 51 * hour, hasDays: false) == "51 h")
    #expect(
      SpanFormat.text(usec: 51 * hour + 61 * second, units: 2, hasDays: false)
        == "51 h 1 min")
    #expect(SpanFormat.text(usec: 90 * second, units: 2, hasDays: false) == "1 min 30 s")
    for (usec, text) in [
      (51 * hour + 61 * second + 999_999, "51:01:01"), (0, "0:00:00"), (-1, "0:00:00"),
    ] {
      #expect(SpanFormat.hours(usec: usec) == text)
    }
  }

  @Test(
    arguments: [
      (20 * second, "00:20", 20), (20 * second - 1, "00:20", 20), (19 * second + 1, "00:20", 20),
      (19 * second, "00:19", 19), (1, "00:01", 1), (0, "00:00", 0), (-1, "00:00", 0),
      (Int64.min, "00:00", 0), (hour, "01:00:00", 3_600), (hour - second, "59:59", 3_599),
      (hour - second + 1, "01:00:00", 3_600), (day + hour, "25:00:00", 90_000),
      (100 * hour, "100:00:00", 360_000), (minute - 1, "01:00", 60),
      (Int64.max, "2562047788:00:55", 9_223_372_036_855),
    ] as [(Int64, String, Int64)])
  func `A clock rounds up, so it starts with the full time and shows 00:00 only at the end`(
    remainingUsec: Int64, text: String, seconds: Int64
  ) {
    #expect(SpanFormat.clock(remainingUsec: remainingUsec) == text)
    #expect(SpanFormat.wholeSeconds(remainingUsec: remainingUsec) == seconds)
  }

  @Test func `At every second of an hour the clock shows the same whole second up to its end`() {
    for seconds in Int64(1)...3_601 {
      let shown = SpanFormat.clock(remainingUsec: seconds * second)
      #expect(SpanFormat.clock(remainingUsec: seconds * second - second + 1) == shown)
      #expect(SpanFormat.clock(remainingUsec: seconds * second + 1) != shown)
    }
  }

  @Test func `The extreme integers are written without a trap`() {
    #expect(SpanFormat.text(usec: .max) == "106751991 d 4 h 54.775807 s")
    #expect(SpanFormat.text(usec: .min).hasPrefix("-106751991 d"))
    #expect(SpanFormat.canonical(.usec(TimeSpan.longestUsec)).hasPrefix("584542y"))
    #expect(SpanFormat.canonical(.infinity) == "infinity")
    #expect(SpanFormat.canonical(.usec(0)) == "0")
  }
}
