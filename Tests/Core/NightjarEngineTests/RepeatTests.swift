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
      stage.ledger == ["10.000000 rang", "20.000000 rang", "30.000000 rang", "40.000000 rang"])
  }

  @Test func `A loop that is late each time does not make a countdown drift`() throws {
    let (stage, _) = try stage(repeating())
    stage.run(10 * second + 9000)
    for _ in 0..<99 { stage.run(10 * second) }
    #expect(stage.rings.map(\.lateUsec) == Array(repeating: 9000, count: 100))
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
      stage.rings
        == [30, 20, 10, 0].map {
          Rung(name: "tick", lateUsec: $0 * second, cause: .sleep, span: 2)
        })
  }

  @Test func `A countdown rings as often as its rounds say, and a restart begins with the first`()
    throws
  {
    let (stage, slot) = try stage(repeating(rounds: 3))
    stage.advance(hour)
    #expect(stage.ledger == ["10.000000 rang", "20.000000 rang", "30.000000 rang"])
    #expect(stage.state(slot) == .over)
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
    #expect(stage.ledger.suffix(2) == ["111.000000 rang", "121.000000 rang"])
  }

  @Test func `With once, the last missed expiry rings with the number of the others`() throws {
    let (stage, _) = try stage(repeating())
    stage.sleep(35 * second)
    stage.advance(5 * second)
    #expect(stage.ledger == ["35.000000 rang late 5.000000 sleep, missed 2", "40.000000 rang"])
  }

  @Test func `With each, all missed expiries ring, and the first is the latest`() throws {
    let (stage, _) = try stage(repeating(missed: .each))
    stage.sleep(35 * second)
    stage.advance(5 * second)
    #expect(
      stage.ledger == [
        "35.000000 rang late 25.000000 sleep", "35.000000 rang late 15.000000 sleep",
        "35.000000 rang late 5.000000 sleep", "40.000000 rang",
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
      #expect(stage.ledger.first == "\(now) rang late \(late) sleep\(missed)")
      #expect(stage.ledger.last == "\(now) rang late 5.000000 sleep")
      #expect(stage.engine.view(slot, at: stage.now).timer.course.position == Int64(count))
    }
  }

  @Test func `With skip, no missed expiry rings, and the next one does`() throws {
    let (stage, slot) = try stage(repeating(missed: .skip))
    stage.sleep(35 * second)
    #expect(stage.ring(slot) == nil)
    stage.advance(5 * second)
    #expect(
      stage.ledger == ["35.000000 did_not_ring late 5.000000 sleep, missed 2", "40.000000 rang"])
  }

  @Test(arguments: MissedPolicy.allCases)
  func `The late policy skip silences missed expiries`(_ missed: MissedPolicy) throws {
    let (stage, _) = try stage(repeating(late: .skip, missed: missed))
    stage.sleep(35 * second)
    #expect(stage.ledger == ["35.000000 did_not_ring late 5.000000 sleep, missed 2"])
  }

  @Test
  func `With a late limit, the last missed expiry rings if it is not too late, to the microsecond`()
    throws
  {
    for (within, lines) in [
      (5 * second, ["did_not_ring late 15.000000 sleep, missed 1", "rang late 5.000000 sleep"]),
      (5 * second - 1, ["did_not_ring late 5.000000 sleep, missed 2"]),
    ] {
      let (stage, _) = try stage(repeating(late: .fireWithin(usec: within)))
      stage.sleep(35 * second)
      #expect(stage.ledger == lines.map { "35.000000 \($0)" })
    }
  }

  @Test
  func
    `With each and a late limit, too late expiries share one event, and the others ring`()
    throws
  {
    let (stage, _) = try stage(repeating(late: .fireWithin(usec: 15 * second), missed: .each))
    stage.sleep(45 * second)
    #expect(
      stage.ledger == [
        "45.000000 did_not_ring late 25.000000 sleep, missed 1",
        "45.000000 rang late 15.000000 sleep", "45.000000 rang late 5.000000 sleep",
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
        "20005.000000 did_not_ring late 15005.000000 sleep, missed 499",
        "20005.000000 rang late 9995.000000 sleep, missed 500",
        "20005.000000 rang late 9985.000000 sleep",
      ])
    #expect(stage.rings.count == 1000)
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 2000)
  }

  @Test func `The last rounds in a sleep end the timer, with each and with once`() throws {
    for (missed, lines) in [
      (MissedPolicy.once, ["95.000000 rang late 65.000000 sleep, missed 2"]),
      (
        .each,
        [
          "95.000000 rang late 85.000000 sleep", "95.000000 rang late 75.000000 sleep",
          "95.000000 rang late 65.000000 sleep",
        ]
      ),
      (.skip, ["95.000000 did_not_ring late 65.000000 sleep, missed 2"]),
    ] {
      let (stage, slot) = try stage(repeating(missed: missed, rounds: 3))
      stage.sleep(95 * second)
      #expect(stage.ledger == lines)
      #expect(stage.state(slot) == .over)
    }
  }

  @Test func `A countdown on awake misses nothing in a sleep`() throws {
    let (stage, _) = try stage(repeating(), .awake)
    stage.run(4 * second)
    stage.sleep(hour)
    stage.advance(6 * second)
    #expect(stage.ledger == ["3610.000000 rang"])
  }

  @Test func `With a busy loop, two due expiries ring once, whatever the policy`() throws {
    for (missed, count) in [(MissedPolicy.skip, 1), (.once, 1), (.each, 2)] {
      let stage = Stage()
      let spec = try repeating(missed: missed)
      _ = try stage.start("tick", spec, usec: second / 10)
      stage.run(second / 4)
      #expect(stage.ledger.count == count)
      #expect(stage.ledger.allSatisfy { $0.contains("rang") })
    }
  }

  @Test func `Each repetition runs through the bands again`() throws {
    let (stage, slot) = try stage(repeating(bands: [Band(name: "soon", remainingUsec: 3 * second)]))
    stage.advance(20 * second)
    #expect(
      stage.ledger == [
        "7.000000 band_crossed soon 3.000000", "10.000000 rang",
        "17.000000 band_crossed soon 3.000000", "20.000000 rang",
      ])
    stage.sleep(8 * second)
    #expect(stage.ledger.last == "28.000000 band_crossed soon 2.000000")
    stage.sleep(11 * second)
    #expect(
      stage.ledger.suffix(2) == [
        "39.000000 rang late 9.000000 sleep", "39.000000 band_crossed soon 1.000000",
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
      types.suffix(6) == ["will_enter_foreground", "came_due", "rang", "rang", "rang", "rang"])
  }

  @Test func `Policies for hidden expiries do not silence those that are on time or only delayed`()
    throws
  {
    for (late, missed) in [(LatePolicy.skip, MissedPolicy.once), (.fire, .skip), (.skip, .skip)] {
      let (stage, _) = try stage(repeating(late: late, missed: missed))
      stage.run(10 * second)
      stage.run(10 * second + second / 2)
      #expect(stage.ledger == ["10.000000 rang", "20.500000 rang late 0.500000 busy"])
    }
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
    #expect(stage.rings.map(\.name) == ["tea", "egg"])
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
