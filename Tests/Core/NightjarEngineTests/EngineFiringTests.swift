import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Which timers ring, when, in which order, how late and why.
@Suite struct EngineFiringTests {
  private let stage = Stage()

  static let rules = Rule.table(
    """
    What is due rings in the order of its deadlines
      start e 5us, start c 3us, start i 9us, start a 1us, start g 7us, run 10us
      -> 0.00001 a rang late 0.000009; 0.00001 c rang late 0.000007; 0.00001 e rang late 0.000005
      -> 0.00001 g rang late 0.000003; 0.00001 i rang late 0.000001
    A delay from 10 ms on has a cause, and a shorter one is the kernel's precision
      start a 1s, run 1010ms, start b 1s, run 1010ms+1us
      -> 1.01 a rang late 0.01; 2.020001 b rang late 0.010001 busy
    # A freeze begins at the timer's own deadline, so the awake counter has not moved since.
    An awake timer that was due before a span is late by the hidden time as well
      start tea 1s awake, start long 2s awake, pass 5s, look, show long
      -> 5 tea rang late 4 freeze; long running, 1 left
    A step back moves a wall timer away, and it rings at its deadline
      start tea 60s wall, step -1h, show tea, run 3660s
      -> tea running, 3660 left; 60 rang
    If no timer runs, the loop is armed for the end of the first retention
      start tea 1s, start egg 2s, run 1s, wait 2min, armed, pass 24h-2min, look, show egg
      -> 1 tea rang; 2 egg rang; armed for boottime 86280; 86401 tea forgotten; egg over
    An expiry that was only delayed rings, also if the clock is then set past later ones
      start tea 10s wall repeat late=skip, pass 11s, shift 100s, look
      -> 111 rang late 101 busy; 111 did_not_ring late 1 step, missed 9
    """)

  @Test(arguments: rules)
  func `A timer rings when it is due, and says how late and why`(_ rule: Rule) { rule.check() }

  // The manual page nightjar-promises(7) has the names of the next four.

  @Test(arguments: Timeline.allCases) func `A timer never rings early`(_ clock: Timeline) {
    Rule.check(
      "start tea 1s \(clock), run 1s-1us, show tea, run 1us, show tea",
      "tea running, 0.000001 left", "1 rang", "tea over")
  }

  @Test func `If a span has several causes, a late timer reports the first`() {
    Rule.check("start tea 1s, enter stop, doze 1h, leave stop", "3600 rang late 3599 stop")
  }

  @Test
  func `If the clock is set past a deadline on wall, only that timer is late, with the cause step`()
  {
    // The next timer is on time again.
    Rule.check(
      "start wall 60s wall, start tea 60s, step 1h, show tea, start wall 60s wall, run 60s",
      "3600 wall rang late 3540 step", "tea running, 60 left", "3660 tea rang", "3660 wall rang")
  }

  @Test func `A timer that rang or was cancelled is removed a day later, on elapsed`() {
    Rule.check(
      "start a 1s awake, run 1s, start b 1h wall, start c 1h, pass 1s, cancel b, pause c, "
        + "doze 24h-1s, look, show a, run 1s-1us, show b, run 1us, show b, show c",
      "1 a rang", "2 b cancelled", "2 c paused 3599", "86401 a forgotten", "a is not there",
      "b cancelled", "86402 b forgotten", "b is not there", "c paused, 3599 left")
  }

  @Test func `The loop is armed for the earliest deadline of each clock`() throws {
    #expect(stage.engine.wake == Wake())
    for (index, clock) in Timeline.allCases.enumerated() {
      try stage.start("late\(index)", hour, clock)
      try stage.start("soon\(index)", second * Int64(index + 1), clock)
    }
    let now = stage.now
    #expect(
      stage.engine.wake
        == Wake(
          boottimeUsec: now.boottimeUsec + second, monotonicUsec: now.monotonicUsec + 2 * second,
          realtimeUsec: now.realtimeUsec + 3 * second))
    #expect(stage.engine.next(at: now)?.realtimeUsec == now.realtimeUsec + second)
    #expect(stage.engine.next(at: now).map { stage.engine.name(at: $0.slot) } == "soon0")
  }

  @Test func `The next to ring is the earliest of all clocks and snoozes, not a band`() throws {
    try stage.start("snoozed", 1)
    stage.run(1)
    try stage.engine.snooze(
      stage.engine.require("snoozed"), byUsec: 7 * second / 2, at: stage.now)
    let bands = [Band(name: "warn", remainingUsec: 9 * second)]
    try stage.start("banded", SharedSpec(kind: .countdown, bands: bands), usec: 10 * second)
    for (index, clock) in Timeline.allCases.enumerated() {
      try stage.start("\(clock.name)", second * Int64(index + 2), clock)
    }
    var order: [String] = []
    while let (slot, usec) = stage.engine.next(at: stage.now) {
      order.append("\(stage.engine.name(at: slot)) \((usec - stage.now.realtimeUsec) / second)")
      try stage.engine.remove(slot, at: stage.now)
    }
    #expect(order == ["elapsed 2", "awake 3", "snoozed 3", "wall 4", "present 5", "banded 10"])
  }

  @Test func `Equal deadlines ring in the order in which they were set`() throws {
    let names = (0..<50).map { "t\($0)" }
    for name in names { try stage.start(name, second) }
    // A restart moves the timer to the end of the order; so does an extension there and back.
    try stage.engine.restart(stage.engine.require("t7"), at: stage.now)
    let slot = try stage.engine.require("t3")
    try stage.engine.extend(slot, byUsec: 5, at: stage.now)
    try stage.engine.extend(slot, byUsec: -5, at: stage.now)
    // Attachments do not matter.
    try stage.engine.update(stage.engine.require("t1"), labels: nil, data: [1], at: stage.now)
    stage.run(second)
    let expected = names.filter { $0 != "t7" && $0 != "t3" } + ["t7", "t3"]
    #expect(stage.rings.map(\.name) == expected)
  }

  @Test func `One iteration handles so many timers, all with the cause of their span`() throws {
    let stage = Stage(maximumTimers: 3000)
    let count = 5 * Engine.firingsAtOnce / 2
    for index in 0..<count {
      _ = try stage.engine.start("t\(index)", durationUsec: second, clock: .elapsed, at: stage.now)
    }
    stage.background.enter(.stop, at: stage.now)
    stage.clocks.run(5 * second)
    stage.background.leave(.stop, at: stage.now)
    #expect(stage.engine.fireDue(at: stage.now))
    #expect(stage.rings.count == Engine.firingsAtOnce)
    stage.clocks.run(second / 2)
    #expect(stage.engine.fireDue(at: stage.now))
    #expect(!stage.engine.fireDue(at: stage.now))
    #expect(stage.rings.count == count)
    #expect(stage.rings.allSatisfy { $0.cause == .stop && $0.span == 1 })
    #expect(stage.rings.map(\.name) == (0..<count).map { "t\($0)" })
    #expect(stage.rings.last?.lateUsec == 4 * second + second / 2)
  }

  @Test func `With more ended retentions than one iteration removes, more is due`() throws {
    let stage = Stage(maximumTimers: 3000)
    for index in 0..<Engine.firingsAtOnce + 1 {
      _ = try stage.engine.start("t\(index)", durationUsec: 1, clock: .elapsed, at: stage.now)
    }
    // All have rung, and nobody has answered.
    for _ in 0..<2 { stage.run(minute) }
    stage.clocks.run(Engine.retentionUsec)
    #expect(stage.engine.fireDue(at: stage.now))
    #expect(stage.engine.counts[Int(TimerState.over.rawValue)] == 1)
    #expect(!stage.engine.fireDue(at: stage.now))
    #expect(stage.engine.counts[Int(TimerState.over.rawValue)] == 0)
  }

  @Test func `A timer that a second span delays is late because of the first`() throws {
    try stage.start("tea", second)
    try stage.start("later", 8 * second)
    stage.enter(.stop)
    stage.clocks.run(5 * second)
    stage.runIteration { _ in
      stage.background.leave(.stop, at: stage.now)
      stage.background.enter(.sleep, at: stage.now)
    }
    stage.clocks.sleep(5 * second)
    stage.leave(.sleep)
    #expect(
      stage.rings == [
        Rung(name: "tea", lateUsec: 9 * second, cause: .stop, span: 1),
        Rung(name: "later", lateUsec: 2 * second, cause: .sleep, span: 2),
      ])
  }

  @Test(arguments: Timeline.allCases)
  func `A timer shortened to nothing after a span did not expire in it`(_ clock: Timeline) throws {
    let slot = try stage.start("tea", hour, clock)
    stage.enter(.stop)
    stage.clocks.run(5 * second)
    try stage.runIteration { engine in
      stage.background.leave(.stop, at: stage.now)
      try engine.extend(slot, byUsec: -hour, at: stage.now)
    }
    #expect(stage.rings == [Rung(name: "tea")])
  }

  @Test func `A timer shows how long ago it rang, whatever the wall clock does`() throws {
    let slot = try stage.start("tea", second)
    stage.run(second)
    stage.clocks.step(-hour)
    stage.clocks.sleep(60 * second)
    stage.runIteration()
    let view = stage.engine.view(slot, at: stage.now)
    #expect(view.ringAgoUsec == 60 * second)
    #expect(view.remainingUsec == 0)
    #expect(view.progress == 1)
    #expect(view.deadlineUsec == nil)
  }

  @Test func `A view shows the deadline by the present wall clock, and the progress`() throws {
    let slot = try stage.start("tea", 10 * second)
    stage.clocks.step(hour)
    stage.run(5 * second)
    let view = stage.engine.view(slot, at: stage.now)
    #expect(view.deadlineUsec == stage.now.realtimeUsec + 5 * second)
    #expect(view.deadlineBoottimeUsec == stage.now.boottimeUsec + 5 * second)
    #expect(view.elapsedUsec == 5 * second)
    #expect(view.progress == 0.5)
    #expect(stage.engine.hasAwakeTimers == false)
    let awake = try stage.start("focus", 10 * second, .awake)
    #expect(stage.engine.hasAwakeTimers)
    #expect(stage.engine.view(awake, at: stage.now).deadlineBoottimeUsec == nil)
  }
}
