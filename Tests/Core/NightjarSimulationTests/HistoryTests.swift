import NightjarClient
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
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
    let outcome = await DifferentialTests.play(first..<first + runs, options: Self.options)
    for failure in outcome.failures.prefix(3) { Issue.record("\(failure)") }
  }

  @Sendable private static func options(_ seed: UInt64) -> DifferentialRun.Options {
    var options = DifferentialRun.Options()
    options.inspect = { try HistoryInspection(machine: $0).wrong() }
    return options
  }
}

/// Reads a simulated machine's ledger as the command line does.
private struct HistoryInspection {
  let machine: SimulatedMachine

  /// The first difference from the engine; nil: there is none. The days and the steps of each run
  /// add up to its time, and so do the totals.
  func wrong() throws -> String? {
    guard let engine = machine.core?.engine else { return "there is no daemon" }
    let zone = try #require(ZoneDatabase.zone(named: "Pacific/Chatham"))
    let runs = try machine.runs(zone: zone)
    let now = machine.clocks.now
    for slot in 0..<engine.slotEnd where engine.isOccupied(slot) {
      let (view, name) = (engine.view(slot, at: now), engine.name(at: slot))
      guard let run = runs.last(where: { $0.id == view.timer.id && $0.name == name }) else {
        return "\(name) has no run"
      }
      guard Self.states(of: view.timer.state).contains(run.state) else {
        return "\(name) is \(run.state), not \(view.timer.state)"
      }
      let sums = [max(0, view.sums.countedUsec), view.sums.pausedUsec]
      if [run.countedUsec, run.pausedUsec] != sums {
        return "\(name), a \(run.kind), has \([run.countedUsec, run.pausedUsec]), not \(sums)"
      }
    }
    return addUp(runs)
  }

  private static func states(of state: TimerState) -> [Run.State] {
    switch state {
    case .running: [.running]
    case .paused: [.paused]
    case .waiting: [.waiting]
    case .cancelled: [.cancelled]
    case .over: [.over, .missed, .finished]
    }
  }

  private func addUp(_ runs: [Run]) -> String? {
    var totals = Totals(by: .name, listsSteps: false)
    for run in runs {
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

extension SimulatedMachine {
  /// What `nightjar history` shows, in the order of the starts.
  func runs(zone: ZoneRules = .utc) throws -> [Run] {
    let now = clocks.now
    let engine = try #require(core?.engine)
    let present = (0..<engine.slotEnd).filter { engine.isOccupied($0) }.map {
      Wire.Timer($0, of: engine, at: now)
    }
    var fold = RunFold(present: present)
    try disk.forEachEvent(after: 0) { event in
      fold.take(Wire.Event(event))
      return true
    }
    var runs: [Run] = []
    fold.finish(nowUsec: now.realtimeUsec, days: LocalDays(zone: zone)) { runs.append($0) }
    return runs.sorted { $0.startSeq < $1.startSeq }
  }
}
