import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@Suite struct StopwatchTests {
  private let stage = Stage()

  private func start(_ clock: Timeline = .elapsed) throws -> Int {
    try stage.start("run", SharedSpec(kind: .stopwatch), clock)
  }

  private func measured(_ slot: Int) -> Int64 {
    stage.engine.view(slot, at: stage.now).elapsedUsec
  }

  @Test func `A stopwatch measures the time that passes, except while it is paused`() throws {
    let slot = try start()
    stage.run(3 * second + 7)
    #expect(measured(slot) == 3 * second + 7)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(hour)
    #expect(measured(slot) == 3 * second + 7)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.run(second)
    #expect(measured(slot) == 4 * second + 7)
    #expect(stage.ledger == ["3.000007 paused 3.000007", "3603.000007 resumed"])
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

  @Test func `On elapsed a sleep counts, on awake it does not`() throws {
    let (elapsed, awake) = (
      try start(), try stage.start("up", SharedSpec(kind: .stopwatch), .awake)
    )
    stage.run(second)
    stage.sleep(hour)
    stage.run(second)
    #expect(measured(elapsed) == hour + 2 * second)
    #expect(measured(awake) == 2 * second)
  }

  @Test func `A stopwatch on awake leaves out the time of a stop`() throws {
    let slot = try start(.awake)
    stage.run(second)
    stage.enter(.stop)
    stage.clocks.run(hour)
    stage.leave(.stop)
    #expect(measured(slot) == second)
  }

  @Test func `Laps are the measured times, without pauses`() throws {
    let slot = try start()
    stage.run(10)
    try stage.engine.lap(slot, at: stage.now)
    stage.run(5)
    try stage.engine.pause(slot, at: stage.now)
    stage.run(100)
    try stage.engine.resume(slot, at: stage.now)
    stage.run(1)
    try stage.engine.lap(slot, at: stage.now)
    #expect(stage.engine.timer(at: slot).laps == [10, 16])
    try stage.engine.restart(slot, at: stage.now)
    #expect(stage.engine.timer(at: slot).laps == [])
    #expect(measured(slot) == 0)
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

  @Test func `A cancelled stopwatch keeps the measured time`() throws {
    let slot = try start()
    stage.run(42)
    try stage.runIteration { try $0.cancel(slot, at: stage.now) }
    stage.run(second)
    #expect(measured(slot) == 42)
  }

  @Test func `A stopwatch on wall is refused, because wall can be set`() throws {
    let refused = try #require(throws: EngineError.self) { try start(.wall) }
    let reason = "a stopwatch must measure elapsed, awake or present, because wall can be set"
    #expect("\(refused)".contains(reason))
  }

  @Test func `A step of the wall clock does not change the measured time`() throws {
    let slot = try start()
    stage.run(second)
    stage.clocks.step(-hour)
    stage.runIteration()
    #expect(measured(slot) == second)
  }
}
