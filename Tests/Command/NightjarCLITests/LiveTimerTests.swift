import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The display of a watched timer between two reports of the daemon.
@Suite(.blocking) struct LiveTimerTests {
  private let said = ClockReading(
    realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 0, monotonicUsec: 0)

  private func live(
    _ clock: String, kind: String = "countdown", state: String = "running", left: Int64,
    of length: Int64 = 100 * second, ringing: String? = nil, more: JSONValue = [:]
  ) throws -> LiveTimer {
    let entry = FakeTimers.Entry(
      name: "tea", state: state, clock: clock, durationUsec: length, remainingUsec: left,
      ringing: ringing, kind: kind, more: more)
    let json = FakeTimers(nowUsec: said.realtimeUsec).json(entry)
    return LiveTimer(try Wire.Timer(json), asOf: said)
  }

  /// This long after the daemon's report: awake, asleep, and with a wall clock that was set.
  private func after(awake: Int64, asleep: Int64 = 0, step: Int64 = 0) -> ClockReading {
    ClockReading(
      realtimeUsec: said.realtimeUsec + awake + asleep + step, boottimeUsec: awake + asleep,
      monotonicUsec: awake)
  }

  @Test(arguments: [("elapsed", 60, 60), ("awake", 90, 90), ("wall", 60, 50), ("present", 90, 90)])
  func `A timer goes by its own clock: through a sleep, and when the wall clock is set`(
    clock: String, slept: Int64, stepped: Int64
  ) throws {
    let timer = try live(clock, left: 100 * second)
    let (sleep, ten) = (30 * second, 10 * second)
    #expect(timer.remainingUsec(at: after(awake: ten, asleep: sleep)) == slept * second)
    #expect(
      timer.remainingUsec(at: after(awake: ten, asleep: sleep, step: ten)) == stepped * second)
    #expect(timer.remainingUsec(at: after(awake: 200 * second)) == 0)
  }

  @Test(arguments: [("elapsed", 40), ("awake", 10), ("present", 10)])
  func `A stopwatch counts sleep unless it is on awake or present`(clock: String, measured: Int64)
    throws
  {
    let watch = try live(clock, kind: "stopwatch", left: 0, of: 0)
    let now = after(awake: 10 * second, asleep: 30 * second, step: second)
    #expect(watch.elapsedUsec(at: now) == measured * second)
    #expect(watch.remainingUsec(at: now) == 0)
  }

  @Test
  func `A paused timer stops, one on present while the user is away; a ring's age counts sleep`()
    throws
  {
    let now = after(awake: 10 * second, asleep: 30 * second, step: second)
    for (clock, state, more) in [
      ("elapsed", "paused", [:]), ("present", "running", ["away": true]),
    ] as [(String, String, JSONValue)] {
      let timer = try live(clock, state: state, left: 50 * second, more: more)
      #expect(timer.remainingUsec(at: now) == 50 * second)
      #expect(timer.nextChangeUsec(after: now, in: .tenths) == nil)
      #expect(timer.rangAgoUsec(at: now) == nil)
    }
    let watch = try live("present", kind: "stopwatch", left: 0, of: 0, more: ["away": true])
    #expect(watch.elapsedUsec(at: now) == 0)
    #expect(try live("awake", state: "over", left: 0).rangAgoUsec(at: now) == 40 * second)
  }

  @Test
  func `A snooze is shown with its rest in real time, and is what remains of a timer that is over`()
    throws
  {
    let now = after(awake: 10 * second, asleep: 30 * second, step: second)
    for (state, left) in [("over", 200 * second), ("running", 80 * second)] {
      // The snooze has 240 s left.
      let timer = try live("awake", state: state, left: 90 * second, ringing: "snoozed")
      #expect(timer.snoozeLeftUsec(at: now) == 200 * second)
      #expect(timer.remainingUsec(at: now) == left)
      #expect(timer.clock(at: now, in: .seconds) == "03:20")
      #expect(timer.nextChangeUsec(after: now, in: .seconds) == second)
    }
  }

  @Test(
    arguments: [
      (60_000_001, "01:01", "01:01"), (60_000_000, "01:00", "01:00.0"),
      (59_900_001, "01:00", "01:00.0"), (59_900_000, "01:00", "00:59.9"),
      (100_000, "00:01", "00:00.1"), (1, "00:01", "00:00.1"), (0, "00:00", "00:00"),
    ] as [(Int64, String, String)])
  func `The remaining time is rounded up, in tenths below a minute`(
    left: Int64, seconds: String, tenths: String
  ) throws {
    let timer = try live("elapsed", left: left)
    #expect(timer.clock(at: said, in: .seconds) == seconds)
    #expect(timer.clock(at: said, in: .tenths) == tenths)
  }

  @Test(
    arguments: [
      ("countdown", 86_399_000_000, "23:59:59"), ("countdown", 86_399_000_001, "1 d"),
      ("countdown", 2_685_600_000_000, "31 d 2 h"), ("stopwatch", 86_399_999_999, "23:59:59"),
      ("stopwatch", 86_400_000_000, "1 d"), ("stopwatch", 2_689_199_000_000, "31 d 2 h"),
    ] as [(String, Int64, String)])
  func `A day and more is shown in days`(kind: String, usec: Int64, text: String) throws {
    let isStopwatch = kind == "stopwatch"
    let timer = try live("elapsed", kind: kind, left: isStopwatch ? 0 : usec, of: 0)
    let now = isStopwatch ? after(awake: usec) : said
    #expect(timer.clock(at: now, in: .seconds) == text)
    let fine = timer.clock(at: now, in: .tenths)
    #expect(fine == (text.contains(":") && isStopwatch ? "\(text).9" : text))
  }

  @Test func `It changes with its digits or with a band, whichever is first`() throws {
    let bands: JSONValue = ["bands": [["name": "warn", "remaining_usec": 29_300_000]]]
    let timer = try live("elapsed", left: 30 * second, more: bands)
    #expect(timer.nextChangeUsec(after: said, in: .seconds) == 700_000)
    #expect(timer.nextChangeUsec(after: said, in: .tenths) == 100_000)
    let begun = after(awake: 700_000)
    #expect(timer.band(at: after(awake: 699_999)) == nil && timer.band(at: begun)?.name == "warn")
    #expect(timer.nextChangeUsec(after: begun, in: .seconds) == 300_000)
    #expect(timer.nextChangeUsec(after: after(awake: 30 * second), in: .seconds) == nil)
  }

  @Test func `Progress goes from 0 to 1, or through the range of its band`() throws {
    let plain = try live("elapsed", left: 100 * second)
    let progress = [0, 25, 300].map { plain.progress(at: after(awake: $0 * second)) }
    #expect(progress == [0, 0.25, 1])
    let bands: JSONValue = [
      "bands": [
        ["name": "long", "remaining_usec": 200_000_000, "progress": ["from": 1.0, "to": 0.5]],
        ["name": "last", "remaining_usec": 50_000_000],
      ]
    ]
    // A band that is longer than the timer begins with it.
    let banded = try live("elapsed", left: 100 * second, more: bands)
    let ranged = [0, 25, 60].map { banded.progress(at: after(awake: $0 * second)) }
    #expect(ranged == [1, 0.75, 0.6])
  }
}
