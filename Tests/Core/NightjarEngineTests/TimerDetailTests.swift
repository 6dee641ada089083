import NightjarModel
import Testing

@testable import NightjarEngine

/// Which instants of an alarm really rang, as far as the detail stores it.
@Suite struct TimerDetailTests {
  private let day: Int64 = 86_400_000_000

  @Test
  func
    `Instants that rang one after another are one stretch, and another one starts a new stretch`()
  {
    var detail = TimerDetail(spec: .plain)
    #expect(!detail.hasRung(at: 0))
    detail.noteRang(1 * day, isNext: false)
    detail.noteRang(2 * day, isNext: true)
    #expect(detail.hasRung(at: 1 * day) && detail.hasRung(at: 2 * day))
    #expect(!detail.hasRung(at: 1 * day - 1) && !detail.hasRung(at: 2 * day + 1))
    detail.noteRang(5 * day, isNext: false)
    #expect(detail.hasRung(at: 5 * day))
    #expect(!detail.hasRung(at: 4 * day) && !detail.hasRung(at: 2 * day))
  }

  @Test func `The last ninety days of a stretch are remembered`() {
    var detail = TimerDetail(spec: .plain)
    for number in 1...200 { detail.noteRang(Int64(number) * day, isNext: number > 1) }
    #expect(detail.hasRung(at: 200 * day) && detail.hasRung(at: 110 * day))
    #expect(!detail.hasRung(at: 109 * day))
    #expect(detail.rangForSec == 90 * 86_400)
  }
}
