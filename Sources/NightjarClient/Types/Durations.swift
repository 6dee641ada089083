/// Lengths and points in time as Swift has them; the wire has microseconds.
extension NightjarTimer {
  /// The length of the present run, round or step, with all that was added.
  public var duration: Duration { .microseconds(durationUsec) }

  /// What is left of it, when the daemon said so.
  public var remaining: Duration { .microseconds(remainingUsec) }

  /// What has passed of it; of a stopwatch what it has measured.
  public var elapsed: Duration { .microseconds(elapsedUsec) }

  /// When it will ring; nil unless it runs. `ringsAtBoottime` is the same on a clock that nobody sets.
  public var ringsAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// When it will ring on this boot's CLOCK_BOOTTIME, which nobody sets and which goes on in a sleep;
  /// nil unless it runs, and on real time: on the clock `elapsed`, or snoozed on any clock.
  public var ringsAtBoottime: Duration? { deadlineBoottimeUsec.map { .microseconds($0) } }

  /// When it was started.
  public var startedAt: WallTime { WallTime(usec: startedUsec) }

  /// When it rang; nil unless it did, or if it goes on and that was acknowledged.
  public var firedAt: WallTime? { firedUsec.map(WallTime.init(usec:)) }

  /// How long ago it rang; nil unless it did.
  public var firedAgo: Duration? { firedAgoUsec.map { .microseconds($0) } }

  /// How late it rang; nil unless it did.
  public var lateness: Duration? { lateUsec.map { .microseconds($0) } }

  /// How early it rang, by a clock that turned out to have been ahead; nil: it was not early.
  public var earliness: Duration? { earlyUsec.map { .microseconds($0) } }

  /// What a stopwatch had measured at each lap.
  public var laps: [Duration] { lapUsecs.map { .microseconds($0) } }
}

extension NightjarTimer.Repetition {
  /// How long from one time to the next of a countdown.
  public var period: Duration? { periodUsec.map { .microseconds($0) } }
}

extension NightjarTimer.Step {
  /// How long the next takes.
  public var nextDuration: Duration? { nextDurationUsec.map { .microseconds($0) } }
}

extension Event {
  /// When; may go back when the clock is set: the order of events is that of their numbers.
  public var time: WallTime { WallTime(usec: timeUsec) }

  /// The timer's duration then, or how long a command ran.
  public var duration: Duration? { durationUsec.map { .microseconds($0) } }

  /// What remained then.
  public var remaining: Duration? { remainingUsec.map { .microseconds($0) } }

  /// What a stopwatch had measured.
  public var elapsed: Duration? { elapsedUsec.map { .microseconds($0) } }

  /// By how much it was extended, shortened (then below zero) or snoozed.
  public var by: Duration? { byUsec.map { .microseconds($0) } }

  /// How late it fired.
  public var lateness: Duration? { lateUsec.map { .microseconds($0) } }

  /// Of a correction, how early the earliest ring turned out to have been; nil: none was.
  public var earliness: Duration? { earlyUsec.map { .microseconds($0) } }

  /// When it rings now.
  public var ringsAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// By how much the wall clock was set.
  public var offset: Duration? { offsetUsec.map { .microseconds($0) } }
}

extension BackgroundSpan {
  /// When it was entered.
  public var enteredAt: WallTime { WallTime(usec: enteredUsec) }

  /// When it was left; nil while it lasts.
  public var leftAt: WallTime? { leftUsec.map(WallTime.init(usec:)) }

  /// How long it was.
  public var elapsed: Duration { .microseconds(elapsedUsec) }
}

extension DaemonStatus {
  /// When the daemon was started.
  public var startedAt: WallTime { WallTime(usec: startedUsec) }

  /// Since when it has been in the foreground; nil while a span is open.
  public var foregroundSince: WallTime? { foregroundSinceUsec.map(WallTime.init(usec:)) }

  /// When the next timer rings.
  public var nextAt: WallTime? { nextUsec.map(WallTime.init(usec:)) }
}

extension DaemonStatus.Clocks {
  /// CLOCK_REALTIME.
  public var realtime: WallTime { WallTime(usec: realtimeUsec) }

  /// CLOCK_BOOTTIME.
  public var boottime: Duration { .microseconds(boottimeUsec) }

  /// CLOCK_MONOTONIC.
  public var monotonic: Duration { .microseconds(monotonicUsec) }
}
