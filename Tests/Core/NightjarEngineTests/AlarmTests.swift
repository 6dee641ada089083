import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Alarms at an instant of the wall clock or by a calendar.
@Suite struct AlarmTests {
  private static let daily = "alarm wake every=10min"

  static let rules = Rule.table(
    """
    An alarm rings at its deadline and not a microsecond before
      alarm wake in=1h, run 1h-1us, show wake, run 1us, show wake
      -> wake running, 0.000001 left; 3600 rang; wake over
    A deadline that is now is refused, at a restart too
      alarm wake in=0s, alarm wake in=-1us, alarm wake in=5us, run 5us, restart wake
      -> refused: neverElapses; refused: neverElapses; 0.000005 rang; refused: neverElapses
    A deadline over a hundred years away is refused
      alarm wake in=36525d+1us
      -> refused: durationTooLong(\(Limits.durationUsec))
    A calendar without another instant is refused
      ends 0s, \(daily)
      -> refused: neverElapses
    A calendar alarm rings at each instant and ends with the last
      run 4min, \(daily), ends 26min, wait 1h, show wake
      -> 600 rang; 1200 rang; 1800 rang; wake over
    An alarm ends after its rounds
      \(daily) rounds=2, wait 1h, show wake
      -> 600 rang; 1200 rang; wake over
    With once, the last of the missed instants rings
      \(daily), sleep 35min, wait 5min
      -> 2100 rang late 300 sleep, missed 2; 2400 rang
    With each, all missed instants ring
      \(daily) missed=each, sleep 35min, wait 5min
      -> 2100 rang late 1500 sleep; 2100 rang late 900 sleep; 2100 rang late 300 sleep; 2400 rang
    With skip, no missed instant rings
      \(daily) missed=skip, sleep 35min, wait 5min
      -> 2100 did_not_ring late 300 sleep, missed 2; 2400 rang
    Missed instants are counted up to ten thousand, and the alarm continues from now
      alarm wake every=1s, sleep 20000s+1us, wait 1s
      -> 20000.000001 rang late 0.000001 sleep, missed 9999; 20001 rang
    With more missed instants, the last one still rings, with its own lateness
      \(daily) late=5min, sleep 110014min, show wake
      -> 6600840 did_not_ring late 601440 sleep, missed 9998; 6600840 rang late 240 sleep
      -> wake running, 360 left
    A paused alarm is muted, and resumed before its deadline it rings then
      alarm wake in=1h, pause wake, run 30min, show wake, resume wake, run 30min
      -> 0 paused 3600; wake paused, 1800 left; 1800 resumed; 3600 rang
    A calendar alarm that was muted over several instants reports how many
      \(daily), pause wake, run 35min, resume wake, wait 5min
      -> 0 paused 600; 2100 resumed; 2100 rang late 300 paused, missed 2; 2400 rang
    An instant that rang does not ring again when the clock is set back
      \(daily), wait 11min, step -5min, wait 15min
      -> 600 rang; 1200 rang
    Instants that did not ring do so when the clock is set back and shows them again
      \(daily) missed=skip, sleep 25min, step -20min, wait 26min
      -> 1500 did_not_ring late 300 sleep, missed 1; 300 rescheduled to 600; 600 rang; 1200 rang
      -> 1800 rang
    An instant for which a later one rang does so when the clock shows it again
      \(daily), sleep 25min, step -20min, wait 26min
      -> 1500 rang late 300 sleep, missed 1; 300 rescheduled to 600; 600 rang; 1800 rang
    A clock set back over coming instants makes the alarm ring at the next, by an event
      \(daily), step -25min, show wake, wait 5min
      -> -1500 rescheduled to -1200; wake running, 300 left; -1200 rang
    An alarm that rang once does not ring again when the clock is set back
      alarm wake in=1min, run 2min, step -10min, wait 1h, show wake
      -> 120 rang late 60 freeze; wake over
    A clock set forward past the deadline makes the alarm ring at once, late by the step
      alarm wake in=1h, step 2h
      -> 7200 rang late 3600 step
    A clock set forward past several instants makes the alarm ring as its policy says
      \(daily) late=1min, step 35min, wait 5min
      -> 2100 did_not_ring late 300 step, missed 2; 2400 rang
    An instant due before a step rings, and those that it passed are late by their age
      \(daily) late=10min missed=each, pass 10min, step 35min
      -> 2700 rang late 2100 busy; 2700 did_not_ring late 900 step, missed 1
      -> 2700 rang late 300 step
    An instant due before a step rings, and with skip those that it passed do not
      \(daily) late=skip missed=each, pass 10min, step 35min
      -> 2700 rang late 2100 busy; 2700 did_not_ring late 300 step, missed 2
    In another zone an alarm follows that zone, unless it names its own
      \(daily), \(fixed), zone 3min, show wake, show fixed, wait 13min
      -> 0 wake rescheduled to 180; wake running, 180 left; fixed running, 600 left; 180 wake rang
      -> 600 fixed rang; 780 wake rang
    An alarm that rings once can be extended, and a restart returns to its deadline
      alarm wake in=1h, extend wake 1min, show wake, restart wake, show wake
      -> 0 extended; wake running, 3660 left; 0 restarted; wake running, 3600 left
    Bands are crossed before the deadline
      alarm wake in=1h bands=soon:1min, wait 1h, show wake
      -> 3540 band_crossed soon 60; 3600 rang; wake over, in soon
    An alarm resumed a minute late rings with {late=fire|late=1min}, late because of the pause
      alarm wake in=1h {}, pause wake, run 61min, show wake, resume wake, show wake
      -> 0 paused 3600; wake paused, 0 left; 3660 resumed; 3660 rang late 60 paused; wake over
    An alarm resumed a minute late does not ring with {late=skip|late=1min-1us}
      alarm wake in=1h {}, pause wake, run 61min, show wake, resume wake, show wake
      -> 0 paused 3600; wake paused, 0 left; 3660 resumed; 3660 did_not_ring late 60 paused
      -> wake over
    """)

  private static let fixed = "alarm fixed every=10min zone=Fixed"

  /// The clock was right at the beginning, so the start of an alarm does not move with later steps.
  @Test(arguments: rules)
  func `An alarm rings at its instants, whatever happens to the clock`(_ rule: Rule) {
    rule.check(after: "synchronized")
  }

  private let stage = Stage(calendar: TestCalendar())

  @Test func `An alarm is on the clock wall, whatever clock was requested`() throws {
    let slot = try stage.start(
      "wake", SharedSpec(kind: .alarm), atUsec: stage.now.realtimeUsec + hour)
    #expect(stage.engine.timer(at: slot).clock == .wall)
  }

  @Test func `With each, instants that a clock set back shows again share one ring`() throws {
    // The clock was never synchronised, so every instant that it shows again counts.
    let schedule = Schedule(expression: "\(10 * minute)", zone: "")
    _ = try stage.start("wake", SharedSpec(kind: .alarm, missed: .each, schedule: schedule))
    stage.run(hour)
    stage.clocks.step(-10 * hour)
    stage.runIteration()
    let before = stage.rings.count
    // The first of a thousand rings stands for all older instants. With it the alarm forgets which
    // instants rang, so they are due again and share one more ring.
    stage.sleep(1_040 * 10 * minute)
    #expect(stage.rings.count == before + 1_001)
  }

  @Test func `An expiry that joined a ring and is not due any more is not the last one`() throws {
    stage.background.note(synchronized: true, at: stage.now)
    let schedule = Schedule(expression: "\(10 * minute)", zone: "")
    let slot = try stage.start("wake", SharedSpec(kind: .alarm, schedule: schedule))
    stage.run(10 * minute)
    try stage.engine.snooze(slot, byUsec: 25 * minute, at: stage.now)
    stage.run(12 * minute)
    #expect(stage.engine.timer(at: slot).expiries.last?.number == 2)
    stage.clocks.step(-5 * minute)
    stage.runIteration()
    let expiries = stage.engine.timer(at: slot).expiries
    #expect(expiries.ring?.joined == [] && expiries.last == expiries.ring?.expiry)
    #expect(expiries.last?.number == 1)
  }
}
