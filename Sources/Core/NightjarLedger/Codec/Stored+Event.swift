internal import NightjarEngine
internal import NightjarModel

// The kinds of events and their parts. The number of a kind, and of a field, never changes.

extension Event.Kind: StoredCases {
  static let cases = CaseTable<Self>(
    Case(1) {
      Self.started(
        clock: $0, durationUsec: $1, deadline: $2, attachments: $3, wakes: $4, spec: $5?.spec,
        replaced: $6)
    } _: {
      if case .started(let a, let b, let c, let d, let e, let f, let g) = $0 {
        (a, b, c, d, e, f.map(StoredSpec.init), g)
      } else {
        nil
      }
    },
    Case(2, Self.rang) { if case .rang(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    Case(3, Self.bandCrossed) {
      if case .bandCrossed(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(4, Self.paused) { if case .paused(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    Case(5, Self.resumed) { if case .resumed(let a, let b) = $0 { (a, b) } else { nil } },
    Case(6, Self.extended) { if case .extended(let a, let b) = $0 { (a, b) } else { nil } },
    Case(7, Self.restarted) { if case .restarted(let a, let b) = $0 { (a, b) } else { nil } },
    Case(8, Self.snoozed) { if case .snoozed(let a, let b, let c) = $0 { (a, b, c) } else { nil } },
    Case(9) {
      Self.updated($0, spec: $1?.spec)
    } _: {
      if case .updated(let a, let b) = $0 { (a, b.map(StoredSpec.init)) } else { nil }
    },
    Case(10, Self.didNotRing) {
      if case .didNotRing(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(11, Self.joined) {
      if case .joined(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil }
    },
    Case(12, Self.rangAgain) {
      if case .rangAgain(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(13, Self.unanswered) { if case .unanswered(let a, let b) = $0 { (a, b) } else { nil } },
    Case(14, Self.stayedQuiet) {
      if case .stayedQuiet(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(15, Self.leftRing) {
      if case .leftRing(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(16, Self.advanced) { if case .advanced(let a, let b) = $0 { (a, b) } else { nil } },
    Case(17, Self.dismissed) {
      if case .dismissed(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(18, Self.stopped) { if case .stopped(let a, let b) = $0 { (a, b) } else { nil } },
    Case(19, Self.lapped) { if case .lapped(let a) = $0 { a } else { nil } },
    Case(20, Self.rescheduled) {
      if case .rescheduled(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(21, .ranOut),
    Case(22, Self.skipped) { if case .skipped(let a, let b) = $0 { (a, b) } else { nil } },
    Case(23, Self.unskipped) { if case .unskipped(let a) = $0 { a } else { nil } },
    Case(24, Self.pausedAfterSpan) {
      if case .pausedAfterSpan(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(25, Self.restartedAfterSpan) {
      if case .restartedAfterSpan(let a, let b) = $0 { (a, b) } else { nil }
    },
    Case(26, Self.cancelled) {
      if case .cancelled(let a, let b, let c, let d) = $0 { (a, b, c, d) } else { nil }
    },
    Case(27, Self.removed) { if case .removed(let a) = $0 { a } else { nil } },
    Case(28, Self.undone) { if case .undone(let a) = $0 { a } else { nil } },
    Case(29, Self.renamedTo) { if case .renamedTo(let a) = $0 { a } else { nil } },
    Case(30, Self.renamedFrom) { if case .renamedFrom(let a) = $0 { a } else { nil } },
    Case(31, Self.forgotten) { if case .forgotten(let a) = $0 { a } else { nil } },
    Case(32, Self.enteredBackground) { if case .enteredBackground(let a) = $0 { a } else { nil } },
    Case(33, Self.leftBackground) { if case .leftBackground(let a) = $0 { a } else { nil } },
    Case(34, Self.spanCorrected) {
      if case .spanCorrected(let a, let b, let c, let d, let e) = $0 {
        (a, b, c, d, e)
      } else {
        nil
      }
    },
    Case(35, Self.clockStepped) { if case .clockStepped(let a) = $0 { a } else { nil } },
    Case(36, Self.cameDue) {
      if case .cameDue(let a, let b, let c) = $0 { (a, b, c) } else { nil }
    },
    Case(37, Self.zoneChanged) { if case .zoneChanged(let a) = $0 { a } else { nil } },
    Case(38, Self.actionStarted) { if case .actionStarted(let a) = $0 { a } else { nil } },
    Case(39, Self.actionEnded) { if case .actionEnded(let a, let b) = $0 { (a, b) } else { nil } },
    Case(40, Self.unnoticed) { if case .unnoticed(let a, let b) = $0 { (a, b) } else { nil } })

  init() { self = .ranOut }
}

extension Event.Sums: StoredStruct {
  static let form = Form(Self.init) { ($0.countedUsec, $0.pausedUsec) }
}

extension Lateness: StoredStruct {
  static let form = Form(Self.init) { ($0.usec, $0.cause, $0.span, $0.isEstimated) }
}

extension Passing: StoredStruct {
  static let form = Form(Self.init) { ($0.number, $0.missed, $0.position, $0.next) }
}

extension JoinedExpiry: StoredStruct {
  static let form = Form(Self.init) { ($0.number, $0.late, $0.position) }
}

extension Sounding: StoredStruct {
  static let form = Form(Self.init) {
    ($0.expiry, $0.expiries, $0.firstDueUsec, $0.forUsec, $0.insistUsec)
  }
}

extension RingLack: StoredWord {}

extension Unnoticed: StoredStruct {
  static let form = Form(Self.init) { ($0.unseen, $0.unheard, $0.reason) }
}

extension Recurrence: StoredStruct {
  static let form = Form(Self.init) {
    ($0.position, $0.handledInstant, $0.step, $0.continuation)
  }
}

extension Recurrence.Continuation: StoredCases {
  static let cases = CaseTable<Self>(
    Case(0, .ends), Case(1, .waits),
    Case(2, Self.runs) { if case .runs(let a, let b) = $0 { (a, b) } else { nil } })

  init() { self = .ends }
}

extension Event.Replaced: StoredStruct {
  static let form = Form(Self.init) { ($0.id, $0.ring) }
}

extension Event.Place: StoredStruct {
  static let form = Form(Self.init) { ($0.position, $0.step) }
}

extension Event.SkippedExpiry: StoredStruct {
  static let form = Form(Self.init) { ($0.key, $0.usec, $0.byUsec, $0.deadline) }
}

extension Event.Undone: StoredObject {
  init() { self.init(seq: 0, type: "", before: StoredImage(Engine.StoredTimer()), ring: 0) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    guard let image = before as? StoredImage else {
      preconditionFailure("only the engine and the ledger make images")
    }
    var timer = image.timer
    try c.field(1, &seq)
    try c.field(2, &type)
    try c.field(3, &timer)
    try c.field(4, &ring)
    before = StoredImage(timer)
  }
}
