import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing

@testable import nightjar

private let minute = 60 * second

/// A machine with one timer, whose history is looked at.
private final class HistoryStage {
  private let machine = SimulatedMachine(calendar: FakeCalendar(), maximumTimers: 10)
  private var name = "tea"

  init() throws {
    // 2027-01-15, 8:00 UTC.
    machine.clocks = SimulatedClocks(realtimeUsec: 1_800_000_000 * second)
    try machine.boot(synchronized: true)
  }

  // The machine and its bus refer to each other; a crash frees both.
  deinit { machine.crash() }

  /// Plays a script. Returns the answers to the questions in it.
  func play(_ script: String) throws -> String {
    var said: [String] = []
    for step in script.split(separator: ", ") {
      let words = step.split(separator: " ").map(String.init)
      if let answer = try answer(words[0]) {
        said.append("\(words[0]) \(answer)")
      } else {
        try perform(words)
      }
    }
    return said.joined(separator: ", ")
  }

  private func perform(_ words: [String]) throws {
    func length(_ index: Int = 1) throws -> Int64 {
      guard words.count > index else { return 0 }
      let text = String(words[index].drop { $0 == "-" })
      guard case .usec(let usec) = try ParsedSpan(text).span else {
        throw Unmet(description: "an infinite span")
      }
      return words[index].hasPrefix("-") ? -Int64(usec) : Int64(usec)
    }
    switch words[0] {
    case "start", "stopwatch", "pomodoro":
      var spec = Self.spec(words)
      if words[0] == "start" { spec.durationUsec = try length() }
      try ask { _ = try $0.start(self.name, spec, replace: true, at: $1) }
    case "rename":
      try ask { try $0.rename(try $0.require(self.name), to: words[1], at: $1) }
      name = words[1]
    case "undo": try ask { _ = try $0.undo(at: $1) }
    case "wait": try machine.advance(usec: try length())
    case "sleep": _ = try machine.sleep(usec: try length())
    case "reboot": try machine.reboot(takingUsec: try length(), errorUsec: try length(2))
    case "set": try machine.setClock(byUsec: try length())
    case "synchronize": try machine.synchronize()
    default:
      let all = NightjarModel.Operation.allCases
      let operation = try #require(all.first { "\($0)" == words[0] }, "\(words) is no step")
      let byUsec = try length()
      try ask { engine, now in
        try engine.asPerson("1") { () throws(EngineError) in
          let slot = try engine.require(self.name)
          try engine.perform(operation, slot, byUsec: byUsec, at: now)
        }
      }
    }
  }

  private static func spec(_ words: [String]) -> TimerSpec {
    var spec = TimerSpec.plain
    if words[0] == "stopwatch" { spec.kind = .stopwatch }
    if words[0] == "pomodoro" {
      (spec.kind, spec.rounds) = (.sequence, words.contains("short") ? 1 : 4)
      spec.steps = [
        Step(name: "work", durationUsec: 25 * minute),
        Step(
          name: "rest", durationUsec: 5 * minute, waits: words.contains("waits"), isBreak: true),
      ]
    }
    if words.contains("repeats") { (spec.repeats, spec.rounds) = (true, 4) }
    if words.contains("awake") { spec.clock = .awake }
    if words.contains("quiet") { spec.late = .skip }
    if words.contains("each") { spec.missed = .each }
    if words.contains("pauses") { spec.afterSleep = .pause }
    if words.contains("restarts") { spec.afterSleep = .restart }
    return spec
  }

  private func ask(_ body: (Engine, Moment) throws -> Void) throws {
    try machine.runIteration { core in
      #expect(throws: Never.self) { try body(core.engine, self.machine.clocks.now) }
    }
  }

  /// What the history says of all runs, or of the last one, in minutes; nil: it is no question.
  private func answer(_ question: String) throws -> String? {
    let runs = try machine.runs()
    guard let run = runs.last else { return nil }
    func minutes(_ usec: [Int64]) -> String {
      usec.map { $0 % minute == 0 ? "\($0 / minute)" : "\($0) us" }.joined(separator: " ")
    }
    switch question {
    case "names": return runs.map(\.name).joined(separator: " ")
    case "states":
      let wrong = runs.filter { $0.state.isActive != ($0.endedUsec == nil) }
      return runs.map(\.state.rawValue).joined(separator: " ")
        + (wrong.isEmpty ? "" : " and wrong ends")
    case "counted": return minutes(runs.map(\.countedUsec))
    case "paused": return minutes(runs.map(\.pausedUsec))
    case "extended": return minutes([run.extendedUsec])
    case "late": return run.late.map { "\(minutes([$0.usec])) \($0.cause?.rawValue ?? "")" }
    case "rings": return "\(run.rings)"
    case "missed": return "\(run.missed)"
    case "expiries": return "\(run.rings + run.missed)"
    case "laps": return "\(run.laps)"
    case "steps":
      return run.steps.map { "\($0.name) \(minutes([$0.countedUsec]))" }.joined(separator: " ")
    case "worked": return "\(minutes([run.workedUsec])) of \(minutes([run.countedUsec]))"
    case "days": return minutes(run.days.sorted { $0.day < $1.day }.map(\.usec))
    case "dates": return run.days.map { "\($0.day)" }.joined(separator: " ")
    default: return nil
    }
  }
}

/// What counts, and under which step and day. HistoryTests compares the sums of each timer's last
/// run with the engine's, and DifferentialTests those with the literal model's.
@Suite(.blocking) struct HistoryRunTests {
  private static let rows = Row.table(
    """
    A countdown counted its duration, however late it rings and whatever its name is => \
    start 4min, wait 1min, rename egg, sleep 3h, wait 9h, names, states, counted, rings, late => \
    names egg, states over, counted 4, rings 1, late 177 sleep
    A pause does not count, nor does a span within it; an extension does => \
    start 10min, wait 4min, pause, extend 2min, wait 10min, sleep 20min, resume, extend -1min, \
    counted, wait 1h, counted, paused, extended, states => \
    counted 4, counted 11, paused 30, extended 1, states over
    A run ends when its timer is cancelled, removed, restarted or replaced, and has that state => \
    start 10min, wait 1min, restart, wait 2min, start 10min, wait 3min, cancel, wait 1min, \
    restart, wait 4min, remove, start 1min, wait 2min, dismiss, start 1min quiet, sleep 2min, \
    start 1h, states, counted => \
    states restarted replaced cancelled removed over missed running, counted 1 2 3 4 1 1 0
    A stopwatch's run counts its measured time => \
    stopwatch, wait 3min, lap, wait 2min, pause, wait 4min, resume, wait 2min, cancel, counted, \
    paused, laps, states => counted 7, paused 4, laps 1, states cancelled
    A repeating timer is one run, and a snooze counts no time => \
    start 45min repeats, wait 50min, snooze 6min, wait 10min, pause, wait 10min, resume, \
    wait 10min, counted, sleep 3h, rings, missed, states, counted, paused => \
    counted 70, rings 3, missed 2, states over, counted 180, paused 10
    Each step counts under its name, and breaks are separate => \
    pomodoro, wait 40min, advance, wait 2min, steps, worked, rings => \
    steps work 35 rest 7, worked 35 of 42, rings 2
    // Asleep from 10 min to 70 min, which includes four ends of steps, at 25, 30, 55 and 60.
    Steps that passed during a sleep count separately, from one event => \
    pomodoro, wait 10min, sleep 60min, wait 1min, steps, expiries => \
    steps work 61 rest 10, expiries 4
    Steps that passed during a sleep count separately, from several events => \
    pomodoro each, wait 10min, sleep 60min, wait 1min, steps, expiries => \
    steps work 61 rest 10, expiries 4
    Time after the last step does not count => \
    pomodoro, wait 10min, sleep 230min, steps, states => steps work 100 rest 20, states over
    Advanced past its end, it has counted what it ran => \
    pomodoro short, wait 27min, advance, wait 1h, steps, states => \
    steps work 25 rest 2, states finished
    Cancelled while it waits, it has counted what it ran => \
    pomodoro waits, sleep 60min, cancel, steps, states => steps work 25 rest 5, states cancelled
    A sequence that a sleep paused did not count the sleep => \
    pomodoro pauses, wait 10min, sleep 60min, wait 10min, resume, wait 1min, counted, paused => \
    counted 11, paused 70
    // In the break, the sleep is the break.
    A sequence that a sleep restarted did not count the sleep => \
    pomodoro restarts, wait 10min, sleep 60min, wait 5min, steps, wait 21min, sleep 73min, \
    wait 1min, steps => steps work 15, steps work 36 rest 5
    // Four steps seem to end. Only when the kernel reports the clock as right, the reboot is
    // corrected.
    Steps that passed on a clock that was ahead do not count after its correction => \
    pomodoro, wait 10min, reboot 10min 60min, wait 30s, wait 30s, synchronize, wait 1min, worked, \
    wait 10min, steps => worked 22 of 22, steps work 27 rest 5
    Steps that passed on a clock that was ahead and was set do not count after its correction => \
    pomodoro, wait 10min, reboot 10min 60min, wait 30s, set -60min, wait 30s, synchronize, \
    wait 1min, worked, wait 10min, steps => worked 22 of 22, steps work 27 rest 5
    A run over midnight counts on both days => \
    start 100h, wait 14h, sleep 4h, wait 1h, days => days 960 180
    A run over midnight counts on both days, without the sleep on awake => \
    start 100h awake, wait 14h, sleep 4h, wait 1h, days => days 840 60
    After a boot in 1970 and a correction, the days are those of the right clock => \
    start 100h, wait 1h, reboot 10h -1800000000s, wait 1min, pause, wait 1min, synchronize, \
    wait 1h, counted, paused, dates => counted 661, paused 61, dates 20833
    """)

  private static let undone = ["pause", "remove", "restart", "cancel"].flatMap {
    Row.table(
      """
      An undone \($0) is no end, no pause and no new run => \
      start 10min, wait 1min, \($0), wait 20s, undo, wait 20min, states, rings, counted, paused => \
      states over, rings 1, counted 10, paused 0
      """)
  }

  @Test(arguments: rows + undone)
  func `A run counts what its timer ran`(row: Row) throws {
    let stage = try HistoryStage()
    #expect(try stage.play(row[1]) == row[2])
  }
}
