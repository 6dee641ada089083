import NightjarModel

/// The queues in which timers wait.
extension Engine {
  /// The queues that a timer is in.
  struct Places {
    /// The queue in which the timer waits for its next band, deadline or removal; nil: it waits for
    /// none of them.
    var turn: DeadlineQueue?
    /// The queue of timers that are to wake the machine; nil: the timer is not in it.
    var alarm: DeadlineQueue?
    /// Whether the timer is in the queue of sequences that a sleep pauses or restarts.
    var isSleeper = false
  }

  /// The queues in which a timer is now. The result is right even if the timer's specification has
  /// changed already, because `isSleeper` is looked up in the queue and not computed from the
  /// specification.
  func places(_ slot: Int) -> Places {
    let record = table[slot]
    let spec = table.specBeyondCountdown(slot)
    return Places(
      turn: isWaitingForClock(slot) ? clockWaiters : queue(of: record, spec),
      alarm: alarmQueue(of: record, spec),
      isSleeper: record.hasDetail && sleepers.contains(slot))
  }

  func leave(_ slot: Int, _ places: Places) {
    places.turn?.remove(slot)
    places.alarm?.remove(slot)
    if places.isSleeper { sleepers.remove(slot) }
  }

  /// Puts a timer into the queues that its present state requires.
  ///
  /// - Parameter old: the queues in which it was before the change.
  func enqueue(_ slot: Int, order: Int64, from old: Places = Places()) {
    let record = table[slot]
    let spec = table.specBeyondCountdown(slot)
    Self.move(
      slot, from: old.turn, to: queue(of: record, spec),
      deadline: queueDeadline(slot, record, spec), order: order)
    Self.move(
      slot, from: old.alarm, to: alarmQueue(of: record, spec), deadline: record.point,
      order: order)
    guard let spec else {
      if old.isSleeper { sleepers.remove(slot) }
      return
    }
    Self.move(
      slot, from: old.isSleeper ? sleepers : nil,
      to: isSleeper(slot, record, spec) ? sleepers : nil, deadline: 0, order: order)
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
    guard record.state == .running else { return record.point + Engine.retentionUsec }
    guard let bands = spec?.bands, !bands.isEmpty, let detail = table.detail(slot) else {
      return record.point
    }
    let next = Int(detail.band)
    return next < bands.count ? record.point - bands[next].remainingUsec : record.point
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

  /// Whether the timer in `slot` seems due, but waits until the kernel vouches for the wall clock
  /// (see `VouchedClock`).
  func isWaitingForClock(_ slot: Int) -> Bool {
    clockWaiters.count > 0 && clockWaiters.contains(slot)
  }

  /// Whether the deadline of the timer in `slot` seems to have passed, but only by a clock that the
  /// kernel does not vouch for.
  func isOverdueInDoubt(_ slot: Int, at now: Moment) -> Bool {
    let record = table[slot]
    guard record.state?.isCounting == true, !isCountingUp(slot) else { return false }
    if record.state == .paused, !keepsPointWhilePaused(slot) {
      return background.clock.isOpen && record.held < 0
    }
    return record.point <= background.timelines.reading(record.timeline, at: now)
      && certainTurn(slot, deadline: record.point, on: record.timeline, at: now) != nil
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
    case .paused, .waiting, nil: nil
    }
  }

  /// Whether the timer is a running sequence that a sleep pauses or restarts.
  func isSleeper(_ slot: Int, _ record: TimerRecord, _ spec: SharedSpec?) -> Bool {
    guard let spec, record.state == .running else { return false }
    return spec.afterSleep != .continue && !isSnoozed(slot)
  }

  /// Whether the timer was snoozed and has not rung since.
  func isSnoozed(_ slot: Int) -> Bool { table.detail(slot)?.isSnoozed ?? false }

  /// Whether the timer is an alarm. A paused alarm keeps its deadline, and does not ring when the
  /// deadline passes.
  func keepsPointWhilePaused(_ slot: Int) -> Bool {
    let record = table[slot]
    return record.hasDetail && record.timeline == .wall && table.spec(slot).kind == .alarm
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
