public import NightjarModel

/// A timer as a client sees it at one moment. All times are in microseconds.
public struct TimerView: Sendable {
  public var timer: Timer
  /// The remaining time; 0 for a timer that is over and for a stopwatch.
  public var remainingUsec: Int64
  /// The elapsed time; for a sequence, the elapsed time of the present step.
  public var elapsedUsec: Int64
  /// What the present run has counted.
  public var sums: Event.Sums
  /// When the present pause began, on CLOCK_REALTIME, as the clock is set now; nil: the timer is
  /// not paused.
  public var pausedSinceUsec: Int64?
  /// The time of the next expiry on CLOCK_REALTIME, as the clock is set now; nil: the timer does
  /// not run.
  public var deadlineUsec: Int64?
  /// The time of the next expiry on CLOCK_BOOTTIME; nil: the timer does not run on `elapsed`.
  public var deadlineBoottimeUsec: Int64?
  /// How long ago the open ring last began to sound, or its snooze ended in silence; nil: no ring
  /// is open.
  public var ringAgoUsec: Int64?
  /// How long ago the open ring last began to sound; nil: no ring is open.
  public var soundAgoUsec: Int64?
  /// How long the open ring has been quiet; nil: it sounds or is snoozed.
  public var quietUsec: Int64?
  /// The time until the open ring ends to sound, insists or is no longer snoozed, on `elapsed`;
  /// negative: that time has passed. Nil: it only waits for an answer.
  public var ringLeftUsec: Int64?
  /// Whether the timer seems due, but only by a wall clock that is not synchronised (see
  /// `WallClockState`). Such a timer waits.
  public var waitsForClock = false
  /// Whether the timer stands still because the user is away.
  public var isAway = false

  /// The time until the end of the snooze; nil: the ring is not snoozed.
  public var snoozeLeftUsec: Int64? {
    timer.ring?.isSnoozed == true ? ringLeftUsec.map { max(0, $0) } : nil
  }

  /// By how much the last sound of the open ring was early, because the wall clock was ahead; nil:
  /// it was not early.
  public var earlyUsec: Int64? {
    guard let sound = timer.ring?.sound, sound.estimate != nil, sound.lateUsec < 0 else {
      return nil
    }
    return -sound.lateUsec
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
  public var ringSettingsCount: Int { table.ringSettingsCount }

  /// The remaining time of a timer at `now`; 0 for a stopwatch.
  func remainingUsec(_ slot: Int, at now: Moment) -> Int64 { remainingUsec(table[slot], at: now) }

  private func remainingUsec(_ timer: Timer, at now: Moment) -> Int64 {
    let usec = timer.phase.deadline.map { $0 - background.timelines.reading(timer.clock, at: now) }
    return max(0, usec ?? timer.phase.remainingUsec)
  }

  /// The time that a stopwatch shows.
  private func measuredUsec(_ timer: Timer, at now: Moment) -> Int64 {
    let usec =
      switch timer.phase {
      case .runningStopwatch(let since):
        background.timelines.reading(timer.clock, at: now) - since
      case .pausedStopwatch(let measured, _), .cancelledStopwatch(_, let measured): measured
      case .running, .paused, .pausedAlarm, .over, .waiting, .cancelled: Int64(0)
      }
    return max(0, usec)
  }

  /// The time that a pause of the timer stores: its remaining time, or for a stopwatch, the
  /// measured time.
  func remainingOrMeasuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    table[slot].spec.kind == .stopwatch
      ? measuredUsec(table[slot], at: now) : remainingUsec(slot, at: now)
  }

  /// The part of the present round or step that has passed; for a stopwatch, the measured time.
  /// Negative while more time remains than the round or step has, because a clock was ahead.
  func passedUsec(_ timer: Timer, at now: Moment) -> Int64 {
    timer.spec.kind == .stopwatch
      ? measuredUsec(timer, at: now) : timer.runLengthUsec - remainingUsec(timer, at: now)
  }

  /// The timer in `slot` as a client sees it at `now`. O(1).
  public func view(_ slot: Int, at now: Moment) -> TimerView {
    let (timer, timelines) = (table[slot], background.timelines)
    var view = TimerView(
      timer: timer, remainingUsec: remainingUsec(timer, at: now),
      elapsedUsec: max(0, passedUsec(timer, at: now)), sums: sums(timer, at: now))
    if let pause = timer.pauses.present {
      view.pausedSinceUsec =
        now.realtimeUsec - (timelines.reading(.elapsed, at: now) - pause.sinceElapsed)
    }
    view.isAway = isRunningOnPresent(slot) && background.presence == .away
    if let ring = timer.ring {
      let elapsed = timelines.reading(.elapsed, at: now)
      let agoUsec = max(0, elapsed - ring.sinceElapsed)
      view.ringAgoUsec = agoUsec
      view.soundAgoUsec =
        ring.stayedQuiet ? max(0, now.realtimeUsec - ring.sound.atUsec) : agoUsec
      view.quietUsec = ring.quietSince.map { max(0, elapsed - $0) }
      view.ringLeftUsec = ring.deadline.map { $0 - elapsed }
    }
    if case .running(let deadline) = timer.phase {
      let left = deadline - timelines.reading(timer.clock, at: now)
      view.waitsForClock =
        left <= 0 && !isInBackground && background.clockWaitEnd(at: now) != nil
        && certainFiring(slot, deadline: deadline, at: now) != nil
      view.deadlineUsec = now.realtimeUsec + left
      if timer.clock == .elapsed {
        view.deadlineBoottimeUsec = timelines.kernelUsec(.elapsed, deadline: deadline)
      }
    }
    return view
  }

  /// The timer that rings next, for an expiry or at the end of a snooze, and the time of that on
  /// CLOCK_REALTIME, as the clock is set now. Timers that stand still because the user is away do
  /// not count. O(1) without bands. With bands, it looks at up to 10,000 timers whose next band
  /// comes before the first deadline.
  public func next(at now: Moment) -> (slot: Int, realtimeUsec: Int64)? {
    let present = background.presence == .away ? [] : [presentQueue]
    let heads = ([elapsedQueue, awakeQueue, wallQueue] + present).map { queue in
      // What expires before the end of a snooze joins the ring in silence.
      queue.nearest(atMost: 10_000) { isSnoozed($0) ? .max : deadline($0) }
    }
    let expiring = heads.compactMap { slot in
      slot.flatMap { slot in
        isSnoozed(slot) ? nil : view(slot, at: now).deadlineUsec.map { (slot, $0) }
      }
    }
    let snoozed = ringQueue.nearest(atMost: 10_000) { slot in
      table[slot].ring.flatMap { $0.isSnoozed ? $0.deadline : nil } ?? .max
    }
    let ringing = snoozed.flatMap { slot in
      view(slot, at: now).snoozeLeftUsec.map { (slot, now.realtimeUsec + $0) }
    }
    return (expiring + [ringing].compactMap { $0 }).min { $0.1 < $1.1 }
  }

  private func isSnoozed(_ slot: Int) -> Bool { table[slot].ring?.isSnoozed == true }
}

extension Engine {
  /// The first inconsistency in the engine's structures, or nil. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    let mainQueues = [elapsedQueue, awakeQueue, wallQueue, presentQueue, clockWaiters]
    let others = [affectedBySpans, ringQueue, ringWaiters, snoozeAlarms, retentionQueue]
    for queue in mainQueues + others {
      if let wrong = queue.violatedInvariant() { return wrong }
    }
    var rings = RingCounts()
    var seen = Engine.noCounts
    var seenOnPresent = 0
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      seen[Int(table[slot].state.rawValue)] += 1
      let ring = table[slot].ring
      switch ring?.state {
      case .sounding: rings.ringing += 1
      case .snoozed: rings.snoozed += 1
      case .quiet, .insisting: rings.unanswered += 1
      case nil: break
      }
      let waiting = [ringQueue, ringWaiters].filter { $0.contains(slot) }
      if waiting.count != (ring?.deadline == nil ? 0 : 1) { return "\(slot) rings wrongly" }
      if retentionQueue.contains(slot) != (removalElapsed(slot) != nil) {
        return "\(slot) is removed wrongly"
      }
      if snoozeAlarms.contains(slot) != (ring?.isSnoozed == true && table[slot].wakes) {
        return "\(slot) is snoozed wrongly"
      }
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
      if affectedBySpans.contains(slot) != isAffectedBySpans(slot) {
        return "\(slot) sleeps wrongly"
      }
    }
    if seenOnPresent != presentCount { return "\(presentCount) on present, are \(seenOnPresent)" }
    if rings != ringCounts { return "counted \(ringCounts), are \(rings)" }
    return seen == counts ? nil : "counted \(counts), are \(seen)"
  }
}
