import NightjarEngine
import NightjarModel
import Testing

/// Entering and leaving spans because of signals and logind.
@Suite struct BackgroundSpanTests {
  private let stage = Stage()

  static let rules = Rule.table(
    """
    A suspend that fails is a short span of awake time
      enter sleep, pass 1s, leave sleep, spans, clocks
      -> 1 sleep from 0 for 1; elapsed 1, awake 1
    A stop is a span from SIGTSTP to SIGCONT that the awake counter leaves out
      run 1s, enter stop, pass 5s, leave stop, spans, clocks
      -> 1 stop from 1 for 5; elapsed 6, awake 1
    Between SIGTSTP and SIGSTOP awake stands still, though the daemon still works
      enter stop, pass 2s, start tea 10s awake, show tea, pass 60s, leave stop, show tea, run 4s,
      show tea
      -> tea running, 10 left; tea running, 10 left; tea running, 6 left
    Spans that overlap are one span with a list of causes, and nothing is counted twice
      enter sleep, pass 1s, enter stop, doze 60s, leave sleep, spans, pass 4s, leave stop, spans,
      clocks
      -> 1 sleep+stop is open; 1 sleep+stop from 0 for 65; elapsed 65, awake 1
    A cause that the span already has is not counted twice
      enter sleep, enter sleep, pass 1s, leave sleep, leave sleep, spans
      -> 1 sleep from 0 for 1
    Leaving without an open span does nothing
      leave sleep, leave stop, enter sleep, leave stop, spans
      -> 1 sleep is open
    The numbers of spans increase by one
      sleep 1s, sleep 1s, sleep 1s, spans
      -> 1 sleep from 0 for 1; 2 sleep from 1 for 1; 3 sleep from 2 for 1
    Nothing fires in the background, and the loop is armed for nothing
      start tea 1s, armed, enter sleep, armed, run 10s, show tea, leave sleep, spans
      -> armed for boottime 1; armed for nothing; tea running, 0 left; 10 rang late 9 sleep
      -> 1 sleep from 0 for 10
    """)

  @Test(arguments: rules)
  func `A span is what hid time, and why`(_ rule: Rule) { rule.check() }

  @Test func `A sleep is a span from PrepareForSleep(true) to PrepareForSleep(false)`() {
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

  @Test func `Reading the clocks, as after a SIGCONT alone, opens no span`() {
    for _ in 0..<3 { stage.run(100 * second) }
    stage.runIteration()
    #expect(stage.posted.isEmpty)
    #expect(stage.background.foregroundSince == TestClocks().now)
  }

  @Test func `A left span posts entry, exit, list of expiries and each expiry in order`() throws {
    try stage.start("tea", second)
    stage.enter(.stop)
    stage.clocks.run(3 * second)
    stage.leave(.stop)
    #expect(
      stage.events.map { "\($0.typeName)" }
        == ["started", "did_enter_background", "will_enter_foreground", "came_due", "rang"])
    #expect(stage.events.map(\.seq) == [1, 2, 3, 4, 5])
  }

  @Test func `The stored state of an open span has its start and the time of the stop`() {
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
