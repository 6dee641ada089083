package import NightjarEngine
package import NightjarModel
package import Varlink

/// A timer as clients see it.
struct TimerReply: TimerFields {
  private let slot: Int
  private let engine: Engine
  let view: TimerView
  let attachments: Attachments?
  private let now: Moment
  /// The specification of the timer; nil for a plain countdown, as most timers are, because a plain
  /// countdown has none of the fields in `SpecReply.swift`.
  let spec: SharedSpec?

  /// - Parameter slot: the slot of a timer.
  init(_ slot: Int, of engine: Engine, at now: Moment) {
    self.slot = slot
    self.engine = engine
    view = engine.view(slot, at: now)
    spec = view.detail == nil ? nil : view.spec
    attachments = engine.attachments(at: slot)
    self.now = now
  }

  var record: TimerRecord { view.record }
  /// Whether the timer rang and the ring was not dismissed.
  private var hasFired: Bool { view.firedAgoUsec != nil }

  var id: Int64 { record.id }
  var seq: Int64? { record.lastSeq }
  var name: UTF8Text { UTF8Text(bytes: engine.nameBytes(at: slot)) }
  var kind: StaticString { view.spec.kind.name }
  var state: StaticString { record.state?.name ?? "" }
  var clock: StaticString { record.clock.name }
  var durationUsec: Int64 { record.durationUsec }
  var remainingUsec: Int64 { view.remainingUsec }
  var elapsedUsec: Int64 { view.elapsedUsec }
  /// The progress, rounded to millionths: finer than any progress bar, and shorter to write.
  var progress: Double { (view.progress * 1_000_000).rounded() / 1_000_000 }
  var deadlineUsec: Int64? { view.deadlineUsec }
  var deadlineBoottimeUsec: Int64? { view.deadlineBoottimeUsec }
  var startedUsec: Int64 { record.startedUsec }
  var firedUsec: Int64? { hasFired ? record.firedUsec : nil }
  var firedAgoUsec: Int64? { view.firedAgoUsec }
  var lateUsec: Int64? { hasFired ? max(0, record.remainingOrLateUsec) : nil }
  var lateCause: StaticString? { hasFired ? record.lateCause?.name : nil }
  var earlyUsec: Int64? { hasFired ? view.earlyUsec : nil }
  var estimated: Bool { hasFired && record.isEstimated }
  var waitsForClock: Bool { view.waitsForClock }
  var away: Bool { view.isAway }
  var skipped: Bool { hasFired && view.detail?.wasSkipped == true }
  var snoozed: Bool { record.isSnoozed }
  var unanswered: Bool { hasFired && !skipped && record.isRingOver }
  // Always nil, because only a bridge sends this field.
  var ringHere: StaticString? { nil }
  var owner: StaticString? { nil }
  var ownerState: StaticString? { nil }
  var ownerSinceUsec: Int64? { nil }
  var band: BandReply? { spec == nil ? nil : view.band.map(BandReply.init) }
  var laps: [Int64]? { spec?.kind == .stopwatch ? engine.laps(at: slot) : nil }
  var passedOverUsec: [Int64]? {
    guard spec != nil else { return nil }
    let passed = engine.passedOver(slot, at: now)
    return passed.isEmpty ? nil : passed
  }
  var wake: WakeReply? { record.wakes ? WakeReply(reason: engine.wakeObstacle) : nil }
  var failure: CommandFailureReply? {
    record.hasFailure ? engine.failure(at: slot).map(CommandFailureReply.init) : nil
  }
}

extension JSONWriter {
  package mutating func timer(_ slot: Int, of engine: Engine, at now: Moment) {
    TimerReply(slot, of: engine, at: now).write(to: &self)
  }
}

/// Whether a deadline of a timer can wake the machine.
struct WakeReply: WakeFields {
  /// Why a deadline cannot wake the machine; nil: it can.
  let reason: String?
  var can: Bool { reason == nil }
}

/// The counters of the daemon that an event contains.
struct CountersReply: CountersFields {
  let value: Counters

  var elapsedUsec: Int64 { value.elapsedUsec }
  var awakeUsec: Int64 { value.awakeUsec }
}

/// A background span in the ledger. If `now` is given, an open span is shown with its length up to
/// `now`.
struct SpanReply: SpanFields {
  let value: NightjarModel.Span
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
