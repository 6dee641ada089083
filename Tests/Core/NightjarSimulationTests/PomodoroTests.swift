import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

/// Four rounds of 25 minutes of work and 5 of rest, with a sleep of seven hours in the middle of
/// the second piece of work. The tests compare the ledger to the microsecond.
@Suite(.blocking) struct PomodoroTests {
  private static let minute: Int64 = 60_000_000
  private static let begin: Int64 = 1_700_000_000_000_000

  private let machine = SimulatedMachine()

  /// The steps of the first two rounds up to the sleep, and the sleep.
  private static let morning = """
    0:00:00.000000  started        work
    0:25:00.000000  rang           rest
    0:30:00.000000  rang           work
    0:42:30.000000  did_enter_background
    7:42:30.000000  will_enter_foreground

    """

  /// The rest of the sequence, if the sleep did not count.
  private static let later = """
    7:55:00.000000  rang           rest
    8:00:00.000000  rang           work
    8:25:00.000000  rang           rest
    8:30:00.000000  rang           work
    8:55:00.000000  rang           rest
    9:00:00.000000  rang
    9:01:00.000000  unanswered
    """

  @Test func `On elapsed with once, the six ends of steps in the sleep share one ring`() throws {
    let ledger = try ledger(.elapsed, .once)
    #expect(
      ledger == Self.morning + """
        7:42:30.000000  came_due
        7:42:30.000000  rang           late 5:42:30.000000, 5 missed
        7:43:30.000000  unanswered
        """)
  }

  @Test func `On elapsed with each, every end of a step in the sleep rings`() throws {
    let ledger = try ledger(.elapsed, .each)
    #expect(
      ledger == Self.morning + """
        7:42:30.000000  came_due
        7:42:30.000000  rang           rest  late 6:47:30.000000
        7:42:30.000000  rang           work  late 6:42:30.000000
        7:42:30.000000  rang           rest  late 6:17:30.000000
        7:42:30.000000  rang           work  late 6:12:30.000000
        7:42:30.000000  rang           rest  late 5:47:30.000000
        7:42:30.000000  rang           late 5:42:30.000000
        7:43:30.000000  unanswered
        """)
  }

  @Test func `On elapsed with skip, the sequence ends without a ring`() throws {
    let ledger = try ledger(.elapsed, .skip)
    #expect(
      ledger == Self.morning + """
        7:42:30.000000  came_due
        7:42:30.000000  did_not_ring   late 5:42:30.000000, 5 missed
        """)
  }

  @Test(arguments: MissedPolicy.allCases)
  func `On awake the sleep does not count and nothing is missed, whatever the policy`(
    _ missed: MissedPolicy
  ) throws {
    #expect(try ledger(.awake, missed) == Self.morning + Self.later)
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With pause, the sequence waits with half of the work remaining, and continues when resumed`(
    _ clock: Timeline
  ) throws {
    let ledger = try ledger(clock, .once, .pause) { machine in
      try machine.advance(usec: 17 * Self.minute + 30_000_000)
      try machine.runIteration { core in
        try? core.engine.resume(core.engine.require("pomodoro"), at: machine.clocks.now)
      }
    }
    #expect(
      ledger == Self.morning + """
        7:42:30.000000  paused_after_span  0:12:30.000000
        8:00:00.000000  resumed
        8:12:30.000000  rang           rest
        8:17:30.000000  rang           work
        8:42:30.000000  rang           rest
        8:47:30.000000  rang           work
        9:12:30.000000  rang           rest
        9:17:30.000000  rang
        9:18:30.000000  unanswered
        """)
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With restart, the work in which the machine slept starts again`(_ clock: Timeline) throws {
    let ledger = try ledger(clock, .once, .restart)
    #expect(
      ledger == Self.morning + """
        7:42:30.000000  restarted_after_span  work
        8:07:30.000000  rang           rest
        8:12:30.000000  rang           work
        8:37:30.000000  rang           rest
        8:42:30.000000  rang           work
        9:07:30.000000  rang           rest
        9:12:30.000000  rang
        9:13:30.000000  unanswered
        """)
  }

  @Test(arguments: [Timeline.elapsed, .awake])
  func `With restart, a break that was slept through has ended, and work starts`(_ clock: Timeline)
    throws
  {
    let ledger = try ledger(clock, .once, .restart, sleepAt: 27 * Self.minute)
    #expect(
      ledger == """
        0:00:00.000000  started        work
        0:25:00.000000  rang           rest
        0:27:00.000000  did_enter_background
        7:27:00.000000  will_enter_foreground
        7:27:00.000000  restarted_after_span  work
        7:52:00.000000  rang           rest
        7:57:00.000000  rang           work
        8:22:00.000000  rang           rest
        8:27:00.000000  rang           work
        8:52:00.000000  rang           rest
        8:57:00.000000  rang
        8:58:00.000000  unanswered
        """)
  }

  /// The events that clients were shown on a day with the sequence, one line each: the time, the
  /// type, the step after it, the lateness, and how many more it stands for.
  private func ledger(
    _ clock: Timeline, _ missed: MissedPolicy, _ afterSleep: AfterSpan = .continue,
    sleepAt: Int64 = 42 * minute + 30_000_000,
    then body: (SimulatedMachine) throws -> Void = { _ in }
  ) throws -> String {
    let spec = try SharedSpec(
      kind: .sequence, missed: missed, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: 25 * Self.minute),
        Step(name: "rest", durationUsec: 5 * Self.minute, isBreak: true),
      ], afterSleep: afterSleep)
    try machine.boot()
    try machine.runIteration { core in
      _ = try? core.engine.start("pomodoro", clock: clock, spec: spec, at: machine.clocks.now)
    }
    try machine.advance(usec: sleepAt)
    #expect(try machine.sleep(usec: 7 * 60 * Self.minute) == 7 * 60 * Self.minute)
    try body(machine)
    try machine.advance(usec: 3 * 60 * Self.minute)
    return machine.takePublished().map { line($0, spec) }.joined(separator: "\n")
  }

  private func line(_ event: Event, _ spec: SharedSpec) -> String {
    let type = "\(event.typeName)"
    let words = words(event, spec)
    let padding = String(repeating: " ", count: max(0, 13 - type.utf8.count)) + "  "
    return time(event.timeUsec - Self.begin) + "  " + type + (words.isEmpty ? "" : padding + words)
  }

  private func words(_ event: Event, _ spec: SharedSpec) -> String {
    switch event.kind {
    case .started: return spec.step(at: 0).name
    case .pausedAfterSpan(let remaining, _, _): return time(remaining)
    case .restartedAfterSpan(let next, _): return next.step
    case .rang(let late, _, let passing?), .didNotRing(let late, let passing, _):
      var text = ""
      if case .runs = passing.next.continuation {
        text = passing.next.step + (late.usec > 0 ? "  " : "")
      }
      if late.usec > 0 { text += "late \(time(late.usec))" }
      return passing.missed > 0 ? "\(text), \(passing.missed) missed" : text
    default: return ""
    }
  }

  /// Hours, minutes, seconds and microseconds.
  private func time(_ usec: Int64) -> String {
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let seconds = usec / 1_000_000
    return "\(seconds / 3600):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
      + ".\(digits(usec % 1_000_000, 6))"
  }
}
