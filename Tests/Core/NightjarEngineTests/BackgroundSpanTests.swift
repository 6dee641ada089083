import NightjarEngine
import NightjarModel
import Testing

/// Entering and leaving spans because of signals and logind.
@Suite struct BackgroundSpanTests {
  @Test func `A sleep is a span from PrepareForSleep(true) to PrepareForSleep(false)`() {
    let stage = Stage()
    let entered = stage.now
    stage.enter(.sleep)
    #expect(stage.background.open?.causes == [.sleep])
    stage.clocks.run(2 * second)
    stage.clocks.sleep(100 * second)
    stage.clocks.run(3 * second)
    stage.leave(.sleep)
    #expect(stage.left.count == 1)
    #expect(stage.left[0].causes == [.sleep])
    #expect(stage.left[0].entered == entered)
    #expect(stage.left[0].left == stage.now)
    #expect(stage.left[0].elapsedUsec == 105 * second)
    #expect(!stage.left[0].estimated)
    #expect(stage.background.open == nil)
    #expect(stage.background.last == stage.left[0])
    #expect(stage.background.foregroundSince == stage.now)
    // Time while the machine is awake counts on awake, also within a span.
    #expect(stage.reading(.awake) == 5 * second)
    #expect(stage.reading(.elapsed) == 105 * second)
  }

  @Test func `A suspend that fails is a short span of awake time`() {
    let stage = Stage()
    stage.enter(.sleep)
    stage.clocks.run(second)
    stage.leave(.sleep)
    #expect(stage.left.map(\.elapsedUsec) == [second])
    #expect(stage.reading(.awake) == second)
  }

  @Test func `A stop is a span from SIGTSTP to SIGCONT that the awake counter leaves out`() {
    let stage = Stage()
    stage.run(second)
    stage.enter(.stop)
    stage.clocks.run(5 * second)
    stage.leave(.stop)
    #expect(stage.left.map(\.causes) == [[.stop]])
    #expect(stage.left.map(\.elapsedUsec) == [5 * second])
    #expect(stage.reading(.elapsed) == 6 * second)
    #expect(stage.reading(.awake) == second)
  }

  @Test
  func `Between SIGTSTP and SIGSTOP the awake counter stands still, though the daemon still works`()
    throws
  {
    let stage = Stage()
    stage.enter(.stop)
    stage.clocks.run(2 * second)
    let slot = try stage.start("tea", 10 * second, .awake)
    #expect(stage.remaining(slot) == 10 * second)
    stage.clocks.run(60 * second)
    stage.leave(.stop)
    #expect(stage.remaining(slot) == 10 * second)
    stage.run(4 * second)
    #expect(stage.remaining(slot) == 6 * second)
  }

  @Test
  func `Spans that overlap are one span with a list of causes, and nothing is counted twice`() {
    let stage = Stage()
    stage.enter(.sleep)
    stage.clocks.run(second)
    stage.enter(.stop)
    stage.clocks.sleep(60 * second)
    stage.leave(.sleep)
    #expect(stage.background.open?.causes == [.sleep, .stop])
    #expect(stage.left.isEmpty)
    stage.clocks.run(4 * second)
    stage.leave(.stop)
    #expect(stage.entered.count == 1)
    #expect(stage.left.map(\.causes) == [[.sleep, .stop]])
    #expect(stage.left.map(\.elapsedUsec) == [65 * second])
    #expect(stage.left.map(\.id) == [1])
    #expect(stage.reading(.elapsed) == 65 * second)
    #expect(stage.reading(.awake) == second)
  }

  @Test func `A cause that the span already has is not counted twice`() {
    let stage = Stage()
    stage.enter(.sleep)
    stage.enter(.sleep)
    stage.clocks.run(second)
    stage.leave(.sleep)
    stage.leave(.sleep)
    #expect(stage.entered.count == 1)
    #expect(stage.left.count == 1)
  }

  @Test func `Leaving without an open span does nothing`() {
    let stage = Stage()
    stage.leave(.sleep)
    stage.leave(.stop)
    stage.enter(.sleep)
    stage.leave(.stop)
    #expect(stage.left.isEmpty)
    #expect(stage.background.open?.causes == [.sleep])
  }

  @Test func `Reading the clocks, as after a SIGCONT alone, opens no span`() {
    let stage = Stage()
    for _ in 0..<3 { stage.run(100 * second) }
    stage.runIteration()
    #expect(stage.posted.isEmpty)
    #expect(stage.background.foregroundSince == TestClocks().now)
  }

  @Test func `Nothing fires in the background, and the loop is armed for nothing`() throws {
    let stage = Stage()
    let slot = try stage.start("tea", second)
    #expect(stage.engine.wake.boottimeUsec == stage.now.boottimeUsec + second)
    stage.enter(.sleep)
    #expect(stage.engine.wake == Wake())
    stage.run(10 * second)
    #expect(stage.state(slot) == .running)
    #expect(stage.remaining(slot) == 0)
    stage.leave(.sleep)
    #expect(stage.rings == [Rung(name: "tea", lateUsec: 9 * second, cause: .sleep, span: 1)])
  }

  @Test
  func `Leaving a span posts entry, exit, the list of expiries and each expiry, in this order`()
    throws
  {
    let stage = Stage()
    try stage.start("tea", second)
    stage.enter(.stop)
    stage.clocks.run(3 * second)
    stage.leave(.stop)
    #expect(
      stage.events.map { "\($0.typeName)" }
        == ["started", "did_enter_background", "will_enter_foreground", "came_due", "rang"])
    #expect(stage.events.map(\.seq) == [1, 2, 3, 4, 5])
  }

  @Test func `The numbers of spans increase by one`() {
    let stage = Stage()
    for _ in 0..<3 {
      stage.enter(.sleep)
      stage.clocks.run(second)
      stage.leave(.sleep)
    }
    #expect(stage.left.map(\.id) == [1, 2, 3])
  }

  @Test func `The stored state of an open span has its start and the time of the stop`() {
    let stage = Stage()
    stage.run(second)
    let stopped = stage.now
    stage.enter(.stop)
    stage.clocks.run(second)
    let state = stage.background.state(at: stage.now)
    #expect(state.open?.entered == stopped)
    #expect(state.stoppedMonotonicUsec == stopped.monotonicUsec)
    #expect(state.enteredAwakeUsec == second)
    #expect(state.anchor.awakeUsec == second)
    #expect(state.anchor.elapsedUsec == 2 * second)
    #expect(state.anchor.moment == stage.now)
    #expect(state.last == nil)
  }
}
