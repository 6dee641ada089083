import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Repeating countdowns: when the Nth rings, and what happens to expiries that were hidden.
@Suite struct RepeatTests {
  private func repeating(
    late: LatePolicy = .fire, missed: MissedPolicy = .once, rounds: Int64 = 0, bands: [Band] = []
  ) throws -> SharedSpec {
    try SharedSpec(
      kind: .countdown, bands: bands, late: late, missed: missed, repeats: true, rounds: rounds)
  }

  /// A timer that repeats every ten seconds, in its first round.
  private func stage(
    _ spec: SharedSpec, _ clock: Timeline = .elapsed
  ) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    let slot = try stage.start("tick", spec, usec: 10 * second, clock)
    return (stage, slot)
  }

  private func deadline(_ slot: Int, _ stage: Stage) -> Int64 {
    stage.engine.timer(at: slot).phase.deadline ?? 0
  }

  @Test(arguments: Timeline.allCases)
  func `The Nth ring is at the start plus N periods`(_ clock: Timeline) throws {
    let (stage, _) = try stage(repeating(), clock)
    stage.advance(45 * second)
    #expect(
      stage.ledger == ["10.000000 fired", "20.000000 fired", "30.000000 fired", "40.000000 fired"])
  }

  @Test func `A loop that is late each time does not make a countdown drift`() throws {
    let (stage, _) = try stage(repeating())
    stage.run(10 * second + 9000)
    for _ in 0..<99 { stage.run(10 * second) }
    #expect(stage.firings.map(\.lateUsec) == Array(repeating: 9000, count: 100))
  }

  @Test func `A countdown does not drift over sleeps, stops and freezes`() throws {
    let (stage, slot) = try stage(repeating())
    let begin = stage.reading(.elapsed)
    stage.sleep(123_456_789)
    #expect(deadline(slot, stage) == begin + 130 * second)
    stage.enter(.stop)
    stage.clocks.run(1_000_000_007)
    stage.leave(.stop)
    #expect((deadline(slot, stage) - begin) % (10 * second) == 0)
    #expect(deadline(slot, stage) - stage.reading(.elapsed) <= 10 * second)
    // A freeze.
    stage.run(77_777_777)
    #expect((deadline(slot, stage) - begin) % (10 * second) == 0)
    #expect(stage.ledger.count == 3)
  }

  @Test func `A timer extended in a sleep is late because of that sleep in each round`() throws {
    let (stage, slot) = try stage(repeating(missed: .each), .wall)
    stage.enter(.stop)
    // The clock is an hour ahead when the stop ends, and right again in the sleep after it.
    stage.clocks.step(hour)
    stage.background.observe(stage.now)
    stage.background.leave(.stop, at: stage.now)
    stage.background.enter(.sleep, at: stage.now)
    stage.clocks.step(-hour)
    stage.run(second)
    try stage.runIteration { try $0.extend(slot, byUsec: second, at: stage.now) }
    stage.clocks.sleep(40 * second)
    stage.leave(.sleep)
    #expect(
      stage.firings
        == [30, 20, 10, 0].map {
          Firing(name: "tick", lateUsec: $0 * second, cause: .sleep, span: 2)
        })
  }

  @Test func `A snooze does not move the repetition`() throws {
    let (stage, slot) = try stage(repeating())
    stage.advance(10 * second)
    stage.run(second)
    try stage.runIteration { try $0.snooze(slot, byUsec: 3 * second, at: stage.now) }
    stage.advance(19 * second)
    #expect(
      stage.ledger == [
        "10.000000 fired", "11.000000 snoozed", "14.000000 fired", "20.000000 fired",
        "30.000000 fired",
      ])
  }

  @Test func `A snooze can be made longer without moving the repetition`() throws {
    let (stage, slot) = try stage(repeating())
    stage.advance(10 * second)
    try stage.runIteration { try $0.snooze(slot, byUsec: 3 * second, at: stage.now) }
    stage.run(2 * second)
    try stage.runIteration { try $0.snooze(slot, byUsec: 3 * second, at: stage.now) }
    stage.advance(18 * second)
    #expect(
      stage.ledger == [
        "10.000000 fired", "10.000000 snoozed", "12.000000 snoozed", "15.000000 fired",
        "20.000000 fired", "30.000000 fired",
      ])
  }

  @Test func `A snooze that is longer than the period reports how many expiries it delayed`() throws
  {
    let (stage, slot) = try stage(repeating())
    stage.advance(10 * second)
    try stage.runIteration { try $0.snooze(slot, byUsec: 25 * second, at: stage.now) }
    stage.advance(30 * second)
    #expect(
      stage.ledger == [
        "10.000000 fired", "10.000000 snoozed", "35.000000 fired missed 2", "40.000000 fired",
      ])
  }

  @Test func `Expiries that a snooze delayed count as rounds`() throws {
    let (stage, slot) = try stage(repeating(rounds: 3))
    stage.advance(10 * second)
    try stage.runIteration { try $0.snooze(slot, byUsec: 60 * second, at: stage.now) }
    stage.advance(60 * second)
    #expect(stage.ledger.last == "70.000000 fired missed 2")
    #expect(stage.state(slot) == .fired)
    try stage.runIteration { try $0.snooze(slot, byUsec: second, at: stage.now) }
    stage.advance(second)
    #expect(stage.ledger.last == "71.000000 fired")
    #expect(stage.state(slot) == .fired)
  }

  @Test func `Only a ring without an answer can be snoozed or acknowledged`() throws {
    let (stage, slot) = try stage(repeating())
    for refused in [Operation.snooze, .dismiss] {
      #expect(throws: EngineError.invalidTransition(.running, refused)) {
        refused == .snooze
          ? try stage.engine.snooze(slot, byUsec: 1, at: stage.now)
          : try stage.engine.dismiss(slot, at: stage.now)
      }
    }
    stage.advance(12 * second)
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == 2 * second)
    try stage.runIteration { try $0.dismiss(slot, at: stage.now) }
    #expect(stage.state(slot) == .running)
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == nil)
    #expect(throws: EngineError.invalidTransition(.running, .snooze)) {
      try stage.engine.snooze(slot, byUsec: 1, at: stage.now)
    }
    stage.advance(8 * second)
    #expect(stage.ledger == ["10.000000 fired", "12.000000 acknowledged", "20.000000 fired"])
  }

  @Test func `A countdown rings as often as its rounds say, and a restart begins with the first`()
    throws
  {
    let (stage, slot) = try stage(repeating(rounds: 3))
    stage.advance(hour)
    #expect(stage.ledger == ["10.000000 fired", "20.000000 fired", "30.000000 fired"])
    #expect(stage.state(slot) == .fired)
    try stage.runIteration { try $0.restart(slot, at: stage.now) }
    stage.advance(hour)
    #expect(stage.ledger.count == 7)
  }

  @Test func `A pause delays the repetition, and an extension moves it`() throws {
    let (stage, slot) = try stage(repeating())
    stage.run(4 * second)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(100 * second)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    try stage.runIteration { try $0.extend(slot, byUsec: second, at: stage.now) }
    stage.advance(17 * second)
    #expect(stage.ledger.suffix(2) == ["111.000000 fired", "121.000000 fired"])
  }

  @Test func `With once, the last missed expiry rings with the number of the others`() throws {
    let (stage, _) = try stage(repeating())
    stage.sleep(35 * second)
    stage.advance(5 * second)
    #expect(stage.ledger == ["35.000000 fired late 5.000000 sleep, missed 2", "40.000000 fired"])
  }

  @Test func `With each, all missed expiries ring, and the first is the latest`() throws {
    let (stage, _) = try stage(repeating(missed: .each))
    stage.sleep(35 * second)
    stage.advance(5 * second)
    #expect(
      stage.ledger == [
        "35.000000 fired late 25.000000 sleep", "35.000000 fired late 15.000000 sleep",
        "35.000000 fired late 5.000000 sleep", "40.000000 fired",
      ])
  }

  @Test func `With each, over a thousand missed expiries, the oldest share one ring`() throws {
    for (count, first) in [(1000, 0), (1001, 1), (5000, 4000)] {
      let (stage, slot) = try stage(repeating(missed: .each))
      stage.sleep(Int64(count) * 10 * second + 5 * second)
      #expect(stage.ledger.count == 1000)
      let late = seconds(Int64(count - 1 - first) * 10 * second + 5 * second)
      let missed = first > 0 ? ", missed \(first)" : ""
      let now = seconds(Int64(count) * 10 * second + 5 * second)
      #expect(stage.ledger.first == "\(now) fired late \(late) sleep\(missed)")
      #expect(stage.ledger.last == "\(now) fired late 5.000000 sleep")
      #expect(stage.engine.view(slot, at: stage.now).timer.course.position == Int64(count))
    }
  }

  @Test func `With skip, no missed expiry rings, and the next one does`() throws {
    let (stage, slot) = try stage(repeating(missed: .skip))
    stage.sleep(35 * second)
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == nil)
    stage.advance(5 * second)
    #expect(stage.ledger == ["35.000000 skipped late 5.000000 sleep, missed 3", "40.000000 fired"])
  }

  @Test(arguments: MissedPolicy.allCases)
  func `The late policy skip silences missed expiries`(_ missed: MissedPolicy) throws {
    let (stage, _) = try stage(repeating(late: .skip, missed: missed))
    stage.sleep(35 * second)
    #expect(stage.ledger == ["35.000000 skipped late 5.000000 sleep, missed 3"])
  }

  @Test
  func `With a late limit, the last missed expiry rings if it is not too late, to the microsecond`()
    throws
  {
    for (within, type) in [(5 * second, "fired"), (5 * second - 1, "skipped")] {
      let (stage, _) = try stage(repeating(late: .fireWithin(usec: within)))
      stage.sleep(35 * second)
      let missed = type == "fired" ? 2 : 3
      #expect(stage.ledger == ["35.000000 \(type) late 5.000000 sleep, missed \(missed)"])
    }
  }

  @Test
  func
    `With each and a late limit, too late expiries share one skipped event, and the others ring`()
    throws
  {
    let (stage, _) = try stage(repeating(late: .fireWithin(usec: 15 * second), missed: .each))
    stage.sleep(45 * second)
    #expect(
      stage.ledger == [
        "45.000000 skipped late 25.000000 sleep, missed 2",
        "45.000000 fired late 15.000000 sleep", "45.000000 fired late 5.000000 sleep",
      ])
  }

  @Test
  func `With each and a late limit, over a thousand timely expiries, the oldest share one ring`()
    throws
  {
    let spec = try repeating(late: .fireWithin(usec: 15_000 * second), missed: .each)
    let (stage, slot) = try stage(spec)
    stage.sleep(20_005 * second)
    #expect(
      stage.ledger.prefix(3) == [
        "20005.000000 skipped late 15005.000000 sleep, missed 500",
        "20005.000000 fired late 9995.000000 sleep, missed 500",
        "20005.000000 fired late 9985.000000 sleep",
      ])
    #expect(stage.firings.count == 1000)
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 2000)
  }

  @Test func `The last rounds in a sleep end the timer, with each and with once`() throws {
    for (missed, lines) in [
      (MissedPolicy.once, ["95.000000 fired late 65.000000 sleep, missed 2"]),
      (
        .each,
        [
          "95.000000 fired late 85.000000 sleep", "95.000000 fired late 75.000000 sleep",
          "95.000000 fired late 65.000000 sleep",
        ]
      ),
      (.skip, ["95.000000 skipped late 65.000000 sleep, missed 3"]),
    ] {
      let (stage, slot) = try stage(repeating(missed: missed, rounds: 3))
      stage.sleep(95 * second)
      #expect(stage.ledger == lines)
      #expect(stage.state(slot) == .fired)
    }
  }

  @Test func `A countdown on awake misses nothing in a sleep`() throws {
    let (stage, _) = try stage(repeating(), .awake)
    stage.run(4 * second)
    stage.sleep(hour)
    stage.advance(6 * second)
    #expect(stage.ledger == ["3610.000000 fired"])
  }

  @Test func `With a busy loop, two due expiries ring once, whatever the policy`() throws {
    for (missed, count) in [(MissedPolicy.skip, 1), (.once, 1), (.each, 2)] {
      let stage = Stage()
      let spec = try repeating(missed: missed)
      _ = try stage.start("tick", spec, usec: second / 10)
      stage.run(second / 4)
      #expect(stage.ledger.count == count)
      #expect(stage.ledger.allSatisfy { $0.contains("fired") })
    }
  }

  @Test func `Each repetition runs through the bands again`() throws {
    let (stage, slot) = try stage(repeating(bands: [Band(name: "soon", remainingUsec: 3 * second)]))
    stage.advance(20 * second)
    #expect(
      stage.ledger == [
        "7.000000 band_crossed soon 3.000000", "10.000000 fired",
        "17.000000 band_crossed soon 3.000000", "20.000000 fired",
      ])
    stage.sleep(8 * second)
    #expect(stage.ledger.last == "28.000000 band_crossed soon 2.000000")
    stage.sleep(11 * second)
    #expect(
      stage.ledger.suffix(2) == [
        "39.000000 fired late 9.000000 sleep", "39.000000 band_crossed soon 1.000000",
      ])
    #expect(stage.engine.view(slot, at: stage.now).band?.name == "soon")
  }

  @Test func `Timers that expired in a span are listed once before they ring, with their number`()
    throws
  {
    let stage = Stage()
    _ = try stage.start("tick", repeating(missed: .each), usec: 10 * second)
    _ = try stage.start("tea", 20 * second)
    _ = try stage.start("late", hour)
    stage.sleep(35 * second)
    let groups = stage.events.compactMap { event -> String? in
      guard case .cameDue(let span, let names, let count) = event.kind else { return nil }
      return "\(span) \(names) \(count)"
    }
    #expect(groups == ["1 [\"tick\", \"tea\"] 2"])
    let types = stage.events.map { "\($0.typeName)" }
    #expect(
      types.suffix(6) == ["will_enter_foreground", "came_due", "fired", "fired", "fired", "fired"])
  }

  @Test func `Policies for hidden expiries do not silence those that are on time or only delayed`()
    throws
  {
    for (late, missed) in [(LatePolicy.skip, MissedPolicy.once), (.fire, .skip), (.skip, .skip)] {
      let (stage, _) = try stage(repeating(late: late, missed: missed))
      stage.run(10 * second)
      stage.run(10 * second + second / 2)
      #expect(stage.ledger == ["10.000000 fired", "20.500000 fired late 0.500000 busy"])
    }
  }

  @Test func `A pause answers the ring before it, so a resumed timer has not rung`() throws {
    let stage = Stage()
    let slot = try stage.start("tick", repeating(), usec: 10 * second)
    stage.clocks.sleep(15 * second)
    stage.runIteration()
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == 0)
    #expect(stage.engine.timer(at: slot).lastRing?.cause == .sleep)
    for change in [stage.engine.pause, stage.engine.resume] {
      try change(slot, stage.now)
      #expect(stage.engine.timer(at: slot).lastRing == nil)
      #expect(throws: EngineError.self) { try stage.engine.dismiss(slot, at: stage.now) }
    }
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == nil)
  }

  @Test func `The list of a span has neither bands crossed in it nor timers that expire after it`()
    throws
  {
    let stage = Stage()
    _ = try stage.start("tea", 20 * second)
    let bands = [Band(name: "soon", remainingUsec: 60 * second)]
    _ = try stage.start("egg", SharedSpec(kind: .countdown, bands: bands), usec: 90 * second)
    stage.sleep(35 * second)
    stage.run(55 * second)
    let groups = stage.events.compactMap { event -> [String]? in
      guard case .cameDue(_, let names, _) = event.kind else { return nil }
      return names
    }
    #expect(groups == [["tea"]])
    #expect(stage.firings.map(\.name) == ["tea", "egg"])
  }

  @Test func `The list of a span has at most 256 names, and the number of all`() throws {
    let stage = Stage(maximumTimers: 300)
    for index in 0..<300 { _ = try stage.start("t\(index)", Int64(300 - index) * second) }
    stage.sleep(hour)
    let group = stage.events.compactMap { event -> ([String], Int64)? in
      guard case .cameDue(_, let names, let count) = event.kind else { return nil }
      return (names, count)
    }
    #expect(group.first?.0 == (44..<300).reversed().map { "t\($0)" })
    #expect(group.first?.1 == 300)
  }
}
