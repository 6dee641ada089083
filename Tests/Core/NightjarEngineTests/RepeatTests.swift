import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Repeating countdowns: when the Nth rings, and what happens to expiries that were hidden.
@Suite struct RepeatTests {
  private static let tick = "start tick 10s repeat"

  static let rules = Rule.table(
    """
    A countdown does not drift over sleeps, stops and freezes
      \(tick), sleep 123s+456789us, show tick, enter stop, pass 1000s+7us, leave stop, show tick,
      run 77s+777777us, show tick
      -> 123.456789 rang late 3.456789 sleep, missed 11; tick running, 6.543211 left
      -> 1123.456796 rang late 3.456796 stop, missed 99; tick running, 6.543204 left
      -> 1201.234573 rang late 1.234573 freeze, missed 7; tick running, 8.765427 left
    A countdown rings as often as its rounds say, and a restart begins with the first
      \(tick) rounds=3, wait 1h, show tick, restart tick, wait 1h, show tick
      -> 10 rang; 20 rang; 30 rang; tick over; 3600 restarted; 3610 rang; 3620 rang; 3630 rang
      -> tick over
    A pause delays the repetition, and an extension moves it
      \(tick), run 4s, pause tick, run 100s, resume tick, extend tick 1s, wait 17s
      -> 4 paused 6; 104 resumed; 104 extended; 111 rang; 121 rang
    With once, the last missed expiry rings with the number of the others
      \(tick), sleep 35s, wait 5s
      -> 35 rang late 5 sleep, missed 2; 40 rang
    With each, all missed expiries ring, and the first is the latest
      \(tick) missed=each, sleep 35s, wait 5s
      -> 35 rang late 25 sleep; 35 rang late 15 sleep; 35 rang late 5 sleep; 40 rang
    With skip, no missed expiry rings, and the next one does
      \(tick) missed=skip, sleep 35s, ring tick, wait 5s
      -> 35 did_not_ring late 5 sleep, missed 2; tick has no ring; 40 rang
    With a late limit, the last missed expiry rings if it is not too late
      \(tick) late=5s, sleep 35s
      -> 35 did_not_ring late 15 sleep, missed 1; 35 rang late 5 sleep
    With a late limit, a microsecond is too late
      \(tick) late=5s-1us, sleep 35s
      -> 35 did_not_ring late 5 sleep, missed 2
    With each and a late limit, too late expiries share one event, and the others ring
      \(tick) late=15s missed=each, sleep 45s
      -> 45 did_not_ring late 25 sleep, missed 1; 45 rang late 15 sleep; 45 rang late 5 sleep
    With once, the last rounds in a sleep end the timer
      \(tick) rounds=3, sleep 95s, show tick
      -> 95 rang late 65 sleep, missed 2; tick over
    With each, the last rounds in a sleep end the timer
      \(tick) rounds=3 missed=each, sleep 95s, show tick
      -> 95 rang late 85 sleep; 95 rang late 75 sleep; 95 rang late 65 sleep; tick over
    With skip, the last rounds in a sleep end the timer
      \(tick) rounds=3 missed=skip, sleep 95s, show tick
      -> 95 did_not_ring late 65 sleep, missed 2; tick over
    A countdown on awake misses nothing in a sleep
      \(tick) awake, run 4s, sleep 1h, wait 6s
      -> 3610 rang
    Each repetition runs through the bands again
      \(tick) bands=soon:3s, wait 20s, sleep 8s, sleep 11s, show tick
      -> 7 band_crossed soon 3; 10 rang; 17 band_crossed soon 3; 20 rang; 28 band_crossed soon 2
      -> 39 rang late 9 sleep; 39 band_crossed soon 1; tick running, 1 left, in soon
    With a busy loop, two due expiries ring once with {once|skip}
      start tick 100ms repeat missed={}, run 250ms
      -> 0.25 rang late 0.05 busy, missed 1
    With a busy loop, two due expiries both ring with each
      start tick 100ms repeat missed=each, run 250ms
      -> 0.25 rang late 0.15 busy; 0.25 rang late 0.05 busy
    The Nth ring is at the start plus N periods on \(eachClock)
      \(tick) {}, wait 45s
      -> 10 rang; 20 rang; 30 rang; 40 rang
    The late policy skip silences missed expiries with {once|each|skip}
      \(tick) late=skip missed={}, sleep 35s
      -> 35 did_not_ring late 5 sleep, missed 2
    The policy {late=skip|missed=skip|late=skip missed=skip} does not silence what is only delayed
      \(tick) {}, run 10s, run 10500ms
      -> 10 rang; 20.5 rang late 0.5 busy
    """)

  @Test(arguments: rules)
  func `A countdown keeps its period, and hidden expiries follow its policies`(_ rule: Rule) {
    rule.check()
  }

  private func repeating(
    late: LatePolicy = .fire, missed: MissedPolicy = .once
  ) throws -> SharedSpec {
    try SharedSpec(kind: .countdown, late: late, missed: missed, repeats: true)
  }

  /// A timer that repeats every ten seconds, in its first round.
  private func stage(
    _ spec: SharedSpec, _ clock: Timeline = .elapsed
  ) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    return (stage, try stage.start("tick", spec, usec: 10 * second, clock))
  }

  @Test func `A loop that is late each time does not make a countdown drift`() throws {
    let (stage, _) = try stage(repeating())
    stage.run(10 * second + 9000)
    for _ in 0..<99 { stage.run(10 * second) }
    #expect(stage.rings.map(\.lateUsec) == Array(repeating: 9000, count: 100))
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

  @Test(arguments: [(1000, 0), (1001, 1), (5000, 4000)] as [(Int64, Int64)])
  func `With each, the oldest of thousands share one ring`(_ count: Int64, _ first: Int64) throws {
    let (stage, slot) = try stage(repeating(missed: .each))
    stage.sleep(count * 10 * second + 5 * second)
    #expect(stage.ledger.count == 1000)
    let late = (count - 1 - first) * 10 + 5
    let missed = first > 0 ? ", missed \(first)" : ""
    #expect(stage.ledger.first == "\(count * 10 + 5) rang late \(late) sleep\(missed)")
    #expect(stage.ledger.last == "\(count * 10 + 5) rang late 5 sleep")
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == count)
  }

  @Test func `With each and a late limit, the oldest of over a thousand share one ring`() throws {
    let spec = try repeating(late: .fireWithin(usec: 15_000 * second), missed: .each)
    let (stage, slot) = try stage(spec)
    stage.sleep(20_005 * second)
    #expect(
      stage.ledger.prefix(3) == [
        "20005 did_not_ring late 15005 sleep, missed 499",
        "20005 rang late 9995 sleep, missed 500", "20005 rang late 9985 sleep",
      ])
    #expect(stage.rings.count == 1000)
    #expect(stage.engine.view(slot, at: stage.now).timer.course.position == 2000)
  }

  /// The lists of the timers that came due in a span, each with their number.
  private func groups(_ stage: Stage) -> [String] {
    stage.events.compactMap { event in
      guard case .cameDue(let span, let names, let count) = event.kind else { return nil }
      return "\(span) \(names.joined(separator: " ")) \(count)"
    }
  }

  @Test func `Timers that expired in a span are listed once before they ring`() throws {
    let stage = Stage()
    _ = try stage.start("tick", repeating(missed: .each), usec: 10 * second)
    _ = try stage.start("tea", 20 * second)
    _ = try stage.start("late", hour)
    stage.sleep(35 * second)
    #expect(groups(stage) == ["1 tick tea 2"])
    let types = stage.events.map { "\($0.typeName)" }
    #expect(
      types.suffix(6) == ["will_enter_foreground", "came_due", "rang", "rang", "rang", "rang"])
  }

  @Test func `The list of a span has no bands, and no timers that expire after it`() throws {
    let stage = Stage()
    _ = try stage.start("tea", 20 * second)
    let bands = [Band(name: "soon", remainingUsec: 60 * second)]
    _ = try stage.start("egg", SharedSpec(kind: .countdown, bands: bands), usec: 90 * second)
    stage.sleep(35 * second)
    stage.run(55 * second)
    #expect(groups(stage) == ["1 tea 1"])
    #expect(stage.rings.map(\.name) == ["tea", "egg"])
  }

  @Test func `The list of a span has at most 256 names, and the number of all`() throws {
    let stage = Stage(maximumTimers: 300)
    for index in 0..<300 { _ = try stage.start("t\(index)", Int64(300 - index) * second) }
    stage.sleep(hour)
    let listed = (44..<300).reversed().map { "t\($0)" }.joined(separator: " ")
    #expect(groups(stage).first == "1 \(listed) 300")
  }
}
