import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// The order of a list, the names that a prefix matches, and the format of near times.
@Suite(.blocking) struct OrderAndNameTests {
  private func timer(_ name: String, firedAgoUsec: Int64?) throws -> Wire.Timer {
    let timers = FakeTimers(nowUsec: 1_700_000_000_000_000)
    var entry = FakeTimers.Entry(name: name)
    if let firedAgoUsec {
      (entry.state, entry.remainingUsec, entry.firedAgoUsec) = ("fired", 0, firedAgoUsec)
    }
    return try Wire.Timer(timers.json(entry))
  }

  @Test func `The timer that rang last is at the top, before running timers`() throws {
    let timers = [
      try timer("running", firedAgoUsec: nil), try timer("earlier", firedAgoUsec: 60_000_000),
      try timer("later", firedAgoUsec: 1_000_000),
    ]
    let names = timers.sorted(by: TimerOrder.isBefore).map(\.name)
    #expect(names == ["later", "earlier", "running"])
  }

  @Test(arguments: [
    ("run", true), ("run/4711", true), ("run/4711/x", true), ("runner", false),
    ("running/fast", false), ("ru", false), ("other/run", false),
  ])
  func `A prefix stands for whole segments`(name: String, isIncluded: Bool) {
    #expect(NamePattern("run/…").matches(name) == isIncluded)
    #expect(NamePattern("run/...").matches(name) == isIncluded)
  }

  @Test func `A time on the same day of another month has its date`() {
    let utc = ZoneRules.utc
    // 2023-11-14 22:13:20, and 31 days before.
    let nowUsec: Int64 = 1_700_000_000_000_000
    let monthBefore = nowUsec - 31 * 86_400_000_000
    #expect(LocalTime.short(nowUsec - 1_000_000, nowUsec: nowUsec, in: utc) == "22:13:19")
    #expect(LocalTime.short(monthBefore, nowUsec: nowUsec, in: utc) == "Sat 14 Oct 22:13:20")
  }
}
