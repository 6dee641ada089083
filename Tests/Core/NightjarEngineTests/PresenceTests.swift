import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// The clock present: what it counts, and the events of an absence.
@Suite struct PresenceTests {
  private static let minute = 60 * second

  private func report(_ presence: Presence, _ stage: Stage) {
    stage.runIteration { _ in stage.background.note(presence: presence, at: stage.now) }
  }

  private func words(_ stage: Stage) -> [String] {
    stage.events.map { event in
      switch event.kind {
      case .enteredBackground(let span), .leftBackground(let span):
        "\(event.typeName) \(span.id) \(span.causes.map { "\($0.name)" }.joined(separator: "+")) "
          + "\(span.elapsedUsec / second)"
      default: "\(event.typeName) \(event.subject?.name ?? "")"
      }
    }
  }

  @Test func `While the user is away, present stops and the other clocks continue`() throws {
    let stage = Stage()
    var slots: [Timeline: Int] = [:]
    for clock in Timeline.allCases {
      slots[clock] = try stage.start("\(clock.name)", clock == .present ? hour : 5 * hour, clock)
    }
    report(.away, stage)
    #expect(stage.engine.view(slots[.present]!, at: stage.now).isAway)
    #expect(!stage.engine.view(slots[.awake]!, at: stage.now).isAway)
    stage.run(10 * Self.minute)
    report(.here, stage)
    stage.run(Self.minute)
    for clock in Timeline.allCases {
      let passed = clock == .present ? Self.minute : 11 * Self.minute
      let length = clock == .present ? hour : 5 * hour
      #expect(stage.remaining(slots[clock]!) == length - passed, "\(clock)")
    }
    stage.run(59 * Self.minute - 1)
    #expect(stage.state(slots[.present]!) == .running)
    stage.run(1)
    #expect(stage.rings.last == Rung(name: "present"))
  }

  @Test
  func `The loop is not armed for a timer that stands still, and one that was due already rings`()
    throws
  {
    let stage = Stage()
    let slot = try stage.start("focus", 10 * Self.minute, .present)
    #expect(stage.engine.wake.monotonicUsec == stage.now.monotonicUsec + 10 * Self.minute)
    report(.away, stage)
    #expect(stage.engine.wake == Wake())
    #expect(stage.engine.next(at: stage.now) == nil)
    // No freeze is detected, however long it lasts.
    stage.run(5 * hour)
    #expect(stage.left == [])
    try stage.runIteration { try $0.extend(slot, byUsec: -10 * Self.minute, at: stage.now) }
    #expect(stage.rings == [Rung(name: "focus")])
  }

  @Test func `A sleep, a stop and a freeze in an absence are left out once`() throws {
    let stage = Stage()
    let present = try stage.start("focus", 5 * hour, .present)
    let awake = try stage.start("awake", 5 * hour, .awake)
    stage.run(Self.minute)
    report(.away, stage)
    stage.run(Self.minute)
    stage.enter(.sleep)
    stage.clocks.sleep(hour)
    stage.leave(.sleep)
    stage.enter(.stop)
    stage.clocks.run(hour)
    stage.leave(.stop)
    // Locked during one sleep and unlocked during the next.
    stage.run(Self.minute)
    stage.enter(.sleep)
    report(.here, stage)
    stage.clocks.sleep(hour)
    stage.leave(.sleep)
    stage.run(Self.minute)
    #expect(stage.remaining(present) == 5 * hour - 2 * Self.minute)
    #expect(stage.remaining(awake) == 5 * hour - 4 * Self.minute)
    #expect(
      words(stage) == [
        "started focus", "started awake", "did_enter_background 1 away 0",
        "did_enter_background 2 sleep 0", "will_enter_foreground 2 sleep 3600",
        "did_enter_background 3 stop 0", "will_enter_foreground 3 stop 3600",
        "did_enter_background 4 sleep 0", "will_enter_foreground 1 away 7320",
        "will_enter_foreground 4 sleep 3600",
      ])
  }

  @Test func `An absence is recorded only when it hides time from a timer`() throws {
    let stage = Stage()
    try stage.start("tea", hour, .elapsed)
    let paused = try stage.start("focus", hour, .present)
    try stage.runIteration { try $0.pause(paused, at: stage.now) }
    report(.away, stage)
    stage.run(Self.minute)
    report(.here, stage)
    report(.away, stage)
    stage.run(Self.minute)
    #expect(words(stage) == ["started tea", "started focus", "paused focus"])
    #expect(stage.background.absence == nil)
    try stage.runIteration { try $0.resume(paused, at: stage.now) }
    stage.run(Self.minute)
    // A second timer does not start the absence again.
    try stage.start("more", hour, .present)
    report(.unknown, stage)
    stage.run(Self.minute)
    #expect(stage.remaining(paused) == hour - Self.minute)
    #expect(
      words(stage).dropFirst(3) == [
        "resumed focus", "did_enter_background 1 away 0", "started more",
        "will_enter_foreground 1 away 60",
      ])
    let (entered, left) = (stage.events[4], stage.events[6])
    #expect(entered.counters.awakeUsec == left.counters.awakeUsec - Self.minute)
  }

  @Test func `A stopwatch on present makes an absence count`() throws {
    let stage = Stage()
    let spec = try SharedSpec(kind: .stopwatch)
    let slot = try stage.start("sw", spec, .present)
    stage.run(second)
    report(.away, stage)
    stage.run(hour)
    #expect(stage.engine.view(slot, at: stage.now).elapsedUsec == second)
    report(.here, stage)
    stage.run(second)
    #expect(stage.engine.view(slot, at: stage.now).elapsedUsec == 2 * second)
    #expect(words(stage).count == 3)
  }

  @Test(arguments: AfterSpan.allCases)
  func `A sequence continues after an absence, which after_sleep does not concern`(
    _ after: AfterSpan
  ) throws {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .sequence,
      steps: [
        Step(name: "work", durationUsec: 25 * Self.minute),
        Step(name: "rest", durationUsec: 5 * Self.minute, isBreak: true),
      ], afterSleep: after)
    let slot = try stage.start("focus", spec, .present)
    stage.run(20 * Self.minute)
    report(.away, stage)
    stage.run(45 * Self.minute)
    report(.here, stage)
    #expect(stage.remaining(slot) == 5 * Self.minute && stage.state(slot) == .running)
    stage.run(5 * Self.minute)
    #expect(words(stage).last == "rang focus")
    #expect(stage.remaining(slot) == 5 * Self.minute)
  }

  /// Work of 25 min and a rest of 5 min, in every second round 15 min, four times, on `present`.
  private func pomodoro(_ after: AfterSpan) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .sequence, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: 25 * Self.minute),
        Step(
          name: "rest", durationUsec: 5 * Self.minute, isBreak: true, longUsec: 15 * Self.minute),
      ], longEvery: 2, afterAway: after)
    return (stage, try stage.start("pomodoro", spec, .present))
  }

  /// The user works for `began` minutes, is away for `away` minutes, and comes back. Then: the
  /// position, what remains of the step, and what the run has counted, both in minutes.
  @Test(
    arguments: [
      // Shorter than the break: ordinary time.
      (AfterSpan.break, 20, 4, 0, 5, 20), (.pause, 20, 4, 0, 5, 20), (.restart, 20, 4, 0, 5, 20),
      (.continue, 20, 40, 0, 5, 20),
      // As long as the break: it is the break, and the next work begins.
      (.break, 20, 5, 2, 25, 20), (.break, 20, 14, 2, 25, 20),
      (.pause, 20, 5, 0, 5, 20), (.restart, 20, 5, 0, 25, 20),
      // In a break of which 3 min remain.
      (.break, 27, 5, 2, 25, 27), (.restart, 27, 5, 2, 25, 27), (.pause, 27, 5, 1, 3, 27),
      // The next break is a long one, and the absence is shorter.
      (.break, 50, 14, 2, 5, 50), (.restart, 50, 14, 2, 25, 50),
      // As long as a long break: the count of rounds up to the next one begins anew.
      (.break, 50, 15, 4, 25, 50), (.restart, 50, 15, 0, 25, 50), (.pause, 50, 15, 2, 5, 50),
      (.restart, 20, 15, 0, 25, 20), (.break, 20, 15, 0, 25, 20),
      // In the last round, whose break is the end: work goes on.
      (.break, 120, 15, 6, 5, 120), (.break, 135, 15, 7, 5, 135),
    ] as [(AfterSpan, Int64, Int64, Int64, Int64, Int64)])
  func `What an absence means for a sequence`(
    _ after: AfterSpan, began: Int64, away: Int64, position: Int64, left: Int64, counted: Int64
  ) throws {
    let (stage, slot) = try pomodoro(after)
    stage.advance(began * Self.minute)
    report(.away, stage)
    stage.run(away * Self.minute)
    report(.here, stage)
    let timer = stage.engine.table[slot]
    #expect(timer.course.position == position)
    #expect(stage.remaining(slot) == left * Self.minute)
    let ran = timer.runLengthUsec - left * Self.minute
    #expect(timer.countedUsec(elapsedUsec: ran) == counted * Self.minute)
    let isPaused = after == .pause && away >= 5
    #expect(stage.state(slot) == (isPaused ? .paused : .running))
  }

  @Test func `An absence means nothing to a sequence that began in it, or that is not running`()
    throws
  {
    for change in [0, 1] {
      let (stage, slot) = try pomodoro(.pause)
      if change == 0 {
        try stage.runIteration { try $0.pause(slot, at: stage.now) }
        // Another timer makes the absence count.
        try stage.start("focus", hour, .present)
      }
      report(.away, stage)
      stage.run(Self.minute)
      if change == 1 { try stage.runIteration { try $0.restart(slot, at: stage.now) } }
      stage.run(hour)
      report(.here, stage)
      #expect(stage.state(slot) == (change == 0 ? .paused : .running))
      #expect(stage.remaining(slot) == 25 * Self.minute)
      #expect(!words(stage).contains { $0.hasPrefix("paused_after_span") })
    }
  }

  @Test func `Only a sequence on present can have a policy for an absence`() throws {
    var spec = TimerSpec.plain
    (spec.kind, spec.steps) = (.sequence, [Step(name: "work", durationUsec: hour)])
    spec.afterAway = .break
    for clock in Timeline.allCases {
      spec.clock = clock
      #expect((spec.problem == nil) == (clock == .present))
    }
    (spec.kind, spec.steps, spec.clock) = (.countdown, [], .present)
    spec.durationUsec = hour
    #expect(spec.problem != nil)
  }

  @Test func `Bands on present are crossed by counted time, and a snooze runs on real time`() throws
  {
    let stage = Stage()
    let spec = try SharedSpec(
      kind: .countdown, bands: [Band(name: "warn", remainingUsec: Self.minute)])
    let slot = try stage.start("focus", spec, usec: 2 * Self.minute, .present)
    stage.run(Self.minute - 1)
    report(.away, stage)
    stage.run(hour)
    report(.here, stage)
    #expect(stage.engine.view(slot, at: stage.now).band == nil)
    stage.run(1)
    #expect(words(stage).last == "band_crossed focus")
    stage.run(Self.minute)
    #expect(stage.rings == [Rung(name: "focus")])
    try stage.runIteration { try $0.snooze(slot, byUsec: Self.minute, at: stage.now) }
    report(.away, stage)
    #expect(!stage.engine.view(slot, at: stage.now).isAway)
    stage.run(Self.minute)
    #expect(stage.rings.count == 2 && stage.background.absence == nil)
  }

  @Test func `The last presence stays valid over a restart, which makes timers due meanwhile late`()
    throws
  {
    let first = Stage()
    let slot = try first.start("focus", 10 * Self.minute, .present)
    first.run(Self.minute)
    report(.away, first)
    let end = first.now
    first.clocks.run(hour)
    let second = first.successor(from: end, downSince: end.monotonicUsec)
    // The user counts as away until logind answers the new daemon.
    #expect(second.background.presence == .away)
    #expect(second.reading(.present) == 60_000_000)
    #expect(second.background.absence?.id == 1)
    report(.here, second)
    #expect(second.left.count == 1)
    #expect(second.reading(.present) == 60_000_000)
    second.run(Self.minute)
    #expect(second.reading(.present) == 2 * 60_000_000)
    _ = slot
  }

  @Test func `A reboot ends an absence at the time when the machine went down`() throws {
    let first = Stage()
    try first.start("focus", 10 * Self.minute, .present)
    first.run(Self.minute)
    report(.away, first)
    first.run(Self.minute)
    let end = first.now
    first.clocks.reboot(off: hour, uptime: Self.minute)
    let next = first.successor(from: end)
    #expect(next.background.presence == .unknown && next.background.absence == nil)
    #expect(words(next).first == "will_enter_foreground 1 away 60")
    #expect(next.events.first?.counters.elapsedUsec == 2 * Self.minute)
    #expect(next.reading(.present) == Self.minute)
    next.run(Self.minute)
    #expect(next.reading(.present) == 2 * Self.minute)
  }

  @Test func `A stop that a kill ended in an absence counts on awake and not on present`() throws {
    let first = Stage()
    try first.start("focus", hour, .present)
    report(.away, first)
    first.enter(.stop)
    let end = first.now
    first.clocks.run(Self.minute)
    let killed = first.now
    first.clocks.run(Self.minute)
    let next = first.successor(from: end, downSince: killed.monotonicUsec)
    #expect(next.reading(.awake) == Self.minute && next.reading(.present) == 0)
    report(.here, next)
    next.run(Self.minute)
    #expect(next.reading(.present) == Self.minute)
  }
}
