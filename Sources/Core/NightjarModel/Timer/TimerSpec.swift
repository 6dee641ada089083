public enum TimerKind: UInt8, CaseIterable, Sendable {
  /// Counts down a duration, once or repeatedly.
  case countdown = 0
  /// Rings at an instant, or at each instant of a calendar expression.
  case alarm = 1
  /// Counts up.
  case stopwatch = 2
  /// Runs through steps, one after the other.
  case sequence = 3
}

/// The policy for a timer that expired while it could not ring: in a background span, while it was
/// paused, or because the clock was set past its time. It does not apply if the daemon is late only
/// because the machine was busy.
public enum LatePolicy: Hashable, Sendable {
  /// The timer rings, however late.
  case fire
  /// The timer does not ring; an event records the expiry.
  case skip
  /// The timer rings if it is late by at most this many microseconds.
  case fireWithin(usec: Int64)
}

/// The policy for a timer that expired several times in a background span.
public enum MissedPolicy: UInt8, CaseIterable, Sendable {
  /// The timer rings once, for the last expiry. The ring says how many others there were.
  case once = 0
  /// The timer rings for each expiry, at most `Engine.ringsPerSpan` times.
  case each = 1
  /// The timer does not ring for these expiries.
  case skip = 2
}

/// The policy for a sequence after a background span, or after an absence of the user. It applies
/// if that took at least as long as the sequence's shortest break.
public enum AfterSpan: UInt8, CaseIterable, Sendable {
  /// The sequence continues by its clock.
  case `continue` = 0
  /// The sequence is paused with the time that remained at the start of the span.
  case pause = 1
  /// The current step starts again. If this step was a break that has ended by then, the next step
  /// starts.
  case restart = 2
  /// The span is the break: if it was as long as the break that follows, the step after that break
  /// starts. A break that was the current step ends as with `restart`.
  case `break` = 3
}

/// A named part of the remaining time: from `remainingUsec` down to the beginning of the next band.
public struct Band: Hashable, Sendable {
  public var name: String
  /// The remaining time at which it begins, in microseconds.
  public var remainingUsec: Int64
  /// A colour for programs that draw the timer; empty: none.
  public var color: String
  /// A text for programs that show the timer; empty: none.
  public var text: String
  /// The range through which the timer's progress runs in this band; nil: progress runs as without
  /// bands.
  public var progress: ProgressRange?

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

/// The range of the progress that a band covers, in millionths, from 0 to 1,000,000.
public struct ProgressRange: Hashable, Sendable {
  /// The progress at the beginning of the band.
  public var from: Int64
  /// The progress at the end of the band; may be below `from`.
  public var to: Int64

  public init(from: Int64, to: Int64) {
    self.from = from
    self.to = to
  }

  /// A progress in millionths; nil if it is not from 0 to 1.
  public static func millionths(_ progress: Double) -> Int64? {
    guard (0...1).contains(progress) else { return nil }
    return Int64((progress * Double(whole)).rounded())
  }

  /// Whether both ends are from 0 to 1,000,000.
  var isValid: Bool {
    let valid = 0...Self.whole
    return valid.contains(from) && valid.contains(to)
  }

  private static let whole: Int64 = 1_000_000
}

/// The instants at which a repeating alarm rings, in a form that the engine's `Calendar`
/// understands.
public struct Schedule: Hashable, Sendable {
  /// A systemd.time(7) calendar expression, normalised.
  public var expression: String
  /// A name of the time zone database. Empty: the machine's own zone, which may change.
  public var zone: String
  /// The days in this zone on which the alarm does not ring, in order. The ranges neither overlap
  /// nor touch.
  public var except: [DayRange]
  /// The last day in this zone on which the alarm rings, counted from 1970-01-01; nil: no day is
  /// the last.
  public var until: Int32?

  public init(expression: String, zone: String, except: [DayRange] = [], until: Int32? = nil) {
    self.expression = expression
    self.zone = zone
    self.except = except
    self.until = until
  }
}

/// Consecutive days, both ends included, counted from 1970-01-01.
public struct DayRange: Hashable, Sendable {
  public var first: Int32
  public var last: Int32

  public init(first: Int32, last: Int32) {
    self.first = first
    self.last = last
  }

  /// The same days in order, in as few ranges as possible.
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
  /// The range with this day; nil: there is none. The ranges must be in order. O(log ranges).
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
  public var name: String
  /// The length of the step, in microseconds.
  public var durationUsec: Int64
  /// Whether the sequence waits at the end of the step until a client calls Advance.
  public var waits: Bool
  /// Whether the step is a break; see `AfterSpan`.
  public var isBreak: Bool
  /// The length of the step in every `longEvery`th round, in microseconds; nil: the same as in
  /// other rounds.
  public var longUsec: Int64?

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

/// The specification of a timer: all properties that a user sets and that do not change as time
/// passes.
///
/// The initialisers have no default values. So when a property is added, the compiler finds each
/// place that makes a specification and does not set it. A test that sets few properties starts
/// from `plain`.
@dynamicMemberLookup
public struct TimerSpec: Equatable, Sendable {
  /// The properties that many timers may have in common; see `SharedSpec`.
  public var shared: Shared
  /// The timeline. Ignored for an alarm, which is always on `wall`.
  public var clock: Timeline
  /// The length of a countdown, in microseconds; 0 for other kinds.
  public var durationUsec: Int64
  /// When an alarm without a schedule rings, on CLOCK_REALTIME; nil for other timers.
  public var atUsec: Int64?
  /// Whether the deadline is to wake the machine.
  public var wakes: Bool
  /// The timer's labels, data and message, and its own command and sound.
  public var attachments: Attachments

  /// Makes a specification. `problem` checks it.
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

  /// A plain countdown on `elapsed`; its duration is still to be set.
  public static let plain = TimerSpec(
    shared: .plain, clock: .elapsed, durationUsec: 0, atUsec: nil, wakes: false,
    attachments: .none)

  @inlinable
  public subscript<Value>(dynamicMember member: WritableKeyPath<Shared, Value>) -> Value {
    get { shared[keyPath: member] }
    set { shared[keyPath: member] = newValue }
  }

  /// The properties that many timers may have in common.
  public struct Shared: Hashable, Sendable {
    public var kind: TimerKind
    /// Whether a countdown starts again when it rings.
    public var repeats: Bool
    public var missed: MissedPolicy
    /// The policy after a background span.
    public var afterSleep: AfterSpan
    /// The policy after an absence of the user. Only a sequence on `present` can have one.
    public var afterAway: AfterSpan
    /// The policy for a timer that expires in a background span.
    public var late: LatePolicy
    /// How often a countdown or alarm rings, or how often a sequence runs through its steps; 0:
    /// without end.
    public var rounds: Int64
    /// In every `longEvery`th round of a sequence, its steps take their long duration; 0: never.
    public var longEvery: Int64
    /// The bands in the order in which they begin: the band with the most remaining time is first.
    public var bands: [Band]
    /// The steps of a sequence; empty for other kinds.
    public var steps: [Step]
    /// The instants at which an alarm repeats; nil: it rings once.
    public var schedule: Schedule?

    public init(
      kind: TimerKind, repeats: Bool, rounds: Int64, schedule: Schedule?, steps: [Step],
      longEvery: Int64, afterSleep: AfterSpan, bands: [Band], late: LatePolicy,
      missed: MissedPolicy, afterAway: AfterSpan
    ) {
      self.kind = kind
      self.repeats = repeats
      self.rounds = rounds
      self.schedule = schedule
      self.steps = steps
      self.longEvery = longEvery
      self.afterSleep = afterSleep
      self.afterAway = afterAway
      self.bands = bands
      self.late = late
      self.missed = missed
    }

    public static let plain = Shared(
      kind: .countdown, repeats: false, rounds: 0, schedule: nil, steps: [], longEvery: 0,
      afterSleep: .continue, bands: [], late: .fire, missed: .once, afterAway: .continue)
  }
}
