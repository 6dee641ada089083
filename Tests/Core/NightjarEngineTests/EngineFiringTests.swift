import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Which timers ring, when, in which order, how late and why.
@Suite struct EngineFiringTests {
  @Test(arguments: Timeline.allCases) func `A timer never rings early`(_ clock: Timeline) throws {
    let stage = Stage()
    let slot = try stage.start("tea", second, clock)
    stage.run(second - 1)
    #expect(stage.state(slot) == .running)
    #expect(stage.remaining(slot) == 1)
    stage.run(1)
    #expect(stage.state(slot) == .over)
    #expect(stage.rings == [Rung(name: "tea")])
  }

  @Test func `The loop is armed for the earliest deadline of each clock`() throws {
    let stage = Stage()
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

  @Test
  func `The next to ring is the earliest of all clocks and snoozes, and a band does not count`()
    throws
  {
    let stage = Stage()
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
    let stage = Stage()
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

  @Test func `What is due rings in the order of its deadlines`() throws {
    let stage = Stage()
    for usec: Int64 in [5, 3, 9, 1, 7] { try stage.start("t\(usec)", usec) }
    stage.run(10)
    #expect(stage.rings.map(\.name) == ["t1", "t3", "t5", "t7", "t9"])
    #expect(stage.rings.map(\.lateUsec) == [9, 7, 5, 3, 1])
  }

  @Test
  func
    `One loop iteration handles a limited number of timers, and all have the cause of their span`()
    throws
  {
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
    let stage = Stage()
    try stage.start("tea", second)
    try stage.start("later", 8 * second)
    stage.runIteration { _ in
      stage.background.enter(.stop, at: stage.now)
    }
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

  @Test func `If a span has several causes, a late timer reports the first`() throws {
    let stage = Stage()
    try stage.start("tea", second)
    stage.enter(.stop)
    stage.clocks.sleep(hour)
    stage.leave(.stop)
    #expect(stage.rings.map(\.cause) == [.stop])
  }

  @Test
  func `An awake timer that was due before a span is late by the hidden time as well`() throws {
    let stage = Stage()
    try stage.start("tea", second, .awake)
    try stage.start("long", 2 * second, .awake)
    stage.clocks.run(5 * second)
    stage.runIteration()
    // A freeze begins at the timer's own deadline, so the awake counter has not moved since.
    #expect(stage.rings == [Rung(name: "tea", lateUsec: 4 * second, cause: .freeze, span: 1)])
    #expect(stage.remaining(try stage.engine.require("long")) == second)
  }

  @Test func `A timer shortened to nothing after a span did not expire in it`() throws {
    for clock in Timeline.allCases {
      let stage = Stage()
      let slot = try stage.start("tea", hour, clock)
      stage.enter(.stop)
      stage.clocks.run(5 * second)
      try stage.runIteration { engine in
        stage.background.leave(.stop, at: stage.now)
        try engine.extend(slot, byUsec: -hour, at: stage.now)
      }
      #expect(stage.rings == [Rung(name: "tea")])
    }
  }

  @Test
  func `A delay from 10 ms on has a cause, and a shorter one is the kernel's precision`() throws {
    let stage = Stage()
    try stage.start("a", second)
    stage.run(second + 10_000)
    try stage.start("b", second)
    stage.run(second + 10_001)
    #expect(
      stage.rings == [
        Rung(name: "a", lateUsec: 10_000),
        Rung(name: "b", lateUsec: 10_001, cause: .busy),
      ])
  }

  @Test
  func `An expiry that was only delayed rings, also if the clock is then set past later ones`()
    throws
  {
    let stage = Stage()
    var spec = TimerSpec.plain
    (spec.kind, spec.clock, spec.repeats, spec.late) = (.countdown, .wall, true, .skip)
    spec.durationUsec = 10 * second
    try stage.runIteration { _ = try $0.start("tea", spec, at: stage.now) }
    stage.clocks.run(11 * second)
    stage.clocks.step(100 * second)
    stage.runIteration()
    #expect(stage.rings == [Rung(name: "tea", lateUsec: 101 * second, cause: .busy)])
  }

  @Test
  func `If the clock is set past a deadline on wall, only that timer is late, with the cause step`()
    throws
  {
    let stage = Stage()
    try stage.start("wall", 60 * second, .wall)
    let elapsed = try stage.start("elapsed", 60 * second)
    stage.clocks.step(hour)
    stage.runIteration()
    #expect(stage.rings == [Rung(name: "wall", lateUsec: hour - 60 * second, cause: .step)])
    #expect(stage.remaining(elapsed) == 60 * second)
    // The next timer is on time again.
    try stage.start("wall", 60 * second, .wall)
    stage.run(60 * second)
    #expect(stage.rings.dropFirst() == [Rung(name: "elapsed"), Rung(name: "wall")])
  }

  @Test func `A step back moves a wall timer away, and it rings at its deadline`() throws {
    let stage = Stage()
    let slot = try stage.start("wall", 60 * second, .wall)
    stage.clocks.step(-hour)
    stage.runIteration()
    #expect(stage.remaining(slot) == hour + 60 * second)
    stage.run(hour + 60 * second)
    #expect(stage.rings == [Rung(name: "wall")])
  }

  @Test func `A timer that rang or was cancelled is removed a day later, on elapsed`() throws {
    let stage = Stage()
    let rang = try stage.start("rang", second, .awake)
    stage.run(second)
    let cancelled = try stage.start("cancelled", hour, .wall)
    let paused = try stage.start("paused", hour)
    stage.clocks.run(second)
    try stage.runIteration { engine in
      try engine.cancel(cancelled, at: stage.now)
      try engine.pause(paused, at: stage.now)
    }
    stage.clocks.sleep(Engine.retentionUsec - second)
    stage.runIteration()
    #expect(!stage.engine.isOccupied(rang))
    #expect(stage.engine.isOccupied(cancelled))
    stage.run(second - 1)
    #expect(stage.engine.isOccupied(cancelled))
    stage.run(1)
    #expect(!stage.engine.isOccupied(cancelled))
    #expect(stage.engine.isOccupied(paused))
    #expect(
      stage.events.filter { $0.typeName.description == "forgotten" }.map { $0.subject?.name }
        == ["rang", "cancelled"])
  }

  @Test func `If no timer runs, the loop is armed for the end of the first retention`() throws {
    let stage = Stage()
    try stage.start("tea", second)
    try stage.start("egg", 2 * second)
    stage.run(second)
    let end = stage.now.boottimeUsec + Engine.retentionUsec
    stage.advance(2 * minute)
    #expect(stage.engine.wake == Wake(boottimeUsec: end))
    stage.clocks.run(Engine.retentionUsec - 2 * minute)
    stage.runIteration()
    #expect(stage.engine.counts[Int(TimerState.over.rawValue)] == 1)
  }

  @Test
  func `A timer shows how long ago it rang, whatever happens to the wall clock`() throws {
    let stage = Stage()
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

  @Test
  func `A view shows the deadline by the present wall clock, and progress from 0 to 1`() throws {
    let stage = Stage()
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
