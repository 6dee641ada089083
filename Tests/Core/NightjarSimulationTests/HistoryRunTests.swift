import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing

@testable import nightjar

private let second: Int64 = 1_000_000
private let minute = 60 * second
private let hour = 60 * minute

/// A machine with one timer, whose history is looked at.
private final class HistoryStage {
  let machine = SimulatedMachine(calendar: FakeCalendar(), maximumTimers: 10)

  init() throws {
    machine.clocks = SimulatedClocks(realtimeUsec: 1_800_000_000 * second)
    try machine.boot(synchronized: true)
  }

  // The machine and its bus refer to each other; a crash frees both.
  deinit { machine.crash() }

  func start(
    _ durationUsec: Int64, clock: Timeline = .elapsed, _ spec: SharedSpec = .plain,
    replace: Bool = false
  ) throws {
    try ask {
      _ = try $0.start(
        "tea", durationUsec: durationUsec, clock: clock, spec: spec, replace: replace, at: $1)
    }
  }

  func start(_ spec: SharedSpec, replace: Bool = false) throws {
    try start(0, spec, replace: replace)
  }

  func ask(_ body: (Engine, Moment) throws -> Void) throws {
    try machine.runIteration { core in
      #expect(throws: Never.self) { try body(core.engine, self.machine.clocks.now) }
    }
  }

  func ask(_ operation: NightjarModel.Operation, byUsec: Int64 = 0) throws {
    try ask { try $0.perform(operation, try $0.require("tea"), byUsec: byUsec, at: $1) }
  }

  /// Something hides time from the daemon.
  func hide(_ cause: String, _ usec: Int64) throws {
    switch cause {
    case "sleep": _ = try machine.sleep(usec: usec)
    case "stop": try machine.stop(usec: usec)
    case "down": try machine.restart(afterUsec: usec)
    default:
      try machine.reboot(takingUsec: usec)
      try machine.synchronize()
    }
  }

  func wait(_ usec: Int64) throws { try machine.advance(usec: usec) }

  /// The last run.
  var run: Run { get throws { try #require(try machine.runs().last) } }

  /// The minutes of each step.
  var steps: [String: Int64] {
    get throws {
      try run.steps.reduce(into: [:]) { $0[$1.name] = $1.countedUsec / minute }
    }
  }
}

@Suite(.blocking) struct HistoryRunTests {
  private static func pomodoro(
    rounds: Int64 = 4, waits: Bool = false, afterSleep: AfterSpan = .continue
  ) throws -> SharedSpec {
    try SharedSpec(
      kind: .sequence, rounds: rounds,
      steps: [
        Step(name: "work", durationUsec: 25 * minute),
        Step(name: "rest", durationUsec: 5 * minute, waits: waits, isBreak: true),
      ], afterSleep: afterSleep)
  }

  @Test func `A countdown that rings counted its duration, however late it rings`() throws {
    let stage = try HistoryStage()
    try stage.start(4 * minute)
    try stage.wait(minute)
    try stage.hide("sleep", 3 * hour)
    try stage.wait(9 * hour)
    let run = try stage.run
    #expect(run.state == .over && run.countedUsec == 4 * minute && run.rings == 1)
    #expect(run.late?.usec == 2 * hour + 57 * minute && run.late?.cause == .sleep)
  }

  @Test func `A pause does not count, nor does a span within it; an extension does`() throws {
    let stage = try HistoryStage()
    try stage.start(10 * minute)
    try stage.wait(4 * minute)
    try stage.ask(.pause)
    try stage.ask(.extend, byUsec: 2 * minute)
    try stage.wait(10 * minute)
    try stage.hide("sleep", 20 * minute)
    try stage.ask(.resume)
    try stage.ask(.extend, byUsec: -minute)
    #expect(try stage.run.countedUsec == 4 * minute)
    try stage.wait(hour)
    let run = try stage.run
    #expect(run.countedUsec == 11 * minute && run.pausedUsec == 30 * minute)
    #expect(run.extendedUsec == minute && run.state == .over)
  }

  @Test(arguments: [
    (Timeline.elapsed, "sleep", 60), (.awake, "sleep", 20), (.awake, "stop", 20),
    (.awake, "down", 60), (.elapsed, "reboot", 60), (.awake, "reboot", 20), (.wall, "sleep", 60),
  ])
  func `A sleep counts on elapsed and not on awake; time without a daemon counts`(
    clock: Timeline, cause: String, counted: Int
  ) throws {
    let stage = try HistoryStage()
    try stage.start(2 * hour, clock: clock)
    try stage.wait(10 * minute)
    try stage.hide(cause, 40 * minute)
    try stage.wait(10 * minute)
    #expect(try stage.run.countedUsec == Int64(counted) * minute)
  }

  @Test(arguments: [(Timeline.present, 25), (.awake, 50), (.elapsed, 60)])
  func `On present an absence does not count, and a sleep within it is subtracted once`(
    clock: Timeline, counted: Int
  ) throws {
    let stage = try HistoryStage()
    try stage.start(2 * hour, clock: clock)
    try stage.wait(5 * minute)
    try stage.machine.note(.away)
    try stage.wait(5 * minute)
    try stage.hide("sleep", 10 * minute)
    try stage.wait(10 * minute)
    try stage.machine.note(.here)
    try stage.wait(20 * minute)
    try stage.machine.note(.away)
    try stage.wait(10 * minute)
    #expect(try stage.run.countedUsec == Int64(counted) * minute)
  }

  @Test(arguments: [(Timeline.elapsed, 50), (.awake, 50), (.wall, 110)])
  func `Setting the clock makes a run longer only for a timer that counts by that clock`(
    clock: Timeline, counted: Int
  ) throws {
    let stage = try HistoryStage()
    try stage.start(5 * hour, clock: clock)
    try stage.wait(30 * minute)
    try stage.machine.setClock(byUsec: hour)
    try stage.wait(10 * minute)
    try stage.ask(.pause)
    try stage.machine.setClock(byUsec: -2 * hour)
    try stage.wait(40 * minute)
    try stage.ask(.resume)
    try stage.wait(10 * minute)
    let run = try stage.run
    #expect(run.countedUsec == Int64(counted) * minute && run.pausedUsec == 40 * minute)
  }

  @Test
  func
    `A run ends when its timer is cancelled, removed, restarted or replaced, and has that state`()
    throws
  {
    let stage = try HistoryStage()
    try stage.start(10 * minute)
    try stage.wait(minute)
    try stage.ask(.restart)
    try stage.wait(2 * minute)
    try stage.start(10 * minute, replace: true)
    try stage.wait(3 * minute)
    try stage.ask(.cancel)
    try stage.wait(minute)
    try stage.ask(.restart)
    try stage.wait(4 * minute)
    try stage.ask(.remove)
    try stage.start(minute)
    try stage.wait(2 * minute)
    try stage.ask(.dismiss)
    try stage.start(minute, try SharedSpec(kind: .countdown, late: .skip))
    try stage.hide("sleep", 2 * minute)
    try stage.start(hour)
    let runs = try stage.machine.runs()
    #expect(
      runs.map(\.state) == [.restarted, .replaced, .cancelled, .removed, .over, .missed, .running])
    #expect(runs.map { $0.countedUsec / second } == [60, 120, 180, 240, 60, 60, 0])
    #expect(runs.dropLast().allSatisfy { $0.endedUsec != nil } && runs[6].endedUsec == nil)
  }

  @Test(arguments: [NightjarModel.Operation.pause, .remove, .restart, .cancel])
  func `An undone change is no end, no pause and no new run`(operation: NightjarModel.Operation)
    throws
  {
    let stage = try HistoryStage()
    try stage.start(10 * minute)
    try stage.wait(minute)
    try stage.ask { engine, now in
      try engine.asPerson("1") { () throws(EngineError) in
        let slot = try engine.require("tea")
        try engine.perform(operation, slot, byUsec: 0, at: now)
      }
    }
    try stage.wait(20 * second)
    try stage.ask { _ = try $0.undo(at: $1) }
    try stage.wait(20 * minute)
    let runs = try stage.machine.runs()
    #expect(runs.map(\.state) == [.over] && runs.map(\.rings) == [1])
    #expect(runs.map(\.countedUsec) == [10 * minute] && runs.map(\.pausedUsec) == [0])
  }

  @Test func `A run keeps its counted time when its timer is renamed`() throws {
    let stage = try HistoryStage()
    try stage.start(10 * minute)
    try stage.wait(4 * minute)
    try stage.ask { try $0.rename(try $0.require("tea"), to: "egg", at: $1) }
    try stage.wait(hour)
    let runs = try stage.machine.runs()
    #expect(runs.map(\.name) == ["egg"] && runs.map(\.countedUsec) == [10 * minute])
  }

  @Test func `A stopwatch's run counts its measured time`() throws {
    let stage = try HistoryStage()
    try stage.start(try SharedSpec(kind: .stopwatch))
    try stage.wait(3 * minute)
    try stage.ask(.lap)
    try stage.wait(2 * minute)
    try stage.ask(.pause)
    try stage.wait(4 * minute)
    try stage.ask(.resume)
    try stage.wait(2 * minute)
    try stage.ask(.cancel)
    let run = try stage.run
    #expect(run.countedUsec == 7 * minute && run.pausedUsec == 4 * minute && run.laps == 1)
    #expect(run.state == .cancelled)
  }

  @Test func `A repeating timer is one run, and a snooze counts no time`() throws {
    let stage = try HistoryStage()
    try stage.start(45 * minute, try SharedSpec(kind: .countdown, repeats: true, rounds: 4))
    try stage.wait(50 * minute)
    try stage.ask(.snooze, byUsec: 6 * minute)
    try stage.wait(10 * minute)
    try stage.ask(.pause)
    try stage.wait(10 * minute)
    try stage.ask(.resume)
    try stage.wait(10 * minute)
    #expect(try stage.run.countedUsec == 70 * minute)
    try stage.hide("sleep", 3 * hour)
    let run = try stage.run
    #expect(run.rings == 3 && run.missed == 2 && run.state == .over)
    #expect(run.countedUsec == 180 * minute && run.pausedUsec == 10 * minute)
  }

  @Test func `An alarm counts nothing, and its pauses are known`() throws {
    let stage = try HistoryStage()
    try stage.start(
      try SharedSpec(kind: .alarm, schedule: Schedule(expression: "3600000000/0", zone: "")))
    try stage.wait(2 * hour)
    try stage.ask(.pause)
    try stage.wait(hour)
    let run = try stage.run
    #expect(run.countedUsec == 0 && run.days.isEmpty && run.pausedUsec == hour)
  }

  @Test(arguments: [hour, -minute])
  func `A corrected reboot counts with its corrected length, also for a paused timer`(
    errorUsec: Int64
  ) throws {
    for pauses in [false, true] {
      let stage = try HistoryStage()
      try stage.start(100 * hour)
      try stage.wait(hour)
      try stage.machine.reboot(takingUsec: hour, errorUsec: errorUsec)
      try stage.wait(10 * minute)
      if pauses { try stage.ask(.pause) }
      try stage.wait(10 * minute)
      try stage.machine.synchronize()
      #expect(try stage.run.countedUsec == 2 * hour + (pauses ? 10 : 20) * minute)
      #expect(try stage.run.pausedUsec == (pauses ? 10 : 0) * minute)
    }
  }

  @Test func `A pause over a corrected reboot is as long as that`() throws {
    let stage = try HistoryStage()
    try stage.start(100 * hour)
    try stage.ask(.pause)
    try stage.machine.reboot(takingUsec: hour, errorUsec: -30 * minute)
    try stage.wait(10 * minute)
    try stage.machine.synchronize()
    #expect(try stage.run.pausedUsec == 70 * minute && stage.run.countedUsec == 0)
  }

  // MARK: Sequences

  @Test func `Each step counts under its name, and breaks are separate`() throws {
    let stage = try HistoryStage()
    try stage.start(try Self.pomodoro())
    try stage.wait(40 * minute)
    try stage.ask(.advance)
    try stage.wait(2 * minute)
    #expect(try stage.steps == ["work": 35, "rest": 7])
    let run = try stage.run
    #expect(run.breakUsec == 7 * minute && run.workedUsec == 35 * minute && run.rings == 2)
  }

  /// Asleep from 10 min to 70 min, which includes four ends of steps, at 25, 30, 55 and 60.
  @Test(arguments: [MissedPolicy.once, .each])
  func `Steps that passed during a sleep count separately, from one event or several`(
    missed: MissedPolicy
  ) throws {
    let stage = try HistoryStage()
    var spec = try Self.pomodoro().content
    spec.missed = missed
    try stage.start(SharedSpec(spec))
    try stage.wait(10 * minute)
    try stage.hide("sleep", 60 * minute)
    try stage.wait(minute)
    #expect(try stage.steps == ["work": 61, "rest": 10])
    #expect(try stage.run.rings + stage.run.missed == 4)
  }

  @Test func `Time after the last step does not count`() throws {
    let stage = try HistoryStage()
    try stage.start(try Self.pomodoro())
    try stage.wait(10 * minute)
    try stage.hide("sleep", 230 * minute)
    #expect(try stage.steps == ["work": 100, "rest": 20] && stage.run.state == .over)
  }

  @Test func `Advanced past its end, or cancelled while it waits, it has counted what it ran`()
    throws
  {
    let stage = try HistoryStage()
    try stage.start(try Self.pomodoro(rounds: 1))
    try stage.wait(27 * minute)
    try stage.ask(.advance)
    try stage.wait(hour)
    #expect(try stage.steps == ["work": 25, "rest": 2] && stage.run.state == .finished)
    try stage.start(try Self.pomodoro(waits: true))
    try stage.hide("sleep", 60 * minute)
    try stage.ask(.cancel)
    #expect(try stage.steps == ["work": 25, "rest": 5] && stage.run.state == .cancelled)
  }

  @Test func `A sequence that a sleep paused or restarted did not count the sleep`() throws {
    let stage = try HistoryStage()
    try stage.start(try Self.pomodoro(afterSleep: .pause))
    try stage.wait(10 * minute)
    try stage.hide("sleep", 60 * minute)
    try stage.wait(10 * minute)
    try stage.ask(.resume)
    try stage.wait(minute)
    #expect(try stage.run.countedUsec == 11 * minute && stage.run.pausedUsec == 70 * minute)
    try stage.start(try Self.pomodoro(afterSleep: .restart), replace: true)
    try stage.wait(10 * minute)
    try stage.hide("sleep", 60 * minute)
    try stage.wait(5 * minute)
    #expect(try stage.steps == ["work": 15])
    // In the break, the sleep is the break.
    try stage.wait(21 * minute)
    try stage.hide("sleep", 73 * minute)
    try stage.wait(minute)
    #expect(try stage.steps == ["work": 36, "rest": 5])
  }

  @Test(arguments: [false, true])
  func `Steps that passed on a clock that was ahead do not count after its correction`(
    isSetBefore: Bool
  ) throws {
    let stage = try HistoryStage()
    try stage.start(try Self.pomodoro())
    try stage.wait(10 * minute)
    // Four steps seem to end.
    try stage.machine.reboot(takingUsec: 10 * minute, errorUsec: 60 * minute)
    try stage.wait(30 * second)
    if isSetBefore { try stage.machine.setClock(byUsec: -60 * minute) }
    try stage.wait(30 * second)
    // The kernel reports the clock as right. Only now the reboot is corrected.
    try stage.machine.synchronize()
    try stage.wait(minute)
    #expect(try stage.run.countedUsec == 22 * minute)
    #expect(try stage.steps.filter { $1 > 0 } == ["work": 22])
    try stage.wait(10 * minute)
    #expect(try stage.steps == ["work": 27, "rest": 5])
  }

  // MARK: Days

  @Test func `A run over midnight counts on both days, without the sleep on awake`() throws {
    for (clock, days) in [(Timeline.elapsed, [960, 180]), (.awake, [840, 60])] {
      let stage = try HistoryStage()
      // 8:00 UTC.
      try stage.start(100 * hour, clock: clock)
      try stage.wait(14 * hour)
      try stage.hide("sleep", 4 * hour)
      try stage.wait(hour)
      #expect(try stage.run.days.sorted { $0.day < $1.day }.map { Int($0.usec / minute) } == days)
    }
  }

  @Test func `After a boot in 1970 and a correction, the days are those of the right clock`() throws
  {
    let stage = try HistoryStage()
    let day = Int(1_800_000_000 / 86_400)
    try stage.start(100 * hour)
    try stage.wait(hour)
    try stage.machine.reboot(takingUsec: 10 * hour, errorUsec: -1_800_000_000 * second)
    try stage.wait(minute)
    try stage.ask(.pause)
    try stage.wait(minute)
    try stage.machine.synchronize()
    try stage.wait(hour)
    let run = try stage.run
    #expect(run.countedUsec == 11 * hour + minute && run.pausedUsec == hour + minute)
    #expect(run.days.map(\.day) == [day])
  }
}
