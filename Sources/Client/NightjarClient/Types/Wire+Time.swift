public import NightjarInterface

/// The microseconds as Swift durations and wall times.
extension Wire.Timer {
  /// The length of the present run, round or step, including extensions.
  public var duration: Duration { .microseconds(durationUsec) }

  /// The remaining time at the moment of the daemon's reply.
  public var remaining: Duration { .microseconds(remainingUsec) }

  /// The elapsed time of the run at the moment of the daemon's reply; for a stopwatch, the measured
  /// time.
  public var elapsed: Duration { .microseconds(elapsedUsec) }

  /// When the timer will expire; nil if it does not run.
  public var expiresAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// When the timer was started.
  public var startedAt: WallTime { WallTime(usec: startedUsec) }
}

extension Wire.OpenRing {
  /// When the ring's newest expiry was due.
  public var due: WallTime { WallTime(usec: dueUsec) }

  /// When the ring last began to sound.
  public var rangAt: WallTime { WallTime(usec: rangUsec) }

  /// How late the ring's last sound was.
  public var lateness: Duration { .microseconds(lateUsec) }
}

extension Wire.Expiry {
  /// When the expiry was due.
  public var due: WallTime { WallTime(usec: dueUsec) }

  /// How late the expiry was handled.
  public var lateness: Duration { .microseconds(lateUsec) }
}

extension Wire.Event {
  /// When the event happened. If the clock was set, this can be earlier than the time of a previous
  /// event. The numbers give the order of events.
  public var time: WallTime { WallTime(usec: timeUsec) }

  /// The remaining time at the event.
  public var remaining: Duration? { remainingUsec.map { .microseconds($0) } }

  /// How late the event's expiry, end of a snooze, or repeated sound was.
  public var lateness: Duration? { lateUsec.map { .microseconds($0) } }

  /// When the timer will expire after this event.
  public var expiresAt: WallTime? { deadlineUsec.map(WallTime.init(usec:)) }

  /// Whether this is the last event of the timer under its name. After this event, the timer may
  /// have another name, or another timer of this name may be started.
  public var isTheEnd: Bool {
    removes || [.removed, .forgotten, .renamedTo].contains(type)
  }
}

extension Wire.Loss {
  /// The numbers of the events that are missing; nil if no number is known.
  public var missing: ClosedRange<Int64>? {
    guard let firstSeq, let lastSeq, firstSeq <= lastSeq else { return nil }
    return firstSeq...lastSeq
  }
}
