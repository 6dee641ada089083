/// The timer's microseconds as Swift durations and wall times.
extension NightjarTimer {
  /// The length of the present run, round or step, including extensions.
  public var duration: Duration { .microseconds(durationUsec) }

  /// The remaining time at the moment of the daemon's reply.
  public var remaining: Duration { .microseconds(remainingUsec) }

  /// The elapsed time of the run at the moment of the daemon's reply; for a stopwatch, the measured
  /// time.
  public var elapsed: Duration { .microseconds(elapsedUsec) }

  /// When the timer will ring; nil if it does not run. `ringsAtBoottime` is the same moment on a
  /// clock that cannot be set.
  public var ringsAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// When the timer will ring on this boot's CLOCK_BOOTTIME, which cannot be set and includes
  /// sleep. Nil unless the timer runs and its time passes during sleep: its clock is `elapsed`, or
  /// its ring was snoozed.
  public var ringsAtBoottime: Duration? { deadlineBoottimeUsec.map { .microseconds($0) } }

  /// When the timer was started.
  public var startedAt: WallTime { WallTime(usec: startedUsec) }

  /// When the timer rang; nil if it has not rung, or if it continued after the ring was dismissed.
  public var firedAt: WallTime? { firedUsec.map(WallTime.init(usec:)) }

  /// How long ago the timer rang; nil if it has not rung.
  public var firedAgo: Duration? { firedAgoUsec.map { .microseconds($0) } }

  /// How late the timer rang; nil if it has not rung.
  public var lateness: Duration? { lateUsec.map { .microseconds($0) } }

  /// How early the timer rang, because the wall clock turned out to be ahead; nil if it was not
  /// early.
  public var earliness: Duration? { earlyUsec.map { .microseconds($0) } }

  /// The measured time of a stopwatch at each lap.
  public var laps: [Duration] { lapUsecs.map { .microseconds($0) } }
}

extension NightjarTimer.Repetition {
  /// The time from one ring of a countdown to the next.
  public var period: Duration? { periodUsec.map { .microseconds($0) } }
}

extension NightjarTimer.Step {
  /// The length of the next step of a sequence.
  public var nextDuration: Duration? { nextDurationUsec.map { .microseconds($0) } }
}

extension Event {
  /// When the event happened. If the clock was set, this can be earlier than the time of a previous
  /// event. The numbers give the order of events.
  public var time: WallTime { WallTime(usec: timeUsec) }

  /// The timer's duration at the event, or how long a command ran.
  public var duration: Duration? { durationUsec.map { .microseconds($0) } }

  /// The remaining time at the event.
  public var remaining: Duration? { remainingUsec.map { .microseconds($0) } }

  /// The time that a stopwatch had measured at the event.
  public var elapsed: Duration? { elapsedUsec.map { .microseconds($0) } }

  /// The time by which the timer was extended, shortened (negative) or snoozed.
  public var by: Duration? { byUsec.map { .microseconds($0) } }

  /// How late the timer fired.
  public var lateness: Duration? { lateUsec.map { .microseconds($0) } }

  /// For the correction of a background span, how early the earliest ring was; nil if no ring was
  /// early.
  public var earliness: Duration? { earlyUsec.map { .microseconds($0) } }

  /// When the timer will ring after this event.
  public var ringsAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// By how much the wall clock was set forward; negative if it was set back.
  public var offset: Duration? { offsetUsec.map { .microseconds($0) } }
}

extension BackgroundSpan {
  /// When the background span began.
  public var enteredAt: WallTime { WallTime(usec: enteredUsec) }

  /// When the background span ended; nil while it lasts.
  public var leftAt: WallTime? { leftUsec.map(WallTime.init(usec:)) }

  /// How long the background span was.
  public var elapsed: Duration { .microseconds(elapsedUsec) }
}

extension DaemonStatus {
  /// When the daemon was started.
  public var startedAt: WallTime { WallTime(usec: startedUsec) }

  /// Since when the daemon has been in the foreground; nil while a background span is open.
  public var foregroundSince: WallTime? { foregroundSinceUsec.map(WallTime.init(usec:)) }

  /// When the next timer rings.
  public var nextAt: WallTime? { nextUsec.map(WallTime.init(usec:)) }
}

extension DaemonStatus.Clocks {
  /// The reading of CLOCK_REALTIME.
  public var realtime: WallTime { WallTime(usec: realtimeUsec) }

  /// The reading of CLOCK_BOOTTIME.
  public var boottime: Duration { .microseconds(boottimeUsec) }

  /// The reading of CLOCK_MONOTONIC.
  public var monotonic: Duration { .microseconds(monotonicUsec) }
}
