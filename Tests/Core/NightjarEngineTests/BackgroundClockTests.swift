import NightjarEngine
import NightjarModel
import Testing

/// Findings from the clocks alone: unannounced sleep, freezes, steps.
@Suite struct BackgroundClockTests {
  private let stage = Stage()

  static let rules = Rule.table(
    """
    BOOTTIME that grows by 100 ms more than MONOTONIC is noise of the readings
      doze 100ms, look, spans, steps
      -> no span; no step
    A sleep within a stop is one more cause of its span
      enter stop, pass 1s, doze 1h, leave stop, spans
      -> 1 stop+sleep from 0 for 3601
    An announced sleep is not found a second time
      enter sleep, doze 1h, look, leave sleep, spans
      -> 1 sleep from 0 for 3600
    An armed deadline that was passed by a second proves nothing, as the machine may be busy
      start tea 5s, pass 6s, look, spans, clocks
      -> 6 rang late 1 busy; no span; elapsed 6, awake 6
    Without an armed deadline no freeze is detected or reported
      start tea 100s awake, pass 99s, look, spans, show tea
      -> no span; tea running, 1 left
    A freeze around a sleep has both causes
      start tea 5s awake, pass 4s, doze 1h, pass 3s, look, spans, clocks
      -> 3607 rang late 3602 sleep; 1 sleep+freeze from 5 for 3602; elapsed 3607, awake 5
    A sleep does not count as a freeze
      start tea 5s, doze 1h, look, spans
      -> 3600 rang late 3595 sleep; 1 sleep from 0 for 3600
    A step of the wall clock past an armed wall deadline is no freeze
      start tea 5s wall, step 1h, spans
      -> 3600 rang late 3595 step; no span
    A wall clock that changes by less than 10 ms against BOOTTIME was not set
      step 9999us, step -9999us, steps, spans
      -> no step; no span
    A resume is no step
      doze 8h, look, steps, enter sleep, doze 8h, shift -1h, leave sleep, steps, spans
      -> no step; steps -3600; 1 sleep from 0 for 28800; 2 sleep from 28800 for 28800
    A deadline on {elapsed|wall} that passed in a sleep and is handled at once proves no freeze
      start tea 5s {}, pass 1s, doze 1h, pass 1s, look, spans, clocks
      -> 3602 rang late 3597 sleep; 1 sleep from 2 for 3600; elapsed 3602, awake 2
    A wall clock that changes by {|-}10 ms was set, which does not move a countdown
      start tea 1h, start focus 1h awake, pass 1s, step {}10ms, steps, step {}2h, steps, show tea,
      show focus, spans
      -> steps {}0.01; steps {}0.01 {}7200; tea running, 3599 left; focus running, 3599 left
      -> no span
    """)

  private static let drift = Rule(
    "The step threshold is for two successive readings: drift below it never adds up",
    String(repeating: "pass 1s, shift 9999us, look, ", count: 100)
      + "steps, spans, pass 1s, shift 10ms, look, steps",
    "no step", "no span", "steps 0.01")

  @Test(arguments: rules + [drift])
  func `The clocks alone show what happened`(_ rule: Rule) { rule.check() }

  @Test func `BOOTTIME that grows by over 100 ms more than MONOTONIC is an unannounced sleep`() {
    stage.run(10 * second)
    stage.clocks.sleep(100_001)
    stage.runIteration()
    #expect(stage.left.map(\.causes) == [[.sleep]])
    #expect(stage.left.map(\.elapsedUsec) == [100_001])
    #expect(stage.left[0].entered.boottimeUsec == stage.now.boottimeUsec - 100_001)
    #expect(stage.left[0].entered.monotonicUsec == stage.now.monotonicUsec)
    #expect(!stage.left[0].estimated)
    #expect(stage.reading(.awake) == 10 * second)
  }

  @Test(arguments: Timeline.allCases)
  func `A deadline passed by more than a second proves a freeze`(_ timeline: Timeline) throws {
    let slot = try stage.start("tea", 5 * second, timeline)
    let start = stage.now
    stage.run(second)
    stage.clocks.run(6 * second + 1)
    stage.runIteration()
    #expect(stage.left.map(\.causes) == [[.freeze]])
    #expect(stage.left.map(\.elapsedUsec) == [2 * second + 1])
    // The span begins at the deadline: before it, the daemon had nothing to do.
    #expect(stage.left[0].entered.boottimeUsec == start.boottimeUsec + 5 * second)
    #expect(stage.reading(.awake) == 5 * second)
    #expect(stage.reading(.elapsed) == 7 * second + 1)
    #expect(stage.state(slot) == .over)
    #expect(
      stage.rings == [Rung(name: "tea", lateUsec: 2 * second + 1, cause: .freeze, span: 1)])
  }

  @Test func `A deadline that was already due when the loop was armed counts as due then`() {
    stage.run(100 * second)
    stage.background.arm(Wake(boottimeUsec: stage.now.boottimeUsec - 50 * second), at: stage.now)
    stage.clocks.run(second)
    stage.background.observe(stage.now)
    #expect(stage.left.isEmpty)
  }

  @Test(arguments: Timeline.allCases)
  func `A freeze around a sleep has the time of both`(_ timeline: Timeline) throws {
    let start = stage.now
    try stage.start("tea", 5 * second, timeline)
    stage.clocks.run(4 * second)
    stage.clocks.sleep(hour)
    stage.clocks.run(3 * second)
    stage.runIteration()
    #expect(stage.left.map(\.causes) == [[.sleep, .freeze]])
    #expect(stage.left.map(\.elapsedUsec) == [hour + 2 * second])
    #expect(stage.left[0].entered.boottimeUsec == start.boottimeUsec + 5 * second)
    #expect(stage.left[0].entered.monotonicUsec == start.monotonicUsec + 5 * second)
    #expect(stage.reading(.awake) == 5 * second)
    #expect(stage.rings.map(\.lateUsec) == [hour + 2 * second])
  }
}
