import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// The order of a list, the names that a prefix matches, and the format of near times.
@Suite(.blocking) struct OrderAndNameTests {
  private func timer(_ name: String, rangAgoUsec: Int64?) throws -> Wire.Timer {
    let timers = FakeTimers(nowUsec: 1_700_000_000_000_000)
    var entry = FakeTimers.Entry(name: name)
    if let rangAgoUsec {
      (entry.state, entry.remainingUsec, entry.rangAgoUsec) = ("over", 0, rangAgoUsec)
    }
    return try Wire.Timer(timers.json(entry))
  }

  @Test func `The timer that rang last is at the top, before running timers`() throws {
    let timers = [
      try timer("running", rangAgoUsec: nil), try timer("earlier", rangAgoUsec: 60_000_000),
      try timer("later", rangAgoUsec: 1_000_000),
    ]
    let names = timers.sorted(by: TimerOrder.isBefore).map(\.name)
    #expect(names == ["later", "earlier", "running"])
  }

  @Test func `Rings come first, then unanswered ones, then what rings next, a snooze included`()
    throws
  {
    let timers = FakeTimers(nowUsec: 1_700_000_000_000_000)
    func timer(_ name: String, _ state: String, _ ringing: String?, left: Int64) throws
      -> Wire.Timer
    {
      try Wire.Timer(
        timers.json(
          .init(
            name: name, state: state, remainingUsec: left, ringing: ringing, ringLeftUsec: 100)))
    }
    let sorted = try [
      timer("over", "cancelled", nil, left: 0), timer("paused", "paused", nil, left: 1),
      timer("next", "running", nil, left: 200), timer("snoozed", "running", "snoozed", left: 300),
      timer("quiet", "running", "unanswered", left: 10),
      timer("loud", "running", "ringing", left: 400), timer("soon", "running", nil, left: 50),
    ].sorted(by: TimerOrder.isBefore)
    #expect(
      sorted.map(\.name) == ["loud", "quiet", "soon", "snoozed", "next", "paused", "over"])
  }

  /// It is 22:13:20, and the timer expires at 22:18:20.
  @Test(arguments: [(100, "rings at 22:18:20"), (600, "rings at 22:23:20")] as [(Int64, String)])
  func `An expiry that joins a snoozed ring in silence rings when the snooze ends`(
    snoozeSeconds: Int64, words: String
  ) throws {
    let timers = FakeTimers(nowUsec: 1_700_000_000_000_000)
    let timer = try Wire.Timer(
      timers.json(
        .init(
          name: "tea", remainingUsec: 300 * second, ringing: "snoozed",
          ringLeftUsec: snoozeSeconds * second)))
    #expect(TimerText(timer, nowUsec: timers.nowUsec, zone: .utc).rings == words)
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
