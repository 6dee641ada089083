import NightjarModel

/// The queues in which timers wait.
extension Engine {
  /// The queues in which a timer waits; nil: it does not wait there.
  struct Queues {
    /// Where the timer waits for its next band, deadline or removal.
    var main: DeadlineQueue?
    /// The timers that are to wake the machine.
    var alarm: DeadlineQueue?
    /// The sequences that a sleep pauses or restarts.
    var sleep: DeadlineQueue?
  }

  /// The queues in which a timer is now. The result is right even if the timer's specification has
  /// changed already, because `sleep` is looked up in the queue and not computed from the
  /// specification.
  func queues(of slot: Int) -> Queues {
    Queues(
      main: isWaitingForClock(slot) ? clockWaiters : queue(of: slot), alarm: alarmQueue(of: slot),
      sleep: affectedBySleep.contains(slot) ? affectedBySleep : nil)
  }

  func removeFromQueues(_ slot: Int, _ queues: Queues) {
    queues.main?.remove(slot)
    queues.alarm?.remove(slot)
    queues.sleep?.remove(slot)
  }

  /// Puts a timer into the queues that its present state requires.
  ///
  /// - Parameter old: the queues in which it was before the change.
  func enqueue(_ slot: Int, order: Int64, from old: Queues = Queues()) {
    Self.move(
      slot, from: old.main, to: queue(of: slot), deadline: queueDeadline(slot) ?? 0, order: order)
    Self.move(
      slot, from: old.alarm, to: alarmQueue(of: slot), deadline: deadline(slot), order: order)
    Self.move(
      slot, from: old.sleep, to: isAffectedBySleep(slot) ? affectedBySleep : nil, deadline: 0,
      order: order)
  }

  private static func move(
    _ slot: Int, from old: DeadlineQueue?, to new: DeadlineQueue?, deadline: Int64, order: Int64
  ) {
    if old === new {
      new?.move(slot, deadline: deadline, order: order)
    } else {
      old?.remove(slot)
      new?.insert(slot, deadline: deadline, order: order)
    }
  }

  /// The queue in which the timer in `slot` waits for its next band, deadline or removal; nil: it
  /// waits for none of them.
  func queue(of slot: Int) -> DeadlineQueue? {
    switch table[slot].phase {
    case .running: queue(table[slot].timeline)
    case .fired, .cancelled, .cancelledStopwatch: retentionQueue
    case .runningStopwatch, .paused, .pausedAlarm, .pausedStopwatch, .waiting: nil
    }
  }

  /// The deadline by which a timer is ordered in that queue. While the timer runs, this is the time
  /// of its next band or its expiry. After the timer has ended, it is the time of its removal.
  func queueDeadline(_ slot: Int) -> Int64? {
    switch table[slot].phase {
    case .running(let deadline):
      let bands = table[slot].spec.bands
      guard !bands.isEmpty else { return deadline }
      let next = table[slot].course.announcedBands
      return next < bands.count ? deadline - bands[next].remainingUsec : deadline
    case .fired(let elapsed), .cancelled(let elapsed, _), .cancelledStopwatch(let elapsed, _):
      return elapsed + Engine.retentionUsec
    case .runningStopwatch, .paused, .pausedAlarm, .pausedStopwatch, .waiting: return nil
    }
  }

  /// The deadline of the timer in `slot`; 0: it has none at present.
  func deadline(_ slot: Int) -> Int64 { table[slot].phase.deadline ?? 0 }

  /// The queue of alarms for a timer that is to wake the machine. Nil for other timers, and on
  /// timelines that do not advance while the machine sleeps.
  func alarmQueue(of slot: Int) -> DeadlineQueue? {
    guard table[slot].wakes, case .running = table[slot].phase else { return nil }
    switch table[slot].timeline {
    case .elapsed: return elapsedAlarms
    case .wall: return wallAlarms
    case .awake, .present: return nil
    }
  }

  /// Whether the timer in `slot` seems due, but waits until the wall clock is synchronised (see
  /// `WallClockState`).
  func isWaitingForClock(_ slot: Int) -> Bool {
    clockWaiters.count > 0 && clockWaiters.contains(slot)
  }

  /// Whether the deadline of the timer in `slot` seems to have passed, but only by a clock that is
  /// not synchronised.
  func isOverdueInDoubt(_ slot: Int, at now: Moment) -> Bool {
    let timeline = table[slot].timeline
    switch table[slot].phase {
    case .paused(let remaining, _): return background.clock.isOpen && remaining < 0
    case .running(let deadline), .pausedAlarm(let deadline):
      return deadline <= background.timelines.reading(timeline, at: now)
        && certainElapsed(slot, deadline: deadline, on: timeline, at: now) != nil
    case .runningStopwatch, .pausedStopwatch, .fired, .waiting, .cancelled, .cancelledStopwatch:
      return false
    }
  }

  /// Whether the timer is a running sequence that a sleep pauses or restarts.
  func isAffectedBySleep(_ slot: Int) -> Bool {
    table[slot].spec.afterSleep != .continue && table[slot].state == .running
      && !table[slot].isSnoozed
  }

  func queue(_ timeline: Timeline) -> DeadlineQueue {
    switch timeline {
    case .elapsed: elapsedQueue
    case .awake: awakeQueue
    case .wall: wallQueue
    case .present: presentQueue
    }
  }
}
