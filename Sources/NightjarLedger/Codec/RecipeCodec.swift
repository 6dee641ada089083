internal import NightjarCore

extension Recipe: Shared {
  func write(to writer: inout ByteWriter) { writer.recipe(self) }

  static func read(from reader: inout ByteReader) throws(StoreError) -> Recipe {
    try reader.recipe()
  }
}

extension ByteWriter {
  fileprivate mutating func recipe(_ recipe: Recipe) {
    byte(recipe.kind.rawValue)
    byte(recipe.missed.rawValue | (recipe.repeats ? 0x80 : 0))
    switch recipe.late {
    case .fire: byte(0)
    case .skip: byte(1)
    case .fireWithin(let usec):
      byte(2)
      natural(usec)
    }
    natural(recipe.rounds)
    natural(recipe.bands.count)
    for band in recipe.bands { self.band(band) }
    byte(recipe.schedule == nil ? 0 : 1)
    if let schedule = recipe.schedule {
      string(schedule.expression)
      string(schedule.zone)
    }
    natural(recipe.steps.count)
    guard !recipe.steps.isEmpty else { return }
    for step in recipe.steps { self.step(step) }
    natural(recipe.longEvery)
    byte(recipe.afterSleep.rawValue)
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
  fileprivate mutating func recipe() throws(StoreError) -> Recipe {
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
    for _ in 0..<(try natural(upTo: Recipe.maximumBands)) { bands.append(try band()) }
    var schedule: Schedule?
    if try byte() != 0 { schedule = Schedule(expression: try string(), zone: try string()) }
    var steps: [Step] = []
    for _ in 0..<(try natural(upTo: Recipe.maximumSteps)) { steps.append(try step()) }
    let longEvery = steps.isEmpty ? 0 : try natural()
    let afterSleep = steps.isEmpty ? .continue : AfterSleep(rawValue: try byte())
    guard let afterSleep else { throw .damaged("a policy is unknown") }
    do throws(RecipeProblem) {
      return try Recipe(
        kind: kind, bands: bands, late: late, missed: missed, repeats: flags & 0x80 != 0,
        rounds: rounds, schedule: schedule, steps: steps, longEvery: longEvery,
        afterSleep: afterSleep)
    } catch {
      throw .damaged("a timer cannot be so: \(error.reason)")
    }
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
