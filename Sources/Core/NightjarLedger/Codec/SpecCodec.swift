internal import NightjarModel

extension SharedSpec: Shared {
  func write(to writer: inout ByteWriter) { writer.spec(self) }

  static func read(from reader: inout ByteReader) throws(StoreError) -> SharedSpec {
    try reader.spec()
  }
}

extension ByteWriter {
  fileprivate mutating func spec(_ spec: SharedSpec) {
    byte(spec.kind.rawValue)
    byte(spec.missed.rawValue | (spec.repeats ? 0x80 : 0))
    switch spec.late {
    case .fire: byte(0)
    case .skip: byte(1)
    case .fireWithin(let usec):
      byte(2)
      natural(usec)
    }
    natural(spec.rounds)
    natural(spec.bands.count)
    for band in spec.bands { self.band(band) }
    self.schedule(spec.schedule)
    natural(spec.steps.count)
    guard !spec.steps.isEmpty else { return }
    for step in spec.steps { self.step(step) }
    natural(spec.longEvery)
    byte(spec.afterSleep.rawValue)
  }

  private mutating func schedule(_ schedule: Schedule?) {
    guard let schedule else { return byte(0) }
    // A schedule without excluded days and without a last day has the form of older versions.
    let hasDays = !schedule.except.isEmpty || schedule.until != nil
    byte(hasDays ? 2 : 1)
    string(schedule.expression)
    string(schedule.zone)
    guard hasDays else { return }
    natural(schedule.until.map { Int64($0) + 1 } ?? 0)
    natural(schedule.except.count)
    for range in schedule.except {
      natural(Int64(range.first))
      natural(Int64(range.last - range.first))
    }
  }

  mutating func band(_ band: Band) {
    string(band.name)
    natural(band.remainingUsec)
    string(band.color)
    string(band.text)
    byte(band.progress == nil ? 0 : 1)
    guard let range = band.progress else { return }
    natural(range.from)
    natural(range.to)
  }

  private mutating func step(_ step: Step) {
    string(step.name)
    natural(step.durationUsec)
    byte((step.waits ? 1 : 0) | (step.isBreak ? 2 : 0) | (step.longUsec == nil ? 0 : 4))
    if let longUsec = step.longUsec { natural(longUsec) }
  }
}

extension ByteReader {
  fileprivate mutating func spec() throws(StoreError) -> SharedSpec {
    guard let kind = TimerKind(rawValue: try byte()) else { throw .damaged("a kind is unknown") }
    let flags = try byte()
    guard let missed = MissedPolicy(rawValue: flags & 0x7F) else {
      throw .damaged("a policy is unknown")
    }
    let late: LatePolicy
    switch try byte() {
    case 0: late = .fire
    case 1: late = .skip
    case 2: late = .fireWithin(usec: try natural())
    default: throw .damaged("a policy is unknown")
    }
    let rounds = try natural()
    var bands: [Band] = []
    for _ in 0..<(try natural(upTo: Limits.bands)) { bands.append(try band()) }
    let schedule = try schedule()
    var steps: [Step] = []
    for _ in 0..<(try natural(upTo: Limits.steps)) { steps.append(try step()) }
    let longEvery = steps.isEmpty ? 0 : try natural()
    let afterSleep = steps.isEmpty ? .continue : AfterSleep(rawValue: try byte())
    guard let afterSleep else { throw .damaged("a policy is unknown") }
    let shared = TimerSpec.Shared(
      kind: kind, repeats: flags & 0x80 != 0, rounds: rounds, schedule: schedule, steps: steps,
      longEvery: longEvery, afterSleep: afterSleep, bands: bands, late: late, missed: missed)
    do { try shared.check() } catch {
      throw .damaged("a timer cannot be so: \(error.reason)")
    }
    return SharedSpec(shared)
  }

  private mutating func schedule() throws(StoreError) -> Schedule? {
    let form = try byte()
    guard form != 0 else { return nil }
    guard form <= 2 else { throw .damaged("a schedule has an unknown form") }
    var schedule = Schedule(expression: try string(), zone: try string())
    guard form == 2 else { return schedule }
    let days = Int(Limits.days.upperBound) + 1
    let until = Int32(try natural(upTo: days))
    schedule.until = until == 0 ? nil : until - 1
    for _ in 0..<(try natural(upTo: Limits.exceptRanges)) {
      let first = Int32(try natural(upTo: days))
      let last = first + Int32(try natural(upTo: days))
      schedule.except.append(DayRange(first: first, last: last))
    }
    return schedule
  }

  mutating func band() throws(StoreError) -> Band {
    var band = Band(
      name: try string(), remainingUsec: try natural(), color: try string(), text: try string())
    if try byte() != 0 { band.progress = ProgressRange(from: try natural(), to: try natural()) }
    return band
  }

  private mutating func step() throws(StoreError) -> Step {
    let name = try string()
    let durationUsec = try natural()
    let flags = try byte()
    guard flags <= 7 else { throw .damaged("a step has flags that are unknown") }
    return Step(
      name: name, durationUsec: durationUsec, waits: flags & 1 != 0, isBreak: flags & 2 != 0,
      longUsec: flags & 4 != 0 ? try natural() : nil)
  }
}
