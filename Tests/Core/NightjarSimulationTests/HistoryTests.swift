import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Synchronization
import Testing
import Varlink

@testable import nightjar

/// The result of `nightjar history` for a ledger, compared with the engine that wrote it.
@Suite(.blocking) struct HistoryTests {
  @Test func `History counts the same as the engine, for 2,000 seeds, day by day`() async throws {
    if let seed = DifferentialTests.seed {
      try DifferentialRun(seed: seed, options: Self.options(seed)).play()
      return
    }
    let runs = DifferentialTests.environment["NIGHTJAR_RUNS"].flatMap { Int($0) } ?? 2_000
    let first = DifferentialTests.first
    let comparisons = Comparisons()
    let outcome = await DifferentialTests.play(first..<first + runs) {
      Self.options($0, comparisons)
    }
    for failure in outcome.failures.prefix(3) { Issue.record("\(failure)") }
    let (compared, leftOut) = comparisons.counts
    // A single repeated run may have no timer to compare.
    guard runs >= 100 else { return }
    #expect(compared > runs && compared > leftOut, "\(compared) compared, \(leftOut) left out")
  }

  @Test
  func
    `A clock that came back ahead and is corrected takes back steps that a sequence has counted`()
    throws
  {
    let minute: Int64 = 60_000_000
    let machine = SimulatedMachine()
    // The machine and its bus refer to each other; a crash frees both.
    defer { machine.crash() }
    func ask(_ body: (Engine, Int) throws -> Void) throws {
      try machine.runIteration { core in
        #expect(throws: Never.self) {
          try body(core.engine, try core.engine.require("pomodoro"))
        }
      }
    }
    try startPomodoro(
      on: machine, rest: Step(name: "rest", durationUsec: 5 * minute, isBreak: true))
    try machine.advance(usec: 10 * minute)
    // The clock is ahead by an hour, in which four steps end.
    try machine.reboot(takingUsec: 10 * minute, errorUsec: 60 * minute)
    try machine.advance(usec: minute)
    let inspection = HistoryInspection(machine: machine)
    #expect(try inspection.wrong() == nil)
    try machine.synchronize()
    #expect(machine.takePublished().contains { "\($0.typeName)" == "span_corrected" })
    #expect(try inspection.wrong() == nil)
    try ask { try $0.pause($1, at: machine.clocks.now) }
    #expect(try inspection.wrong() == nil)
    try machine.advance(usec: 30 * minute)
    try ask { try $0.resume($1, at: machine.clocks.now) }
    try machine.advance(usec: 10 * minute)
    #expect(try inspection.wrong() == nil)
    // To the end of the fifth step, and into the next one.
    try machine.advance(usec: 55 * minute)
    #expect(machine.takePublished().last.map { "\($0.typeName)" } == "rang")
    #expect(try inspection.wrong() == nil)
  }

  @Test func `A pause after a reboot is corrected when the same boot is vouched for again`() throws
  {
    let minute: Int64 = 60_000_000
    for (error, isResumed) in [(98_704 as Int64, false), (60 * minute, false), (60 * minute, true)]
    {
      let machine = SimulatedMachine()
      defer { machine.crash() }
      func ask(_ body: (Engine) throws -> Void) throws {
        try machine.runIteration { core in #expect(throws: Never.self) { try body(core.engine) } }
      }
      try machine.boot()
      try ask {
        for (name, kind) in [("run", TimerKind.stopwatch), ("tea", .countdown)] {
          _ = try $0.start(
            name, durationUsec: kind == .countdown ? 600 * minute : 0, clock: .elapsed,
            spec: try SharedSpec(kind: kind), at: machine.clocks.now)
        }
      }
      try machine.advance(usec: 10 * minute)
      // The clock is reported as synchronised although it is still slightly wrong.
      try machine.reboot(takingUsec: 10 * minute, errorUsec: error)
      try machine.runIteration { $0.background.note(synchronized: true, at: machine.clocks.now) }
      try machine.advance(usec: 10 * minute)
      try ask { engine in
        for slot in 0..<2 { try engine.pause(slot, at: machine.clocks.now) }
      }
      try machine.advance(usec: 10 * minute)
      if isResumed {
        try ask { engine in
          for slot in 0..<2 { try engine.resume(slot, at: machine.clocks.now) }
        }
      }
      try machine.synchronize()
      #expect(try HistoryInspection(machine: machine).wrong() == nil)
      try ask { engine in
        #expect(engine.view(0, at: machine.clocks.now).elapsedUsec == 30 * minute)
        #expect(engine.view(1, at: machine.clocks.now).remainingUsec == 570 * minute)
      }
    }
  }

  @Test
  func `A sequence that is cancelled while it waits has counted the steps that ended in a sleep`()
    throws
  {
    let minute: Int64 = 60_000_000
    let machine = SimulatedMachine()
    defer { machine.crash() }
    try startPomodoro(on: machine, rest: Step(name: "rest", durationUsec: 5 * minute, waits: true))
    _ = try machine.sleep(usec: 60 * minute)
    try machine.runIteration { core in
      #expect(throws: Never.self) {
        try core.engine.cancel(try core.engine.require("pomodoro"), at: machine.clocks.now)
      }
    }
    #expect(machine.takePublished().last.map { "\($0.typeName)" } == "cancelled")
    #expect(try HistoryInspection(machine: machine).wrong() == nil)
  }

  /// Boots a machine and starts a sequence of 25 min of work and this rest.
  private func startPomodoro(on machine: SimulatedMachine, rest: Step) throws {
    let spec = try SharedSpec(
      kind: .sequence, steps: [Step(name: "work", durationUsec: 25 * 60_000_000), rest])
    try machine.boot()
    try machine.runIteration { core in
      #expect(throws: Never.self) {
        try core.engine.start("pomodoro", clock: .elapsed, spec: spec, at: machine.clocks.now)
      }
    }
  }

  @Sendable private static func options(
    _ seed: UInt64, _ comparisons: Comparisons = Comparisons()
  ) -> DifferentialRun.Options {
    var options = DifferentialRun.Options()
    options.inspect = {
      try HistoryInspection(machine: $0, comparisons: comparisons).wrong()
    }
    return options
  }
}

/// How many timers were compared, and how many were left out because the engine's state does not
/// show what they have counted.
private final class Comparisons: Sendable {
  private let both = Mutex((compared: 0, leftOut: 0))

  var counts: (compared: Int, leftOut: Int) { both.withLock { $0 } }

  func note(isLeftOut: Bool) {
    both.withLock { if isLeftOut { $0.leftOut += 1 } else { $0.compared += 1 } }
  }
}

/// Reads a simulated machine's ledger as the command line does.
private struct HistoryInspection {
  let machine: SimulatedMachine
  var comparisons = Comparisons()

  /// The allowed difference. The time since the last event is computed from the wall clock, and a
  /// change of it below 10 ms is no step. On `awake`, sleeps below 100 ms are no spans, and there
  /// may be a few of them.
  private static func toleranceUsec(_ view: TimerView) -> Int64 {
    view.timer.clock.countsUptime && view.timer.state == .running ? 500_000 : 10_000
  }

  /// The first difference; nil: there is none.
  func wrong() throws -> String? {
    guard let core = machine.core else { return "there is no daemon" }
    let zone = try #require(ZoneDatabase.zone(named: "Pacific/Chatham"))
    var fold = RunFold()
    // Timers with changes that the final state does not show.
    var changed = Changed()
    var failure: String?
    try machine.disk.forEachEvent(after: 0) { event in
      do {
        let read = try Self.client(event)
        changed.note(read, fold)
        fold.take(read)
      } catch {
        failure = "event \(event.seq) cannot be read: \(error)"
      }
      return failure == nil
    }
    if let failure { return failure }
    let now = machine.clocks.now
    fold.pass(to: now.realtimeUsec)
    let engine = core.engine
    let timelines = OpenRun.DayTimelines(fold.log, days: LocalDays(zone: zone))
    for slot in 0..<engine.slotEnd where engine.isOccupied(slot) {
      let view = engine.view(slot, at: now)
      if let wrong = compare(view, engine, slot, fold, timelines, changed) { return wrong }
    }
    var runs: [Run] = []
    fold.finish(nowUsec: now.realtimeUsec, days: LocalDays(zone: zone)) { runs.append($0) }
    return addUp(runs)
  }

  /// The event as it comes from the socket.
  private static func client(_ event: NightjarModel.Event) throws -> Wire.Event {
    var event = event
    // The data of these runs is not JSON.
    if case .updated(_, let spec) = event.kind {
      event = NightjarModel.Event(
        seq: event.seq, timeUsec: event.timeUsec, counters: event.counters, subject: event.subject,
        request: event.request, kind: .updated(Attachments(), spec: spec))
    }
    return try Wire.Event(JSONValue.event(event))
  }

  private struct Changed {
    var names: Set<String> = []
    /// The number of the event with which each timer expired last.
    private var expired: [String: Int64] = [:]
    /// The state before an event, by the number of the event, which may be undone.
    private var before: [Int64: (isChanged: Bool, expired: Int64?)] = [:]

    mutating func note(_ event: Wire.Event, _ fold: RunFold) {
      // A timer that expired or was cancelled by a wrong clock keeps what was recorded; history
      // counts the time that truly passed until then.
      if let sinceSeq = event.sinceSeq {
        for (name, seq) in expired where seq > sinceSeq { names.insert(name) }
      }
      guard let name = event.name else { return }
      before[event.seq] = (names.contains(name), expired[name])
      switch event.type {
      case "undone":
        guard let was = event.undoneSeq.flatMap({ before[$0] }) else { return }
        set(name, was)
      case "renamed_to":
        if let newName = event.newName { set(newName, (names.contains(name), expired[name])) }
      case "started", "restarted":
        names.remove(name)
        expired[name] = nil
      case "rang", "did_not_ring", "joined", "cancelled": expired[name] = event.seq
      case "extended", "restarted_after_sleep": names.insert(name)
      case "advanced" where fold.run(named: name)?.phase != .waiting: names.insert(name)
      default: break
      }
    }

    private mutating func set(_ name: String, _ known: (isChanged: Bool, expired: Int64?)) {
      if known.isChanged { names.insert(name) } else { names.remove(name) }
      expired[name] = known.expired
    }
  }

  private func compare(
    _ view: TimerView, _ engine: Engine, _ slot: Int, _ fold: RunFold,
    _ timelines: OpenRun.DayTimelines, _ changed: Changed
  ) -> String? {
    let name = engine.name(at: slot)
    guard let run = fold.run(named: name)?.finished(by: timelines) else {
      return "\(name) has no run"
    }
    guard run.id == view.timer.id else { return "\(name) is run \(run.id)" }
    let states: [Run.State] =
      switch view.timer.state {
      case .running: [.running]
      case .paused: [.paused]
      case .waiting: [.waiting]
      case .cancelled: [.cancelled]
      case .over: [.over, .missed, .finished]
      }
    guard states.contains(run.state) else {
      return "\(name) is \(run.state), not \(view.timer.state)"
    }
    guard !changed.names.contains(name), let counted = counted(view, run) else {
      comparisons.note(isLeftOut: true)
      return nil
    }
    comparisons.note(isLeftOut: false)
    // A timer that is due in an open span and would continue waits for the end of the span.
    let continues = run.kind == .sequence || view.timer.spec.isRepeating
    if engine.isInBackground, run.state == .running, continues || view.timer.clock.countsUptime {
      return nil
    }
    guard abs(run.countedUsec - counted) <= Self.toleranceUsec(view) else {
      return "\(name), a \(view.timer.spec.kind), counted \(run.countedUsec), not \(counted)"
    }
    return nil
  }

  /// The time that a timer has counted, by what the engine says; nil: the engine does not say.
  private func counted(_ view: TimerView, _ run: Run) -> Int64? {
    // Timers on the wall clock are counted in real time.
    guard view.timer.clock != .wall else { return nil }
    let present = view.timer.runLengthUsec - (view.timer.state == .over ? 0 : view.remainingUsec)
    let position = view.timer.course.position
    switch view.timer.spec.kind {
    case .alarm: return 0
    case .stopwatch: return view.elapsedUsec
    case .countdown:
      guard view.timer.spec.repeats else { return max(0, present) }
      let isOver = view.timer.state == .over
      // The present round is the last of several that are joined because some are skipped.
      let left = isOver ? view.timer.fullLengthUsec : view.remainingUsec
      return (position + 1) * view.timer.fullLengthUsec - left
    case .sequence:
      guard view.timer.spec.afterSleep == .continue, position < 100_000 else { return nil }
      let before = (0..<position).reduce(0 as Int64) { $0 + view.timer.spec.stepUsec(at: $1) }
      return before + present
    }
  }

  /// Checks that the sums over days and over steps equal the time of the runs, and so do the
  /// totals.
  private func addUp(_ runs: [Run]) -> String? {
    var totals = Totals(by: .name, listsSteps: false)
    for run in runs {
      guard !run.isTimeEstimated else { return "the time of \(run.name) is estimated" }
      totals.add(run)
      let days = run.days.reduce(0) { $0 + $1.usec }
      guard days == run.countedUsec, run.days.allSatisfy({ $0.usec > 0 }) else {
        return "\(run.name) counted \(run.countedUsec), its days \(days)"
      }
      guard run.kind == .sequence else { continue }
      let steps = run.steps.reduce(0) { $0 + $1.countedUsec }
      guard steps == run.countedUsec else {
        return "\(run.name) counted \(run.countedUsec), its steps \(steps)"
      }
    }
    let all = totals.grid().sums.reduce(0, +)
    let worked = runs.reduce(0) { $0 + $1.workedUsec }
    return all == worked ? nil : "the totals are \(all), the runs \(worked)"
  }
}
