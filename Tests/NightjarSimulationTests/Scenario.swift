import NightjarCore
import NightjarStore

/// Something that people ask for.
enum Request: CustomStringConvertible {
  case start(
    String, durationUsec: Int64, clock: Timeline, replace: Bool, ifAbsent: Bool, data: [UInt8])
  case change(NightjarCore.Operation, String, byUsec: Int64)

  var description: String {
    switch self {
    case .start(let name, let usec, let clock, let replace, let ifAbsent, _):
      "start \(name) \(usec) \(clock)\(replace ? " replace" : "")\(ifAbsent ? " if-absent" : "")"
    case .change(let operation, let name, let by): "\(operation) \(name) \(by)"
    }
  }

  /// Asks the real core; answers with its refusal.
  func perform(on service: TimerService, at now: Moment) -> EngineError? {
    let engine = service.engine
    do {
      switch self {
      case .start(let name, let usec, let clock, let replace, let ifAbsent, let data):
        _ = try engine.start(
          name, durationUsec: usec, clock: clock, attachments: Attachments(data: data),
          wakes: usec % 2 == 1,
          replace: replace, ifAbsent: ifAbsent, at: now)
      case .change(let operation, let name, let by):
        try Self.change(operation, try engine.require(name), by, of: engine, at: now)
      }
      return nil
    } catch {
      return error
    }
  }

  private static func change(
    _ operation: NightjarCore.Operation, _ slot: Int, _ by: Int64, of engine: Engine, at now: Moment
  ) throws(EngineError) {
    switch operation {
    case .pause: try engine.pause(slot, at: now)
    case .resume: try engine.resume(slot, at: now)
    case .cancel: try engine.cancel(slot, at: now)
    case .restart: try engine.restart(slot, at: now)
    case .extend: try engine.extend(slot, byUsec: by, at: now)
    case .snooze: try engine.snooze(slot, byUsec: by, at: now)
    case .dismiss: try engine.dismiss(slot, at: now)
    case .remove: try engine.remove(slot, at: now)
    case .update: try engine.update(slot, labels: nil, data: LiteralModel.data(by), at: now)
    }
  }

  /// Asks the model; answers with its refusal.
  func perform(on model: LiteralModel) -> EngineError? {
    switch self {
    case .start(let name, let usec, let clock, let replace, let ifAbsent, let data):
      model.start(
        name, durationUsec: usec, clock: clock, data: data, replace: replace, ifAbsent: ifAbsent)
    case .change(let operation, let name, let by):
      model.perform(operation, name, byUsec: by)
    }
  }
}

/// What happens in the runs, chosen by a generator.
struct Scenario {
  var random: SplitMix64
  /// Names are few, so that they meet.
  let names: [String]
  /// A duration that comes back, so that deadlines are equal.
  let usualUsec: Int64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let count = 3 + random.below(6)
    names = (0..<count).map { $0 % 3 == 2 ? "run/\($0)/mate" : "tea\($0)" }
    usualUsec = random.pick([7, 1_000_000, 60_000_000, 3_600_000_000])
  }

  /// From a microsecond to days, the usual one often.
  mutating func durationUsec() -> Int64 {
    if random.chance(35) { return usualUsec }
    switch random.below(8) {
    case 0: return random.usec(1...20)
    case 1: return random.usec(1...200_000)
    case 2, 3: return random.usec(1...10_000_000)
    case 4, 5: return random.usec(1...600_000_000)
    case 6: return random.usec(1...20_000_000_000)
    default: return random.usec(1...300_000_000_000)
    }
  }

  mutating func timeline() -> Timeline { random.pick([.elapsed, .elapsed, .awake, .awake, .wall]) }

  mutating func request() -> Request {
    let name = random.pick(names)
    if random.chance(40) {
      let odd = random.chance(3)
      return .start(
        name,
        durationUsec: odd
          ? random.pick([0, -1, .min, .max, Engine.maximumDurationUsec + 1]) : durationUsec(),
        clock: timeline(), replace: random.chance(25), ifAbsent: random.chance(20),
        data: random.chance(30) ? [0x7B, 0x7D] : [])
    }
    let operation = random.pick(NightjarCore.Operation.allCases)
    return .change(operation, name, byUsec: byUsec(operation))
  }

  private mutating func byUsec(_ operation: NightjarCore.Operation) -> Int64 {
    if random.chance(3) { return random.pick([.min, .max, 0, Engine.maximumDurationUsec]) }
    let usec = durationUsec()
    return operation == .extend && random.chance(50) ? -usec : usec
  }

  /// Time that passes unseen: running, asleep, with the wall clock set meanwhile.
  mutating func hiddenParts() -> [Part] {
    (0..<1 + random.below(3)).map { _ in
      switch random.below(10) {
      case 0...4: .ran(hiddenUsec())
      case 5...7: .slept(hiddenUsec())
      default: .stepped(stepUsec())
      }
    }
  }

  mutating func hiddenUsec() -> Int64 {
    if random.chance(20) { return usualUsec }
    switch random.below(6) {
    case 0: return random.usec(0...150_000)
    case 1: return random.usec(0...1_500_000)
    case 2, 3: return random.usec(0...60_000_000)
    case 4: return random.usec(0...10_000_000_000)
    default: return random.usec(0...200_000_000_000)
    }
  }

  mutating func stepUsec() -> Int64 {
    let usec: Int64 =
      switch random.below(4) {
      case 0: random.pick([1, 9_999, 10_000, 10_001])
      case 1: random.usec(1...100_000)
      case 2: usualUsec
      default: random.usec(1...10_000_000_000)
      }
    return random.chance(50) ? usec : -usec
  }

  mutating func reboot() -> Part {
    .rebooted(
      offUsec: random.usec(0...20_000_000_000), uptimeUsec: random.usec(1...90_000_000),
      errorUsec: random.chance(40) ? 0 : random.pick([1, -1]) * random.usec(0...20_000_000_000))
  }
}
