import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@Suite struct StopwatchTests {
  static let rules = Rule.table(
    """
    A stopwatch measures the time that passes, except while it is paused
      stopwatch run, run 3s+7us, show run, pause run, run 1h, show run, resume run, run 1s,
      show run
      -> run running, 3.000007 measured; 3.000007 paused 3.000007; run paused, 3.000007 measured
      -> 3603.000007 resumed; run running, 4.000007 measured
    On elapsed a sleep counts, on awake it does not
      stopwatch run, stopwatch up awake, run 1s, sleep 1h, run 1s, show run, show up
      -> run running, 3602 measured; up running, 2 measured
    A stopwatch on awake leaves out the time of a stop
      stopwatch run awake, run 1s, enter stop, pass 1h, leave stop, show run
      -> run running, 1 measured
    A cancelled stopwatch keeps the measured time
      stopwatch run, run 42us, cancel run, run 1s, show run
      -> 0.000042 cancelled; run cancelled, 0.000042 measured
    A step of the wall clock does not change the measured time
      stopwatch run, run 1s, step -1h, show run
      -> run running, 1 measured
    Laps are the measured times, without pauses
      stopwatch run, run 10us, lap run, run 5us, pause run, run 100us, resume run, run 1us,
      lap run, show run, restart run, show run
      -> 0.00001 lapped 0.00001; 0.000015 paused 0.000015; 0.000115 resumed
      -> 0.000116 lapped 0.000016; run running, 0.000016 measured, laps 0.00001 0.000016
      -> 0.000116 restarted; run running, 0 measured
    A stopwatch on wall is refused, because wall can be set
      stopwatch run wall
      -> refused: clock: a stopwatch must measure elapsed, awake or present, because wall can be set
    """)

  @Test(arguments: rules) func `A stopwatch counts its own time`(_ rule: Rule) { rule.check() }

  private let stage = Stage()

  private func start(_ clock: Timeline = .elapsed) throws -> Int {
    try stage.start("run", SharedSpec(kind: .stopwatch), clock)
  }

  @Test func `A stopwatch has no end, is never due and arms no clock`() throws {
    let slot = try start()
    #expect(stage.engine.wake == Wake())
    stage.run(1000 * hour)
    stage.sleep(1000 * hour)
    let view = stage.engine.view(slot, at: stage.now)
    #expect(view.remainingUsec == 0 && view.deadlineUsec == nil && view.progress == 0)
    #expect(view.elapsedUsec == 2000 * hour)
    #expect(stage.ledger == [])
    #expect(stage.engine.next(at: stage.now) == nil)
  }

  @Test func `The thousand and first lap is refused`() throws {
    let slot = try start()
    for _ in 0..<Limits.laps {
      stage.run(1)
      try stage.engine.lap(slot, at: stage.now)
    }
    #expect(throws: EngineError.tooManyLaps(1000)) { try stage.engine.lap(slot, at: stage.now) }
    #expect(stage.engine.timer(at: slot).laps == Array(1...1000))
  }
}
