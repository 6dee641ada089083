import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Sequences: from step to step, by themselves or with Advance.
@Suite struct SequenceTests {
  private let stage = Stage()

  /// Work of a minute and a rest of twenty seconds.
  private static func steps(
    workWaits: Bool = false, restWaits: Bool = false, longRest: Int64? = nil
  ) -> [Step] {
    [
      Step(name: "work", durationUsec: 60 * second, waits: workWaits),
      Step(
        name: "rest", durationUsec: 20 * second, waits: restWaits, isBreak: true,
        longUsec: longRest),
    ]
  }

  private func start(
    _ steps: [Step] = steps(), rounds: Int64 = 0, longEvery: Int64 = 0,
    missed: MissedPolicy = .once, bands: [Band] = []
  ) throws -> Int {
    try stage.start(
      "pomodoro",
      SharedSpec(
        kind: .sequence, bands: bands, missed: missed, rounds: rounds, steps: steps,
        longEvery: longEvery))
  }

  private func advance(_ slot: Int) throws {
    try stage.runIteration { try $0.advance(slot, at: stage.now) }
  }

  @Test
  func `A sequence runs from step to step and round to round, and ends after the last step`() throws
  {
    let slot = try start(rounds: 2)
    stage.advance(hour)
    #expect(
      stage.ledger == [
        "60.000000 rang to rest", "80.000000 rang to work", "140.000000 rang to rest",
        "160.000000 rang",
      ])
    #expect(stage.state(slot) == .over)
  }

  @Test func `Without rounds a sequence has no end`() throws {
    let slot = try start()
    stage.advance(800 * second)
    #expect(stage.ledger.count == 20)
    #expect(stage.ledger.last == "800.000000 rang to work")
    #expect(stage.state(slot) == .running)
  }

  @Test func `A long rest comes in every long_every-th round`() throws {
    _ = try start(Self.steps(longRest: 50 * second), rounds: 5, longEvery: 2)
    stage.advance(hour)
    // The starts of work follow the rests: 20, 50, 20, 50, 20 seconds.
    #expect(
      stage.ledger.filter { $0.hasSuffix("to work") } == [
        "80.000000 rang to work", "190.000000 rang to work", "270.000000 rang to work",
        "380.000000 rang to work",
      ])
    #expect(stage.ledger.last == "460.000000 rang")
  }

  @Test func `A step that waits rings at its end, and continues with Advance`() throws {
    let slot = try start(Self.steps(workWaits: true), rounds: 1)
    stage.advance(130 * second)
    #expect(stage.state(slot) == .waiting)
    #expect(stage.engine.view(slot, at: stage.now).ringAgoUsec == 70 * second)
    #expect(stage.engine.wake == Wake())
    try advance(slot)
    #expect(stage.remaining(slot) == 20 * second)
    stage.advance(20 * second)
    #expect(
      stage.ledger == ["60.000000 rang", "130.000000 advanced rest", "150.000000 rang"])
  }

  @Test func `The last step does not wait, because no step follows`() throws {
    let slot = try start(Self.steps(restWaits: true), rounds: 1)
    stage.advance(80 * second)
    #expect(stage.ledger.last == "80.000000 rang")
    #expect(stage.state(slot) == .over)
  }

  @Test func `After several steps that ended at once, the duration is that of the present step`()
    throws
  {
    for (rounds, restWaits, state) in [(Int64(0), true, TimerState.waiting), (2, false, .over)] {
      let stage = Stage()
      let steps = Self.steps(restWaits: restWaits, longRest: 50 * second)
      let spec = try SharedSpec(kind: .sequence, rounds: rounds, steps: steps, longEvery: 2)
      let slot = try stage.start("pomodoro", spec)
      stage.sleep(hour)
      let view = stage.engine.view(slot, at: stage.now)
      #expect(view.timer.state == state)
      // The second rest is a long one.
      let usec = (restWaits ? 20 : 50) * second
      #expect(view.timer.runLengthUsec == usec)
      #expect(view.elapsedUsec == usec)
    }
  }

  @Test func `An extension is part of the duration of a step if the sequence stays in it`() throws {
    let slot = try start(Self.steps(workWaits: true))
    try stage.runIteration { try $0.extend(slot, byUsec: 30 * second, at: stage.now) }
    stage.sleep(hour)
    #expect(stage.state(slot) == .waiting)
    #expect(stage.engine.timer(at: slot).runLengthUsec == 90 * second)
  }

  @Test func `A running or paused sequence can advance at once`() throws {
    let slot = try start(rounds: 2)
    stage.run(10 * second)
    try advance(slot)
    #expect(stage.remaining(slot) == 20 * second)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    try advance(slot)
    #expect(stage.state(slot) == .running)
    #expect(stage.remaining(slot) == 60 * second)
    #expect(
      stage.ledger == [
        "10.000000 advanced rest", "10.000000 paused 20.000000", "10.000000 advanced work",
      ])
  }

  @Test func `Advance in the last step ends the sequence`() throws {
    let slot = try start(rounds: 1)
    try advance(slot)
    try advance(slot)
    #expect(stage.state(slot) == .over)
    #expect(stage.ledger.last == "0.000000 advanced rest")
    #expect(throws: EngineError.invalidTransition(.over, .advance)) { try advance(slot) }
  }

  @Test func `An extension applies to the present step only`() throws {
    let slot = try start(rounds: 2)
    try stage.runIteration { try $0.extend(slot, byUsec: 5 * second, at: stage.now) }
    stage.advance(hour)
    #expect(
      stage.ledger == [
        "0.000000 extended", "65.000000 rang to rest", "85.000000 rang to work",
        "145.000000 rang to rest", "165.000000 rang",
      ])
  }

  @Test func `A pause stops the step`() throws {
    let slot = try start()
    stage.run(10 * second)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.sleep(hour)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.advance(50 * second)
    #expect(stage.ledger.last == "3660.000000 rang to rest")
  }

  @Test func `A restart begins with the first step of the first round`() throws {
    let slot = try start(Self.steps(longRest: 50 * second), longEvery: 2)
    stage.advance(150 * second)
    try stage.runIteration { try $0.restart(slot, at: stage.now) }
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 0)
    stage.advance(80 * second)
    #expect(stage.ledger.suffix(2) == ["210.000000 rang to rest", "230.000000 rang to work"])
  }

  @Test func `Each step runs through the bands again`() throws {
    _ = try start(rounds: 1, bands: [Band(name: "soon", remainingUsec: 30 * second)])
    stage.advance(80 * second)
    // The rest is shorter than the band, so it begins in the band.
    #expect(
      stage.ledger == [
        "30.000000 band_crossed soon 30.000000", "60.000000 rang to rest", "80.000000 rang",
      ])
  }

  @Test func `Steps that end in a sleep share one event, up to a step that waits`() throws {
    let slot = try start(Self.steps(restWaits: true))
    stage.sleep(hour)
    #expect(stage.state(slot) == .waiting)
    #expect(stage.ledger == ["3600.000000 rang late 3520.000000 sleep, missed 1"])
  }

  @Test func `A step that ends exactly at the end of a sleep ended in it`() throws {
    _ = try start()
    stage.sleep(80 * second)
    #expect(stage.ledger == ["80.000000 rang to work, late 0.000000 sleep, missed 1"])
  }

  @Test func `A year of steps of 0.1 s is computed without walking through them`() throws {
    let tenth = second / 10
    let slot = try start([
      Step(name: "tick", durationUsec: tenth), Step(name: "tock", durationUsec: tenth),
    ])
    stage.sleep(365 * 24 * hour + tenth / 2)
    #expect(stage.ledger.count == 1)
    #expect(
      stage.ledger[0]
        == "31536000.050000 rang to tick, late 0.050000 sleep, missed \(365 * 864_000 - 1)")
    #expect(stage.remaining(slot) == tenth / 2)
    stage.run(tenth / 2)
    #expect(stage.ledger.last == "31536000.100000 rang to tock")
  }

  @Test func `The end of a million rounds in a sleep is computed with the long steps`() throws {
    let slot = try start(Self.steps(longRest: 50 * second), rounds: 1_000_000, longEvery: 4)
    // Four times work with three rests of 20 s and one of 50 s.
    let whole = 250_000 * (4 * 60 + 3 * 20 + 50) * second
    stage.sleep(whole - 1)
    #expect(stage.state(slot) == .running)
    #expect(stage.remaining(slot) == 1)
    stage.run(1)
    #expect(stage.ledger.last == "\(seconds(whole)) rang")
  }

  @Test func `With each, over a thousand steps, the oldest share one event`() throws {
    let slot = try start(missed: .each)
    stage.sleep(600 * 80 * second)
    #expect(stage.ledger.count == 1000)
    #expect(stage.ledger.first?.hasSuffix("missed 200") == true)
    #expect(stage.ledger.last == "48000.000000 rang to work, late 0.000000 sleep")
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 1200)
  }
}
