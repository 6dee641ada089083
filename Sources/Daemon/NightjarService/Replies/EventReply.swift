internal import NightjarEngine
package import NightjarModel
package import Varlink

/// An event as clients see it. By default, all fields are nil except those that every kind of event
/// has; each kind overrides its own fields. If the interface gets a new field, this does not
/// compile until the field is added here or in `SpecReply.swift`.
protocol EventReply: EventFields {
  var event: Event { get }
}

extension EventReply {
  var seq: Int64 { event.seq }
  var timeUsec: Int64 { event.timeUsec }
  var type: StaticString { event.typeName }
  var name: String? { event.timerName }
  var id: Int64? {
    if let subject = event.subject { return subject.id }
    if case .former(_, let id) = event.action?.owner { return id }
    return nil
  }
  var request: String? { event.request }
  var counters: CountersReply? { event.counters.map(CountersReply.init) }

  // Fields that only some kinds of events have. The fields of a specification are in
  // `SpecReply.swift`.

  var lateUsec: Int64? { nil }
  var lateCause: Never? { nil }
  var band: Never? { nil }
  var remainingUsec: Int64? { nil }
  var spanId: Int64? { nil }
  var estimated: Bool { false }
  var missed: Int64? { nil }
  var rung: Int64? { nil }
  var stepNumber: Int64? { nil }
  var stepName: Never? { nil }
  var eventSeq: Int64? { nil }
  var command: Never? { nil }
  var attempt: Int64? { nil }
  var outcome: Never? { nil }
  var exitStatus: Int64? { nil }
  var signal: Int64? { nil }
  var reason: Never? { nil }
  var durationUsec: Int64? { nil }
  var printedBytes: Int64? { nil }
  var droppedBytes: Int64? { nil }
  var lastLines: Never? { nil }
  var elapsedUsec: Int64? { nil }
  var deadlineUsec: Int64? { nil }
  var byUsec: Int64? { nil }
  var sinceSeq: Int64? { nil }
  var untilSeq: Int64? { nil }
  var earlyUsec: Int64? { nil }
  var span: Never? { nil }
  var offsetUsec: Int64? { nil }
  var count: Int64? { nil }
  var names: Never? { nil }
  var zone: Never? { nil }
  var ringNumber: Int64? { nil }
  var passedUsec: Int64? { nil }
  var undoneSeq: Int64? { nil }
  var undoneType: Never? { nil }
  var newName: Never? { nil }
  var oldName: Never? { nil }
}

/// An event as clients see it: the type `Event` of the interface.
struct LedgerEntry: JSONWritable {
  let event: Event

  func write(to writer: inout JSONWriter) {
    switch event.kind {
    case .started(
      let clock, let durationUsec, let deadline, let attached, let wakes, let spec, _):
      StartedReply(
        event: event, timeline: clock, durationUsec: durationUsec, deadline: deadline, wake: wakes,
        attached: attached, spec: spec ?? .plain
      ).write(to: &writer)
    case .paused(let usec, let isUp, _), .cancelled(_, let usec, let isUp):
      if isUp {
        ElapsedReply(event: event, elapsedUsec: max(0, usec)).write(to: &writer)
      } else {
        RemainingReply(event: event, remainingUsec: max(0, usec)).write(to: &writer)
      }
    case .resumed, .restarted, .acknowledged, .dismissed, .removed, .expired:
      BareReply(event: event).write(to: &writer)
    case .undone(let undone):
      UndoneReply(event: event, undoneSeq: undone.seq, undoneType: undone.type).write(to: &writer)
    case .renamedTo(let name): RenamedToReply(event: event, newName: name).write(to: &writer)
    case .renamedFrom(let name): RenamedFromReply(event: event, oldName: name).write(to: &writer)
    case .extended(let byUsec, _), .snoozed(let byUsec, _):
      ByReply(event: event, byUsec: byUsec).write(to: &writer)
    case .updated(let attached, let spec):
      UpdatedReply(event: event, attached: attached, spec: spec).write(to: &writer)
    case .unanswered(let number), .rangAgain(let number):
      RingNumberReply(event: event, ringNumber: number).write(to: &writer)
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
      ExpiryReply(event: event, expiry: ring).write(to: &writer)
    case .advanced(_, let next): NextStepReply(event: event, next: next).write(to: &writer)
    case .restartedAfterSleep(let next, let span):
      NextStepReply(event: event, next: next, spanId: span).write(to: &writer)
    case .bandCrossed(_, let band, let remainingUsec):
      BandCrossedReply(event: event, newBand: band, remainingUsec: remainingUsec)
        .write(to: &writer)
    case .lapped(let elapsedUsec):
      ElapsedReply(event: event, elapsedUsec: elapsedUsec).write(to: &writer)
    case .rescheduled(let deadline, let durationUsec, let back):
      if let back {
        ReturnedReply(event: event, place: back, durationUsec: durationUsec).write(to: &writer)
      } else {
        // Only alarms are rescheduled without `back`, so this deadline is on CLOCK_REALTIME.
        RescheduledReply(event: event, deadlineUsec: deadline).write(to: &writer)
      }
    case .passedOver(let skippedExpiry):
      SkippedExpiryReply(
        event: event, skippedExpiry: skippedExpiry,
        nextUsec: skippedExpiry.usec + skippedExpiry.byUsec
      )
      .write(to: &writer)
    case .reinstated(let skippedExpiry):
      SkippedExpiryReply(event: event, skippedExpiry: skippedExpiry, nextUsec: skippedExpiry.usec)
        .write(to: &writer)
    case .pausedAfterSleep(let remainingUsec, let span, _):
      RemainingReply(event: event, remainingUsec: remainingUsec, spanId: span).write(to: &writer)
    case .enteredBackground(let span), .leftBackground(let span):
      BackgroundReply(event: event, value: span).write(to: &writer)
    case .spanCorrected(let span, let byUsec, let sinceSeq, let earlyUsec, let untilSeq):
      SpanCorrectedReply(
        event: event, value: span, byUsec: byUsec, sinceSeq: sinceSeq,
        untilSeq: untilSeq > sinceSeq ? untilSeq : nil, earlyUsec: earlyUsec > 0 ? earlyUsec : nil
      ).write(to: &writer)
    case .clockStepped(let byUsec):
      ClockSteppedReply(event: event, offsetUsec: byUsec).write(to: &writer)
    case .cameDue(let span, let names, let count):
      CameDueReply(event: event, spanId: span, count: count, names: names).write(to: &writer)
    case .zoneChanged(let name): ZoneChangedReply(event: event, zone: name).write(to: &writer)
    case .actionStarted(let note):
      ActionStartedReply(event: event, note: note).write(to: &writer)
    case .actionEnded(let note, let end):
      ActionEndedReply(event: event, note: note, end: end).write(to: &writer)
    }
  }
}

extension JSONWriter {
  package mutating func event(_ event: Event) { LedgerEntry(event: event).write(to: &self) }
}

extension JSONValue {
  /// An event as clients see it: the type `Event` of the interface.
  package static func event(_ event: Event) -> JSONValue {
    var writer = JSONWriter()
    writer.event(event)
    do { return try parse(writer.bytes) } catch {
      preconditionFailure("what was just written cannot be read: \(error)")
    }
  }
}

// MARK: - The fields of each kind of event

// If a field is optional in the interface, its property here must be optional too. Otherwise the
// property would not replace the default of `EventReply`.

/// An event without fields of its own.
struct BareReply: EventReply {
  let event: Event
}

/// The event `undone`: a change was undone.
struct UndoneReply: EventReply {
  let event: Event
  let undoneSeq: Int64?
  let undoneType: String?
}

struct RenamedToReply: EventReply {
  let event: Event
  let newName: String?
}

struct RenamedFromReply: EventReply {
  let event: Event
  let oldName: String?
}

struct ElapsedReply: EventReply {
  let event: Event
  let elapsedUsec: Int64?
}

struct RemainingReply: EventReply {
  let event: Event
  let remainingUsec: Int64?
  var spanId: Int64?
}

struct ByReply: EventReply {
  let event: Event
  let byUsec: Int64?
}

/// The event of an expiry: the timer rang, or was skipped without a ring.
struct ExpiryReply: EventReply {
  let event: Event
  let expiry: Ring

  var lateUsec: Int64? { expiry.lateUsec }
  var lateCause: StaticString? { expiry.cause?.name }
  var spanId: Int64? { expiry.span == 0 ? nil : expiry.span }
  var estimated: Bool { expiry.isEstimated }
  var missed: Int64? { expiry.next?.missed }
  /// Whether the timer is a sequence. Only the steps of a sequence have names.
  private var isStep: Bool { expiry.next?.step.isEmpty == false }
  var rung: Int64? { isStep ? nil : expiry.next?.position }
  var stepNumber: Int64? { isStep ? expiry.next.map { $0.position + 1 } : nil }
  var stepName: String? { isStep ? expiry.next?.step : nil }
  var durationUsec: Int64? { expiry.next?.continuation.durationUsec }
}

/// A sequence began another step, or began the same step again.
struct NextStepReply: EventReply {
  let event: Event
  let next: Recurrence
  var spanId: Int64?

  var stepNumber: Int64? { next.position + 1 }
  var stepName: String? { next.step }
  var durationUsec: Int64? { next.continuation.durationUsec }
}

extension Recurrence.Continuation {
  /// The length of the next round or step, in microseconds; nil if it does not start by itself.
  fileprivate var durationUsec: Int64? {
    switch self {
    case .runs(_, let durationUsec): durationUsec
    case .waits, .ends: nil
    }
  }
}

struct BandCrossedReply: EventReply {
  let event: Event
  let newBand: Band?
  let remainingUsec: Int64?

  var band: BandReply? { newBand.map(BandReply.init) }
}

struct RescheduledReply: EventReply {
  let event: Event
  let deadlineUsec: Int64?
}

/// A timer returned to an earlier round or step.
struct ReturnedReply: EventReply {
  let event: Event
  let place: Event.Place
  let durationUsec: Int64?

  var rung: Int64? { place.step.isEmpty ? place.position : nil }
  var stepNumber: Int64? { place.step.isEmpty ? nil : place.position + 1 }
  var stepName: String? { place.step.isEmpty ? nil : place.step }
}

struct BackgroundReply: EventReply {
  let event: Event
  let value: NightjarModel.Span

  var span: SpanReply? { SpanReply(value: value) }
}

struct SpanCorrectedReply: EventReply {
  let event: Event
  let value: NightjarModel.Span
  let byUsec: Int64?
  let sinceSeq: Int64?
  let untilSeq: Int64?
  let earlyUsec: Int64?

  var span: SpanReply? { SpanReply(value: value) }
}

struct ClockSteppedReply: EventReply {
  let event: Event
  let offsetUsec: Int64?
}

struct CameDueReply: EventReply {
  let event: Event
  let spanId: Int64?
  let count: Int64?
  let names: [String]?
}

struct RingNumberReply: EventReply {
  let event: Event
  let ringNumber: Int64?
}

/// A client requested that a timer skip an expiry, or withdrew that request.
struct SkippedExpiryReply: EventReply {
  let event: Event
  let skippedExpiry: Event.SkippedExpiry
  let nextUsec: Int64

  var passedUsec: Int64? { skippedExpiry.usec == 0 ? nil : skippedExpiry.usec }
  var deadlineUsec: Int64? { skippedExpiry.usec == 0 ? nil : nextUsec }
}

struct ZoneChangedReply: EventReply {
  let event: Event
  let zone: String?
}

struct ActionStartedReply: EventReply {
  let event: Event
  let note: ActionNote

  var eventSeq: Int64? { note.key.seq }
  var command: String? { note.command }
  var attempt: Int64? { note.attempt }
}

struct ActionEndedReply: EventReply {
  let event: Event
  let note: ActionNote
  let end: ActionEnd

  var eventSeq: Int64? { note.key.seq }
  var command: String? { note.command }
  var attempt: Int64? { note.attempt }
  var outcome: StaticString? { end.outcome.name }
  var exitStatus: Int64? { end.outcome.exitStatus }
  var signal: Int64? { end.outcome.signal }
  var reason: String? { end.outcome.reason }
  var durationUsec: Int64? { end.durationUsec }
  var printedBytes: Int64? { end.printedBytes }
  var droppedBytes: Int64? { end.droppedBytes }
  var lastLines: [String]? { end.lastLines.isEmpty ? nil : end.lastLines }
}

/// A failed command of a timer, as clients see it.
struct CommandFailureReply: CommandFailureFields {
  let value: CommandFailure

  var command: String { value.command }
  var eventSeq: Int64 { value.callingSeq }
  var timeUsec: Int64 { value.timeUsec }
  var outcome: StaticString { value.outcome.name }
  var exitStatus: Int64? { value.outcome.exitStatus }
  var signal: Int64? { value.outcome.signal }
  var reason: String? { value.outcome.reason }
  var lastLines: [String]? { value.lastLines.isEmpty ? nil : value.lastLines }
}

extension ActionOutcome {
  fileprivate var exitStatus: Int64? { if case .exited(let status) = self { status } else { nil } }
  fileprivate var signal: Int64? { if case .signalled(let number) = self { number } else { nil } }
  fileprivate var reason: String? { if case .notStarted(let reason) = self { reason } else { nil } }
}
