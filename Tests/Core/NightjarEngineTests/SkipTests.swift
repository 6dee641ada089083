import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Expiries that a client skips.
@Suite struct SkipTests {
  private let stage: Stage
  private let calendar = TestCalendar()

  init() {
    stage = Stage(calendar: calendar)
    stage.background.note(synchronized: true, at: stage.now)
  }

  /// An alarm that rings every ten minutes, the first time in at most ten minutes.
  private func alarm(rounds: Int64 = 0, missed: MissedPolicy = .once) throws -> Int {
    try stage.start(
      "wake",
      SharedSpec(
        kind: .alarm, missed: missed, rounds: rounds,
        schedule: Schedule(expression: "\(10 * minute)", zone: "")))
  }

  private func countdown(rounds: Int64 = 0, _ clock: Timeline = .elapsed) throws -> Int {
    try stage.start(
      "tick", SharedSpec(kind: .countdown, repeats: true, rounds: rounds), usec: 10 * second, clock)
  }

  private func skip(_ slot: Int) throws {
    try stage.runIteration { try $0.skip(slot, at: stage.now) }
  }

  /// An alarm whose next ring, at the instant `first`, is skipped.
  private func skippedAlarm() throws -> (slot: Int, first: Int64) {
    let slot = try alarm()
    let first = deadline(slot)
    try skip(slot)
    return (slot, first)
  }

  /// For each ring, how many more expiries it stands for.
  private var missed: [Int64] { stage.events.compactMap { $0.kind.expiry?.passing.missed } }

  private func deadline(_ slot: Int) -> Int64 { stage.engine.timer(at: slot).phase.deadline ?? 0 }

  @Test func `A skipped ring of an alarm does not ring, and the next one does`() throws {
    let (slot, first) = try skippedAlarm()
    #expect(deadline(slot) == first + 10 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first])
    stage.run(first - stage.now.realtimeUsec)
    #expect(stage.rings == [])
    stage.run(10 * minute)
    #expect(missed == [0])
    #expect(stage.engine.passedOver(slot, at: stage.now) == [])
  }

  @Test func `Two skips concern the next two rings, and each can be taken back`() throws {
    let (slot, first) = try skippedAlarm()
    try skip(slot)
    #expect(deadline(slot) == first + 20 * minute)
    try stage.runIteration { try $0.unskip(slot, at: stage.now) }
    #expect(deadline(slot) == first + 10 * minute)
    try stage.runIteration { try $0.unskip(slot, at: stage.now) }
    #expect(deadline(slot) == first)
    #expect(throws: EngineError.invalidTransition(.running, .unskip)) {
      try stage.engine.unskip(slot, at: stage.now)
    }
  }

  @Test func `A skipped instant stays skipped when the clock shows it again`() throws {
    let (slot, first) = try skippedAlarm()
    stage.run(first + 5 * minute - stage.now.realtimeUsec)
    stage.clocks.step(-20 * minute)
    stage.runIteration()
    #expect(deadline(slot) == first - 10 * minute)
    stage.run(5 * minute)
    #expect(stage.rings.count == 1)
    #expect(deadline(slot) == first + 10 * minute)
  }

  @Test func `A skipped instant is not counted as missed in a sleep`() throws {
    let (slot, first) = try skippedAlarm()
    stage.clocks.sleep(first + 35 * minute - stage.now.realtimeUsec)
    stage.runIteration()
    // The ring stands for two more instants, and the skipped one is not among them.
    #expect(missed == [2])
    #expect(deadline(slot) == first + 40 * minute)
  }

  @Test func `A skipped ring stays skipped in another zone, at its local time there`() throws {
    let (slot, first) = try skippedAlarm()
    stage.run(5 * minute)
    calendar.zoneUsec = 3 * minute
    stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
    stage.runIteration()
    #expect(deadline(slot) == first + 13 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first + 3 * minute])
    try stage.runIteration { try $0.unskip(slot, at: stage.now) }
    #expect(deadline(slot) == first + 3 * minute)
  }

  @Test func `A skip is for a local time, which a zone that is behind shows later`() throws {
    let (slot, first) = try skippedAlarm()
    calendar.zoneUsec = 3 * minute
    stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
    stage.runIteration()
    // In the other zone, the instant before the skipped one is still to come.
    #expect(deadline(slot) == first - 7 * minute)
    stage.run(4 * minute)
    #expect(stage.rings.count == 1)
    #expect(deadline(slot) == first + 13 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first + 3 * minute])
  }

  @Test(arguments: [(15, false), (5, true), (10, true)] as [(Int64, Bool)])
  func `Only skipped instants of the present calendar are listed`(
    minutes: Int64, hasInstant: Bool
  ) throws {
    let (slot, first) = try skippedAlarm()
    stage.run(2 * minute)
    var spec = stage.engine.timerSpec(at: slot)
    spec.schedule = Schedule(expression: "\(minutes * minute)", zone: "")
    try stage.runIteration { try $0.update(slot, to: spec, at: stage.now) }
    stage.run(4 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == (hasInstant ? [first] : []))
  }

  @Test func `A skipped ring counts as a round, and the last round cannot be skipped`() throws {
    let slot = try countdown(rounds: 3)
    try skip(slot)
    stage.run(20 * second)
    #expect(stage.rings.count == 1)
    #expect(throws: EngineError.invalidTransition(.running, .skip)) {
      try stage.engine.skip(slot, at: stage.now)
    }
    stage.run(10 * second)
    #expect(stage.rings.count == 2)
    #expect(stage.state(slot) == .over)
  }

  @Test(arguments: Timeline.allCases)
  func `A countdown keeps its period after a skip`(_ clock: Timeline) throws {
    let slot = try countdown(clock)
    let first = deadline(slot)
    try skip(slot)
    #expect(stage.remaining(slot) == 20 * second)
    stage.advance(35 * second)
    #expect(stage.rings.count == 2)
    #expect(deadline(slot) == first + 30 * second)
  }

  @Test func `At most 64 coming rings can be skipped`() throws {
    let slot = try alarm()
    for _ in 0..<Limits.skips { try skip(slot) }
    #expect(throws: EngineError.tooManySkips(Limits.skips)) {
      try stage.engine.skip(slot, at: stage.now)
    }
  }
}
