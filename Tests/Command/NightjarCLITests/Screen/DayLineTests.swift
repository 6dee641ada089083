import NightjarTime
import Testing

@testable import nightjar

/// The time axis with the next rings.
@Suite struct DayLineTests {
  private static let minute: Int64 = 60_000_000
  /// Sat 3 Jan 2026 12:20:30 UTC.
  private static let now: Int64 = 1_767_442_830_000_000

  private func line(_ minutes: [(String, Int64)], width: Int = 60) -> DayLine {
    let points = minutes.map {
      DayLine.Point(name: $0.0, usec: Self.now + $0.1 * Self.minute, style: .plain)
    }
    return DayLine(points, nowUsec: Self.now, width: width, isUnicode: true, zone: .utc)
  }

  @Test func `It is as short as most rings allow, and says how many are after its end`() {
    #expect(line([("tea", 4), ("egg", 7)]).title == "next hour")
    #expect(line([("tea", 4), ("bread", 90)]).title == "next 3 hours")
    let far = line([("tea", 4), ("egg", 7), ("up", 1_100)])
    #expect(far.title == "next hour" && far.later == 1)
    #expect(line([("up", 1_100)]).title == "next 24 hours" && line([("up", 1_100)]).later == 0)
    #expect(line([("later", 100_000)]).later == 1)
  }

  @Test func `A name is above its point, and the times are below theirs`() {
    let lines = line([("tea", 4), ("egg", 30)]).lines.map(\.text)
    // A column is a minute, and the axis begins at 12:20.
    #expect(lines[0] == "    tea" + String(repeating: " ", count: 23) + "egg")
    #expect(lines[1].prefix(12) == "┃───●─────┴─" && lines[1].count == 60)
    #expect(Array(lines[1])[30] == "●")
    #expect(lines[2] == "12:20     12:30     12:40     12:50     13:00     13:10")
  }

  @Test func `Names do not touch, are cut with an ellipsis, and stay within the line`() {
    for width in [20, 36, 60, 100, 190] {
      let crowded = line(
        (0..<30).map { ("timer number \($0)", Int64($0 * 2)) } + [("at the very end", 59)],
        width: width)
      for text in crowded.lines {
        #expect(text.width <= width, "\(text.text)")
      }
    }
    let pair = line([("a long name", 4), ("b", 12)]).lines[0].text
    #expect(pair == "    a long… b")
    #expect(line([("tea", 4), ("egg", 4)]).lines[0].text == "    tea +1")
  }

  @Test func `The mark for now moves when it is in another column, and not before`() {
    let hour = line([("tea", 30)])
    #expect(hour.nextChangeUsec == Self.minute / 2)
  }
}
