public import NightjarModel

/// The fields that every timer has.
public struct TimerRecord: Equatable, Sendable {
  public var state: TimerState
  /// The timeline on which the timer was started.
  public var clock: Timeline
  /// The timeline of the present run. A snooze always runs on `elapsed`.
  public var timeline: Timeline
  /// Why the last expiry was handled late; nil: it was not late.
  public var lateCause: LateCause?
  /// Whether the deadline is to wake the machine.
  public var wakes = false
  /// The number of the event of the last ring, if that ring was computed from a wall clock that was
  /// not synchronised (see `WallClockState`); else nil.
  public var estimatedSeq: Int64?
  /// Whether the timer was snoozed and has not rung since. A repetition or sequence waits for that.
  public var isSnoozed = false
  /// Counts the rings of the present expiry until a user answers. Even: the timer rings. Odd: the
  /// ring has ended. Half of it, rounded down, is how often the timer rang again.
  public var ringPhase: UInt8 = 0
  /// The number of the event from which `deadline` or the remaining time is counted: the timer's
  /// start, resumption or end, but not an extension. After a ring that was computed from a clock
  /// that was not synchronised, the event from which the deadline was counted.
  public var setSeq: Int64
  /// The number of the event that started the timer.
  public var id: Int64
  /// The number of the last event about the timer.
  public var lastSeq: Int64
  /// The value to which a restart returns: the duration, the duration of the first step, or the
  /// instant of an alarm that rings once. For a repeating alarm: the reading of `elapsed` at its
  /// start.
  public var originalUsec: Int64
  /// The length of the present run, round or step, with all extensions.
  public var durationUsec: Int64
  /// Running: the deadline on `timeline`; for a stopwatch, the reading at which it began. Fired,
  /// cancelled or waiting: the `elapsed` counter at the end. Paused: an alarm keeps its deadline
  /// here. Any other paused timer has the number of the event up to which it ran, if it ran during
  /// a reboot of uncertain length; else 0.
  public var deadline: Int64
  /// Paused or cancelled: the remaining time, or for a stopwatch, the measured time. It is negative
  /// if the timer seemed overdue at the pause, but only by a clock that may be wrong. Otherwise:
  /// how late the timer rang; negative if it rang early, because the clock was ahead.
  public var remainingOrLateUsec: Int64
  /// CLOCK_REALTIME when the present run began.
  public var startedUsec: Int64
  /// CLOCK_REALTIME at the last expiry; 0: the timer has not expired, or it continues and a user
  /// answered the ring.
  public var firedUsec: Int64

  public var isEstimated: Bool { estimatedSeq != nil }

  /// Makes a record for a timer that was read from disk or is being started.
  public init(
    id: Int64, lastSeq: Int64, originalUsec: Int64, durationUsec: Int64, deadline: Int64,
    remainingOrLateUsec: Int64, startedUsec: Int64, firedUsec: Int64, state: TimerState,
    clock: Timeline, timeline: Timeline, lateCause: LateCause?, setSeq: Int64
  ) {
    self.id = id
    self.lastSeq = lastSeq
    self.originalUsec = originalUsec
    self.durationUsec = durationUsec
    self.deadline = deadline
    self.remainingOrLateUsec = remainingOrLateUsec
    self.startedUsec = startedUsec
    self.firedUsec = firedUsec
    self.state = state
    self.clock = clock
    self.timeline = timeline
    self.lateCause = lateCause
    self.setSeq = setSeq
  }
}

/// A pause after a reboot of uncertain length. Such a pause does not change `TimerRecord.setSeq`,
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
