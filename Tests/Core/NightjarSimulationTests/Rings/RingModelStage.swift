import NightjarModel

/// The model alone, without an engine.
final class RingModelStage: RingStage {
  let model: RingModel
  private var persons = RingPersons()

  init(startUsec: Int64) {
    model = RingModel(maximumTimers: 100, eventsPerCommit: 1000)
    model.clocks.wallUsec = startUsec
    model.seen = model.clocks
    model.zone = 0
    model.boot(downSince: nil, synchronized: true, settles: true)
  }

  var nowUsec: Int64 { model.clocks.wallUsec }

  func perform(_ step: RingStep) -> Bool {
    if let request = persons.request(step) {
      var refusal: (any Error)?
      model.runIteration(settles: true) { refusal = request.perform(on: self.model) }
      return refusal == nil
    }
    switch step {
    case .wait(let usec): model.advance(usec: usec, settles: true)
    case .hide(let cause, let usec): hide(cause, usec)
    case .crash(let usec):
      model.crash(underwayIsDurable: true)
      model.clocks.pass(.ran(usec))
      model.boot(downSince: nil, synchronized: true, settles: true)
    case .setClock(let byUsec):
      model.clocks.pass(.stepped(byUsec))
      model.runIteration(settles: true)
      // It was set right.
      model.runIteration(settles: true) { self.model.note(synchronized: true) }
    case .moveZone(let by):
      model.runIteration(settles: true) { self.model.note(zone: self.model.zone + by) }
    case .start, .ask: break
    }
    return true
  }

  private func hide(_ cause: Cause, _ usec: Int64) {
    switch cause {
    case .sleep, .stop:
      model.runIteration(settles: true) { self.model.enter(cause) }
      model.clocks.pass(cause == .sleep ? .slept(usec) : .ran(usec))
      model.runIteration(settles: true) { self.model.leave(cause) }
    case .down, .reboot:
      model.runIteration(settles: true) { self.model.enter(.down) }
      model.crash(underwayIsDurable: true)
      let uptime: Int64 = 30_000_000
      model.clocks.pass(
        cause == .down
          ? .ran(usec) : .rebooted(offUsec: usec - uptime, uptimeUsec: uptime, errorUsec: 0))
      model.boot(downSince: nil, synchronized: true, settles: true)
    case .freeze, .away:
      model.clocks.pass(.ran(usec))
      model.runIteration(settles: true)
    }
  }

  func facts(_ name: String) -> RingFacts? {
    guard let index = model.world.timers.index(name) else { return nil }
    let timer = model.world.timers.all[index]
    var facts = RingFacts(state: timer.state.rawValue, ring: timer.ringWord)
    if timer.state == .running, !timer.isStopwatch {
      facts.nextUsec = nowUsec + model.world.timers.visibleRemaining(timer)
    }
    facts.snoozedUntilUsec = model.world.timers.snoozeLeft(timer).map { nowUsec + $0 }
    if let ring = timer.ring {
      facts.dueUsec = ring.newest.dueUsec
      facts.expiries = ring.expiries
      facts.firstDueUsec = ring.firstDueUsec
    }
    facts.misses = timer.misses
    facts.missDueUsec = timer.miss?.dueUsec ?? 0
    facts.missLateUsec = timer.miss?.lateUsec ?? 0
    return facts
  }

  func takeEvents() -> [ModelEvent] { model.takePublished() }
}
