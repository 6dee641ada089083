import NightjarModel

/// The model alone, without an engine.
final class RingModelStage: RingStage {
  let model: RingModel
  private var group = 0
  private var user: Int?
  /// What was published, for tests that look at it.
  private var events: [ModelEvent] = []

  init(startUsec: Int64) {
    model = RingModel(maximumTimers: 100, eventsPerCommit: 1000)
    model.clocks.wallUsec = startUsec
    model.seen = model.clocks
    model.zone = 0
    model.boot(downSince: nil, synchronized: true, settles: true)
  }

  var nowUsec: Int64 { model.clocks.wallUsec }

  func perform(_ step: RingStep) -> Bool {
    switch step {
    case .start(let name, let setup):
      return request {
        $0.start(
          name, durationUsec: setup.durationUsec, atUsec: setup.atUsec, clock: setup.clock,
          spec: setup.spec, course: setup.course, replace: setup.replaces)
      }
    case .change(let verb, let name, let byUsec):
      return request { Self.change($0, verb, name, byUsec) }
    case .changeAll(let verb, let byUsec):
      return request {
        $0.performOnAll(Self.operation(verb), byUsec: byUsec)
        return nil
      }
    case .answer(let verb, let name, let expiry, let byUsec, let agoUsec):
      return request {
        verb == .stop
          ? $0.stop(name, expiry: expiry)
          : $0.perform(
            Self.operation(verb), name, byUsec: byUsec, expiry: expiry, agoUsec: agoUsec)
      }
    case .undo: return request(isUndo: true) { $0.undo() }
    case .user(let number): user = number
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
    }
    return true
  }

  private func request(isUndo: Bool = false, _ body: (RingModel) -> (any Error)?) -> Bool {
    group += 1
    var refusal: (any Error)?
    model.runIteration(settles: true) {
      self.model.person = isUndo ? nil : self.user ?? self.group
      refusal = body(self.model)
      self.model.person = nil
    }
    return refusal == nil
  }

  private static func operation(_ verb: RingVerb) -> NightjarModel.Operation {
    switch verb {
    case .pause: .pause
    case .resume: .resume
    case .cancel, .stop: .cancel
    case .restart: .restart
    case .extend: .extend
    case .snooze: .snooze
    case .dismiss: .dismiss
    case .remove: .remove
    case .advance: .advance
    case .skip: .skip
    case .unskip: .unskip
    case .update: .update
    }
  }

  private static func change(
    _ model: RingModel, _ verb: RingVerb, _ name: String, _ byUsec: Int64
  ) -> (any Error)? {
    verb == .stop ? model.stop(name) : model.perform(operation(verb), name, byUsec: byUsec)
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
      facts.number = ring.number
      facts.dueUsec = ring.newest.dueUsec
      facts.expiries = ring.expiries
      facts.firstDueUsec = ring.firstDueUsec
    }
    facts.misses = timer.misses
    facts.missDueUsec = timer.miss?.dueUsec ?? 0
    facts.missLateUsec = timer.miss?.lateUsec ?? 0
    return facts
  }

  func takeNotes() -> [RingNote] {
    let new = model.takePublished()
    events += new
    return new.compactMap { event in
      guard let kind = Self.kind(event) else { return nil }
      return RingNote(
        kind: kind, atUsec: event.timeUsec, name: event.name, number: event["expiry"],
        dueUsec: event["due"], lateUsec: event["late"],
        cause: LateCause(rawValue: UInt8(event["cause"])), missed: event["missed"],
        expiries: event["expiries"], firstDueUsec: event["first_due"])
    }
  }

  /// The events behind the notes that were taken.
  func takeEvents() -> [ModelEvent] {
    defer { events = [] }
    return events
  }

  private static func kind(_ event: ModelEvent) -> RingNote.Kind? {
    switch event.type {
    case "rang": event.isSnooze ? .ringsAgain : .rings
    case "rang_again": .insists
    case "did_not_ring": .doesNotRing
    case "joined": .joins
    case "left_ring": .leaves
    case "stayed_quiet": .staysQuiet
    case "unanswered": .goesQuiet
    default: nil
    }
  }
}
