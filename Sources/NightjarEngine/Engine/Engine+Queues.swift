import NightjarModel

/// Where a timer waits for what is due next.
extension Engine {
  /// The queues that a timer is in.
  struct Places {
    /// Where it waits for what is due next.
    var turn: DeadlineQueue?
    /// Where it waits as well if it is to wake the machine.
    var alarm: DeadlineQueue?
    /// A sleep is more than time that passed.
    var isSleeper = false
  }

  /// Where a timer is. What decides about its sleep may have been changed already.
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

  /// Puts a timer where it belongs as it is now.
  ///
  /// - Parameter old: where it was before it was changed.
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

  /// When its turn comes: its next band or its deadline; the end of the retention of one that is
  /// over.
  func queueDeadline(_ slot: Int, _ record: TimerRecord, _ spec: SharedSpec?) -> Int64 {
    guard record.state == .running else { return record.point + Engine.retentionUsec }
    guard let bands = spec?.bands, !bands.isEmpty, let detail = table.detail(slot) else {
      return record.point
    }
    let next = Int(detail.band)
    return next < bands.count ? record.point - bands[next].remainingUsec : record.point
  }

  /// Where a timer that is to wake the machine waits as well; nil for any other, and on a timeline
  /// that stands still while the machine sleeps.
  func alarmQueue(of record: TimerRecord, _ spec: SharedSpec?) -> DeadlineQueue? {
    guard record.wakes, record.state == .running, spec?.kind != .stopwatch else { return nil }
    switch record.timeline {
    case .elapsed: return elapsedAlarms
    case .wall: return wallAlarms
    case .awake, .present: return nil
    }
  }

  /// Whether a timer that is due waits for the wall clock to be vouched for.
  func isWaitingForClock(_ slot: Int) -> Bool {
    clockWaiters.count > 0 && clockWaiters.contains(slot)
  }

  /// Whether its time is over only by a clock that is not vouched for.
  func isOverdueInDoubt(_ slot: Int, at now: Moment) -> Bool {
    let record = table[slot]
    guard record.state?.isCounting == true, !isCountingUp(slot) else { return false }
    if record.state == .paused, !keepsPointWhilePaused(slot) {
      return background.clock.isOpen && record.held < 0
    }
    return record.point <= background.timelines.reading(record.timeline, at: now)
      && certainTurn(slot, deadline: record.point, on: record.timeline, at: now) != nil
  }

  /// Where the timer in `slot`, which is in use, waits for what is due next.
  func queue(of slot: Int) -> DeadlineQueue? {
    precondition(table.isOccupied(slot))
    return queue(of: table[slot], table.specBeyondCountdown(slot))
  }

  /// Where a timer waits for what is due next; a paused one waits for nothing.
  func queue(of record: TimerRecord, _ spec: SharedSpec?) -> DeadlineQueue? {
    switch record.state {
    case .running: spec?.kind == .stopwatch ? nil : queue(record.timeline)
    case .fired, .cancelled: retentionQueue
    case .paused, .waiting, nil: nil
    }
  }

  /// A running sequence for which a sleep means something else than time that passed.
  func isSleeper(_ slot: Int, _ record: TimerRecord, _ spec: SharedSpec?) -> Bool {
    guard let spec, record.state == .running else { return false }
    return spec.afterSleep != .continue && !isSnoozed(slot)
  }

  /// It was snoozed and has not rung again.
  func isSnoozed(_ slot: Int) -> Bool { table.detail(slot)?.isSnoozed ?? false }

  /// An alarm is muted, not held, while it is paused.
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
