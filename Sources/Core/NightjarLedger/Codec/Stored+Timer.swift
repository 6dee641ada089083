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
    var (spec, rare) = (StoredSpec(spec: spec), rare)
    try c.field(1, &id)
    try c.field(2, &name)
    try c.field(3, &spec)
    try c.field(4, &lastEvent)
    try c.field(5, &countedFrom)
    try c.field(6, &fullLengthUsec)
    try c.field(7, &runLengthUsec)
    try c.field(8, &startedUsec)
    try c.field(9, &phase)
    try c.field(10, &lastRing)
    try c.field(11, &clock)
    try c.field(12, &timeline)
    try c.field(13, &wakes)
    try c.field(14, &isSnoozed)
    try c.field(15, &rare)
    guard c.isReading else { return }
    (self.spec, self.rare) = (spec.spec, rare)
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
    Case(6, Self.fired) { if case .fired(let a) = $0 { a } else { nil } },
    Case(7, Self.waiting) { if case .waiting(let a) = $0 { a } else { nil } },
    Case(8, Self.cancelled) { if case .cancelled(let a, let b) = $0 { (a, b) } else { nil } },
    Case(9, Self.cancelledStopwatch) {
      if case .cancelledStopwatch(let a, let b) = $0 { (a, b) } else { nil }
    })

  init() { self = .running(deadline: 0) }
}

extension LastRing: StoredObject {
  init() { self.init(firedUsec: 0, lateUsec: 0, cause: nil, estimatedBy: nil) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &firedUsec)
    try c.field(2, &lateUsec)
    try c.field(3, &cause)
    try c.field(4, &estimatedBy)
    try c.field(5, &number)
    try c.field(6, &hasEnded)
  }
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
  }
}

extension Course: StoredObject {
  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &position)
    try c.field(2, &announcedBands)
    try c.field(3, &handledInstant)
    try c.field(4, &rangFor)
    try c.field(5, &rangRounds)
    try c.field(6, &deadlineAfterSnooze)
    try c.field(7, &countedFromBeforeSnooze)
    try c.field(8, &rangAtElapsed)
    try c.field(9, &rangEvent)
    try c.field(10, &wasPausedAtDeadline)
    try c.field(11, &wasSilent)
  }
}

extension ConsecutiveInstants: StoredStruct {
  static let form = Form(Self.init) { ($0.last, $0.forSec) }
}
