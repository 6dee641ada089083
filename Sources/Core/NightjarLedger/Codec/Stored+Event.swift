internal import NightjarEngine
internal import NightjarModel

// The kinds of events and their parts. The number of a kind, and of a field, never changes.

extension Event.Kind: StoredCases {
  static let cases = CaseTable<Self>(
    Case(1) {
      Self.started(
        clock: $0, durationUsec: $1, deadline: $2, attachments: $3, wakes: $4, spec: $5?.spec,
        atElapsed: $6)
    } _: {
      if case .started(let a, let b, let c, let d, let e, let f, let g) = $0 {
        (a, b, c, d, e, f.map(StoredSpec.init), g)
      } else {
        nil
      }
    },
    Case(2, Self.fired) { if case .fired(let a) = $0 { a } else { nil } },
    Case(3, Self.bandCrossed) {
      if case .bandCrossed(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(4, Self.paused) { if case .paused(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    Case(5, Self.resumed) { if case .resumed(let a, let b) = $0 { (a, b) } else { nil } },
    Case(6, Self.extended) { if case .extended(let a, let b) = $0 { (a, b) } else { nil } },
    Case(7, Self.restarted) { if case .restarted(let a) = $0 { a } else { nil } },
    Case(8, Self.snoozed) { if case .snoozed(let a, let b) = $0 { (a, b) } else { nil } },
    Case(9) {
      Self.updated($0, spec: $1?.spec)
    } _: {
      if case .updated(let a, let b) = $0 { (a, b.map(StoredSpec.init)) } else { nil }
    },
    Case(10, Self.skipped) { if case .skipped(let a) = $0 { a } else { nil } },
    Case(11, Self.stepped) { if case .stepped(let a) = $0 { a } else { nil } },
    Case(12, Self.stepEnded) { if case .stepEnded(let a) = $0 { a } else { nil } },
    Case(13, Self.advanced) { if case .advanced(let a, let b) = $0 { (a, b) } else { nil } },
    Case(14, .acknowledged),
    Case(15, Self.unanswered) { if case .unanswered(let a) = $0 { a } else { nil } },
    Case(16, Self.rangAgain) { if case .rangAgain(let a) = $0 { a } else { nil } },
    Case(17, Self.lapped) { if case .lapped(let a) = $0 { a } else { nil } },
    Case(18, Self.rescheduled) {
      if case .rescheduled(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(19, Self.passedOver) { if case .passedOver(let a) = $0 { a } else { nil } },
    Case(20, Self.reinstated) { if case .reinstated(let a) = $0 { a } else { nil } },
    Case(21, Self.pausedAfterSleep) {
      if case .pausedAfterSleep(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(22, Self.restartedAfterSleep) {
      if case .restartedAfterSleep(let a, let b) = $0 { (a, b) } else { nil }
    },
    Case(23, Self.cancelled) {
      if case .cancelled(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(24, .dismissed),
    Case(25, .removed),
    Case(26, Self.undone) { if case .undone(let a) = $0 { a } else { nil } },
    Case(27, Self.renamedTo) { if case .renamedTo(let a) = $0 { a } else { nil } },
    Case(28, Self.renamedFrom) { if case .renamedFrom(let a) = $0 { a } else { nil } },
    Case(29, .expired),
    Case(30, Self.enteredBackground) { if case .enteredBackground(let a) = $0 { a } else { nil } },
    Case(31, Self.leftBackground) { if case .leftBackground(let a) = $0 { a } else { nil } },
    Case(32, Self.spanCorrected) {
      if case .spanCorrected(let a, let b, let c, let d, let e) = $0 {
        (a, b, c, d, e)
      } else {
        nil
      }
    },
    Case(33, Self.clockStepped) { if case .clockStepped(let a) = $0 { a } else { nil } },
    Case(34, Self.cameDue) {
      if case .cameDue(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(35, Self.zoneChanged) { if case .zoneChanged(let a) = $0 { a } else { nil } },
    Case(36, Self.actionStarted) { if case .actionStarted(let a) = $0 { a } else { nil } },
    Case(37, Self.actionEnded) { if case .actionEnded(let a, let b) = $0 { (a, b) } else { nil } })

  init() { self = .acknowledged }
}

extension Ring: StoredStruct {
  static let form = Form(Self.init) {
    ($0.atElapsed, $0.lateUsec, $0.cause, $0.span, $0.next, $0.isEstimated)
  }
}

extension Recurrence: StoredStruct {
  static let form = Form(Self.init) {
    ($0.position, $0.missed, $0.mark, $0.step, $0.continuation)
  }
}

extension Recurrence.Continuation: StoredCases {
  static let cases = CaseTable<Self>(
    Case(0, .ends), Case(1, .waits),
    Case(2, Self.runs) { if case .runs(let a, let b) = $0 { (a, b) } else { nil } })

  init() { self = .ends }
}

extension Event.Place: StoredStruct {
  static let form = Form(Self.init) { ($0.position, $0.step) }
}

extension Event.SkippedExpiry: StoredStruct {
  static let form = Form(Self.init) { ($0.key, $0.usec, $0.byUsec, $0.deadline) }
}

extension Event.Undone: StoredObject {
  init() { self.init(seq: 0, type: "", before: StoredImage(Engine.StoredTimer())) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    guard let image = before as? StoredImage else {
      preconditionFailure("only the engine and the ledger make images")
    }
    var timer = image.timer
    try c.field(1, &seq)
    try c.field(2, &type)
    try c.field(3, &timer)
    before = StoredImage(timer)
  }
}
