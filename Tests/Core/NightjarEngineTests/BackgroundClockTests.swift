import NightjarEngine
import NightjarModel
import Testing

/// Findings from the clocks alone: unannounced sleep, freezes, steps.
@Suite struct BackgroundClockTests {
  @Test func `BOOTTIME that grows by over 100 ms more than MONOTONIC is an unannounced sleep`() {
    let stage = Stage()
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

  @Test func `BOOTTIME that grows by 100 ms more than MONOTONIC is noise of the readings`() {
    let stage = Stage()
    stage.clocks.sleep(100_000)
    stage.runIteration()
    #expect(stage.posted.isEmpty)
  }

  @Test func `A sleep within a stop is one more cause of its span`() {
    let stage = Stage()
    stage.enter(.stop)
    stage.clocks.run(second)
    stage.clocks.sleep(hour)
    stage.leave(.stop)
    #expect(stage.left.map(\.causes) == [[.stop, .sleep]])
    #expect(stage.left.map(\.elapsedUsec) == [hour + second])
  }

  @Test func `An announced sleep is not found a second time`() {
    let stage = Stage()
    stage.enter(.sleep)
    stage.clocks.sleep(hour)
    stage.runIteration()
    stage.leave(.sleep)
    #expect(stage.left.map(\.causes) == [[.sleep]])
  }

  @Test(arguments: Timeline.allCases)
  func `An armed deadline that was passed by more than a second proves a freeze`(
    _ timeline: Timeline
  ) throws {
    let stage = Stage()
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

  @Test
  func `An armed deadline that was passed by a second proves nothing, as the machine may be busy`()
    throws
  {
    let stage = Stage()
    try stage.start("tea", 5 * second)
    stage.clocks.run(6 * second)
    stage.runIteration()
    #expect(stage.left.isEmpty)
    #expect(stage.rings == [Rung(name: "tea", lateUsec: second, cause: .busy)])
    #expect(stage.reading(.awake) == 6 * second)
  }

  @Test func `Without an armed deadline no freeze is detected or reported`() throws {
    let stage = Stage()
    let slot = try stage.start("tea", 100 * second, .awake)
    stage.clocks.run(99 * second)
    stage.runIteration()
    #expect(stage.left.isEmpty)
    #expect(stage.remaining(slot) == second)
  }

  @Test func `A deadline that was already due when the loop was armed counts as due then`() {
    let stage = Stage()
    stage.run(100 * second)
    stage.background.arm(Wake(boottimeUsec: stage.now.boottimeUsec - 50 * second), at: stage.now)
    stage.clocks.run(second)
    stage.background.observe(stage.now)
    #expect(stage.left.isEmpty)
  }

  @Test func `A sleep does not count as a freeze, and a freeze around it has both causes`() throws {
    let stage = Stage()
    try stage.start("tea", 5 * second, .awake)
    stage.clocks.run(4 * second)
    stage.clocks.sleep(hour)
    stage.clocks.run(3 * second)
    stage.runIteration()
    #expect(stage.left.map(\.causes) == [[.sleep, .freeze]])
    #expect(stage.left.map(\.elapsedUsec) == [hour + 2 * second])
    #expect(stage.reading(.awake) == 5 * second)

    let other = Stage()
    try other.start("tea", 5 * second)
    other.clocks.sleep(hour)
    other.runIteration()
    #expect(other.left.map(\.causes) == [[.sleep]])
  }

  @Test(arguments: Timeline.allCases)
  func `A freeze that contains a sleep is as long as the sleep and the time that was missed awake`(
    _ timeline: Timeline
  ) throws {
    let stage = Stage()
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

  @Test(arguments: [Timeline.elapsed, .wall])
  func `A deadline that passed during a sleep and is handled at once proves no freeze`(
    _ timeline: Timeline
  ) throws {
    let stage = Stage()
    try stage.start("tea", 5 * second, timeline)
    stage.clocks.run(second)
    stage.clocks.sleep(hour)
    stage.clocks.run(second)
    stage.runIteration()
    #expect(stage.left.map(\.causes) == [[.sleep]])
    #expect(stage.left.map(\.elapsedUsec) == [hour])
    #expect(stage.reading(.awake) == 2 * second)
  }

  @Test func `A step of the wall clock past an armed wall deadline is no freeze`() throws {
    let stage = Stage()
    try stage.start("tea", 5 * second, .wall)
    stage.clocks.step(hour)
    stage.runIteration()
    #expect(stage.left.isEmpty)
    #expect(stage.rings == [Rung(name: "tea", lateUsec: hour - 5 * second, cause: .step)])
  }

  @Test(arguments: [1, -1])
  func `A wall clock that changes by 10 ms against BOOTTIME was set`(sign: Int64) throws {
    let stage = Stage()
    let elapsed = try stage.start("tea", hour)
    let awake = try stage.start("focus", hour, .awake)
    stage.clocks.run(second)
    stage.clocks.step(sign * 10_000)
    stage.runIteration()
    #expect(stage.steps == [sign * 10_000])
    stage.clocks.step(sign * 2 * hour)
    stage.runIteration()
    #expect(stage.steps == [sign * 10_000, sign * 2 * hour])
    // A step does not move a countdown.
    #expect(stage.remaining(elapsed) == hour - second)
    #expect(stage.remaining(awake) == hour - second)
    #expect(stage.left.isEmpty)
  }

  @Test func `A wall clock that changes by less than 10 ms against BOOTTIME was not set`() {
    let stage = Stage()
    for usec: Int64 in [9_999, -9_999] {
      stage.clocks.step(usec)
      stage.runIteration()
    }
    #expect(stage.posted.isEmpty)
  }

  @Test
  func `The step threshold applies to two successive readings, so drift below it never adds up`() {
    let stage = Stage()
    for _ in 0..<100 {
      stage.clocks.run(second)
      stage.clocks.step(Background.stepThresholdUsec - 1)
      stage.runIteration()
    }
    #expect(stage.posted.isEmpty)
    stage.clocks.run(second)
    stage.clocks.step(Background.stepThresholdUsec)
    stage.runIteration()
    #expect(stage.steps == [Background.stepThresholdUsec])
  }

  @Test func `A resume is no step`() {
    let stage = Stage()
    stage.clocks.sleep(8 * hour)
    stage.runIteration()
    #expect(stage.steps.isEmpty)
    stage.enter(.sleep)
    stage.clocks.sleep(8 * hour)
    stage.clocks.step(-hour)
    stage.leave(.sleep)
    #expect(stage.steps == [-hour])
    #expect(stage.left.map(\.elapsedUsec) == [8 * hour, 8 * hour])
  }
}
