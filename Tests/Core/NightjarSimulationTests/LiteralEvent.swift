import NightjarModel

/// The true clocks, which the model uses instead of the engine's readings.
struct LiteralClocks: Equatable {
  var wallUsec: Int64
  var boottimeUsec: Int64
  var monotonicUsec: Int64
  var boot = 1

  mutating func pass(_ part: Part) {
    switch part {
    case .ran(let usec):
      wallUsec += usec
      boottimeUsec += usec
      monotonicUsec += usec
    case .slept(let usec):
      wallUsec += usec
      boottimeUsec += usec
    case .stepped(let usec): wallUsec += usec
    case .rebooted(let off, let uptime, let error):
      wallUsec += off + uptime + error
      boottimeUsec = uptime
      monotonicUsec = uptime
      boot += 1
    }
  }

  /// The time that passed since `earlier` in the same boot.
  func since(_ earlier: LiteralClocks) -> Amount {
    Amount(
      elapsed: boottimeUsec - earlier.boottimeUsec,
      awake: monotonicUsec - earlier.monotonicUsec, wall: wallUsec - earlier.wallUsec)
  }
}

/// An event that really happens to the machine.
enum Part: CustomStringConvertible {
  case ran(Int64)
  case slept(Int64)
  case stepped(Int64)
  case rebooted(offUsec: Int64, uptimeUsec: Int64, errorUsec: Int64)

  var description: String {
    switch self {
    case .ran(let usec): "ran \(usec)"
    case .slept(let usec): "slept \(usec)"
    case .stepped(let usec): "stepped \(usec)"
    case .rebooted(let off, let up, let error): "rebooted off \(off) up \(up) error \(error)"
    }
  }
}

/// A span of the model.
struct LiteralSpan: Equatable {
  var id: Int64
  var causes: [Cause]
  var estimated = false
  var elapsedUsec: Int64 = 0
  var isOpen = true

  mutating func add(_ cause: Cause) {
    if !causes.contains(cause) { causes.append(cause) }
  }
}

/// An event of the model: without deadlines, which only the engine has.
struct LiteralEvent: CustomStringConvertible {
  var seq: Int64
  var timeUsec: Int64
  var type: String
  /// The timer; empty and 0 for the machine.
  var name = ""
  var id: Int64 = 0
  var numbers: [Int64] = []
  /// The effect on its timer, to apply it again. Only the model uses it.
  var effect: Effect?

  var isRequested: Bool {
    id != 0
      && ![
        "fired", "skipped", "stepped", "step_ended", "band_crossed", "rescheduled",
        "paused_after_sleep", "restarted_after_sleep", "expired",
      ].contains(type)
  }

  var description: String {
    "#\(seq) \(type) \(name)\(id == 0 ? "" : "(\(id))") \(numbers) at \(timeUsec)"
  }

  init(
    seq: Int64, timeUsec: Int64, type: String, name: String = "", id: Int64 = 0,
    numbers: [Int64] = [], effect: Effect? = nil
  ) {
    self.effect = effect
    self.seq = seq
    self.timeUsec = timeUsec
    self.type = type
    self.name = name
    self.id = id
    self.numbers = numbers
  }

  /// The same for an event of the real core, without its deadlines.
  init(_ event: Event) {
    self.init(
      seq: event.seq, timeUsec: event.timeUsec, type: String(describing: event.typeName),
      name: event.subject?.name ?? "", id: event.subject?.id ?? 0)
    switch event.kind {
    case .started(let clock, let durationUsec, _, let attachments, _, let spec, _):
      numbers = [
        Int64(clock.rawValue), Int64((spec ?? .plain).kind.rawValue), durationUsec,
        Int64(attachments.data.count),
      ]
    case .paused(let usec, let isUp, let keepsSetSeq):
      numbers = [usec, isUp ? 1 : 0, keepsSetSeq ? 1 : 0]
    case .cancelled(_, let usec, let isUp): numbers = [usec, isUp ? 1 : 0]
    case .undone(let undone): numbers = [undone.seq]
    case .lapped(let usec): numbers = [usec]
    case .extended(let byUsec, _), .snoozed(let byUsec, _): numbers = [byUsec]
    case .updated(let attachments, let spec):
      numbers = [Int64(attachments.data.count), Int64(spec?.bands.count ?? -1)]
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
      numbers = [ring.lateUsec, Int64(ring.cause?.rawValue ?? 0), ring.span]
      if let next = ring.next { numbers += Self.numbers(next) }
      numbers.append(ring.isEstimated ? 1 : 0)
    case .advanced(_, let next): numbers = Self.numbers(next)
    case .bandCrossed(let begun, _, let remainingUsec): numbers = [Int64(begun), remainingUsec]
    case .rescheduled(_, let durationUsec, let back):
      numbers = [durationUsec] + (back.map { [$0.position] } ?? [])
    case .pausedAfterSleep(let remainingUsec, let span, _): numbers = [remainingUsec, span]
    case .restartedAfterSleep(let next, let span): numbers = Self.numbers(next) + [span]
    case .enteredBackground(let span), .leftBackground(let span): numbers = Self.numbers(span)
    case .spanCorrected(let span, let byUsec, _, let earlyUsec, _):
      numbers = Self.numbers(span) + [byUsec, earlyUsec]
    case .clockStepped(let byUsec): numbers = [byUsec]
    case .cameDue(let span, let names, let count):
      name = names.joined(separator: " ")
      numbers = [span, count]
    case .unanswered(let number), .rangAgain(let number): numbers = [number]
    case .passedOver(let skippedExpiry), .reinstated(let skippedExpiry):
      numbers = [skippedExpiry.usec, skippedExpiry.byUsec]
    case .resumed, .restarted, .acknowledged, .dismissed, .removed, .expired, .zoneChanged,
      .renamedTo, .renamedFrom,
      .actionStarted, .actionEnded:
      break
    }
  }

  private static func numbers(_ next: Recurrence) -> [Int64] {
    switch next.continuation {
    case .ends: [next.position, next.missed, 0]
    case .waits: [next.position, next.missed, 1]
    case .runs(_, let durationUsec): [next.position, next.missed, 2, durationUsec]
    }
  }

  static func numbers(_ span: LiteralSpan) -> [Int64] {
    [span.id, span.elapsedUsec, span.estimated ? 1 : 0] + span.causes.map { Int64($0.rawValue) }
  }

  private static func numbers(_ span: Span) -> [Int64] { numbers(LiteralSpan(span)) }
}

extension LiteralEvent: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    a.seq == b.seq && a.timeUsec == b.timeUsec && a.type == b.type && a.name == b.name
      && a.id == b.id && a.numbers == b.numbers
  }
}

/// The effect on its timer of an event that no client requested.
struct Effect {
  /// The remaining time after the event.
  enum Remaining {
    /// More by this amount.
    case more(Int64)
    /// More by this amount than the time until the next deadline of its repetition, which a snooze
    /// delayed.
    case grid(more: Int64)
    /// Exactly this amount at the event.
    case exactly(Int64)
  }

  var state = TimerState.running
  var remaining: Remaining?
  /// The length of the round or step that begins.
  var durationUsec: Int64?
  var position: Int64?
  var mark: Int64?
  var band: Int?
  /// Whether it is counted from the event, instead of from where it was counted before.
  var isSet = false
  /// The number of the event at the start of the span, if it was paused then and its counting
  /// continues; else 0.
  var pausedSeq: Int64 = 0
}

extension LiteralSpan {
  /// The same for a span of the real core.
  init(_ span: Span) {
    self.init(
      id: span.id, causes: span.causes, estimated: span.estimated,
      elapsedUsec: span.elapsedUsec, isOpen: span.left == nil)
  }
}
