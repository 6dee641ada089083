import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Sequences: from step to step, by themselves or with Advance.
@Suite struct SequenceTests {
  private static let plain = "sequence pom steps=work:60s+rest:20s:break"
  private static let long = "sequence pom longEvery=2 steps=work:60s+rest:20s/50s:break"
  private static let workWaits = "sequence pom steps=work:60s:waits+rest:20s:break"
  private static let restWaits = "sequence pom steps=work:60s+rest:20s:break:waits"

  static let rules = Rule.table(
    """
    A sequence runs from step to step and round to round, and ends after the last step
      \(plain) rounds=2, wait 1h, show pom
      -> 60 rang to rest; 80 rang to work; 140 rang to rest; 160 rang; pom over
    A long rest comes in every long_every-th round
      \(long) rounds=5, wait 1h
      -> 60 rang to rest; 80 rang to work; 140 rang to rest; 190 rang to work; 250 rang to rest
      -> 270 rang to work; 330 rang to rest; 380 rang to work; 440 rang to rest; 460 rang
    A step that waits rings at its end, and continues with Advance
      \(workWaits) rounds=1, wait 130s, ring pom, show pom, armed, advance pom, show pom,
      wait 20s
      -> 60 rang; pom ring 1 quiet, 70 ago; pom waiting; armed for nothing; 130 advanced rest
      -> pom running, 20 left; 150 rang
    The last step does not wait, because no step follows
      \(restWaits) rounds=1, wait 80s, show pom
      -> 60 rang to rest; 80 rang; pom over
    Advance continues with the next step, also of a paused sequence
      \(plain) rounds=2, run 10s, advance pom, show pom, pause pom, advance pom, show pom
      -> 10 advanced rest; pom running, 20 left; 10 paused 20; 10 advanced work
      -> pom running, 60 left
    Advance in the last step ends the sequence
      \(plain) rounds=1, advance pom, advance pom, show pom, advance pom
      -> 0 advanced rest; 0 advanced rest; pom over; refused: advance while over
    An extension applies to the present step only
      \(plain) rounds=2, extend pom 5s, wait 1h
      -> 0 extended; 65 rang to rest; 85 rang to work; 145 rang to rest; 165 rang
    A pause stops the step
      \(plain), run 10s, pause pom, sleep 1h, resume pom, wait 50s
      -> 10 paused 50; 3610 resumed; 3660 rang to rest
    A restart begins with the first step of the first round
      \(long), wait 150s, restart pom, wait 80s
      -> 60 rang to rest; 80 rang to work; 140 rang to rest; 150 restarted; 210 rang to rest
      -> 230 rang to work
    # The rest is shorter than the band, so it begins in the band.
    Each step runs through the bands again
      \(plain) rounds=1 bands=soon:30s, wait 80s
      -> 30 band_crossed soon 30; 60 rang to rest; 80 rang
    Steps that end in a sleep share one event, up to a step that waits
      \(restWaits), sleep 1h, show pom
      -> 3600 rang late 3520 sleep, missed 1; pom waiting
    A step that ends exactly at the end of a sleep ended in it
      \(plain), sleep 80s
      -> 80 rang to work, late 0 sleep, missed 1
    With once, all ends of steps in a sleep share one ring, and the last ends the sequence
      \(plain) rounds=2, wait 90s, sleep 1h, show pom
      -> 60 rang to rest; 80 rang to work; 3690 rang late 3530 sleep, missed 1; pom over
    With each, every end of a step in a sleep rings
      \(plain) rounds=2 missed=each, wait 90s, sleep 1h, show pom
      -> 60 rang to rest; 80 rang to work; 3690 rang to rest, late 3550 sleep
      -> 3690 rang late 3530 sleep; pom over
    With skip, the sequence ends in a sleep without a ring
      \(plain) rounds=2 missed=skip, wait 90s, sleep 1h, show pom
      -> 60 rang to rest; 80 rang to work; 3690 did_not_ring late 3530 sleep, missed 1; pom over
    A year of steps of 0.1 s is computed without walking through them
      sequence pom steps=tick:100ms+tock:100ms, sleep 365d+50ms, show pom, run 50ms
      -> 31536000.05 rang to tick, late 0.05 sleep, missed 315359999; pom running, 0.05 left
      -> 31536000.1 rang to tock
    # Each four rounds are four times work, three rests of 20 s and one of 50 s.
    The end of a million rounds in a sleep is computed with the long steps
      sequence pom rounds=1000000 longEvery=4 steps=work:60s+rest:20s/50s:break,
      sleep 87500000s-1us, show pom, run 1us
      -> 87499999.999999 rang to rest, late 49.999999 sleep, missed 1999998
      -> pom running, 0.000001 left; 87500000 rang
    """)

  @Test(arguments: rules)
  func `A sequence goes from step to step by itself or with Advance`(_ rule: Rule) {
    rule.check()
  }

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

  private func start(_ steps: [Step] = steps(), missed: MissedPolicy = .once) throws -> Int {
    try stage.start("pomodoro", SharedSpec(kind: .sequence, missed: missed, steps: steps))
  }

  @Test func `Without rounds a sequence has no end`() throws {
    let slot = try start()
    stage.advance(800 * second)
    #expect(stage.ledger.count == 20)
    #expect(stage.ledger.last == "800 rang to work")
    #expect(stage.state(slot) == .running)
  }

  @Test func `After several steps at once, the duration is that of the present one`() throws {
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

  @Test func `With each, over a thousand steps, the oldest share one event`() throws {
    let slot = try start(missed: .each)
    stage.sleep(600 * 80 * second)
    #expect(stage.ledger.count == 1000)
    #expect(stage.ledger.first?.hasSuffix("missed 200") == true)
    #expect(stage.ledger.last == "48000 rang to work, late 0 sleep")
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 1200)
  }
}
