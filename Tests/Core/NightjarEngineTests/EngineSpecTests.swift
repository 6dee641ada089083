import NightjarTestSupport
import Testing

@testable import NightjarEngine
@testable import NightjarModel

/// The engine refuses invalid specifications, and stores equal ones once.
@Suite struct EngineSpecTests {
  @Test func `A repeating timer needs at least 100 ms from one ring to the next`() throws {
    let stage = Stage()
    let spec = try SharedSpec(kind: .countdown, repeats: true)
    let reason = "a repeating timer needs at least 100 ms from one ring to the next"
    #expect(throws: EngineError.problem(SpecProblem(.rounds, reason))) {
      try stage.start("tick", spec, usec: 99_999)
    }
    _ = try stage.start("tick", spec, usec: 100_000)
  }

  @Test func `Invalid bands are refused and change nothing`() throws {
    let stage = Stage()
    let slot = try stage.start("run", SharedSpec(kind: .stopwatch))
    let before = stage.engine.stored(slot)
    let reason = "a stopwatch has no end, so it cannot have bands"
    #expect(throws: EngineError.problem(SpecProblem(.bands, reason))) {
      try stage.engine.update(
        slot, bands: [Band(name: "warn", remainingUsec: second)], at: stage.now)
    }
    #expect(stage.engine.stored(slot) == before)
  }
}
