internal import NightjarCore
internal import NightjarWire

/// A timer as clients are told it.
struct TimerReply: TimerFields {
  private let slot: Int
  private let engine: Engine
  private let view: TimerView
  private let attachments: Attachments?
  /// Nil: it is a countdown and no more, as most are, and has none of what is about it.
  private let spec: SharedSpec?

  /// - Parameter slot: of a timer.
  init(_ slot: Int, of engine: Engine, at now: Moment) {
    self.slot = slot
    self.engine = engine
    view = engine.view(slot, at: now)
    spec = view.detail == nil ? nil : view.spec
    attachments = engine.attachments(at: slot)
  }

  private var record: TimerRecord { view.record }
  /// Whether it rang, and nobody has said yet that they heard.
  private var hasFired: Bool { view.firedAgoUsec != nil }

  var id: Int64 { record.id }
  var name: UTF8Text { UTF8Text(bytes: engine.nameBytes(at: slot)) }
  var kind: StaticString { view.spec.kind.name }
  var state: StaticString { record.state?.name ?? "" }
  var clock: StaticString { record.clock.name }
  var durationUsec: Int64 { record.durationUsec }
  var remainingUsec: Int64 { view.remainingUsec }
  var elapsedUsec: Int64 { view.elapsedUsec }
  /// A millionth is finer than any bar, and shorter to write.
  var progress: Double { (view.progress * 1_000_000).rounded() / 1_000_000 }
  var deadlineUsec: Int64? { view.deadlineUsec }
  var deadlineBoottimeUsec: Int64? { view.deadlineBoottimeUsec }
  var startedUsec: Int64 { record.startedUsec }
  var firedUsec: Int64? { hasFired ? record.firedUsec : nil }
  var firedAgoUsec: Int64? { view.firedAgoUsec }
  var lateUsec: Int64? { hasFired ? max(0, record.held) : nil }
  var lateCause: StaticString? { hasFired ? record.lateCause?.name : nil }
  var earlyUsec: Int64? { hasFired ? view.earlyUsec : nil }
  var estimated: Bool { hasFired && record.isEstimated }
  var waitsForClock: Bool { view.waitsForClock }
  var skipped: Bool { hasFired && view.detail?.wasSkipped == true }
  var band: BandReply? { spec == nil ? nil : view.band.map(BandReply.init) }
  var bands: LazyMapSequence<[Band], BandReply>? {
    guard let spec, !spec.bands.isEmpty else { return nil }
    return spec.bands.lazy.map(BandReply.init)
  }
  var late: String? {
    if case .skip = spec?.late { TimersInterface.Late.skip.rawValue } else { nil }
  }
  var fireWithinUsec: Int64? {
    if case .fireWithin(let usec) = spec?.late { usec } else { nil }
  }
  var missed: StaticString? {
    guard let spec, spec.missed != .once else { return nil }
    return spec.missed.name
  }
  var `repeat`: RepetitionReply? {
    guard let spec, spec.isRepeating, let detail = view.detail else { return nil }
    return RepetitionReply(
      rung: Int64(detail.position), periodUsec: spec.repeats ? record.originalUsec : nil,
      rounds: spec.rounds > 0 ? spec.rounds : nil, snoozed: detail.isSnoozed)
  }
  var calendar: String? { spec?.schedule?.expression }
  var zone: String? { spec?.schedule.flatMap { $0.zone.isEmpty ? nil : $0.zone } }
  /// Of a sequence.
  private var sequence: SharedSpec? { spec?.kind == .sequence ? spec : nil }
  var afterSleep: StaticString? { sequence?.afterSleep.name }
  var step: StepStateReply? {
    guard let sequence, let detail = view.detail else { return nil }
    return StepStateReply(spec: sequence, position: Int64(detail.position))
  }
  var steps: LazyMapSequence<[Step], StepReply>? { sequence?.steps.lazy.map(StepReply.init) }
  var longEvery: Int64? {
    guard let spec, spec.longEvery > 0 else { return nil }
    return spec.longEvery
  }
  var laps: [Int64]? { spec?.kind == .stopwatch ? engine.laps(at: slot) : nil }
  var wake: WakeReply? { record.wakes ? WakeReply(reason: engine.wakeObstacle) : nil }
  var ring: RawJSON? { attachments?.ring.map { RawJSON(bytes: $0.told) } }
  var labels: LabelsObject { LabelsObject(labels: attachments?.labels ?? []) }
  var data: RawJSON { RawJSON(bytes: attachments?.data ?? []) }
}

struct RepetitionReply: RepetitionFields {
  let rung: Int64
  let periodUsec: Int64?
  let rounds: Int64?
  let snoozed: Bool
}

/// Where a sequence is.
struct StepStateReply: StepStateFields {
  let spec: SharedSpec
  /// Counted on through all rounds.
  let position: Int64

  var number: Int64 { position + 1 }
  var name: String { spec.step(at: position).name }
  var `break`: Bool { spec.step(at: position).isBreak }
  var waits: Bool { spec.step(at: position).waits }
  var index: Int64 { position % Int64(spec.steps.count) + 1 }
  var steps: Int64 { Int64(spec.steps.count) }
  var round: Int64 { spec.round(at: position) + 1 }
  var rounds: Int64? { spec.rounds > 0 ? spec.rounds : nil }
  var nextName: String? { spec.isLast(position) ? nil : spec.step(at: position + 1).name }
  var nextDurationUsec: Int64? { spec.isLast(position) ? nil : spec.stepUsec(at: position + 1) }
}

/// Whether a deadline can wake the machine.
struct WakeReply: WakeFields {
  /// Why not; nil: it can.
  let reason: String?
  var can: Bool { reason == nil }
}

struct BandReply: BandFields {
  let band: Band

  init(_ band: Band) { self.band = band }

  var name: String { band.name }
  var remainingUsec: Int64 { band.remainingUsec }
  var color: String? { band.color.isEmpty ? nil : band.color }
  var text: String? { band.text.isEmpty ? nil : band.text }
  var progress: ProgressRangeReply? { band.progress.map(ProgressRangeReply.init) }
}

/// The model has millionths.
struct ProgressRangeReply: ProgressRangeFields {
  let range: ProgressRange

  init(_ range: ProgressRange) { self.range = range }

  var from: Double { Double(range.from) / 1_000_000 }
  var to: Double { Double(range.to) / 1_000_000 }
}

struct StepReply: StepFields {
  let step: Step

  init(_ step: Step) { self.step = step }

  var name: String { step.name }
  var durationUsec: Int64 { step.durationUsec }
  var waits: Bool { step.waits }
  var `break`: Bool { step.isBreak }
  var longUsec: Int64? { step.longUsec }
}

/// A span as it stands in the ledger; one that lasts has lasted until `now`, if that is given.
struct SpanReply: SpanFields {
  let value: NightjarCore.Span
  var now: Moment?

  var span: Int64 { value.id }
  var causes: LazyMapSequence<[Cause], StaticString> { value.causes.lazy.map(\.name) }
  var enteredUsec: Int64 { value.entered.realtimeUsec }
  var leftUsec: Int64? { value.left?.realtimeUsec }
  var elapsedUsec: Int64 {
    guard let now, value.left == nil else { return value.elapsedUsec }
    return max(0, now.boottimeUsec - value.entered.boottimeUsec)
  }
  var estimated: Bool { value.estimated }
}
