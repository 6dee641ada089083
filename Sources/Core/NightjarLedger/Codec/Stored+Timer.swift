internal import NightjarEngine
internal import NightjarModel

// The number of a field, and of a phase, never changes.

extension Engine.StoredTimer: StoredObject {
  init() { self.init(slot: 0, order: 0, Timer()) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &slot)
    try c.field(2, &order)
    try c.field(3, &timer)
    guard (0..<DeadlineQueue.slotLimit).contains(slot) else {
      throw .damaged("a timer has the impossible slot \(slot)")
    }
  }
}

extension Timer: StoredObject {
  init() {
    self.init(
      id: 0, name: "", clock: .elapsed, fullLengthUsec: 0, runLengthUsec: 0, startedUsec: 0,
      phase: Phase())
  }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    var (spec, expiries, rare) = (StoredSpec(spec: spec), expiriesIfAny, rare)
    try c.field(1, &id)
    try c.field(2, &name)
    try c.field(3, &spec)
    try c.field(4, &lastEvent)
    try c.field(5, &countedFrom)
    try c.field(6, &fullLengthUsec)
    try c.field(7, &runLengthUsec)
    try c.field(8, &startedUsec)
    try c.field(9, &phase)
    try c.field(10, &clock)
    try c.field(11, &wakes)
    try c.field(12, &expiries)
    try c.field(13, &rare)
    guard c.isReading else { return }
    (self.spec, expiriesIfAny, self.rare) = (spec.spec, expiries, rare)
    try checkName(name)
  }
}

extension Timer.Phase: StoredCases {
  static let cases = CaseTable<Self>(
    Case(1, Self.running) { if case .running(let a) = $0 { a } else { nil } },
    Case(2, Self.runningStopwatch) { if case .runningStopwatch(let a) = $0 { a } else { nil } },
    Case(3, Self.paused) { if case .paused(let a, let b) = $0 { (a, b) } else { nil } },
    Case(4, Self.pausedAlarm) { if case .pausedAlarm(let a) = $0 { a } else { nil } },
    Case(5, Self.pausedStopwatch) {
      if case .pausedStopwatch(let a, let b) = $0 { (a, b) } else { nil }
    },
    Case(6, Self.over) { if case .over(let a) = $0 { a } else { nil } },
    Case(7, Self.waiting) { if case .waiting(let a) = $0 { a } else { nil } },
    Case(8, Self.cancelled) { if case .cancelled(let a, let b) = $0 { (a, b) } else { nil } },
    Case(9, Self.cancelledStopwatch) {
      if case .cancelledStopwatch(let a, let b) = $0 { (a, b) } else { nil }
    })

  init() { self = .running(deadline: 0) }
}

extension Expiries: StoredObject {
  init() { self = .none }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &lastNumber)
    try c.field(2, &last)
    try c.field(3, &miss)
    try c.field(4, &misses)
    try c.field(5, &ring)
  }
}

extension Expiry: StoredStruct {
  static let form = Form(Self.init) {
    ($0.number, $0.reached, $0.missed, $0.outcome, $0.position, $0.handledBefore)
  }
}

extension Expiry.Outcome: StoredWord {}

extension Reached: StoredStruct {
  static let form = Form(Self.init) {
    ($0.atUsec, $0.lateUsec, $0.cause, $0.span, $0.estimate)
  }
}

extension Estimate: StoredStruct {
  static let form = Form(Self.init) {
    ($0.seq, $0.countedFrom, $0.interruption, $0.isOnWall)
  }
}

extension Ring: StoredObject {
  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &state)
    try c.field(2, &countedFrom)
    try c.field(3, &expiry)
    try c.field(4, &joined)
    try c.field(5, &expiries)
    try c.field(6, &firstDueUsec)
    try c.field(7, &sound)
    try c.field(8, &insistUsec)
    try c.field(9, &insisted)
    try c.field(10, &sinceElapsed)
    try c.field(11, &sinceEvent)
    try c.field(12, &unnoticed)
  }
}

extension Ring.State: StoredCases {
  static let cases = CaseTable<Self>(
    Case(1, Self.sounding) { if case .sounding(let a) = $0 { a } else { nil } },
    Case(2, Self.quiet) { if case .quiet(let a) = $0 { a } else { nil } },
    Case(3, Self.insisting) { if case .insisting(let a) = $0 { a } else { nil } },
    Case(4, Self.snoozed) { if case .snoozed(let a) = $0 { a } else { nil } })

  init() { self = .quiet(since: 0) }
}

extension Rare: StoredObject {
  init() { self = .nothing }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &attachments)
    try c.field(2, &failure)
    try c.field(3, &interruption)
    try c.field(4, &laps)
    try c.field(5, &passedOver)
    try c.field(6, &instantUsec)
    try c.field(7, &startedAtElapsed)
    try c.field(8, &course)
    try c.field(9, &pauses)
  }
}

extension Course: StoredObject {
  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &position)
    try c.field(2, &announcedBands)
    try c.field(3, &handledInstant)
    try c.field(4, &rangFor)
    try c.field(5, &rangRounds)
    try c.field(6, &rangAtElapsed)
    try c.field(7, &rangEvent)
    try c.field(8, &wasPausedAtDeadline)
    try c.field(9, &countedUsec)
  }
}

extension Pauses: StoredObject {
  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &endedUsec)
    try c.field(2, &present)
  }
}

extension Pauses.Pause: StoredStruct {
  static let form = Form(Self.init) { ($0.sinceElapsed, $0.sinceEvent) }
}

extension Rounds: StoredStruct {
  static let form = Form(Self.init) { ($0.first, $0.last) }
}

extension ConsecutiveInstants: StoredStruct {
  static let form = Form(Self.init) { ($0.last, $0.forSec) }
}
