import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Rings that a client has a timer pass over.
@Suite struct SkipTests {
  private let stage: Stage
  private let calendar = TestCalendar()

  init() {
    stage = Stage(calendar: calendar)
    stage.background.note(synchronized: true, at: stage.now)
  }

  /// One that rings every ten minutes, for the first time in ten minutes or less.
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

  private func skip(_ slot: Int) throws { try stage.pass { try $0.skip(slot, at: stage.now) } }

  /// Of each ring, how many more it stands for.
  private var missed: [Int64?] {
    stage.events.compactMap(\.heardRing).map { $0.next?.missed }
  }

  private func point(_ slot: Int) -> Int64 { stage.engine.record(at: slot).point }

  @Test func `A skipped ring of an alarm does not ring, and the next one does`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    #expect(point(slot) == first + 10 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first])
    stage.run(first - stage.now.realtimeUsec)
    #expect(stage.firings == [])
    stage.run(10 * minute)
    #expect(missed == [0])
    #expect(stage.engine.passedOver(slot, at: stage.now) == [])
  }

  @Test func `Two skips pass over the next two rings, and each can be taken back`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    try skip(slot)
    #expect(point(slot) == first + 20 * minute)
    try stage.pass { try $0.unskip(slot, at: stage.now) }
    #expect(point(slot) == first + 10 * minute)
    try stage.pass { try $0.unskip(slot, at: stage.now) }
    #expect(point(slot) == first)
    #expect(throws: EngineError.invalidTransition(.running, .unskip)) {
      try stage.engine.unskip(slot, at: stage.now)
    }
  }

  @Test func `A skipped instant stays skipped when the clock shows it again`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    stage.run(first + 5 * minute - stage.now.realtimeUsec)
    stage.clocks.step(-20 * minute)
    stage.pass()
    #expect(point(slot) == first - 10 * minute)
    stage.run(5 * minute)
    #expect(stage.firings.count == 1)
    #expect(point(slot) == first + 10 * minute)
  }

  @Test func `A skipped instant is not missed in a sleep`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    stage.clocks.sleep(first + 35 * minute - stage.now.realtimeUsec)
    stage.pass()
    // The ring stands for two more, and the skipped one is none of them.
    #expect(missed == [2])
    #expect(point(slot) == first + 40 * minute)
  }

  @Test func `A skipped ring stays skipped when the zone is another, at its time there`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    stage.run(5 * minute)
    calendar.zoneUsec = 3 * minute
    stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
    stage.pass()
    #expect(point(slot) == first + 13 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first + 3 * minute])
    try stage.pass { try $0.unskip(slot, at: stage.now) }
    #expect(point(slot) == first + 3 * minute)
  }

  @Test func `What is skipped is a time of day: a zone that is behind shows it later`() throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    calendar.zoneUsec = 3 * minute
    stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
    stage.pass()
    // The zone has the time before that one still to come.
    #expect(point(slot) == first - 7 * minute)
    stage.run(4 * minute)
    #expect(stage.firings.count == 1)
    #expect(point(slot) == first + 13 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first + 3 * minute])
  }

  @Test func `An instant that an earlier daemon skipped stays skipped, and can be taken back`()
    throws
  {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    stage.engine.table.setPassedOver([first], slot)
    #expect(stage.engine.passedOver(slot, at: stage.now) == [first])
    stage.engine.reckonAnew()
    stage.pass()
    #expect(point(slot) == first + 10 * minute)
    try stage.pass { try $0.unskip(slot, at: stage.now) }
    #expect(point(slot) == first)
    #expect(stage.engine.passedOver(at: slot) == [])
  }

  @Test(arguments: [(15, false), (5, true), (10, true)] as [(Int64, Bool)])
  func `Of what is skipped only what the present calendar has is told`(
    minutes: Int64, hasInstant: Bool
  ) throws {
    let slot = try alarm()
    let first = point(slot)
    try skip(slot)
    stage.run(2 * minute)
    var spec = stage.engine.timerSpec(at: slot)
    spec.schedule = Schedule(expression: "\(minutes * minute)", zone: "")
    try stage.pass { try $0.update(slot, to: spec, at: stage.now) }
    stage.run(4 * minute)
    #expect(stage.engine.passedOver(slot, at: stage.now) == (hasInstant ? [first] : []))
  }

  @Test func `A skipped ring counts as a round, and the last one is refused`() throws {
    let slot = try countdown(rounds: 3)
    try skip(slot)
    stage.run(20 * second)
    #expect(stage.firings.count == 1)
    #expect(throws: EngineError.invalidTransition(.running, .skip)) {
      try stage.engine.skip(slot, at: stage.now)
    }
    stage.run(10 * second)
    #expect(stage.firings.count == 2)
    #expect(stage.state(slot) == .fired)
  }

  @Test(arguments: Timeline.allCases)
  func `A countdown stays on its grid behind a skip`(_ clock: Timeline) throws {
    let slot = try countdown(clock)
    let first = point(slot)
    try skip(slot)
    #expect(stage.remaining(slot) == 20 * second)
    stage.advance(35 * second)
    #expect(stage.firings.count == 2)
    #expect(point(slot) == first + 30 * second)
  }

  @Test func `A timer that rings once, a sequence and a snoozed timer are refused`() throws {
    let once = try stage.start("tea", 60 * second)
    #expect(throws: EngineError.notForKind(.countdown, .skip)) {
      try stage.engine.skip(once, at: stage.now)
    }
    let slot = try countdown()
    stage.run(10 * second)
    try stage.pass { try $0.snooze(slot, byUsec: 5 * second, at: stage.now) }
    #expect(throws: EngineError.snoozed(.skip)) { try stage.engine.skip(slot, at: stage.now) }
  }

  @Test func `A timer passes over at most 64 rings to come`() throws {
    let slot = try alarm()
    for _ in 0..<Limits.skips { try skip(slot) }
    #expect(throws: EngineError.tooManySkips(Limits.skips)) {
      try stage.engine.skip(slot, at: stage.now)
    }
  }
}
