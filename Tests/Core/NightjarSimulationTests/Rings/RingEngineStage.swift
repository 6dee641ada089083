import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation

/// The real core on a simulated machine, whose disk has each commit at once.
final class RingEngineStage: RingStage {
  private let machine: SimulatedMachine
  private let calendar = FakeCalendar()
  private var persons = RingPersons()

  init(startUsec: Int64) {
    calendar.zone = 0
    machine = SimulatedMachine(calendar: calendar, maximumTimers: 100)
    machine.clocks = SimulatedClocks(realtimeUsec: startUsec)
    run { try $0.boot() }
  }

  // The machine and its bus refer to each other; a crash frees both.
  deinit { machine.crash() }

  private var now: Moment { machine.clocks.now }
  var nowUsec: Int64 { now.realtimeUsec }

  /// The disk of these machines never fails.
  private func run(_ body: (SimulatedMachine) throws -> Void) {
    do { try body(machine) } catch { preconditionFailure("\(error)") }
  }

  private func runIteration(_ body: (TimerCore) -> Void = { _ in }) {
    run { try $0.runIteration(body) }
  }

  private func boot() { run { try $0.boot(synchronized: true) } }

  func perform(_ step: RingStep) -> Bool {
    if let request = persons.request(step) {
      var refusal: EngineError?
      runIteration { refusal = request.perform(on: $0, at: self.now) }
      return refusal == nil
    }
    switch step {
    case .wait(let usec): run { try $0.advance(usec: usec) }
    case .hide(.sleep, let usec): run { _ = try $0.sleep(usec: usec) }
    case .hide(.reboot, let usec):
      runIteration { $0.background.enter(.down, at: self.now) }
      machine.crash()
      let uptime: Int64 = 30_000_000
      machine.clocks.reboot(offUsec: usec - uptime, uptimeUsec: uptime)
      boot()
    case .hide: preconditionFailure("no script has \(step)")
    case .crash(let usec):
      machine.crash(underwayIsDurable: true)
      machine.clocks.advance(usec: usec)
      boot()
    case .setClock(let byUsec):
      machine.clocks.step(usec: byUsec)
      runIteration()
      // It was set right.
      runIteration { $0.background.note(synchronized: true, at: self.now) }
    case .moveZone(let by):
      calendar.zone += by
      machine.zone += by
      runIteration { $0.note(zone: ("Elsewhere", self.machine.zone), at: self.now) }
    case .start, .ask: break
    }
    return true
  }

  func facts(_ name: String) -> RingFacts? {
    guard let engine = machine.core?.engine, let slot = engine.slot(named: name) else { return nil }
    let view = engine.view(slot, at: now)
    let (timer, ring) = (view.timer, view.timer.ring)
    var facts = RingFacts(state: "\(timer.state)", ring: ring?.word ?? "none")
    if timer.state == .running, timer.spec.kind != .stopwatch {
      facts.nextUsec = nowUsec + view.remainingUsec
    }
    if let ring {
      if ring.isSnoozed { facts.snoozedUntilUsec = view.ringLeftUsec.map { nowUsec + max(0, $0) } }
      facts.dueUsec = ring.newest.reached.dueUsec
      facts.expiries = ring.expiries
      facts.firstDueUsec = ring.firstDueUsec
    }
    facts.misses = timer.expiries.misses
    facts.missDueUsec = timer.expiries.miss?.reached.dueUsec ?? 0
    facts.missLateUsec = timer.expiries.miss?.reached.lateUsec ?? 0
    return facts
  }

  func takeEvents() -> [ModelEvent] { machine.takePublished().map { ModelEvent($0) } }
}

extension Ring {
  /// The word for it in the interface.
  var word: String {
    switch state {
    case .sounding: "ringing"
    case .snoozed: "snoozed"
    case .quiet, .insisting: "unanswered"
    }
  }
}
