internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

// The fields of a specification as clients see it: in a timer, and in the events `started` and
// `updated`.

extension TimerReply {
  var bands: LazyMapSequence<[Band], BandReply>? {
    guard let spec, !spec.bands.isEmpty else { return nil }
    return spec.bands.lazy.map(BandReply.init)
  }
  var late: String? {
    switch spec?.late {
    case .skip: TimersInterface.Late.skip.rawValue
    case .fire, .fireWithin, nil: nil
    }
  }
  var fireWithinUsec: Int64? {
    switch spec?.late {
    case .fireWithin(let usec): usec
    case .fire, .skip, nil: nil
    }
  }
  var missed: StaticString? {
    guard let spec, spec.missed != .once else { return nil }
    return spec.missed.name
  }
  var `repeat`: RepetitionReply? {
    guard let spec, spec.isRepeating, let detail = view.detail else { return nil }
    return RepetitionReply(
      rung: Int64(detail.position), periodUsec: spec.repeats ? record.originalUsec : nil,
      rounds: spec.rounds > 0 ? spec.rounds : nil)
  }
  var calendar: String? { spec?.schedule?.expression }
  var zone: String? { spec?.schedule.flatMap { $0.zone.isEmpty ? nil : $0.zone } }
  var except: [String]? { spec?.schedule.flatMap { $0.except.texts } }
  var until: String? { spec?.schedule?.until.map { DayRange(day: $0).text } }
  /// The specification of a sequence; nil for other kinds.
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
  var ring: RawJSON? { attachments?.ring.map { RawJSON(bytes: $0.publicJSON) } }
  var labels: LabelsObject { LabelsObject(labels: attachments?.labels ?? []) }
  var data: RawJSON { RawJSON(bytes: attachments?.data ?? []) }
  var message: String? {
    guard let attachments, !attachments.message.isEmpty else { return nil }
    return attachments.message
  }
}

// MARK: - In events

extension EventReply {
  var kind: Never? { nil }
  var clock: Never? { nil }
  var wake: Bool { false }
  var `repeat`: Never? { nil }
  var alarm: Never? { nil }
  var sequence: Never? { nil }
  var ring: Never? { nil }
  var labels: Never? { nil }
  var data: Never? { nil }
  var bands: Never? { nil }
  var message: Never? { nil }
}

/// An event that contains the labels, the data and the ring that the timer has after the event.
protocol AttachingReply: EventReply {
  var attached: Attachments { get }
}

extension AttachingReply {
  var ring: RawJSON? { attached.ring.map { RawJSON(bytes: $0.publicJSON) } }
  var labels: LabelsObject? { LabelsObject(labels: attached.labels) }
  var data: RawJSON? { RawJSON(bytes: attached.data) }
  var message: String? { attached.message.isEmpty ? nil : attached.message }
}

struct StartedReply: AttachingReply {
  let event: Event
  let timeline: Timeline
  let durationUsec: Int64?
  /// When an alarm without a calendar rings, on CLOCK_REALTIME.
  let deadline: Int64
  let wake: Bool
  let attached: Attachments
  let spec: SharedSpec

  var kind: StaticString? { spec.kind.name }
  var clock: StaticString? { timeline.name }
  var `repeat`: RepeatReply? {
    guard spec.kind == .countdown, spec.repeats else { return nil }
    return RepeatReply(spec: spec)
  }
  var alarm: AlarmReply? {
    spec.kind == .alarm ? AlarmReply(spec: spec, deadline: deadline) : nil
  }
  var sequence: SequenceReply? { spec.kind == .sequence ? SequenceReply(spec: spec) : nil }
}

struct UpdatedReply: AttachingReply {
  let event: Event
  let attached: Attachments
  /// The new specification, without attachments; nil: this part did not change.
  let spec: SharedSpec?

  var bands: LazyMapSequence<[Band], BandReply>? { spec.map { $0.bands.lazy.map(BandReply.init) } }
  var alarm: AlarmReply? {
    guard let spec, spec.schedule != nil else { return nil }
    return AlarmReply(spec: spec, deadline: 0)
  }
}

// MARK: - Specifications as parameters of Start

struct RepeatReply: RepeatFields {
  let spec: SharedSpec
  var rounds: Int64? { spec.rounds > 0 ? spec.rounds : nil }
}

struct AlarmReply: AlarmFields {
  let spec: SharedSpec
  /// When an alarm without a calendar rings, on CLOCK_REALTIME.
  let deadline: Int64

  var atUsec: Int64? { spec.schedule == nil ? deadline : nil }
  var calendar: String? { spec.schedule?.expression }
  var zone: String? { spec.schedule.flatMap { $0.zone.isEmpty ? nil : $0.zone } }
  var rounds: Int64? { spec.schedule != nil && spec.rounds > 0 ? spec.rounds : nil }
  var except: [String]? { spec.schedule.flatMap { $0.except.texts } }
  var until: String? { spec.schedule?.until.map { DayRange(day: $0).text } }
}

struct SequenceReply: SequenceFields {
  let spec: SharedSpec

  var steps: LazyMapSequence<[Step], StepReply> { spec.steps.lazy.map(StepReply.init) }
  var longEvery: Int64? { spec.longEvery > 0 ? spec.longEvery : nil }
  var rounds: Int64? { spec.rounds }
  var afterSleep: StaticString? { spec.afterSleep.name }
}

// MARK: - Structures

struct RepetitionReply: RepetitionFields {
  let rung: Int64
  let periodUsec: Int64?
  let rounds: Int64?
}

/// The current step of a sequence.
struct StepStateReply: StepStateFields {
  let spec: SharedSpec
  /// The number of the step, counted from 0 through all rounds.
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

struct BandReply: BandFields {
  let band: Band

  init(_ band: Band) { self.band = band }

  var name: String { band.name }
  var remainingUsec: Int64 { band.remainingUsec }
  var color: String? { band.color.isEmpty ? nil : band.color }
  var text: String? { band.text.isEmpty ? nil : band.text }
  var progress: ProgressRangeReply? { band.progress.map(ProgressRangeReply.init) }
}

/// A range of the progress of a timer. The model stores millionths; clients get numbers from 0 to
/// 1.
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
