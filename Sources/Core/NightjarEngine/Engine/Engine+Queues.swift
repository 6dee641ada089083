import NightjarModel

/// The queues in which timers wait.
extension Engine {
  struct Queues {
    /// The queue in which the timer waits for its next band, deadline or removal; nil: it waits for
    /// none of them.
    var main: DeadlineQueue?
    /// The queue of timers that are to wake the machine; nil: the timer is not in it.
    var alarm: DeadlineQueue?
    /// Whether the timer is in the queue of sequences that a sleep pauses or restarts.
    var isAffectedBySleep = false
  }

  /// The queues in which a timer is now. The result is right even if the timer's specification has
  /// changed already, because `isAffectedBySleep` is looked up in the queue and not computed from
  /// the specification.
  func queues(of slot: Int) -> Queues {
    let record = table[slot]
    let spec = table.specBeyondCountdown(slot)
    return Queues(
      main: isWaitingForClock(slot) ? clockWaiters : queue(of: record, spec),
      alarm: alarmQueue(of: record, spec),
      isAffectedBySleep: table.hasDetail(slot) && affectedBySleep.contains(slot))
  }

  func removeFromQueues(_ slot: Int, _ queues: Queues) {
    queues.main?.remove(slot)
    queues.alarm?.remove(slot)
    if queues.isAffectedBySleep { affectedBySleep.remove(slot) }
  }

  /// Puts a timer into the queues that its present state requires.
  ///
  /// - Parameter old: the queues in which it was before the change.
  func enqueue(_ slot: Int, order: Int64, from old: Queues = Queues()) {
    let record = table[slot]
    let spec = table.specBeyondCountdown(slot)
    Self.move(
      slot, from: old.main, to: queue(of: record, spec),
      deadline: queueDeadline(slot, record, spec), order: order)
    Self.move(
      slot, from: old.alarm, to: alarmQueue(of: record, spec), deadline: record.deadline,
      order: order)
    guard let spec else {
      if old.isAffectedBySleep { affectedBySleep.remove(slot) }
      return
    }
    Self.move(
      slot, from: old.isAffectedBySleep ? affectedBySleep : nil,
      to: isAffectedBySleep(slot, record, spec) ? affectedBySleep : nil, deadline: 0, order: order)
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

  /// The deadline by which a timer is ordered in its queue. While the timer runs, this is the time
  /// of its next band or its expiry. After the timer has ended, it is the time of its removal.
  func queueDeadline(_ slot: Int, _ record: TimerRecord, _ spec: SharedSpec?) -> Int64 {
    guard record.state == .running else { return record.deadline + Engine.retentionUsec }
    guard let bands = spec?.bands, !bands.isEmpty, let detail = table.detail(slot) else {
      return record.deadline
    }
    let next = Int(detail.band)
    return next < bands.count ? record.deadline - bands[next].remainingUsec : record.deadline
  }

  /// The queue of alarms for a timer that is to wake the machine. Nil for other timers, and on
  /// timelines that do not advance while the machine sleeps.
  func alarmQueue(of record: TimerRecord, _ spec: SharedSpec?) -> DeadlineQueue? {
    guard record.wakes, record.state == .running, spec?.kind != .stopwatch else { return nil }
    switch record.timeline {
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
    let record = table[slot]
    guard record.state.isCounting, !isCountingUp(slot) else { return false }
    if record.state == .paused, !keepsDeadlineWhilePaused(slot) {
      return background.clock.isOpen && record.remainingOrLateUsec < 0
    }
    return record.deadline <= background.timelines.reading(record.timeline, at: now)
      && certainElapsed(slot, deadline: record.deadline, on: record.timeline, at: now) != nil
  }

  /// The queue in which the timer in `slot` waits for its next band, deadline or removal. The slot
  /// must be in use.
  func queue(of slot: Int) -> DeadlineQueue? {
    precondition(table.isOccupied(slot))
    return queue(of: table[slot], table.specBeyondCountdown(slot))
  }

  /// The queue in which a timer waits for its next band, deadline or removal. Nil for a paused or
  /// waiting timer and for a stopwatch.
  func queue(of record: TimerRecord, _ spec: SharedSpec?) -> DeadlineQueue? {
    switch record.state {
    case .running: spec?.kind == .stopwatch ? nil : queue(record.timeline)
    case .fired, .cancelled: retentionQueue
    case .paused, .waiting: nil
    }
  }

  /// Whether the timer is a running sequence that a sleep pauses or restarts.
  func isAffectedBySleep(_ slot: Int, _ record: TimerRecord, _ spec: SharedSpec?) -> Bool {
    guard let spec, record.state == .running else { return false }
    return spec.afterSleep != .continue && !record.isSnoozed
  }

  /// Whether the timer was snoozed and has not rung since.
  func isSnoozed(_ slot: Int) -> Bool { table[slot].isSnoozed }

  /// Whether the timer is an alarm. A paused alarm keeps its deadline, and does not ring when the
  /// deadline passes.
  func keepsDeadlineWhilePaused(_ slot: Int) -> Bool {
    let record = table[slot]
    return record.timeline == .wall && table.spec(slot).kind == .alarm
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
