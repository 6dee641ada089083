import NightjarCore

/// The true clocks: what the model goes by instead of the engine's readings.
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

  /// What passed since `earlier`, of the same boot.
  func since(_ earlier: LiteralClocks) -> Amount {
    Amount(
      elapsed: boottimeUsec - earlier.boottimeUsec,
      awake: monotonicUsec - earlier.monotonicUsec, wall: wallUsec - earlier.wallUsec)
  }
}

/// Something that really happens to the machine.
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

/// A span as the model knows it.
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

/// An entry of the ledger, as far as the model can know it: deadlines are the engine's own affair.
struct LiteralEvent: Equatable, CustomStringConvertible {
  var seq: Int64
  var timeUsec: Int64
  var type: String
  /// The timer; empty and 0 for the machine.
  var name = ""
  var id: Int64 = 0
  var numbers: [Int64] = []

  var isRequested: Bool {
    id != 0 && type != "fired" && type != "expired"
  }

  var description: String {
    "#\(seq) \(type) \(name)\(id == 0 ? "" : "(\(id))") \(numbers) at \(timeUsec)"
  }

  init(
    seq: Int64, timeUsec: Int64, type: String, name: String = "", id: Int64 = 0,
    numbers: [Int64] = []
  ) {
    self.seq = seq
    self.timeUsec = timeUsec
    self.type = type
    self.name = name
    self.id = id
    self.numbers = numbers
  }

  /// What an event of the real core says, without its deadlines.
  init(_ event: Event) {
    self.init(
      seq: event.seq, timeUsec: event.timeUsec, type: String(describing: event.typeName),
      name: event.subject?.name ?? "", id: event.subject?.id ?? 0)
    switch event.kind {
    case .started(let clock, let durationUsec, _, let attachments, _):
      numbers = [Int64(clock.rawValue), durationUsec, Int64(attachments.data.count)]
    case .paused(let remainingUsec), .cancelled(_, let remainingUsec): numbers = [remainingUsec]
    case .extended(let byUsec, _), .snoozed(let byUsec, _): numbers = [byUsec]
    case .updated(let attachments): numbers = [Int64(attachments.data.count)]
    case .fired(_, let lateUsec, let cause, let span):
      numbers = [lateUsec, Int64(cause?.rawValue ?? 0), span]
    case .enteredBackground(let span), .leftBackground(let span): numbers = Self.numbers(span)
    case .spanCorrected(let span, let byUsec, _): numbers = Self.numbers(span) + [byUsec]
    case .clockStepped(let byUsec): numbers = [byUsec]
    case .resumed, .restarted, .dismissed, .removed, .expired: break
    }
  }

  static func numbers(_ span: LiteralSpan) -> [Int64] {
    [span.id, span.elapsedUsec, span.estimated ? 1 : 0] + span.causes.map { Int64($0.rawValue) }
  }

  private static func numbers(_ span: Span) -> [Int64] { numbers(LiteralSpan(span)) }
}

extension LiteralSpan {
  /// What the real core says of a span.
  init(_ span: Span) {
    self.init(
      id: span.id, causes: span.causes, estimated: span.estimated,
      elapsedUsec: span.elapsedUsec, isOpen: span.left == nil)
  }
}
