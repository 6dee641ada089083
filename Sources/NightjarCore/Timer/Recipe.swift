/// What a timer does.
public enum TimerKind: UInt8, CaseIterable, Sendable {
  /// Counts down a duration, once or again and again.
  case countdown = 0
  /// Rings at a point in time, or whenever a calendar expression comes round.
  case alarm = 1
  /// Counts up.
  case stopwatch = 2
  /// Goes from step to step.
  case sequence = 3
}

/// What becomes of something that came due while nobody could see it.
public enum LatePolicy: Hashable, Sendable {
  /// It rings, however late.
  case fire
  /// It does not ring; an event says so.
  case skip
  /// It rings if it is late by at most so many microseconds.
  case fireWithin(usec: Int64)
}

/// What becomes of something that came due more than once while nobody could see it.
public enum MissedPolicy: UInt8, CaseIterable, Sendable {
  /// The last of them rings, and says how many it stands for.
  case once = 0
  /// Each rings, up to `Engine.ringsPerSpan`.
  case each = 1
  /// None rings.
  case skip = 2
}

/// What becomes of a sequence after a background span in which a break would have had room.
public enum AfterSleep: UInt8, CaseIterable, Sendable {
  /// It goes on as the clock says.
  case `continue` = 0
  /// It is paused with what remained when the span was entered.
  case pause = 1
  /// A break is over; any other step begins anew.
  case restart = 2
}

/// A named stretch of what remains: from `remainingUsec` left down to the next band.
public struct Band: Hashable, Sendable {
  /// What it is called.
  public var name: String
  /// It begins when so much remains.
  public var remainingUsec: Int64
  /// A colour for those who draw it; empty for none.
  public var color: String
  /// A text for those who show it; empty for none.
  public var text: String
  /// What progress goes through in it, in millionths; nil: what the whole has.
  public var progress: ProgressRange?

  /// Makes a band.
  public init(
    name: String, remainingUsec: Int64, color: String = "", text: String = "",
    progress: ProgressRange? = nil
  ) {
    self.name = name
    self.remainingUsec = remainingUsec
    self.color = color
    self.text = text
    self.progress = progress
  }
}

/// From where to where progress goes in a band, in millionths, from 0 to 1,000,000.
public struct ProgressRange: Hashable, Sendable {
  /// Where it begins.
  public var from: Int64
  /// Where it ends; may be below `from`.
  public var to: Int64

  /// Makes a range.
  public init(from: Int64, to: Int64) {
    self.from = from
    self.to = to
  }
}

/// When a repeating alarm rings, in words that whoever stands for the calendar understands.
public struct Schedule: Hashable, Sendable {
  /// A systemd.time(7) calendar expression, normalised.
  public var expression: String
  /// A zone of the database; empty: the machine's own, whatever that is by then.
  public var zone: String

  /// Makes a schedule.
  public init(expression: String, zone: String) {
    self.expression = expression
    self.zone = zone
  }
}

/// One step of a sequence.
public struct Step: Hashable, Sendable {
  /// What it is called.
  public var name: String
  /// How long it takes, in microseconds.
  public var durationUsec: Int64
  /// At its end it waits to be told to go on.
  public var waits: Bool
  /// Whether it is there to rest in: a sleep that is longer takes its place.
  public var isBreak: Bool
  /// How long it takes in every `Recipe.longEvery`th round instead; nil: no other.
  public var longUsec: Int64?

  /// Makes a step.
  public init(
    name: String, durationUsec: Int64, waits: Bool = false, isBreak: Bool = false,
    longUsec: Int64? = nil
  ) {
    self.name = name
    self.durationUsec = durationUsec
    self.waits = waits
    self.isBreak = isBreak
    self.longUsec = longUsec
  }
}

/// Everything about a timer that is more than a countdown and does not change while it runs. Timers
/// with the same recipe share one.
public final class Recipe: Sendable {
  /// What it does.
  public let kind: TimerKind
  /// In the order in which they come, what remains falling.
  public let bands: [Band]
  /// What becomes of what came due unseen.
  public let late: LatePolicy
  /// What becomes of what came due more than once unseen.
  public let missed: MissedPolicy
  /// Whether a countdown begins again when it rings.
  public let repeats: Bool
  /// How often a countdown or an alarm that repeats rings, or a sequence is gone through; 0: without
  /// end.
  public let rounds: Int64
  /// When an alarm rings again; nil: it rings once.
  public let schedule: Schedule?
  /// Of a sequence.
  public let steps: [Step]
  /// In every so many rounds of a sequence its steps take their long time; 0: never.
  public let longEvery: Int64
  /// What becomes of a sequence after a sleep.
  public let afterSleep: AfterSleep
  /// Of everything above, worked out once: a recipe is looked up for each timer that has it.
  private let contentHash: Int

  /// What a plain countdown would have.
  public static let plain = Recipe(
    unchecked: .countdown, bands: [], late: .fire, missed: .once, repeats: false, rounds: 0,
    schedule: nil, steps: [], longEvery: 0, afterSleep: .continue)

  private init(
    unchecked kind: TimerKind, bands: [Band], late: LatePolicy, missed: MissedPolicy,
    repeats: Bool, rounds: Int64, schedule: Schedule?, steps: [Step], longEvery: Int64,
    afterSleep: AfterSleep
  ) {
    self.kind = kind
    self.bands = bands
    self.late = late
    self.missed = missed
    self.repeats = repeats
    self.rounds = rounds
    self.schedule = schedule
    self.steps = steps
    self.longEvery = longEvery
    self.afterSleep = afterSleep
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(bands)
    hasher.combine(late)
    hasher.combine(missed)
    hasher.combine(repeats)
    hasher.combine(rounds)
    hasher.combine(schedule)
    hasher.combine(steps)
    hasher.combine(longEvery)
    hasher.combine(afterSleep)
    contentHash = hasher.finalize()
  }

  /// Makes a recipe; refuses what makes no sense. O(bands + steps).
  public convenience init(
    kind: TimerKind, bands: [Band] = [], late: LatePolicy = .fire, missed: MissedPolicy = .once,
    repeats: Bool = false, rounds: Int64 = 0, schedule: Schedule? = nil, steps: [Step] = [],
    longEvery: Int64 = 0, afterSleep: AfterSleep = .continue
  ) throws(RecipeProblem) {
    self.init(
      unchecked: kind, bands: bands, late: late, missed: missed, repeats: repeats, rounds: rounds,
      schedule: schedule, steps: steps, longEvery: longEvery, afterSleep: afterSleep)
    if let problem { throw problem }
  }

  /// The same with other bands.
  public func with(bands: [Band]) throws(RecipeProblem) -> Recipe {
    try Recipe(
      kind: kind, bands: bands, late: late, missed: missed, repeats: repeats, rounds: rounds,
      schedule: schedule, steps: steps, longEvery: longEvery, afterSleep: afterSleep)
  }

  /// Whether it goes on after it has rung, until its rounds are over.
  public var isRepeating: Bool { repeats || schedule != nil }

  /// Whether it is no more than a countdown.
  public var isPlain: Bool { self == .plain }
}

extension Recipe: Hashable {
  /// Equal in everything.
  public static func == (a: Recipe, b: Recipe) -> Bool {
    if a === b { return true }
    return a.contentHash == b.contentHash && a.kind == b.kind && a.bands == b.bands
      && a.late == b.late && a.missed == b.missed && a.repeats == b.repeats
      && a.rounds == b.rounds && a.schedule == b.schedule && a.steps == b.steps
      && a.longEvery == b.longEvery && a.afterSleep == b.afterSleep
  }

  /// Of everything. O(1).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(contentHash)
  }
}

// MARK: - Bands

extension Recipe {
  /// How many bands have begun when so much remains. O(bands).
  func band(remainingUsec: Int64) -> Int {
    bands.firstIndex { remainingUsec > $0.remainingUsec } ?? bands.count
  }

  /// How far something has come, from 0 to 1, with so much remaining of `durationUsec`.
  func progress(remainingUsec: Int64, of durationUsec: Int64) -> Double {
    guard durationUsec > 0 else { return 1 }
    let whole = min(1, max(0, Double(durationUsec - remainingUsec) / Double(durationUsec)))
    let begun = band(remainingUsec: remainingUsec)
    guard begun > 0, let range = bands[begun - 1].progress else { return whole }
    // A band that would begin before the timer does begins with it.
    let top = min(bands[begun - 1].remainingUsec, durationUsec)
    let bottom = begun < bands.count ? bands[begun].remainingUsec : 0
    let part =
      top > bottom ? Double(max(0, top - remainingUsec)) / Double(top - bottom) : 1
    return (Double(range.from) + Double(range.to - range.from) * min(1, part)) / 1_000_000
  }
}

// MARK: - Sequences

extension Recipe {
  /// The step at a position, which counts on through all rounds.
  public func step(at position: Int64) -> Step {
    steps[Int(position % Int64(steps.count))]
  }

  /// The round of a position, from 0.
  public func round(at position: Int64) -> Int64 { position / Int64(steps.count) }

  /// How long the step at a position takes.
  public func stepUsec(at position: Int64) -> Int64 {
    let step = step(at: position)
    guard let longUsec = step.longUsec, longEvery > 0, (round(at: position) + 1) % longEvery == 0
    else { return step.durationUsec }
    return longUsec
  }

  /// Whether nothing comes behind a position.
  public func isLast(_ position: Int64) -> Bool {
    rounds > 0 && position == rounds * Int64(steps.count) - 1
  }

  /// How many steps there are until everything comes again, and how long they take; nil if that is
  /// not within 100 years.
  var cycle: (steps: Int64, usec: Int64)? {
    let count = max(1, longEvery) * Int64(steps.count)
    var usec: Int64 = 0
    for step in steps {
      let normal = step.durationUsec.multipliedReportingOverflow(by: max(1, longEvery))
      guard !normal.overflow else { return nil }
      let more = longEvery > 0 ? (step.longUsec ?? step.durationUsec) - step.durationUsec : 0
      usec += normal.partialValue + more
      guard usec <= Engine.maximumDurationUsec else { return nil }
    }
    return (count, usec)
  }

  /// The shortest rest: a span as long as this is one.
  var shortestBreakUsec: Int64 {
    let breaks = steps.filter(\.isBreak)
    return (breaks.isEmpty ? steps : breaks).map { min($0.durationUsec, $0.longUsec ?? .max) }.min()
      ?? 0
  }
}
