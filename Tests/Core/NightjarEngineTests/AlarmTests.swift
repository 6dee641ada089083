import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Alarms at an instant of the wall clock or by a calendar.
@Suite struct AlarmTests {
  private let calendar = TestCalendar()
  private let stage: Stage

  init() {
    stage = Stage(calendar: calendar)
    // The clock was right at the beginning, so the start of an alarm does not move with later
    // steps.
    stage.background.note(synchronized: true, at: stage.now)
  }

  private func once(_ after: Int64, late: LatePolicy = .fire, bands: [Band] = []) throws -> Int {
    try stage.start(
      "wake", SharedSpec(kind: .alarm, bands: bands, late: late),
      atUsec: stage.now.realtimeUsec + after)
  }

  /// A calendar alarm that rings every ten minutes.
  private func calendar(
    late: LatePolicy = .fire, missed: MissedPolicy = .once, rounds: Int64 = 0, zone: String = ""
  ) throws -> Int {
    try stage.start(
      "wake",
      SharedSpec(
        kind: .alarm, late: late, missed: missed, rounds: rounds,
        schedule: Schedule(expression: "\(10 * minute)", zone: zone)))
  }

  private func step(_ usec: Int64) {
    stage.clocks.step(usec)
    stage.runIteration()
  }

  @Test func `An alarm rings at its deadline and not a microsecond before`() throws {
    let slot = try once(hour)
    stage.run(hour - 1)
    #expect(stage.state(slot) == .running)
    stage.run(1)
    #expect(stage.ledger == ["3600.000000 rang"])
    #expect(stage.state(slot) == .over)
  }

  @Test func `An alarm is on the clock wall, whatever clock was requested`() throws {
    #expect(stage.engine.timer(at: try once(hour)).clock == .wall)
  }

  @Test(arguments: [0, -1])
  func `A deadline that is past or now is refused, at a restart too`(_ after: Int64) throws {
    #expect(throws: EngineError.neverElapses) { try once(after) }
    let slot = try once(5)
    stage.run(5)
    #expect(throws: EngineError.neverElapses) { try stage.engine.restart(slot, at: stage.now) }
  }

  @Test
  func `A deadline over a hundred years away and a calendar without another instant are refused`()
    throws
  {
    #expect(throws: EngineError.durationTooLong(Limits.durationUsec)) {
      try once(Limits.durationUsec + 1)
    }
    calendar.endUsec = 0
    #expect(throws: EngineError.neverElapses) { try calendar() }
  }

  @Test func `A calendar alarm rings at each instant and ends with the last`() throws {
    stage.run(4 * minute)
    let slot = try calendar()
    calendar.endUsec = TestClocks().now.realtimeUsec + 30 * minute
    stage.advance(hour)
    #expect(stage.ledger == ["600.000000 rang", "1200.000000 rang", "1800.000000 rang"])
    #expect(stage.state(slot) == .over)
  }

  @Test func `An alarm ends after its rounds`() throws {
    let slot = try calendar(rounds: 2)
    stage.advance(hour)
    #expect(stage.ledger == ["600.000000 rang", "1200.000000 rang"])
    #expect(stage.state(slot) == .over)
  }

  @Test func `Instants missed in a sleep ring as the policy says, once, each or skip`() throws {
    for (missed, lines) in [
      (MissedPolicy.once, ["2100.000000 rang late 300.000000 sleep, missed 2"]),
      (
        .each,
        [
          "2100.000000 rang late 1500.000000 sleep", "2100.000000 rang late 900.000000 sleep",
          "2100.000000 rang late 300.000000 sleep",
        ]
      ),
      (.skip, ["2100.000000 did_not_ring late 300.000000 sleep, missed 2"]),
    ] {
      let stage = Stage(calendar: TestCalendar())
      let schedule = Schedule(expression: "\(10 * minute)", zone: "")
      _ = try stage.start("wake", SharedSpec(kind: .alarm, missed: missed, schedule: schedule))
      stage.sleep(35 * minute)
      stage.advance(5 * minute)
      #expect(stage.ledger == lines + ["2400.000000 rang"])
    }
  }

  @Test func `With each, instants that a clock shows again after it was set back share one ring`()
    throws
  {
    // The clock was never synchronised, so every instant that it shows again counts.
    let stage = Stage(calendar: calendar)
    let schedule = Schedule(expression: "\(10 * minute)", zone: "")
    _ = try stage.start("wake", SharedSpec(kind: .alarm, missed: .each, schedule: schedule))
    stage.run(hour)
    stage.clocks.step(-10 * hour)
    stage.runIteration()
    let before = stage.rings.count
    // The first of a thousand rings stands for all older instants. With it the alarm forgets which
    // instants rang, so they are due again and share one more ring.
    stage.sleep(1_040 * 10 * minute)
    #expect(stage.rings.count == before + 1_001)
  }

  @Test func `Missed instants are counted up to ten thousand, and the alarm continues from now`()
    throws
  {
    let schedule = Schedule(expression: "\(second)", zone: "")
    _ = try stage.start("wake", SharedSpec(kind: .alarm, schedule: schedule))
    stage.sleep(20_000 * second + 1)
    #expect(stage.ledger.count == 1)
    #expect(stage.ledger[0].hasSuffix("missed 9999"))
    stage.advance(second)
    #expect(stage.ledger.last == "20001.000000 rang")
  }

  @Test func `With more missed instants, the last one still rings, with its own lateness`() throws {
    let slot = try calendar(late: .fireWithin(usec: 5 * minute))
    // Eleven thousand periods of ten minutes, and four minutes more.
    let first = stage.remaining(slot)
    stage.enter(.sleep)
    stage.clocks.sleep(first + 11_000 * 10 * minute + 4 * minute)
    stage.leave(.sleep)
    #expect(stage.rings.map(\.lateUsec) == [4 * minute])
    #expect(stage.remaining(slot) == 6 * minute)
  }

  @Test func `A paused alarm is muted, and resumed before its deadline it rings then`() throws {
    let slot = try once(hour)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(hour / 2)
    #expect(stage.remaining(slot) == hour / 2)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.run(hour / 2)
    #expect(stage.ledger.last == "3600.000000 rang")
  }

  @Test func `An alarm resumed after its deadline is late because of the pause`() throws {
    for (late, type) in [
      (LatePolicy.fire, "rang"), (.skip, "did_not_ring"), (.fireWithin(usec: minute), "rang"),
      (.fireWithin(usec: minute - 1), "did_not_ring"),
    ] {
      let stage = Stage()
      let spec = try SharedSpec(kind: .alarm, late: late)
      let slot = try stage.start("wake", spec, atUsec: stage.now.realtimeUsec + hour)
      try stage.runIteration { try $0.pause(slot, at: stage.now) }
      stage.run(hour + minute)
      #expect(stage.remaining(slot) == 0)
      try stage.runIteration { try $0.resume(slot, at: stage.now) }
      #expect(
        stage.ledger == [
          "0.000000 paused 3600.000000", "3660.000000 resumed",
          "3660.000000 \(type) late 60.000000 paused",
        ])
      #expect(stage.state(slot) == .over)
    }
  }

  @Test func `A calendar alarm that was muted over several instants reports how many`() throws {
    let slot = try calendar()
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(35 * minute)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.advance(5 * minute)
    #expect(
      stage.ledger.suffix(2) == [
        "2100.000000 rang late 300.000000 paused, missed 2", "2400.000000 rang",
      ])
  }

  @Test func `An instant that rang does not ring again when the clock is set back`() throws {
    _ = try calendar()
    stage.advance(11 * minute)
    step(-5 * minute)
    stage.advance(15 * minute)
    #expect(stage.ledger == ["600.000000 rang", "1200.000000 rang"])
  }

  @Test
  func `Instants that did not ring do so when the clock is set back and shows them again`() throws {
    _ = try calendar(missed: .skip)
    stage.sleep(25 * minute)
    step(-20 * minute)
    stage.advance(26 * minute)
    #expect(
      stage.ledger == [
        "1500.000000 did_not_ring late 300.000000 sleep, missed 1",
        "300.000000 rescheduled to 600.000000", "600.000000 rang", "1200.000000 rang",
        "1800.000000 rang",
      ])
  }

  @Test func `A clock set back over coming instants makes the alarm ring at the next, by an event`()
    throws
  {
    let slot = try calendar()
    step(-25 * minute)
    #expect(stage.ledger == ["-1500.000000 rescheduled to -1200.000000"])
    #expect(stage.remaining(slot) == 5 * minute)
    stage.advance(5 * minute)
    #expect(stage.ledger.last == "-1200.000000 rang")
  }

  @Test func `An alarm that rang once does not ring again when the clock is set back`() throws {
    let slot = try once(minute)
    stage.run(2 * minute)
    step(-10 * minute)
    stage.advance(hour)
    #expect(stage.ledger.count == 1)
    #expect(stage.state(slot) == .over)
  }

  @Test func `An expiry that joined a ring and is not due any more is not the last one`() throws {
    let slot = try calendar()
    stage.run(10 * minute)
    try stage.engine.snooze(slot, byUsec: 25 * minute, at: stage.now)
    stage.run(12 * minute)
    #expect(stage.engine.timer(at: slot).expiries.last?.number == 2)
    step(-5 * minute)
    let expiries = stage.engine.timer(at: slot).expiries
    #expect(expiries.ring?.joined == [] && expiries.last == expiries.ring?.expiry)
    #expect(expiries.last?.number == 1)
  }

  @Test
  func `A clock set forward past the deadline makes the alarm ring at once, late by the step`()
    throws
  {
    _ = try once(hour)
    step(2 * hour)
    #expect(stage.ledger == ["7200.000000 rang late 3600.000000 step"])
  }

  @Test
  func
    `A clock set forward past several instants makes the alarm ring once, or as its policy says`()
    throws
  {
    _ = try calendar(late: .fireWithin(usec: minute))
    step(35 * minute)
    #expect(stage.ledger == ["2100.000000 did_not_ring late 300.000000 step, missed 2"])
    stage.advance(5 * minute)
    #expect(stage.ledger.last == "2400.000000 rang")
  }

  @Test(arguments: [
    (
      LatePolicy.fireWithin(usec: 10 * minute),
      ["did_not_ring late 900.000000 step, missed 1", "rang late 300.000000 step"]
    ),
    (.skip, ["did_not_ring late 300.000000 step, missed 2"]),
  ])
  func `An instant due before a step rings, and instants passed by the step are late by their age`(
    _ late: LatePolicy, _ behind: [String]
  ) throws {
    _ = try calendar(late: late, missed: .each)
    stage.clocks.run(10 * minute)
    // The alarm is late only by the step: it was due before, while the daemon was running.
    step(35 * minute)
    #expect(stage.ledger == (["rang late 2100.000000 busy"] + behind).map { "2700.000000 \($0)" })
  }

  @Test func `In another zone an alarm follows that zone, unless it names its own`() throws {
    let (slot, fixed) = (
      try calendar(),
      try stage.start(
        "fixed",
        SharedSpec(kind: .alarm, schedule: Schedule(expression: "\(10 * minute)", zone: "Fixed")))
    )
    calendar.zoneUsec = 3 * minute
    stage.bus.post(.zoneChanged("Elsewhere"), at: stage.now)
    stage.runIteration()
    #expect(stage.ledger == ["0.000000 rescheduled to 180.000000"])
    #expect(stage.remaining(slot) == 3 * minute)
    #expect(stage.remaining(fixed) == 10 * minute)
    stage.advance(13 * minute)
    #expect(
      stage.ledger == [
        "0.000000 rescheduled to 180.000000", "180.000000 rang", "600.000000 rang",
        "780.000000 rang",
      ])
  }

  @Test func `An instant for which a later one rang does so when the clock shows it again`() throws
  {
    _ = try calendar()
    stage.sleep(25 * minute)
    step(-20 * minute)
    stage.advance(26 * minute)
    #expect(
      stage.ledger == [
        "1500.000000 rang late 300.000000 sleep, missed 1",
        "300.000000 rescheduled to 600.000000", "600.000000 rang", "1800.000000 rang",
      ])
  }

  @Test func `An alarm that rings once can be extended, and a restart returns to its deadline`()
    throws
  {
    let slot = try once(hour)
    try stage.engine.extend(slot, byUsec: minute, at: stage.now)
    #expect(stage.remaining(slot) == hour + minute)
    try stage.engine.restart(slot, at: stage.now)
    #expect(stage.remaining(slot) == hour)
  }

  @Test
  func `Bands are crossed before the deadline, and a view shows them while the alarm is muted`()
    throws
  {
    let slot = try once(hour, bands: [Band(name: "soon", remainingUsec: minute)])
    stage.advance(hour)
    #expect(stage.ledger == ["3540.000000 band_crossed soon 60.000000", "3600.000000 rang"])
    #expect(stage.state(slot) == .over)
  }
}
