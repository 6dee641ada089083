import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// The order of a list, the names that a prefix matches, and the format of near times.
@Suite(.blocking) struct OrderAndNameTests {
  private static let timers = FakeTimers(nowUsec: 1_700_000_000_000_000)

  @Test
  func `The last ring comes first, then unanswered ones, then what rings next, a snooze included`()
    throws
  {
    let entries: [FakeTimers.Entry] = [
      .init(name: "over", state: "cancelled", remainingUsec: 0),
      .init(name: "paused", state: "paused", remainingUsec: 1),
      .init(name: "next", remainingUsec: 200),
      .init(name: "snoozed", remainingUsec: 300, ringing: "snoozed", ringLeftUsec: 100),
      .init(name: "quiet", remainingUsec: 10, ringing: "unanswered"),
      .init(name: "earlier", state: "over", remainingUsec: 0, rangAgoUsec: 60 * second),
      .init(name: "later", state: "over", remainingUsec: 0, rangAgoUsec: second),
      .init(name: "loud", remainingUsec: 400, ringing: "ringing"),
      .init(name: "soon", remainingUsec: 50),
    ]
    let sorted = try entries.map { try Wire.Timer(Self.timers.json($0)) }
      .sorted(by: TimerOrder.isBefore)
    #expect(
      sorted.map(\.name) == [
        "loud", "quiet", "later", "earlier", "soon", "snoozed", "next", "paused", "over",
      ])
  }

  /// It is 22:13:20, and the timer expires at 22:18:20.
  @Test(arguments: [(100, "rings at 22:18:20"), (600, "rings at 22:23:20")] as [(Int64, String)])
  func `An expiry that joins a snoozed ring in silence rings when the snooze ends`(
    snoozeSeconds: Int64, words: String
  ) throws {
    let entry = FakeTimers.Entry(
      name: "tea", remainingUsec: 300 * second, ringing: "snoozed",
      ringLeftUsec: snoozeSeconds * second)
    let timer = try Wire.Timer(Self.timers.json(entry))
    #expect(TimerText(timer, nowUsec: Self.timers.nowUsec, zone: .utc).rings == words)
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
