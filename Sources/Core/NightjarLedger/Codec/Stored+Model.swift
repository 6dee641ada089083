internal import NightjarEngine
internal import NightjarModel

// The stored types of the model, except events and timers. The number of a field never changes.

extension Timeline: StoredWord {}
extension LateCause: StoredWord {}
extension Cause: StoredWord {}
extension TimerKind: StoredWord {}
extension MissedPolicy: StoredWord {}
extension AfterSpan: StoredWord {}
extension Event.Resumption: StoredWord {}

// MARK: - Clocks

extension Moment: StoredStruct {
  static let form = Form(Self.init(realtimeUsec:boottimeUsec:monotonicUsec:bootID:)) {
    ($0.realtimeUsec, $0.boottimeUsec, $0.monotonicUsec, $0.bootID)
  }
}

extension BootID: StoredObject {
  init() { self.init(high: 0, low: 0) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    if try c.begin(1, isAbsent: false) { try c.word(&high) }
    if try c.begin(2, isAbsent: false) { try c.word(&low) }
  }
}

extension Span: StoredObject {
  init() { self.init(id: 0, causes: [], entered: Moment()) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &id)
    try c.field(2, &causes)
    try c.field(3, &entered)
    try c.field(4, &left)
    try c.field(5, &elapsedUsec)
    try c.field(6, &estimated)
  }
}

extension Counters: StoredStruct {
  static let form = Form(Self.init) { ($0.elapsedUsec, $0.awakeUsec) }
}

extension WallClockState: StoredObject {
  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &last)
    try c.field(2, &hasBeenSynchronized)
    try c.field(3, &isRight)
    try c.field(4, &base)
    try c.field(5, &reboots)
    try c.field(6, &inDoubtSinceUsec)
    try c.field(7, &undecided)
    try c.field(8, &answered)
    guard reboots.count <= Self.mostReboots, undecided.count <= Self.mostReboots,
      answered.count <= AnsweredRing.most
    else { throw .damaged("the clock has too many entries") }
    guard !reboots.contains(where: \.span.causes.isEmpty) else {
      throw .damaged("a reboot has no cause")
    }
  }
}

extension SynchronizedReading: StoredStruct {
  static let form = Form(Self.init) { ($0.realtimeUsec, $0.elapsedUsec, $0.steppedUsec) }
}

extension UncertainReboot: StoredObject {
  init() { self.init(span: Span(), wallUsec: 0, uptimeUsec: 0) }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &span)
    try c.field(2, &leftSeq)
    try c.field(3, &lastLeftSeq)
    try c.field(4, &leftElapsedUsec)
    try c.field(5, &wallUsec)
    try c.field(6, &uptimeUsec)
    try c.field(7, &advancedUsec)
    try c.field(8, &surplusUsec)
    try c.field(9, &isPlausible)
  }
}

extension UndecidedSpan: StoredStruct {
  static let form = Form(Self.init) {
    ($0.id, $0.elapsedUsec, $0.enteredSeq, $0.entered, $0.enteredPresentUsec)
  }
}

extension AnsweredRing: StoredStruct {
  static let form = Form(Self.init) { ($0.sound, $0.answeredSeq) }
}

extension Interruption: StoredStruct {
  static let form = Form(Self.init) { ($0.pausedSeq, $0.resumedSeq) }
}

// MARK: - Specifications

/// A specification in a field. A plain countdown has none on disk.
struct StoredSpec: Stored {
  var spec = SharedSpec.plain

  var isDefault: Bool { spec === SharedSpec.plain }

  mutating func code(_ c: inout Coder) throws(StoreError) { try c.spec(&spec) }
}

extension TimerSpec.Shared: StoredStruct {
  static let form = Form(Self.init) {
    (
      $0.kind, $0.repeats, $0.rounds, $0.schedule, $0.steps, $0.longEvery, $0.afterSleep, $0.bands,
      $0.late, $0.missed, $0.afterAway
    )
  }
}

extension LatePolicy: StoredCases {
  static let cases = CaseTable<Self>(
    Case(0, .fire), Case(1, .skip),
    Case(2, Self.fireWithin) { if case .fireWithin(let usec) = $0 { usec } else { nil } })

  init() { self = .fire }

  var isDefault: Bool { self == .fire }
}

extension Schedule: StoredStruct {
  static let form = Form(Self.init) { ($0.expression, $0.zone, $0.except, $0.until) }
}

extension DayRange: StoredStruct {
  static let form = Form(Self.init) { ($0.first, $0.last) }
}

extension Band: StoredStruct {
  static let form = Form(Self.init) {
    ($0.name, $0.remainingUsec, $0.color, $0.text, $0.progress)
  }
}

extension ProgressRange: StoredStruct {
  static let form = Form(Self.init) { ($0.from, $0.to) }
}

extension Step: StoredStruct {
  static let form = Form(Self.init) {
    ($0.name, $0.durationUsec, $0.waits, $0.isBreak, $0.longUsec)
  }
}

extension Attachments: StoredObject {
  init() { self = .none }

  var isDefault: Bool { isEmpty }

  mutating func fields(_ c: inout Coder) throws(StoreError) {
    try c.field(1, &labels)
    try c.field(2, &data)
    try c.field(3, &ring)
    try c.field(4, &message)
  }
}

extension Label: StoredStruct {
  static let form = Form(Self.init) { ($0.key, $0.value) }
}

// MARK: - Commands

extension ActionNote: StoredStruct {
  static let form = Form(Self.init) { ($0.owner, $0.key, $0.attempt, $0.command) }
}

extension ActionNote.Owner: StoredCases {
  static let cases = CaseTable<Self>(
    Case(0, .subject), Case(1, .machine),
    Case(2, Self.former) { if case .former(let a, let b) = $0 { (a, b) } else { nil } })

  init() { self = .subject }

  var isDefault: Bool { self == .subject }
}

extension PendingAction.Key: StoredStruct {
  static let form = Form(Self.init) { ($0.seq, $0.number) }
}

extension ActionEnd: StoredStruct {
  static let form = Form(Self.init) {
    ($0.outcome, $0.durationUsec, $0.printedBytes, $0.droppedBytes, $0.lastLines)
  }
}

extension ActionOutcome: StoredCases {
  static let cases = CaseTable<Self>(
    Case(1, Self.exited) { if case .exited(let status) = $0 { status } else { nil } },
    Case(2, Self.signalled) { if case .signalled(let number) = $0 { number } else { nil } },
    Case(3, .timedOut),
    Case(4, Self.notStarted) { if case .notStarted(let reason) = $0 { reason } else { nil } },
    Case(5, .givenUp), Case(6, .dropped), Case(7, .unseen))

  init() { self = .unseen }
}

extension CommandFailure: StoredStruct {
  static let form = Form(Self.init) {
    ($0.callingSeq, $0.timeUsec, $0.command, $0.outcome, $0.lastLines)
  }
}
