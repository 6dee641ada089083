import NightjarModel

/// The queues in which timers wait.
extension Engine {
  /// The queues in which a timer waits; nil: it does not wait there.
  struct Queues {
    /// Where the timer waits for its next band or deadline.
    var main: DeadlineQueue?
    /// The timers that are to wake the machine.
    var alarm: DeadlineQueue?
    /// The sequences that have a policy for the end of a span.
    var spans: DeadlineQueue?
    /// Where the open ring waits for its next time, and the snoozed rings that are to wake the
    /// machine.
    var ring, snoozeAlarm: DeadlineQueue?
    /// The timers that are removed later.
    var retention: DeadlineQueue?
  }

  /// The queues in which a timer is now. The result is right even if the timer's specification has
  /// changed already, because `spans` is looked up in the queue and not computed from the
  /// specification.
  func queues(of slot: Int) -> Queues {
    Queues(
      main: isWaitingForClock(slot) ? clockWaiters : queue(of: slot), alarm: alarmQueue(of: slot),
      spans: affectedBySpans.contains(slot) ? affectedBySpans : nil,
      ring: ringQueue.contains(slot) ? ringQueue : ringWaiters.contains(slot) ? ringWaiters : nil,
      snoozeAlarm: snoozeAlarms.contains(slot) ? snoozeAlarms : nil,
      retention: retentionQueue.contains(slot) ? retentionQueue : nil)
  }

  func removeFromQueues(_ slot: Int, _ queues: Queues) {
    queues.main?.remove(slot)
    queues.alarm?.remove(slot)
    for queue in [queues.spans, queues.ring, queues.snoozeAlarm, queues.retention] {
      queue?.remove(slot)
    }
  }

  /// Puts a timer into the queues that its present state requires.
  ///
  /// - Parameters:
  ///   - order: the order of its deadline among equal ones.
  ///   - old: the queues in which it was before the change.
  func enqueue(_ slot: Int, order: Int64, from old: Queues = Queues()) {
    Self.move(
      slot, from: old.main, to: queue(of: slot), deadline: queueDeadline(slot) ?? 0, order: order)
    Self.move(
      slot, from: old.alarm, to: alarmQueue(of: slot), deadline: deadline(slot), order: order)
    Self.move(
      slot, from: old.spans, to: isAffectedBySpans(slot) ? affectedBySpans : nil, deadline: 0,
      order: order)
    enqueueRing(slot, from: old)
  }

  /// The same for the ring of a timer, and for its removal, which the ring puts off.
  func enqueueRing(_ slot: Int, from old: Queues) {
    let removal = removalElapsed(slot)
    guard old.ring != nil || old.retention != nil || table[slot].hasRing || removal != nil
    else { return }
    let ring = table[slot].ring
    let isAlarm = ring?.isSnoozed == true && table[slot].wakes
    let (deadline, order) = (ring?.deadline ?? 0, ring?.countedFrom ?? 0)
    // A ring that waits for the clock goes on to wait, if the change was not about it.
    let waits = ring?.deadline != nil && ringWaiters.order(of: slot) == order
    if !waits {
      Self.move(
        slot, from: old.ring, to: ring?.deadline == nil ? nil : ringQueue, deadline: deadline,
        order: order)
    }
    Self.move(
      slot, from: old.snoozeAlarm, to: isAlarm ? snoozeAlarms : nil, deadline: deadline,
      order: order)
    Self.move(
      slot, from: old.retention, to: removal == nil ? nil : retentionQueue, deadline: removal ?? 0,
      order: table[slot].id)
  }

  /// The reading of `elapsed` at which a timer that is over is removed: a day after its end, or
  /// after it rang last. Nil: the timer is not over, or its ring sounds, insists or is snoozed.
  func removalElapsed(_ slot: Int) -> Int64? {
    switch table[slot].phase {
    case .over(let elapsed), .cancelled(let elapsed, _), .cancelledStopwatch(let elapsed, _):
      guard let ring = table[slot].ring else { return elapsed + Engine.retentionUsec }
      return ring.isQuiet ? max(elapsed, ring.sinceElapsed) + Engine.retentionUsec : nil
    case .running, .runningStopwatch, .paused, .pausedAlarm, .pausedStopwatch, .waiting: return nil
    }
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

  /// The queue in which the timer in `slot` waits for its next band or deadline; nil: it does not
  /// run.
  func queue(of slot: Int) -> DeadlineQueue? {
    if case .running = table[slot].phase { queue(table[slot].clock) } else { nil }
  }

  /// The time by which a timer is ordered in that queue: of its next band, or its deadline.
  func queueDeadline(_ slot: Int) -> Int64? {
    guard case .running(let deadline) = table[slot].phase else { return nil }
    let bands = table[slot].spec.bands
    guard !bands.isEmpty else { return deadline }
    let next = table[slot].course.announcedBands
    return next < bands.count ? deadline - bands[next].remainingUsec : deadline
  }

  /// The deadline of the timer in `slot`; 0: it has none at present.
  func deadline(_ slot: Int) -> Int64 { table[slot].phase.deadline ?? 0 }

  /// The queue of alarms for a timer that is to wake the machine. Nil for other timers, and on
  /// timelines that do not advance while the machine sleeps.
  func alarmQueue(of slot: Int) -> DeadlineQueue? {
    guard table[slot].wakes, case .running = table[slot].phase else { return nil }
    switch table[slot].clock {
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
    switch table[slot].phase {
    case .paused(let remaining, _): return background.clock.isOpen && remaining < 0
    case .running(let deadline), .pausedAlarm(let deadline):
      return deadline <= background.timelines.reading(table[slot].clock, at: now)
        && certainElapsed(slot, deadline: deadline, at: now) != nil
    case .runningStopwatch, .pausedStopwatch, .over, .waiting, .cancelled, .cancelledStopwatch:
      return false
    }
  }

  /// Whether the timer is a running sequence that has a policy for the end of a span.
  func isAffectedBySpans(_ slot: Int) -> Bool {
    let spec = table[slot].spec
    return (spec.afterSleep != .continue || spec.afterAway != .continue)
      && table[slot].state == .running
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
