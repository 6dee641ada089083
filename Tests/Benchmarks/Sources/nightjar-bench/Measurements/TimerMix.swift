internal import NightjarEngine
internal import NightjarModel
internal import NightjarTime

/// The timers with which the daemon's core is measured.
enum TimerMix: CaseIterable {
  /// Only countdowns.
  case plain
  /// A quarter countdowns, a quarter alarms that repeat, an eighth stopwatches, an eighth
  /// sequences, a quarter countdowns that repeat and have bands.
  case mixed

  var title: String {
    switch self {
    case .plain: "countdowns"
    case .mixed: "timers of all kinds"
    }
  }

  /// Starts the timer with this number. Each timer has its own specification, as in requests.
  func start(_ index: Int, in engine: Engine, at now: Moment) throws(EngineError) {
    let usec = 3_600_000_000 + Int64(index &* 2_654_435_761 % 1_000_000_007)
    var spec = self == .plain ? .plain : Self.spec(index)
    if spec.kind == .countdown { spec.durationUsec = usec }
    _ = try engine.start(Name.text(index), spec, at: now)
  }

  private static func spec(_ index: Int) -> TimerSpec {
    var spec = TimerSpec.plain
    switch index % 8 {
    case 0, 4: break
    case 1, 5:
      spec.kind = .alarm
      spec.schedule = Schedule(expression: expressions[index / 4 % expressions.count], zone: "")
    case 2: spec.kind = .stopwatch
    case 6:
      let minute: Int64 = 60_000_000
      spec.kind = .sequence
      spec.rounds = 4
      spec.steps = [
        Step(name: "work", durationUsec: (100 + Int64(index / 8 % 10)) * minute),
        Step(name: "rest", durationUsec: 5 * minute, isBreak: true, longUsec: 15 * minute),
      ]
      spec.longEvery = 4
    default:
      let second: Int64 = 1_000_000
      spec.repeats = true
      spec.bands = [
        Band(name: "warn", remainingUsec: (60 + Int64(index / 4 % 10)) * second, color: "orange"),
        Band(name: "urgent", remainingUsec: 10 * second, color: "red", text: "now"),
      ]
    }
    return spec
  }

  /// Fifty different expressions: times of day, on days of the week or of the month, in several
  /// zones. It is unlikely that one of these times comes while the benchmark runs.
  private static let expressions: [String] = (0..<50).map { variant in
    let days = ["*-*-*", "Mon..Fri *-*-*", "Sat,Sun *-*-*", "*-*-01", "*-*~01"][variant % 5]
    let zone = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"][variant % 4]
    return "\(days) \(hours[variant % 10]):\(10 + variant):00 \(zone)"
  }

  private static let hours = (0..<10).map { "0\($0)" }
}

/// The calendar expressions of systemd, computed as in the daemon.
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
