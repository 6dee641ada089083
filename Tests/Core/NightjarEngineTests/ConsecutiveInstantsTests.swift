import NightjarModel
import Testing

@testable import NightjarEngine

/// Which instants of an alarm really rang, as far as the timer stores it.
@Suite struct ConsecutiveInstantsTests {
  private let day: Int64 = 86_400_000_000

  @Test func `Instants that rang one after another are one stretch, and another begins one`() {
    let rang = ConsecutiveInstants(last: 1 * day).extended(to: 2 * day)
    #expect(rang.contains(1 * day) && rang.contains(2 * day))
    #expect(!rang.contains(1 * day - 1) && !rang.contains(2 * day + 1) && !rang.contains(0))
    let other = ConsecutiveInstants(last: 5 * day)
    #expect(other.contains(5 * day))
    #expect(!other.contains(4 * day) && !other.contains(2 * day))
  }

  @Test func `An instant before the last one starts a new stretch`() {
    let rang = ConsecutiveInstants(last: 1 * day).extended(to: 2 * day).extended(to: 1 * day)
    #expect(rang == ConsecutiveInstants(last: 1 * day))
  }

  @Test func `The last ninety days of a stretch are remembered`() {
    var rang = ConsecutiveInstants(last: 1 * day)
    for number in 2...200 { rang = rang.extended(to: Int64(number) * day) }
    #expect(rang.contains(200 * day) && rang.contains(110 * day))
    #expect(!rang.contains(109 * day))
    #expect(rang.forSec == 90 * 86_400)
  }
}
