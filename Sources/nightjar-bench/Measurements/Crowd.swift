internal import NightjarCore
internal import NightjarTime

/// Whom the daemon's core is measured with.
enum Crowd: CaseIterable {
  /// Countdowns and no more.
  case plain
  /// A quarter countdowns, a quarter alarms that repeat, an eighth stopwatches, an eighth sequences,
  /// a quarter countdowns that repeat and have bands.
  case mixed

  var title: String {
    switch self {
    case .plain: "countdowns"
    case .mixed: "timers of all kinds"
    }
  }

  /// Starts the timer of a number; each with a recipe of its own, as requests bring them.
  func start(_ index: Int, in engine: Engine, at now: Moment) throws(EngineError) {
    let usec = 3_600_000_000 + Int64(index &* 2_654_435_761 % 1_000_000_007)
    let recipe: Recipe?
    switch self {
    case .plain: recipe = nil
    case .mixed:
      do throws(RecipeProblem) { recipe = try Self.recipe(index) } catch { throw .problem(error) }
    }
    let isCountdown = recipe.map { $0.kind == .countdown } ?? true
    _ = try engine.start(
      Name.text(index), durationUsec: isCountdown ? usec : 0, clock: .elapsed, recipe: recipe,
      at: now)
  }

  private static func recipe(_ index: Int) throws(RecipeProblem) -> Recipe? {
    switch index % 8 {
    case 0, 4: nil
    case 1, 5:
      try Recipe(
        kind: .alarm,
        schedule: Schedule(expression: expressions[index / 4 % expressions.count], zone: ""))
    case 2: try Recipe(kind: .stopwatch)
    case 6: try sequence(index / 8 % 10)
    default: try repeating(index / 4 % 10)
    }
  }

  private static func sequence(_ variant: Int) throws(RecipeProblem) -> Recipe {
    let minute: Int64 = 60_000_000
    return try Recipe(
      kind: .sequence, rounds: 4,
      steps: [
        Step(name: "work", durationUsec: (100 + Int64(variant)) * minute),
        Step(name: "rest", durationUsec: 5 * minute, isBreak: true, longUsec: 15 * minute),
      ], longEvery: 4)
  }

  private static func repeating(_ variant: Int) throws(RecipeProblem) -> Recipe {
    let second: Int64 = 1_000_000
    return try Recipe(
      kind: .countdown,
      bands: [
        Band(name: "warn", remainingUsec: (60 + Int64(variant)) * second, color: "orange"),
        Band(name: "urgent", remainingUsec: 10 * second, color: "red", text: "now"),
      ], repeats: true)
  }

  /// Fifty different: times of day, on days of the week or of the month, in several zones. None
  /// comes while the bench runs.
  private static let expressions: [String] = (0..<50).map { variant in
    let days = ["*-*-*", "Mon..Fri *-*-*", "Sat,Sun *-*-*", "*-*-01", "*-*~01"][variant % 5]
    let zone = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"][variant % 4]
    return "\(days) \(hours[variant % 10]):\(10 + variant):00 \(zone)"
  }

  private static let hours = (0..<10).map { "0\($0)" }
}

/// systemd's calendar, as the daemon asks it.
final class BenchCalendar: Calendar {
  private var known: [String: (expression: CalendarExpression, rules: ZoneRules)] = [:]

  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    let text = schedule.expression
    if known[text] == nil, let read = try? CalendarExpression(text, local: .utc) {
      guard case .named(let zone) = read.zone, let rules = ZoneDatabase.zone(named: zone) else {
        return nil
      }
      known[text] = (read, rules)
    }
    return known[text].flatMap { $0.expression.next(afterUsec: afterUsec, in: $0.rules) }
  }
}
