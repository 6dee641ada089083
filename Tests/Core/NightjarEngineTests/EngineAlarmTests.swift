import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Deadlines that wake the machine.
@Suite struct EngineAlarmTests {
  private let stage = Stage()
  private let second: Int64 = 1_000_000

  private func start(_ name: String, _ seconds: Int64, _ clock: Timeline, wakes: Bool) throws {
    _ = try stage.engine.start(
      name, durationUsec: seconds * second, clock: clock, wakes: wakes, at: stage.now)
  }

  @Test func `The earliest timer with wake counts, on each of the kernel's clocks`() throws {
    try stage.runIteration { _ in
      try start("quiet", 1, .elapsed, wakes: false)
      try start("late", 30, .elapsed, wakes: true)
      try start("early", 20, .elapsed, wakes: true)
      try start("calendar", 40, .wall, wakes: true)
    }
    let alarms = stage.engine.alarms
    #expect(alarms.boottimeUsec == stage.now.boottimeUsec + 20 * second)
    #expect(alarms.realtimeUsec == stage.now.realtimeUsec + 40 * second)
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `The alarm stays armed in the background, when nothing else is`() throws {
    try stage.runIteration { _ in try start("early", 20, .elapsed, wakes: true) }
    stage.runIteration { _ in stage.background.enter(.sleep, at: stage.now) }
    #expect(stage.engine.wake.boottimeUsec == nil)
    #expect(stage.engine.alarms.boottimeUsec == stage.now.boottimeUsec + 20 * second)
  }

  @Test func `The end of a snooze wakes the machine if its timer does`() throws {
    for wakes in [false, true] { try start("\(wakes)", 20, .wall, wakes: wakes) }
    stage.run(20 * second)
    for (name, seconds) in [("false", 10), ("true", 30)] as [(String, Int64)] {
      let slot = try stage.engine.require(name)
      try stage.engine.snooze(slot, byUsec: seconds * second, at: stage.now)
    }
    stage.runIteration { _ in stage.background.enter(.sleep, at: stage.now) }
    #expect(stage.engine.alarms == (stage.now.boottimeUsec + 30 * second, nil))
    try stage.engine.dismiss(try stage.engine.require("true"), at: stage.now)
    #expect(stage.engine.alarms == (nil, nil))
  }

  @Test
  func `A timer that is paused, over or removed does not wake the machine, until it runs again`()
    throws
  {
    let engine = stage.engine
    try stage.runIteration { _ in try start("tea", 20, .elapsed, wakes: true) }
    let slot = try engine.require("tea")
    try stage.runIteration { _ in try engine.pause(slot, at: stage.now) }
    #expect(engine.alarms.boottimeUsec == nil)
    try stage.runIteration { _ in try engine.resume(slot, at: stage.now) }
    #expect(engine.alarms.boottimeUsec != nil)
    try stage.runIteration { _ in try engine.cancel(slot, at: stage.now) }
    #expect(engine.alarms.boottimeUsec == nil)
    try stage.runIteration { _ in try engine.restart(slot, at: stage.now) }
    #expect(engine.alarms.boottimeUsec == stage.now.boottimeUsec + 20 * second)
    try stage.runIteration { _ in try engine.remove(slot, at: stage.now) }
    #expect(engine.alarms.boottimeUsec == nil && engine.violatedInvariant() == nil)
  }
}
