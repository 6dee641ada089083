public import NightjarModel

/// What only some timers have.
public struct Rare: Equatable, Sendable {
  /// The labels, data, message and ring that a client attached; nil: none.
  public var attachments: Attachments?
  /// The last failed command; nil: none failed, or a client dismissed it.
  public var failure: CommandFailure?
  /// A pause that did not change `Timer.countedFrom`; nil: there was none.
  public var interruption: Interruption?
  /// The laps of a stopwatch, in order, in microseconds.
  public var laps: [Int64] = []
  /// The skipped expiries as `Event.SkippedExpiry.key`, in order. Of more than `Limits.skips`, the
  /// first ones are dropped.
  public var passedOver: [Int64] = [] {
    didSet { passedOver = Array(passedOver.sorted().suffix(Limits.skips)) }
  }
  /// For an alarm that rings once: its instant, to which a restart returns.
  public var instantUsec: Int64 = 0
  /// For a repeating alarm: the reading of `elapsed` at its start.
  public var startedAtElapsed: Int64 = 0
  public var course = Course()
  public var pauses = Pauses()

  public static let nothing = Rare()
}

/// The pauses of a run.
public struct Pauses: Equatable, Sendable {
  /// The length of those that are over, on `elapsed`.
  public var endedUsec: Int64 = 0
  /// The present pause; nil: the timer is not paused.
  public var present: Pause?

  public init() {}

  /// A pause that lasts.
  public struct Pause: Equatable, Sendable {
    /// The reading of `elapsed` from which it is counted, and the number of the event.
    public var sinceElapsed, sinceEvent: Int64

    public init(sinceElapsed: Int64, sinceEvent: Int64) {
      (self.sinceElapsed, self.sinceEvent) = (sinceElapsed, sinceEvent)
    }
  }
}

/// How far a timer beyond a plain countdown has come. A restart begins a new one.
public struct Course: Equatable, Sendable {
  /// The time that was counted in the rounds or steps before the present one, as in `Event.Sums`.
  public var countedUsec: Int64 = 0
  /// For a repeating timer: how often it has expired. For a sequence: the number of its step,
  /// counted on through all rounds. Bounded, so that loops over rounds end.
  public var position: Int64 = 0 {
    didSet { position = min(max(position, 0), Self.allRounds) }
  }
  /// How many of the timer's bands have been announced.
  public var announcedBands = 0 {
    didSet { announcedBands = max(0, announcedBands) }
  }
  /// For a repeating alarm: CLOCK_REALTIME up to which its instants are handled, whether the alarm
  /// rang for them or not; 0: none yet.
  public var handledInstant: Int64 = 0
  /// For a repeating alarm: the instants for which it rang last; nil: none yet.
  public var rangFor: ConsecutiveInstants?
  /// For a repeating countdown or a sequence on `wall`: the last rounds or steps without a gap that
  /// rang or count as handled; nil: there are none.
  public var rangRounds: Rounds?
  /// For an alarm: the reading of `elapsed` when it was restarted last or, if it repeats, rang
  /// last, and the number of that event.
  public var rangAtElapsed: Int64 = 0
  public var rangEvent: Int64 = 0
  /// Whether the timer was paused when its deadline passed.
  public var wasPausedAtDeadline = false

  /// More rounds than a timer has.
  private static let allRounds = Int64(UInt32.max)

  public init() {}
}

/// Rounds or steps without a gap, from 0.
public struct Rounds: Equatable, Sendable {
  public var first, last: Int64

  public init(first: Int64, last: Int64) { (self.first, self.last) = (first, last) }

  func contains(_ round: Int64) -> Bool { round >= first && round <= last }
}

/// The consecutive instants of a repeating alarm for which it rang.
public struct ConsecutiveInstants: Equatable, Sendable {
  public var last: Int64
  /// The time from the first instant to the last, in seconds, rounded down.
  public var forSec: Int64 = 0

  /// How far back the engine remembers for which instants an alarm rang: 90 days.
  public static let rememberedSec: Int64 = 90 * 86_400

  public init(last: Int64, forSec: Int64 = 0) { (self.last, self.forSec) = (last, forSec) }

  /// These instants and the next one.
  func extended(to instant: Int64) -> ConsecutiveInstants {
    guard instant > last else { return ConsecutiveInstants(last: instant) }
    let sec = min(forSec + (instant - last) / 1_000_000, Self.rememberedSec)
    return ConsecutiveInstants(last: instant, forSec: sec)
  }

  func contains(_ instant: Int64) -> Bool {
    instant <= last && instant >= last - forSec * 1_000_000
  }
}

/// A pause after a reboot of uncertain length. Such a pause does not change `Timer.countedFrom`,
/// because a later correction of the reboot must also correct the remaining time.
public struct Interruption: Equatable, Sendable {
  /// The number of the event up to which the timer ran, and the number of the event since which it
  /// runs again. They are equal if there was no reboot during the pause.
  public var pausedSeq, resumedSeq: Int64

  /// Whether there was no reboot during the pause.
  var isEmpty: Bool { pausedSeq == resumedSeq }

  public init(pausedSeq: Int64, resumedSeq: Int64) {
    self.pausedSeq = pausedSeq
    self.resumedSeq = resumedSeq
  }
}
