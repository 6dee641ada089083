import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarTestSupport

/// A request of a client.
enum Request: CustomStringConvertible {
  case start(
    String, durationUsec: Int64, atUsec: Int64?, clock: Timeline, spec: SharedSpec,
    course: ModelCourse = ModelCourse(), replace: Bool, ifAbsent: Bool, data: [UInt8])
  case change(NightjarModel.Operation, String, byUsec: Int64)
  /// An answer from elsewhere: the number of the expiry that it saw, and how long ago it was given.
  case answer(NightjarModel.Operation, String, expiry: Int64, byUsec: Int64, agoUsec: Int64)
  /// The same for all timers, in the order of their ids.
  case changeAll(NightjarModel.Operation, byUsec: Int64)
  case bands(String, [Band])
  case days(String, except: [DayRange], until: Int32?, expression: String? = nil)
  /// A request of a person. Requests with the same number are undone together.
  indirect case personal(Request, group: Int)
  case undo
  case rename(String, to: String)

  var description: String {
    switch self {
    case .start(
      let name, let usec, let at, let clock, let spec, let course, let replace, let ifAbsent, _):
      "start \(name) \(usec) \(at.map { "at \($0) " } ?? "")\(clock) \(Self.text(spec))"
        + (course.ringForUsec.map { " rings for \($0)" } ?? "")
        + (course.insistUsec > 0 ? " insists after \(course.insistUsec)" : "")
        + "\(replace ? " replace" : "")\(ifAbsent ? " if-absent" : "")"
    case .change(let operation, let name, let by): "\(operation) \(name) \(by)"
    case .answer(let operation, let name, let expiry, let by, let ago):
      "\(operation) \(name) \(by) for \(expiry), \(ago) ago"
    case .changeAll(let operation, let by): "\(operation) --all \(by)"
    case .personal(let request, let group): "\(request) by person \(group)"
    case .undo: "undo"
    case .rename(let name, let newName): "rename \(name) to \(newName)"
    case .bands(let name, let bands): "bands of \(name): \(bands.map(\.remainingUsec))"
    case .days(let name, let except, let until, let expression):
      "days of \(name): not \(Self.text(except)), until \(until ?? -1)"
        + (expression.map { ", at \($0)" } ?? "")
    }
  }

  private static func text(_ ranges: [DayRange]) -> String {
    ranges.map { "\($0.first)..\($0.last)" }.joined(separator: " ")
  }

  private static func text(_ spec: SharedSpec) -> String {
    if spec.isPlain { return "" }
    let steps = spec.steps.map {
      "\($0.durationUsec)\($0.waits ? "w" : "")\($0.isBreak ? "b" : "")"
    }
    return "\(spec.kind) bands \(spec.bands.map(\.remainingUsec)) \(spec.late) \(spec.missed)"
      + " \(spec.repeats ? "repeats " : "")\(spec.rounds) \(spec.schedule?.expression ?? "")"
      + " not \(text(spec.schedule?.except ?? [])) until \(spec.schedule?.until ?? -1)"
      + " \(steps) \(spec.longEvery) \(spec.afterSleep) \(spec.afterAway)"
  }

  /// Sends the request to the real core. Returns its refusal.
  func perform(on core: TimerCore, at now: Moment) -> EngineError? {
    let engine = core.engine
    do {
      switch self {
      case .start(
        let name, let usec, let at, let clock, let spec, let course, let replace, let ifAbsent,
        let data):
        _ = try engine.start(
          name, durationUsec: usec, atUsec: at, clock: clock, spec: spec,
          attachments: Attachments(data: data, ring: course.ring),
          wakes: usec % 2 == 1 && !clock.countsUptime, replace: replace, ifAbsent: ifAbsent, at: now
        )
      case .change(let operation, let name, let by):
        try Self.change(operation, try engine.require(name), by, of: engine, at: now)
      case .answer(let operation, let name, let expiry, let by, let ago):
        try engine.perform(
          operation, try engine.require(name), byUsec: by, expiry: expiry, agoUsec: ago, at: now)
      case .changeAll(let operation, let by): Self.changeAll(operation, by, of: engine, at: now)
      case .personal(let request, let group):
        var refusal: EngineError?
        try engine.asPerson("\(group)") { () throws(EngineError) in
          refusal = request.perform(on: core, at: now)
        }
        return refusal
      case .undo: _ = try engine.undo(at: now)
      case .rename(let name, let newName):
        try engine.rename(try engine.require(name), to: newName, at: now)
      case .bands(let name, let bands):
        try engine.update(try engine.require(name), bands: bands, at: now)
      case .days(let name, let except, let until, let expression):
        let slot = try engine.require(name)
        var spec = engine.timerSpec(at: slot)
        spec.shared.schedule?.except = except
        spec.shared.schedule?.until = until
        if let expression { spec.shared.schedule?.expression = expression }
        try engine.update(slot, to: spec, at: now)
      }
      return nil
    } catch {
      return error
    }
  }

  private static func change(
    _ operation: NightjarModel.Operation, _ slot: Int, _ by: Int64, of engine: Engine,
    at now: Moment
  ) throws(EngineError) {
    switch operation {
    case .update: try engine.update(slot, data: RingModel.data(by), at: now)
    default: try engine.perform(operation, slot, byUsec: by, at: now)
    }
  }

  /// Snoozed rings are left alone, as by `performOnAll` of the model.
  private static func changeAll(
    _ operation: NightjarModel.Operation, _ by: Int64, of engine: Engine, at now: Moment
  ) {
    let slots = (0..<engine.slotEnd).filter { engine.isOccupied($0) }
    for slot in slots.sorted(by: { engine.timer(at: $0).id < engine.timer(at: $1).id }) {
      let timer = engine.timer(at: slot)
      let isLeftAlone =
        (operation == .dismiss || operation == .snooze) && timer.ring?.isSnoozed == true
      if timer.spec.kind == .stopwatch || isLeftAlone { continue }
      try? change(operation, slot, by, of: engine, at: now)
    }
  }

  /// Sends the request to the model. Returns its refusal.
  func perform(on model: RingModel) -> EngineError? {
    // A timer that runs now may stand still because of an absence.
    defer { model.beginAbsenceIfNeeded() }
    return answer(of: model)
  }

  private func answer(of model: RingModel) -> EngineError? {
    switch self {
    case .start(
      let name, let usec, let at, let clock, let spec, let course, let replace, let ifAbsent,
      let data):
      model.start(
        name, durationUsec: usec, atUsec: at, clock: clock, spec: spec, course: course, data: data,
        replace: replace, ifAbsent: ifAbsent)
    case .change(let operation, let name, let by): model.perform(operation, name, byUsec: by)
    case .answer(let operation, let name, let expiry, let by, let ago):
      model.perform(operation, name, byUsec: by, expiry: expiry, agoUsec: ago)
    case .changeAll(let operation, let by):
      {
        model.performOnAll(operation, byUsec: by)
        return nil
      }()
    case .personal(let request, let group):
      {
        model.person = group
        defer { model.person = nil }
        return request.perform(on: model)
      }()
    case .undo: model.undo()
    case .rename(let name, let newName): model.rename(name, to: newName)
    case .bands(let name, let bands): model.update(name, bands: bands)
    case .days(let name, let except, let until, let expression):
      model.update(name, except: except, until: until, expression: expression)
    }
  }
}

extension ModelCourse {
  /// The same as an attachment; nil: as is usual.
  var ring: EncodedRing? {
    guard self != ModelCourse() else { return nil }
    let insistUsec = insistUsec > 0 ? insistUsec : nil
    let parts = [
      ringForUsec.map { "\"ring_for_usec\":\($0)" }, insistUsec.map { "\"insist_usec\":\($0)" },
    ].compactMap { $0 }
    return EncodedRing(
      publicJSON: Array("{\(parts.joined(separator: ","))}".utf8), forUsec: ringForUsec,
      insistUsec: insistUsec)
  }
}

/// The events of a run, chosen by a random generator.
struct Scenario {
  var random: SplitMix
  /// A separate generator for undo, so that known seeds keep the rest of their scenario.
  var undoRandom: SplitMix
  /// A separate generator for new names.
  private var nameRandom: SplitMix
  /// A separate generator for rings.
  private var ringRandom: SplitMix
  private var group = 0
  /// There are few names, so that they collide.
  let names: [String]
  /// A duration that is used often, so that deadlines are equal.
  let usualUsec: Int64

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    undoRandom = SplitMix(seed: ~seed)
    nameRandom = SplitMix(seed: seed &+ 0x6E61_6D65)
    ringRandom = SplitMix(seed: seed &+ 0x7269_6E67)
    let count = 3 + random.below(6)
    names = (0..<count).map { ["tea\($0)", "thé\($0)", "run/\($0)/mate"][$0 % 3] }
    usualUsec = random.pick([7, 1_000_000, 60_000_000, 3_600_000_000])
  }

  /// From a microsecond to days, often the usual one.
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

  /// Most requests are those of a person, and some are about several timers.
  mutating func personal(_ request: Request) -> Request {
    guard undoRandom.chance(75) else { return request }
    if undoRandom.chance(65) { group += 1 }
    return .personal(request, group: group)
  }

  /// Sometimes renames a timer. The name is short or long, and may be taken.
  mutating func renaming() -> [Request] {
    guard nameRandom.chance(8) else { return [] }
    let longer = names.map { "\($0) whose name is too long for its record" }
    let request = Request.rename(
      spelled(nameRandom.pick(names + longer)), to: spelled(nameRandom.pick(names + longer)))
    return [nameRandom.chance(70) ? personal(request) : request]
  }

  /// Often answers the open rings, most often with a snooze.
  mutating func answers(_ timers: [ModelTimer]) -> [Request] {
    let open = timers.filter { $0.ring != nil }
    guard !open.isEmpty, ringRandom.chance(50) else { return [] }
    let (timer, usec) = (ringRandom.pick(open), snoozeUsec())
    let request: Request
    switch ringRandom.below(20) {
    case 0..<9: request = .change(.snooze, timer.name, byUsec: usec)
    case 9..<12: request = .change(ringRandom.pick([.stop, .dismiss]), timer.name, byUsec: 0)
    case 12..<18:
      request = .answer(
        ringRandom.pick([.snooze, .snooze, .dismiss, .stop]), timer.name,
        expiry: (timer.ring?.number ?? 0) + ringRandom.pick([0, 0, 0, -1, 1]), byUsec: usec,
        agoUsec: ringRandom.pick([0, 1, ringRandom.usec(0...60_000_000), usec]))
    case 18: request = .changeAll(ringRandom.pick([.dismiss, .snooze, .snooze]), byUsec: usec)
    default: request = .change(.stop, ringRandom.pick(names), byUsec: 0)
    }
    guard ringRandom.chance(75) else { return [request] }
    if ringRandom.chance(65) { group += 1 }
    // Sometimes a person who has made changes before another one did.
    return [.personal(request, group: max(0, group - ringRandom.pick([0, 0, 0, 1, 2])))]
  }

  private mutating func snoozeUsec() -> Int64 {
    switch ringRandom.below(5) {
    case 0: usualUsec
    case 1: ringRandom.usec(1...10_000_000)
    case 2: ringRandom.usec(1...600_000_000)
    default: ringRandom.usec(1...40_000_000_000)
    }
  }

  /// How the ring of a timer sounds; of most, as is usual.
  private mutating func course() -> ModelCourse {
    ModelCourse(
      ringForUsec: ringRandom.chance(25)
        ? ringRandom.pick([0, ringRandom.usec(1_000_000...30_000_000), 60_000_000]) : nil,
      insistUsec: ringRandom.chance(30)
        ? ringRandom.pick([1_000_000, ringRandom.usec(1_000_000...60_000_000), 60_000_000]) : 0)
  }

  /// A name in one of its spellings: é is one code point, or two.
  private mutating func spelled(_ name: String) -> String {
    let spellings: [Character] = ["\u{E9}", "e\u{301}"]
    let letter = nameRandom.pick(spellings)
    return String(name.map { $0 == letter ? letter : $0 })
  }

  /// The time until a person notices something.
  mutating func shortUsec() -> Int64 {
    undoRandom.chance(25)
      ? undoRandom.pick([0, 1, 59_999_999, 60_000_000, 60_000_001])
      : undoRandom.usec(0...45_000_000)
  }

  mutating func timeline() -> Timeline {
    random.pick([.elapsed, .elapsed, .awake, .awake, .wall, .present, .present])
  }

  /// - Parameter wallUsec: the wall clock's time, for alarms.
  mutating func request(wallUsec: Int64) -> Request {
    let name = spelled(random.pick(names))
    if random.chance(40) {
      let odd = random.chance(3)
      let spec = spec()
      let clock = timeline()
      return .start(
        name,
        durationUsec: odd
          ? random.pick([0, -1, .min, .max, Limits.durationUsec + 1])
          : spec.repeats ? periodUsec() : durationUsec(),
        atUsec: spec.kind == .alarm && spec.schedule == nil
          ? wallUsec + (odd ? -1 : durationUsec()) : nil,
        clock: clock, spec: Self.withAway(spec, on: clock), course: course(),
        replace: random.chance(25),
        ifAbsent: random.chance(20), data: random.chance(30) ? [0x7B, 0x7D] : [])
    }
    if random.chance(4) { return .bands(name, bands()) }
    if random.chance(3) {
      return .days(
        name, except: except(from: wallUsec), until: until(from: wallUsec),
        expression: expression())
    }
    if random.chance(8) {
      return .change(random.chance(70) ? .skip : .unskip, name, byUsec: 0)
    }
    // Paused timers are resumed in many of the runs.
    let operation =
      random.chance(15)
      ? random.pick([.pause, .resume])
      : random.pick(NightjarModel.Operation.allCases.filter { $0 != .stop })
    return .change(operation, name, byUsec: byUsec(operation))
  }

  /// The specification of a timer; half of them are plain countdowns.
  private mutating func spec() -> SharedSpec {
    let late: LatePolicy = random.pick([
      .fire, .fire, .skip, .fireWithin(usec: random.pick([0, usualUsec, 60_000_000])),
    ])
    let missed = random.pick(MissedPolicy.allCases)
    let rounds: Int64 = random.pick([0, 0, 1, 2, 5])
    let made =
      switch random.below(10) {
      case 0...3: SharedSpec.plain
      case 4: try? SharedSpec(kind: .countdown, bands: bands(), late: late)
      case 5:
        try? SharedSpec(
          kind: .countdown, bands: random.chance(40) ? bands() : [], late: late, missed: missed,
          repeats: true, rounds: rounds)
      case 6: try? SharedSpec(kind: .alarm, bands: random.chance(40) ? bands() : [], late: late)
      case 7:
        try? SharedSpec(
          kind: .alarm, bands: random.chance(40) ? bands() : [], late: late, missed: missed,
          rounds: rounds, schedule: schedule())
      case 8: try? SharedSpec(kind: .stopwatch, late: late)
      default: sequence(late: late, missed: missed, rounds: rounds)
      }
    return made ?? .plain
  }

  private mutating func sequence(
    late: LatePolicy, missed: MissedPolicy, rounds: Int64
  ) -> SharedSpec? {
    let longEvery: Int64 = random.chance(40) ? random.pick([1, 2, 4]) : 0
    var steps = (0..<1 + random.below(4)).map { index in
      Step(
        name: "step\(index)", durationUsec: periodUsec(), waits: random.chance(15),
        isBreak: random.chance(40))
    }
    if longEvery > 0 { steps[steps.count - 1].longUsec = periodUsec() }
    return try? SharedSpec(
      kind: .sequence, bands: random.chance(30) ? bands() : [], late: late, missed: missed,
      rounds: rounds, steps: steps, longEvery: longEvery,
      afterSleep: random.pick([.continue, .pause, .restart]))
  }

  /// A sequence with policies that follow from its steps: a pick would change the rest of each
  /// seed, and some seeds once showed a fault.
  private static func withAway(_ spec: SharedSpec, on clock: Timeline) -> SharedSpec {
    guard spec.kind == .sequence else { return spec }
    var content = spec.content
    let pick = content.steps.reduce(0) { ($0 &+ $1.durationUsec) % 1009 }
    if pick % 4 == 0 { content.afterSleep = .break }
    if clock == .present { content.afterAway = AfterSpan.allCases[Int(pick / 4 % 4)] }
    return SharedSpec(content)
  }

  private mutating func schedule() -> Schedule {
    let period = periodUsec()
    let end =
      random.chance(15) ? "/\(1_700_000_000_000_000 + random.usec(1...400_000_000_000))" : ""
    return Schedule(
      expression: "\(period)/\(random.usec(0...period - 1))\(end)",
      zone: random.chance(50) ? "" : "Fixed",
      except: random.chance(40) ? except(from: Self.startUsec) : [],
      until: random.chance(20) ? until(from: Self.startUsec) : nil)
  }

  /// Sometimes another calendar expression for an alarm.
  private mutating func expression() -> String? {
    guard nameRandom.chance(40) else { return nil }
    let period = nameRandom.usec(100_000_000...30_000_000_000)
    return "\(period)/\(nameRandom.usec(0...period - 1))"
  }

  private static let startUsec: Int64 = 1_700_000_000_000_000

  /// Some days of the next two weeks.
  private mutating func except(from wallUsec: Int64) -> [DayRange] {
    let today = Int32(wallUsec / RingModel.dayUsec)
    return DayRange.merged(
      (0..<random.below(4)).map { _ in
        let first = today - 1 + Int32(random.below(12))
        return DayRange(first: first, last: first + Int32(random.below(3)))
      })
  }

  private mutating func until(from wallUsec: Int64) -> Int32? {
    random.chance(40) ? nil : Int32(wallUsec / RingModel.dayUsec) - 1 + Int32(random.below(20))
  }

  /// A period of a repeating timer; long enough that not every sleep has thousands of expiries.
  private mutating func periodUsec() -> Int64 {
    if random.chance(30), usualUsec >= 60_000_000 { return usualUsec }
    if random.chance(3) { return random.usec(20_000_000...60_000_000) }
    return random.chance(30)
      ? random.usec(100_000_000...600_000_000) : random.usec(300_000_000...30_000_000_000)
  }

  private mutating func bands() -> [Band] {
    let thresholds = Set((0..<random.below(4)).map { _ in durationUsec() }).sorted(by: >)
    return thresholds.enumerated().map { Band(name: "band\($0.offset)", remainingUsec: $0.element) }
  }

  private mutating func byUsec(_ operation: NightjarModel.Operation) -> Int64 {
    if random.chance(3) { return random.pick([.min, .max, 0, Limits.durationUsec]) }
    let usec = durationUsec()
    return operation == .extend && random.chance(50) ? -usec : usec
  }

  /// What happens between two loop iterations: time that passes awake or asleep, and steps of the
  /// wall clock.
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

  /// A step of the wall clock, often back behind an expiry that joined a ring.
  mutating func stepUsec(_ timers: [ModelTimer], wallUsec: Int64) -> Int64 {
    let usec = stepUsec()
    let joined = timers.lazy.compactMap { $0.ring?.joined.first }.first
    guard let joined, joined.dueUsec < wallUsec, ringRandom.chance(50) else { return usec }
    return joined.dueUsec - wallUsec - 1
  }

  mutating func reboot() -> Part {
    .rebooted(
      offUsec: random.usec(0...20_000_000_000), uptimeUsec: random.usec(1...90_000_000),
      errorUsec: random.chance(40) ? 0 : random.pick([1, -1]) * random.usec(0...20_000_000_000))
  }
}
