internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import NightjarVarlink

// A specification as clients see it: in a timer, and in the events `started` and `updated`.

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
}

// MARK: - In events

extension JSONWriter {
  /// What was started, in the words of `Start`.
  ///
  /// - Parameter deadline: of an alarm without a calendar when it rings, on CLOCK_REALTIME.
  mutating func started(_ spec: SharedSpec, deadline: Int64) {
    switch spec.kind {
    case .countdown:
      guard spec.repeats else { return }
      key("repeat")
      beginObject()
      if spec.rounds > 0 { member("rounds", spec.rounds) }
      endObject()
    case .alarm:
      key("alarm")
      beginObject()
      if let schedule = spec.schedule {
        member("calendar", schedule.expression)
        if !schedule.zone.isEmpty { member("zone", schedule.zone) }
        if spec.rounds > 0 { member("rounds", spec.rounds) }
      } else {
        member("at_usec", deadline)
      }
      endObject()
    case .stopwatch: break
    case .sequence: sequence(spec)
    }
  }

  private mutating func sequence(_ spec: SharedSpec) {
    key("sequence")
    beginObject()
    steps(spec)
    member("rounds", spec.rounds)
    member("after_sleep", spec.afterSleep.name)
    endObject()
  }

  private mutating func steps(_ spec: SharedSpec) {
    key("steps")
    spec.steps.lazy.map(StepReply.init).write(to: &self)
    if spec.longEvery > 0 { member("long_every", spec.longEvery) }
  }

  /// What an update may have changed.
  mutating func updated(_ spec: SharedSpec) {
    key("bands")
    spec.bands.lazy.map(BandReply.init).write(to: &self)
  }
}

// MARK: - Structures

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
