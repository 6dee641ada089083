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
