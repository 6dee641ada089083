internal import NightjarEngine
internal import NightjarModel

extension TimerState: StoredWord {}

extension Engine.StoredTimer: StoredObject {
  init() { self.init(slot: 0, order: 0, Timer()) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &slot)
    try c.field(2, &order)
    try c.field(3, &timer)
    guard (0..<DeadlineQueue.slotLimit).contains(slot) else {
      throw .damaged("a timer has the impossible place \(slot)")
    }
  }
}

extension Timer: StoredObject {
  init() {
    self.init(
      TimerRecord(
        id: 0, lastSeq: 0, originalUsec: 0, durationUsec: 0, deadline: 0, remainingOrLateUsec: 0,
        startedUsec: 0, firedUsec: 0, state: .running, clock: .elapsed, timeline: .elapsed,
        lateCause: nil, setSeq: 0))
  }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try record.fields(&c)
    var (attachments, interruption, failure) = (attachments, interruption, failure)
    var (laps, passedOver) = (laps, passedOver)
    try c.field(18, &detail)
    try c.field(19, &attachments)
    try c.field(20, &interruption)
    try c.field(21, &failure)
    try c.field(22, &laps)
    try c.field(23, &passedOver)
    if c.isReading {
      (self.attachments, self.interruption, self.failure) = (attachments, interruption, failure)
      (self.laps, self.passedOver) = (laps, passedOver)
    }
  }
}

extension TimerRecord {
  fileprivate mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &state)
    try c.field(2, &clock)
    try c.field(3, &timeline)
    try c.field(4, &lateCause)
    try c.field(5, &wakes)
    try c.field(6, &estimatedSeq)
    try c.field(7, &isSnoozed)
    try c.field(8, &ringPhase)
    try c.field(9, &setSeq)
    try c.field(10, &id)
    try c.field(11, &lastSeq)
    try c.field(12, &originalUsec)
    try c.field(13, &durationUsec)
    try c.field(14, &deadline)
    try c.field(15, &remainingOrLateUsec)
    try c.field(16, &startedUsec)
    try c.field(17, &firedUsec)
  }
}

extension TimerDetail: StoredObject {
  init() { self.init(spec: .plain) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    var spec = StoredSpec(spec: spec)
    try c.field(1, &spec)
    self.spec = spec.spec
    try c.field(2, &position)
    try c.field(3, &mark)
    try c.field(4, &rangAtElapsed)
    try c.field(5, &rangSeq)
    try c.field(6, &markSeq)
    try c.field(7, &rangTo)
    try c.field(8, &rangForSec)
    try c.field(9, &band)
    try c.field(10, &wasMuted)
    try c.field(11, &wasSkipped)
  }
}
