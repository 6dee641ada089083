public import NightjarModel

/// A timer as a client sees it at one moment. All times are in microseconds.
public struct TimerView: Sendable {
  public var timer: Timer
  /// The remaining time; 0 for a timer that fired and for a stopwatch.
  public var remainingUsec: Int64
  /// The elapsed time; for a sequence, the elapsed time of the present step.
  public var elapsedUsec: Int64
  /// The time of the next expiry on CLOCK_REALTIME, as the clock is set now; nil: the timer does
  /// not run.
  public var deadlineUsec: Int64?
  /// The time of the next expiry on CLOCK_BOOTTIME; nil: the timer does not run on `elapsed`.
  public var deadlineBoottimeUsec: Int64?
  /// How long ago the timer rang; nil: it did not ring, or a user answered the ring.
  public var firedAgoUsec: Int64?
  /// Whether the timer seems due, but only by a wall clock that is not synchronised (see
  /// `WallClockState`). Such a timer waits.
  public var waitsForClock = false
  /// Whether the timer stands still because the user is away.
  public var isAway = false

  /// By how much the last ring was early, because the wall clock was ahead; nil: the ring was not
  /// early.
  public var earlyUsec: Int64? {
    // A timer that ended silently did not ring.
    guard let ring = timer.lastRing, ring.estimatedBy != nil, ring.lateUsec < 0,
      timer.state == .running || !timer.course.wasSilent
    else { return nil }
    return -ring.lateUsec
  }

  /// The progress from 0 to 1; 0 for a stopwatch. In a band with a range, the progress within that
  /// range.
  public var progress: Double {
    if timer.spec.kind == .stopwatch { return 0 }
    let lengthUsec = timer.runLengthUsec
    return timer.spec.progress(remainingUsec: lengthUsec - elapsedUsec, of: lengthUsec)
  }

  /// The band in which the timer is; nil: no band has begun.
  public var band: Band? {
    let begun = timer.spec.band(remainingUsec: remainingUsec)
    return begun > 0 ? timer.spec.bands[begun - 1] : nil
  }
}

extension Engine {
  /// The timer in `slot`, which must be in use.
  public func timer(at slot: Int) -> Timer { table[slot] }

  /// The specification with which the timer was started, with all updates since. The slot must be
  /// in use.
  public func timerSpec(at slot: Int) -> TimerSpec {
    let (timer, kind) = (table[slot], table[slot].spec.kind)
    return TimerSpec(
      shared: timer.spec.content, clock: timer.clock,
      durationUsec: kind == .countdown ? timer.fullLengthUsec : 0,
      atUsec: kind == .alarm && timer.spec.schedule == nil ? timer.instantUsec : nil,
      wakes: timer.wakes, attachments: timer.attachments ?? .none)
  }

  /// The name of the timer in `slot`.
  public func name(at slot: Int) -> String { table[slot].name }

  /// The slot of the timer with this name and ID; nil: there is no such timer any more. O(1)
  /// expected.
  public func slot(of id: Int64, named name: String) -> Int? {
    guard let slot = table.slot(named: name), table[slot].id == id else { return nil }
    return slot
  }

  /// The attachments of the timer that an event is about, even if the event has just removed the
  /// timer. Call this only while the bus delivers the event.
  public func attachments(of subject: Event.Subject) -> Attachments? {
    if table.isOccupied(subject.slot), table[subject.slot].id == subject.id {
      return table[subject.slot].attachments
    }
    return lastRemoved?.id == subject.id ? lastRemoved?.attachments : nil
  }

  /// How many timers have a ring of their own.
  public var ringCount: Int { table.ringCount }

  /// The remaining time of a timer at `now`; 0 for a stopwatch.
  func remainingUsec(_ slot: Int, at now: Moment) -> Int64 {
    let usec =
      switch table[slot].phase {
      case .running(let deadline), .pausedAlarm(let deadline):
        deadline - background.timelines.reading(table[slot].timeline, at: now)
      case .paused(let remaining, _), .cancelled(_, let remaining): remaining
      case .runningStopwatch, .pausedStopwatch, .fired, .waiting, .cancelledStopwatch: Int64(0)
      }
    return max(0, usec)
  }

  /// The time that a stopwatch shows.
  private func measuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    let usec =
      switch table[slot].phase {
      case .runningStopwatch(let since):
        background.timelines.reading(table[slot].timeline, at: now) - since
      case .pausedStopwatch(let measured, _), .cancelledStopwatch(_, let measured): measured
      case .running, .paused, .pausedAlarm, .fired, .waiting, .cancelled: Int64(0)
      }
    return max(0, usec)
  }

  /// The time that a pause of the timer stores: its remaining time, or for a stopwatch, the
  /// measured time.
  func remainingOrMeasuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    table[slot].spec.kind == .stopwatch
      ? measuredUsec(slot, at: now) : remainingUsec(slot, at: now)
  }

  /// The timer in `slot` as a client sees it at `now`. O(1).
  public func view(_ slot: Int, at now: Moment) -> TimerView {
    let (timer, timelines) = (table[slot], background.timelines)
    let remaining = remainingUsec(slot, at: now)
    var view = TimerView(
      timer: timer, remainingUsec: remaining,
      elapsedUsec: timer.spec.kind == .stopwatch
        ? measuredUsec(slot, at: now) : max(0, timer.runLengthUsec - remaining))
    view.isAway = isRunningOnPresent(slot) && background.presence == .away
    var rangAtElapsed: Int64?
    switch timer.phase {
    case .running(let deadline):
      let left = deadline - timelines.reading(timer.timeline, at: now)
      view.waitsForClock =
        left <= 0 && !isInBackground && background.clockWaitEnd(at: now) != nil
        && certainFiring(slot, deadline: deadline, on: timer.timeline, at: now) != nil
      view.deadlineUsec = now.realtimeUsec + left
      if timer.timeline == .elapsed {
        view.deadlineBoottimeUsec = timelines.kernelUsec(.elapsed, deadline: deadline)
      }
      if timer.lastRing != nil { rangAtElapsed = timer.course.rangAtElapsed }
    case .fired(let elapsed), .waiting(let elapsed): rangAtElapsed = elapsed
    case .runningStopwatch, .paused, .pausedAlarm, .pausedStopwatch, .cancelled,
      .cancelledStopwatch:
      break
    }
    if let rangAtElapsed, timer.lastRing != nil {
      view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - rangAtElapsed)
    }
    return view
  }

  /// The running timer that rings next, and the time of the ring on CLOCK_REALTIME, as the clock is
  /// set now. Timers that stand still because the user is away do not count. O(1) without bands.
  /// With bands, it looks at up to 10,000 timers whose next band comes before the first deadline.
  public func next(at now: Moment) -> (slot: Int, realtimeUsec: Int64)? {
    let present = background.presence == .away ? [] : [presentQueue]
    let heads = ([elapsedQueue, awakeQueue, wallQueue] + present).map { queue in
      queue.nearest(atMost: 10_000) { deadline($0) }
    }
    return heads.compactMap { slot in
      slot.flatMap { slot in view(slot, at: now).deadlineUsec.map { (slot, $0) } }
    }.min { $0.1 < $1.1 }
  }
}

extension Engine {
  /// The first inconsistency in the engine's structures, or nil. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    let mainQueues = [
      elapsedQueue, awakeQueue, wallQueue, presentQueue, retentionQueue, clockWaiters,
    ]
    for queue in mainQueues + [affectedBySleep] {
      if let wrong = queue.violatedInvariant() { return wrong }
    }
    var seen = Engine.noCounts
    var seenOnPresent = 0
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      seen[Int(table[slot].shownState.rawValue)] += 1
      if isRunningOnPresent(slot) { seenOnPresent += 1 }
      if table.slot(named: table[slot].name) != slot { return "\(slot) is not found by its name" }
      let right = isWaitingForClock(slot) ? clockWaiters : queue(of: slot)
      for queue in mainQueues where queue.contains(slot) != (queue === right) {
        return "\(slot) is in the wrong queue"
      }
      for queue in [elapsedAlarms, wallAlarms]
      where queue.contains(slot) != (queue === alarmQueue(of: slot)) {
        return "\(slot) is among the wrong alarms"
      }
      if affectedBySleep.contains(slot) != isAffectedBySleep(slot) {
        return "\(slot) sleeps wrongly"
      }
    }
    if seenOnPresent != presentCount { return "\(presentCount) on present, are \(seenOnPresent)" }
    return seen == counts ? nil : "counted \(counts), are \(seen)"
  }
}
