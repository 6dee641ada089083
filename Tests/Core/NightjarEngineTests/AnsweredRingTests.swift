import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Rings that a user answers before the wall clock is synchronised.
@Suite struct AnsweredRingTests {
  /// A timer on the wall clock that has rung after a boot, while the clock is not synchronised.
  private func rung() throws -> (stage: Stage, slot: Int) {
    let first = Stage()
    first.background.note(synchronized: true, at: first.now)
    let end = first.now
    first.clocks.reboot(off: hour, uptime: minute, error: 2 * hour)
    let stage = first.successor(from: end, synchronized: false)
    let slot = try stage.start("cd", 2 * minute, .wall)
    stage.advance(2 * minute)
    #expect(stage.engine.timer(at: slot).ring?.sound.estimate != nil)
    return (stage, slot)
  }

  private func lateness(_ stage: Stage) -> [Int64] {
    stage.background.clock.answered.map(\.sound.lateUsec)
  }

  @Test func `A step of the clock corrects a ring by that clock, answered or not`() throws {
    let (stage, slot) = try rung()
    try stage.runIteration { try $0.dismiss(slot, at: stage.now) }
    #expect(lateness(stage) == [0])
    stage.clocks.step(-2 * hour)
    stage.runIteration()
    #expect(lateness(stage) == [-2 * hour])
  }

  @Test func `A ring whose answer could not be written is not answered`() throws {
    let (stage, slot) = try rung()
    let rang = stage.engine.lastSeq
    try stage.runIteration { try $0.dismiss(slot, at: stage.now) }
    let answered = stage.engine.lastSeq
    for (last, count) in [(answered, 1), (rang, 0)] {
      stage.engine.reset()
      #expect(stage.engine.finishLoading(lastSeq: last) == nil)
      #expect(lateness(stage).count == count)
    }
  }
}
