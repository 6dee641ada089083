import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// What a sleep means for a sequence: ordinary time, a reason to pause, or the break.
@Suite struct SequenceSleepTests {
  /// Work of a minute and a rest of 20 s, in every second round 50 s; `begun` seconds ago.
  private func stage(
    _ after: AfterSpan, begun: Int64, _ clock: Timeline = .elapsed
  ) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .sequence, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: 60 * second),
        Step(name: "rest", durationUsec: 20 * second, isBreak: true, longUsec: 50 * second),
      ], longEvery: 2, afterSleep: after)
    let slot = try stage.start("pomodoro", spec, clock)
    stage.advance(begun * second)
    return (stage, slot)
  }

  @Test(arguments: AfterSpan.allCases)
  func `A sleep shorter than the shortest break is ordinary time`(_ after: AfterSpan) throws {
    let (stage, _) = try stage(after, begun: 30)
    stage.sleep(20 * second - 1)
    stage.advance(10 * second + 1)
    #expect(stage.ledger == ["60.000000 rang to rest"])
  }

  @Test func `With continue, a sequence continues by its clock`() throws {
    let (stage, _) = try stage(.continue, begun: 30)
    stage.sleep(40 * second)
    stage.advance(10 * second)
    #expect(
      stage.ledger == [
        "70.000000 rang to rest, late 10.000000 sleep", "80.000000 rang to work",
      ])
  }

  @Test func `With continue on awake, a sequence continues where it was`() throws {
    let (stage, _) = try stage(.continue, begun: 30, .awake)
    stage.sleep(hour)
    stage.advance(30 * second)
    #expect(stage.ledger == ["3660.000000 rang to rest"])
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With pause, a sequence keeps the time that remained when the sleep began`(_ clock: Timeline)
    throws
  {
    for usec in [20 * second, hour] {
      let (stage, slot) = try stage(.pause, begun: 30, clock)
      stage.sleep(usec)
      let now = seconds(30 * second + usec)
      #expect(stage.ledger == ["\(now) paused_after_span 30.000000"])
      stage.run(hour)
      #expect(stage.state(slot) == .paused)
      try stage.runIteration { try $0.resume(slot, at: stage.now) }
      stage.advance(30 * second)
      #expect(stage.ledger.last?.hasSuffix("rang to rest") == true)
    }
  }

  @Test func `With pause, a sequence pauses in a break as well`() throws {
    let (stage, slot) = try stage(.pause, begun: 65)
    stage.sleep(hour)
    #expect(stage.ledger.last == "3665.000000 paused_after_span 15.000000")
    #expect(stage.remaining(slot) == 15 * second)
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With restart, the step starts again`(_ clock: Timeline) throws {
    for usec in [20 * second, hour] {
      let (stage, slot) = try stage(.restart, begun: 30, clock)
      stage.sleep(usec)
      let now = seconds(30 * second + usec)
      #expect(stage.ledger == ["\(now) restarted_after_span work 60.000000"])
      #expect(stage.remaining(slot) == 60 * second)
      #expect(stage.engine.view(slot, at: stage.now).progress == 0)
    }
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With restart, a break whose remaining time was slept has ended`(_ clock: Timeline) throws {
    let (stage, _) = try stage(.restart, begun: 65, clock)
    stage.sleep(20 * second)
    stage.advance(60 * second)
    #expect(
      stage.ledger == [
        "60.000000 rang to rest", "85.000000 restarted_after_span work 60.000000",
        "145.000000 rang to rest",
      ])
  }

  @Test func `With restart, the rest of a long break remains if not all of it was slept`() throws {
    // The second rest is from second 140 to 190.
    let (stage, slot) = try stage(.restart, begun: 145)
    stage.sleep(25 * second)
    #expect(stage.ledger.last == "140.000000 rang to rest")
    #expect(stage.remaining(slot) == 20 * second)
  }

  @Test func `The last step ends the sequence, however long the sleep`() throws {
    // The fourth round's rest is from second 330 to 380.
    let (stage, slot) = try stage(.restart, begun: 355)
    stage.sleep(hour)
    #expect(stage.ledger.last == "3955.000000 rang late 3575.000000 sleep")
    #expect(stage.state(slot) == .over)
  }

  @Test(arguments: [AfterSpan.pause, .restart])
  func `A sequence that is paused, waits or has ended is left as it is`(_ after: AfterSpan) throws {
    for state in [TimerState.paused, .waiting, .cancelled] {
      let stage = Stage()
      let step = Step(name: "work", durationUsec: 60 * second, waits: true)
      let spec = try SharedSpec(kind: .sequence, steps: [step], afterSleep: after)
      let slot = try stage.start("pomodoro", spec)
      if state == .paused { try stage.engine.pause(slot, at: stage.now) }
      if state == .cancelled { try stage.engine.cancel(slot, at: stage.now) }
      if state == .waiting { stage.advance(2 * minute) }
      let before = stage.engine.stored(slot)
      stage.sleep(hour)
      #expect(stage.state(slot) == state)
      #expect(stage.engine.stored(slot) == before)
    }
  }

  @Test
  func `With restart, a break that waits for Advance waits at its end, however long the sleep`()
    throws
  {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .sequence, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: 60 * second),
        Step(name: "rest", durationUsec: 20 * second, waits: true, isBreak: true),
      ], afterSleep: .restart)
    let slot = try stage.start("pomodoro", spec)
    stage.advance(65 * second)
    stage.sleep(hour)
    #expect(stage.ledger.last == "3665.000000 rang late 3585.000000 sleep")
    #expect(stage.state(slot) == .waiting)
  }

  @Test(arguments: [AfterSpan.pause, .restart])
  func `A sequence started during the span is not affected by it`(_ after: AfterSpan) throws {
    let stage = Stage()
    stage.enter(.sleep)
    let steps = [
      Step(name: "work", durationUsec: hour),
      Step(name: "rest", durationUsec: minute, isBreak: true),
    ]
    let slot = try stage.start(
      "pomodoro", SharedSpec(kind: .sequence, steps: steps, afterSleep: after))
    stage.clocks.sleep(30 * minute)
    stage.leave(.sleep)
    #expect(stage.ledger == [])
    #expect(stage.remaining(slot) == 30 * minute)
  }

  @Test func `Without breaks, the shortest step decides`() throws {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .sequence,
      steps: [
        Step(name: "long", durationUsec: 60 * second),
        Step(name: "short", durationUsec: 5 * second),
      ], afterSleep: .pause)
    let slot = try stage.start("pair", spec)
    stage.sleep(5 * second - 1)
    #expect(stage.state(slot) == .running)
    stage.sleep(5 * second)
    #expect(stage.state(slot) == .paused)
  }
}
