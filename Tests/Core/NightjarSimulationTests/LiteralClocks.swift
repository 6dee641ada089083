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

extension LiteralSpan {
  /// The same for a span of the real core.
  init(_ span: Span) {
    self.init(
      id: span.id, causes: span.causes, estimated: span.estimated,
      elapsedUsec: span.elapsedUsec, isOpen: span.left == nil)
  }
}

/// The time that passed on each clock, in microseconds.
struct Amount: Equatable {
  var elapsed: Int64 = 0
  var awake: Int64 = 0
  var wall: Int64 = 0
  /// The time on `awake` while the user was there.
  var present: Int64 = 0

  subscript(timeline: Timeline) -> Int64 {
    switch timeline {
    case .elapsed: elapsed
    case .awake: awake
    case .wall: wall
    case .present: present
    }
  }

  static func += (a: inout Amount, b: Amount) {
    a.elapsed += b.elapsed
    a.awake += b.awake
    a.wall += b.wall
    a.present += b.present
  }
}

/// Why a timer is late, and the number of the span, or 0.
struct Blame: Equatable {
  var cause: LateCause
  var span: Int64
}

/// Something that made a timer overdue, and by how much it was overdue before and after, negative
/// if it was not.
struct Jump {
  var blame: Blame
  var before: Int64
  var after: Int64
  /// The time that the span hid and that an awake clock does not count.
  var hiddenUsec: Int64 = 0
  var nap: Nap?

  /// The machine slept while the daemon was down: how long it was awake and asleep, and whether the
  /// beginning is only estimated.
  struct Nap {
    var awakeUsec, asleepUsec: Int64
    var isEstimated: Bool
  }

  /// The blame for an expiry that was overdue by this much at the end of the span.
  func blame(overdue usec: Int64) -> Blame {
    guard let nap, usec > nap.awakeUsec || nap.isEstimated && usec <= nap.asleepUsec else {
      return blame
    }
    return Blame(cause: .sleep, span: blame.span)
  }
}
