/// What a timer does.
public enum TimerKind: UInt8, CaseIterable, Sendable {
  /// Counts down a duration, once or again and again.
  case countdown = 0
  /// Rings at a point in time, or at each time of a calendar expression.
  case alarm = 1
  /// Counts up.
  case stopwatch = 2
  /// Goes from step to step.
  case sequence = 3
}

/// What a timer does that expired in the background.
public enum LatePolicy: Hashable, Sendable {
  /// It rings, however late.
  case fire
  /// It does not ring; an event says so.
  case skip
  /// It rings if it is late by at most so many microseconds.
  case fireWithin(usec: Int64)
}

/// What a timer does that expired several times in the background.
public enum MissedPolicy: UInt8, CaseIterable, Sendable {
  /// The last expiry rings, and counts the others.
  case once = 0
  /// Each expiry rings, up to `Engine.ringsPerSpan`.
  case each = 1
  /// None rings.
  case skip = 2
}

/// What a sequence does after a background span that was at least as long as its shortest break.
public enum AfterSleep: UInt8, CaseIterable, Sendable {
  /// It continues as its clock says.
  case `continue` = 0
  /// It is paused with what remained when the span was entered.
  case pause = 1
  /// Its step starts again. If the step was a break that is over by then, the next step starts.
  case restart = 2
}

/// A named part of the time that remains: from `remainingUsec` down to the next band.
public struct Band: Hashable, Sendable {
  /// What it is called.
  public var name: String
  /// It begins when so much remains.
  public var remainingUsec: Int64
  /// A colour for those who draw it; empty for none.
  public var color: String
  /// A text for those who show it; empty for none.
  public var text: String
  /// The range of the timer's progress in it, in millionths; nil: it has no range of its own.
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

  /// Progress in millionths; nil unless it is from 0 to 1.
  public static func millionths(_ progress: Double) -> Int64? {
    guard (0...1).contains(progress) else { return nil }
    return Int64((progress * Double(whole)).rounded())
  }

  /// Whether both ends are between nothing and the whole.
  var isValid: Bool {
    let valid = 0...Self.whole
    return valid.contains(from) && valid.contains(to)
  }

  private static let whole: Int64 = 1_000_000
}

/// When a repeating alarm rings, in a form that the engine's `Calendar` understands.
public struct Schedule: Hashable, Sendable {
  /// A systemd.time(7) calendar expression, normalised.
  public var expression: String
  /// A name of the time zone database. Empty: the machine's own zone at the time, which may change.
  public var zone: String
  /// The days of its zone on which it does not ring, in order; no stretch meets another.
  public var except: [DayRange]
  /// The last day of its zone on which it rings, counted from 1970-01-01; nil: it has no end.
  public var until: Int32?

  /// Makes a schedule.
  public init(expression: String, zone: String, except: [DayRange] = [], until: Int32? = nil) {
    self.expression = expression
    self.zone = zone
    self.except = except
    self.until = until
  }
}

/// Days of the calendar, one behind the other, both ends included. They are counted from 1970-01-01.
public struct DayRange: Hashable, Sendable {
  /// The first of them.
  public var first: Int32
  /// The last of them.
  public var last: Int32

  /// Makes a range.
  public init(first: Int32, last: Int32) {
    self.first = first
    self.last = last
  }

  /// The same days in order, in as few ranges as they need.
  public static func merged(_ ranges: [DayRange]) -> [DayRange] {
    var merged: [DayRange] = []
    for range in ranges.sorted(by: { $0.first < $1.first }) {
      if let before = merged.last, Int64(range.first) <= Int64(before.last) + 1 {
        merged[merged.count - 1].last = max(before.last, range.last)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}

extension [DayRange] {
  /// The range that a day is in; nil: none. They are in order. O(log ranges).
  public func range(around day: Int32) -> DayRange? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].last < day { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].first <= day ? self[low] : nil
  }
}

/// One step of a sequence.
public struct Step: Hashable, Sendable {
  /// What it is called.
  public var name: String
  /// How long it takes, in microseconds.
  public var durationUsec: Int64
  /// At its end the sequence waits for Advance.
  public var waits: Bool
  /// Whether it is a break, as `AfterSleep` says.
  public var isBreak: Bool
  /// How long it takes in every `longEvery`th round; nil: as long as in the others.
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

/// What a user asks for with a start: all properties of a timer that do not change as time passes.
///
/// The initialisers have no default values. A new property is a compiler error in each place that makes a
/// specification, until that place sets it. A test that needs few properties begins with `plain`.
@dynamicMemberLookup
public struct TimerSpec: Equatable, Sendable {
  /// What many timers may have in common. It is stored once for all of them; see `SharedSpec`.
  public var shared: Shared
  /// Which time it counts. An alarm is on `wall`, whatever is given.
  public var clock: Timeline
  /// How long a countdown takes, in microseconds; 0 of any other kind.
  public var durationUsec: Int64
  /// When an alarm without a schedule rings, on CLOCK_REALTIME; nil of any other.
  public var atUsec: Int64?
  /// Its deadline is to wake the machine.
  public var wakes: Bool
  /// Labels, data, and what it does to be heard.
  public var attachments: Attachments

  /// Makes a specification. `problem` says whether it makes sense.
  public init(
    shared: Shared, clock: Timeline, durationUsec: Int64, atUsec: Int64?, wakes: Bool,
    attachments: Attachments
  ) {
    self.shared = shared
    self.clock = clock
    self.durationUsec = durationUsec
    self.atUsec = atUsec
    self.wakes = wakes
    self.attachments = attachments
  }

  /// A countdown on `elapsed` and no more, of no length yet.
  public static let plain = TimerSpec(
    shared: .plain, clock: .elapsed, durationUsec: 0, atUsec: nil, wakes: false,
    attachments: .none)

  /// What is in `shared`.
  @inlinable
  public subscript<Value>(dynamicMember member: WritableKeyPath<Shared, Value>) -> Value {
    get { shared[keyPath: member] }
    set { shared[keyPath: member] = newValue }
  }

  /// What many timers may have in common.
  public struct Shared: Hashable, Sendable {
    /// What it does.
    public var kind: TimerKind
    /// Whether a countdown begins again when it rings.
    public var repeats: Bool
    /// What it does if it expires several times in the background.
    public var missed: MissedPolicy
    /// What a sequence does after a sleep.
    public var afterSleep: AfterSleep
    /// What it does if it expires in the background.
    public var late: LatePolicy
    /// How often a countdown or an alarm rings, or how often the steps of a sequence are done; 0: without
    /// end.
    public var rounds: Int64
    /// In every so many rounds of a sequence its steps take their long time; 0: never.
    public var longEvery: Int64
    /// In the order in which they come, what remains falling.
    public var bands: [Band]
    /// Of a sequence.
    public var steps: [Step]
    /// When an alarm rings again; nil: it rings once.
    public var schedule: Schedule?

    /// Makes it of all its parts.
    public init(
      kind: TimerKind, repeats: Bool, rounds: Int64, schedule: Schedule?, steps: [Step],
      longEvery: Int64, afterSleep: AfterSleep, bands: [Band], late: LatePolicy,
      missed: MissedPolicy
    ) {
      self.kind = kind
      self.repeats = repeats
      self.rounds = rounds
      self.schedule = schedule
      self.steps = steps
      self.longEvery = longEvery
      self.afterSleep = afterSleep
      self.bands = bands
      self.late = late
      self.missed = missed
    }

    /// Of a countdown that is no more than that.
    public static let plain = Shared(
      kind: .countdown, repeats: false, rounds: 0, schedule: nil, steps: [], longEvery: 0,
      afterSleep: .continue, bands: [], late: .fire, missed: .once)
  }
}
