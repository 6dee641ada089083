import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Continuing from the state of the last run.
@Suite struct BackgroundStartTests {
  @Test func `A crash in the same boot is an estimated down span since the last anchor, and awake`()
  {
    let stage = Stage()
    stage.run(second)
    let anchor = stage.now
    stage.clocks.run(20 * second)
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.down]])
    #expect(next.left[0].entered == anchor)
    #expect(next.left[0].estimated)
    #expect(next.left[0].elapsedUsec == 20 * second)
    #expect(next.reading(.elapsed) == 21 * second)
    #expect(next.reading(.awake) == 21 * second)
    #expect(next.background.open == nil)
  }

  @Test func `The service manager reports exactly when the daemon ended`() {
    let stage = Stage()
    let anchor = stage.now
    stage.clocks.run(20 * second)
    let ended = stage.now
    stage.clocks.run(5 * second)
    let next = stage.successor(from: anchor, downSince: ended.monotonicUsec)
    #expect(next.left[0].entered == ended)
    #expect(!next.left[0].estimated)
    #expect(next.left[0].elapsedUsec == 5 * second)
    #expect(next.reading(.elapsed) == 25 * second)
  }

  /// What happens to the machine around the end of the daemon, in seconds, up to the next start.
  enum Step {
    case runs(Int64)
    case sleeps(Int64)
    /// The manager sees the end.
    case seen
  }

  @Test(
    arguments: [
      // Killed, then asleep, and the manager saw the end before the sleep or after it. For the
      // clocks, the latter is the same as a sleep right before the kill.
      [.seen, .sleeps(100), .runs(2)], [.sleeps(100), .seen, .runs(2)],
      [.seen, .runs(1), .sleeps(100), .runs(1)],
      [.sleeps(40), .seen, .runs(1), .sleeps(50), .sleeps(10), .runs(1)],
      // Without a manager, and killed right after the anchor.
      [.sleeps(100), .runs(2)], [.runs(1), .sleeps(60), .sleeps(40), .runs(1)],
    ] as [[Step]])
  func `A sleep since the anchor lies in the span, wherever it was, and awake does not count it`(
    steps: [Step]
  ) {
    let stage = Stage()
    stage.run(second)
    let anchor = stage.now
    var seen: Moment?
    var (isSeen, ranBefore) = (false, Int64(0))
    if steps.contains(where: { if case .seen = $0 { true } else { false } }) {
      // The daemon ran on after the anchor.
      stage.clocks.run(20 * second)
      (isSeen, ranBefore) = (true, 20 * second)
    }
    for step in steps {
      switch step {
      case .runs(let usec): stage.clocks.run(usec * second)
      case .sleeps(let usec): stage.clocks.sleep(usec * second)
      case .seen: seen = stage.now
      }
    }
    let next = stage.successor(from: anchor, downSince: seen?.monotonicUsec)
    #expect(next.left.map(\.causes) == [[.down, .sleep]])
    #expect(next.left[0].elapsedUsec == 102 * second)
    #expect(next.left[0].estimated == !isSeen)
    #expect(next.left[0].entered == anchor.earlier(byUsec: -ranBefore))
    #expect(next.background.enteredAwakeUsec == second + ranBefore)
    #expect(next.reading(.elapsed) == 103 * second + ranBefore)
    #expect(next.reading(.awake) == 3 * second + ranBefore)
    #expect(next.steps.isEmpty)
  }

  @Test func `A time from the service manager of another boot or before the anchor is ignored`() {
    let stage = Stage()
    let before = stage.now
    stage.run(second)
    let anchor = stage.now
    stage.clocks.run(second)
    let early = stage.successor(from: anchor, downSince: before.monotonicUsec)
    #expect(early.left[0].entered == anchor)
    #expect(early.left[0].estimated)
    stage.clocks.reboot(off: hour, uptime: second)
    let other = stage.successor(from: anchor, downSince: stage.now.monotonicUsec)
    #expect(other.left[0].causes == [.reboot])
    #expect(other.left[0].entered == anchor)
  }

  @Test func `A SIGTERM begins a down span exactly then`() {
    let stage = Stage()
    stage.enter(.down)
    let ended = stage.now
    stage.clocks.run(3 * second)
    let next = stage.successor(from: ended)
    #expect(next.left.map(\.causes) == [[.down]])
    #expect(next.left[0].id == 1)
    #expect(next.left[0].entered == ended)
    #expect(!next.left[0].estimated)
    // The span began in the last run, so this run records only its end.
    #expect(next.entered.isEmpty)
  }

  @Test func `A reboot is estimated, and advances elapsed by the wall clock and awake not at all`()
  {
    let stage = Stage()
    stage.run(second)
    let anchor = stage.now
    stage.clocks.run(10 * second)
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second)
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.reboot]])
    #expect(next.left[0].estimated)
    #expect(next.left[0].elapsedUsec == 3 * hour + 40 * second)
    #expect(next.reading(.elapsed) == 3 * hour + 41 * second)
    #expect(next.reading(.awake) == second)
  }

  @Test func `A machine that boots in the past was off at least as long as it has been up`() {
    let stage = Stage()
    let anchor = stage.now
    stage.clocks.reboot(off: hour, uptime: 30 * second, error: -10 * hour)
    let next = stage.successor(from: anchor)
    #expect(next.left[0].elapsedUsec == 30 * second)
    #expect(next.reading(.elapsed) == 30 * second)
  }

  @Test func `Clocks below those of the anchor belong to another boot, whatever the ID says`() {
    let stage = Stage()
    stage.run(hour)
    let anchor = stage.now
    stage.clocks.reboot(off: hour, uptime: 30 * second)
    stage.clocks.now.bootID = anchor.bootID
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.reboot]])
    #expect(next.left[0].elapsedUsec == hour + 30 * second)
  }

  @Test func `A SIGTERM before a reboot becomes the start of the reboot's span`() {
    let stage = Stage()
    stage.enter(.down)
    let ended = stage.now
    stage.clocks.reboot(off: hour, uptime: second)
    let next = stage.successor(from: ended)
    #expect(next.left.map(\.causes) == [[.reboot]])
    #expect(next.left[0].entered == ended)
    #expect(next.left[0].id == 1)
    #expect(next.left[0].estimated)
  }

  @Test func `A discarded hibernation image makes a sleep a reboot as well`() {
    let stage = Stage()
    stage.enter(.sleep)
    let entered = stage.now
    stage.clocks.reboot(off: hour, uptime: second)
    let next = stage.successor(from: entered)
    #expect(next.left.map(\.causes) == [[.sleep, .reboot]])
    #expect(next.left[0].entered == entered)
    #expect(next.left[0].elapsedUsec == hour + second)
    #expect(next.left[0].estimated)
  }

  @Test
  func `A span that is open at a start in the same boot keeps its start and gains the cause down`()
  {
    let stage = Stage()
    stage.run(second)
    let entered = stage.now
    stage.enter(.sleep)
    stage.run(second)
    stage.clocks.sleep(hour)
    let next = stage.successor(from: entered)
    #expect(next.left.map(\.causes) == [[.sleep, .down]])
    #expect(next.left[0].entered == entered)
    #expect(!next.left[0].estimated)
    #expect(next.left[0].elapsedUsec == hour + second)
  }

  @Test func `The awake counter at the start of a span is known even after a stop within it`() {
    let stage = Stage()
    stage.run(second)
    stage.enter(.sleep)
    stage.enter(.stop)
    stage.clocks.run(10 * second)
    stage.leave(.stop)
    stage.run(2 * second)
    let next = stage.successor(from: stage.now)
    #expect(next.background.enteredAwakeUsec == second)
    #expect(next.reading(.awake) == 3 * second)
  }

  @Test func `A daemon killed while stopped counts as stopped until the next start`() {
    let stage = Stage()
    stage.run(second)
    stage.enter(.stop)
    stage.clocks.run(2 * second)
    let anchor = stage.now
    stage.clocks.run(10 * second)
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.stop, .down]])
    #expect(next.reading(.awake) == second)
    #expect(next.reading(.elapsed) == 13 * second)
    next.run(second)
    #expect(next.reading(.awake) == 2 * second)
  }

  @Test func `A daemon killed while stopped counts as stopped until the manager saw its end`() {
    let stage = Stage()
    stage.enter(.stop)
    let anchor = stage.now
    stage.clocks.run(10 * second)
    let ended = stage.now
    stage.clocks.run(4 * second)
    let next = stage.successor(from: anchor, downSince: ended.monotonicUsec)
    #expect(next.reading(.awake) == 4 * second)
    #expect(next.reading(.elapsed) == 14 * second)
  }

  @Test func `A stop that a reboot ended hides no time from the next boot`() {
    let stage = Stage()
    stage.run(second)
    stage.enter(.stop)
    let anchor = stage.now
    stage.clocks.reboot(off: hour, uptime: second)
    let next = stage.successor(from: anchor)
    next.run(5 * second)
    #expect(next.reading(.awake) == 6 * second)
    #expect(next.background.state(at: next.now).stoppedMonotonicUsec == nil)
  }

  @Test func `Sleep and steps while the daemon was down are found at the start`() {
    let stage = Stage()
    let anchor = stage.now
    stage.clocks.run(second)
    stage.clocks.sleep(hour)
    stage.clocks.step(-2 * hour)
    let next = stage.successor(from: anchor)
    #expect(next.left.map(\.causes) == [[.down, .sleep]])
    #expect(next.left[0].elapsedUsec == hour + second)
    #expect(next.steps == [-2 * hour])
    #expect(next.reading(.awake) == second)
    next.run(second)
    #expect(next.steps.count == 1)
  }

  @Test(arguments: [1, -1])
  func `A change of the wall clock by the threshold while the daemon was down is a step`(
    sign: Int64
  ) {
    for (usec, steps) in [
      (Background.stepThresholdUsec, [sign * Background.stepThresholdUsec]),
      (Background.stepThresholdUsec - 1, []),
    ] {
      let stage = Stage()
      let anchor = stage.now
      stage.clocks.run(second)
      stage.clocks.step(sign * usec)
      #expect(stage.successor(from: anchor).steps == steps)
    }
  }
}

/// Corrections when the wall clock is synchronised after a reboot.
@Suite struct BackgroundCorrectionTests {
  /// A boot ten seconds ago, whose wall clock is an hour behind. It was right before the reboot.
  private func behind(synchronized: Bool = false) -> Stage {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -hour)
    let next = stage.successor(from: anchor, synchronized: synchronized)
    // Without a wait, or a deadline that the loop misses would count as a freeze.
    next.background.clockWaitUsec = 0
    next.run(10 * second)
    return next
  }

  /// A boot whose wall clock is an hour ahead and that waits for the clock. It was right before the
  /// reboot.
  private func ahead() -> Stage {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: hour)
    return stage.successor(from: anchor, synchronized: false)
  }

  private func note(_ stage: Stage, _ synchronized: Bool) {
    stage.runIteration { _ in stage.background.note(synchronized: synchronized, at: stage.now) }
  }

  @Test func `Vouching for the clock corrects the reboot, however long after the step`() {
    let stage = behind()
    #expect(stage.reading(.elapsed) == 2 * hour + 40 * second)
    stage.clocks.step(hour)
    stage.runIteration()
    stage.run(3 * hour)
    note(stage, true)
    #expect(stage.corrections == [hour])
    #expect(stage.reading(.elapsed) == 6 * hour + 40 * second)
    #expect(stage.background.last?.elapsedUsec == 3 * hour + 30 * second)
  }

  @Test func `Vouching for a clock without a step corrects nothing`() {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: 0)
    let next = stage.successor(from: anchor, synchronized: false)
    #expect(next.background.clock.isOpen)
    note(next, true)
    #expect(next.corrections.isEmpty && !next.background.clock.isOpen)
  }

  @Test func `Vouching before and after a reboot leaves no uncertain reboot`() {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: 0)
    let next = stage.successor(from: anchor, synchronized: true)
    #expect(!next.background.clock.isOpen)
    #expect(next.background.clockWaitEnd(at: next.now) == nil)
  }

  @Test func `A start with the state of an older version notes that the clock is right`() {
    let stage = Stage()
    note(stage, true)
    var state = stage.background.state(at: stage.now)
    state.clock = WallClockState()
    let next = Stage(clocks: stage.clocks)
    next.background.resume(state, nextSpanID: 1, downSince: nil, at: next.now)
    note(next, true)
    #expect(next.background.clock.hasBeenSynchronized)
  }

  @Test
  func `What a clock in doubt was set back from expires later with its own cause of lateness`()
    throws
  {
    let next = ahead()
    try next.start("tea", 5 * second, .wall)
    next.run(5 * second)
    let slot = try next.engine.require("tea")
    #expect(next.engine.isWaitingForClock(slot))
    next.clocks.step(-10 * second)
    next.runIteration()
    // It is not due by the new clock, so it waits for its time, and not for the clock.
    #expect(!next.engine.isWaitingForClock(slot))
    next.enter(.sleep)
    next.clocks.sleep(hour)
    next.leave(.sleep)
    #expect(next.rings.map(\.cause) == [.sleep])
  }

  @Test func `The wait for a clock in doubt ends a minute after the daemon's start`() {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -hour)
    let next = stage.successor(from: anchor, synchronized: false)
    #expect(next.background.clockWaitEnd(at: next.now) == 90 * second)
    next.clocks.run(60 * second - 1)
    #expect(next.background.clockWaitEnd(at: next.now) == 90 * second)
    next.clocks.run(1)
    #expect(next.background.clockWaitEnd(at: next.now) == nil)
  }

  @Test
  func `A timer that waits for the clock does not wake the machine, but the end of the wait does`()
    throws
  {
    let next = ahead()
    try next.runIteration { engine in
      _ = try engine.start("tea", durationUsec: 5 * second, clock: .wall, wakes: true, at: next.now)
    }
    #expect(next.engine.alarms.realtimeUsec == next.now.realtimeUsec + 5 * second)
    next.run(5 * second)
    #expect(next.engine.alarms.realtimeUsec == nil)
    #expect(next.engine.alarms.boottimeUsec == 90 * second)
  }

  @Test func `A timer without wake that waits for the clock does not wake the machine`() throws {
    let next = ahead()
    try next.start("quiet", 5 * second, .wall)
    next.run(5 * second)
    #expect(next.engine.isWaitingForClock(try next.engine.require("quiet")))
    #expect(next.engine.alarms == (nil, nil))
    // A timer that does not wait wakes the machine at its own time.
    try next.runIteration { engine in
      _ = try engine.start("up", durationUsec: hour, clock: .elapsed, wakes: true, at: next.now)
    }
    #expect(next.engine.alarms.boottimeUsec == next.now.boottimeUsec + hour)
  }

  @Test func `A boot that is vouched for twice is corrected twice, from the old reading`() {
    let stage = behind(synchronized: true)
    // The first time that the clock was synchronised, it was wrong by an hour.
    #expect(stage.corrections.isEmpty)
    stage.clocks.step(hour)
    stage.runIteration()
    #expect(!stage.background.timelines.anchor.synchronized)
    note(stage, true)
    #expect(stage.corrections == [hour])
    #expect(stage.reading(.elapsed) == 3 * hour + 40 * second)
  }

  @Test func `A step without a reboot since the clock was right corrects nothing`() {
    let stage = Stage()
    note(stage, true)
    stage.run(hour)
    stage.clocks.step(5 * hour)
    stage.runIteration()
    note(stage, true)
    #expect(stage.corrections.isEmpty)
    #expect(stage.reading(.elapsed) == hour)
  }

  @Test func `Without a vouched reading before it, a reboot is as long as the wall clock showed`() {
    let stage = Stage()
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -hour)
    let next = stage.successor(from: anchor, synchronized: false)
    next.clocks.step(hour)
    next.runIteration()
    note(next, true)
    #expect(next.corrections.isEmpty)
    #expect(next.reading(.elapsed) == 2 * hour + 30 * second)
  }

  @Test func `Steps in between do not matter, and a clock that was ahead is corrected back`() {
    let stage = behind()
    for usec in [3 * hour, -4 * hour] {
      stage.clocks.step(usec)
      stage.runIteration()
    }
    note(stage, true)
    #expect(stage.corrections == [-hour])
    #expect(stage.reading(.elapsed) == hour + 40 * second)
  }

  @Test func `No correction makes a reboot shorter than the machine has been up`() {
    let stage = behind()
    stage.clocks.step(-10 * hour)
    stage.runIteration()
    note(stage, true)
    #expect(stage.reading(.elapsed) == 40 * second)
    #expect(stage.corrections == [-2 * hour])
  }

  @Test func `A wall clock that went back or 400 days forward counts only the uptime`() {
    for error in [-4 * hour, 401 * 24 * hour] {
      let stage = Stage()
      note(stage, true)
      let anchor = stage.now
      stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: error)
      let next = stage.successor(from: anchor, synchronized: false)
      #expect(next.reading(.elapsed) == 30 * second)
      #expect(next.left.map(\.estimated) == [true])
    }
  }

  @Test
  func `A clock that was corrected while the daemon was down corrects the reboot at the start`() {
    let stage = behind()
    let anchor = stage.now
    stage.clocks.run(second)
    stage.clocks.step(hour)
    let next = stage.successor(from: anchor, synchronized: true)
    #expect(next.corrections == [hour])
    #expect(next.reading(.elapsed) == 3 * hour + 41 * second)
    #expect(next.left.map(\.elapsedUsec) == [second])
  }

  @Test func `A corrected span has the start and end of the right clock`() {
    let stage = Stage()
    note(stage, true)
    let anchor = stage.now
    stage.clocks.reboot(off: 3 * hour, uptime: 30 * second, error: -20_000 * hour)
    let next = stage.successor(from: anchor, synchronized: false)
    next.run(second)
    next.clocks.step(20_000 * hour)
    next.runIteration()
    note(next, true)
    let span = next.background.last
    #expect(span?.entered.realtimeUsec == anchor.realtimeUsec)
    #expect(span?.left?.realtimeUsec == anchor.realtimeUsec + 3 * hour + 30 * second)
  }

  @Test func `A correction moves deadlines set before the reboot and none set after it`() throws {
    let stage = behind()
    let since = try stage.start("since", 2 * hour)
    let paused = try stage.start("paused", 2 * hour)
    try stage.runIteration { try $0.pause(paused, at: stage.now) }
    let awake = try stage.start("awake", 2 * hour, .awake)
    stage.clocks.step(hour)
    stage.runIteration()
    note(stage, true)
    #expect(stage.corrections == [hour])
    #expect(stage.remaining(since) == 2 * hour)
    #expect(stage.remaining(paused) == 2 * hour)
    #expect(stage.remaining(awake) == 2 * hour)
    #expect(stage.rings.isEmpty)
  }

  @Test func `Changes of synchronisation are posted, repetitions are not`() {
    let stage = Stage()
    for synchronized in [true, true, false, false, true] { note(stage, synchronized) }
    let changes = stage.posted.compactMap {
      if case .synchronizationChanged(let now) = $0 { now } else { nil }
    }
    #expect(changes == [true, false, true])
    #expect(stage.background.timelines.anchor.synchronized)
  }
}
