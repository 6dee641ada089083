import NightjarModel

/// Timers that seem due, but only by a wall clock that is not synchronised (see `WallClockState`).
/// They wait until the clock is synchronised, or until the time to wait is over.
extension Engine {
  /// Why a deadline that waits for the clock is late, and the number of the background span or 0.
  struct WaitCause {
    var cause: LateCause
    var span: Int64
  }

  /// The reading of `elapsed` at which the timer in `slot` has certainly reached `deadline`, the
  /// time of its expiry or of its next band. Nil: the timer has certainly reached `deadline`
  /// already, or `deadline` does not depend on a clock that is not synchronised.
  func certainElapsed(_ slot: Int, deadline: Int64, at now: Moment) -> Int64? {
    let clock = background.clock
    guard clock.isOpen else { return nil }
    let certain: Int64
    switch table[slot].clock {
    case .awake, .present: return nil
    case .elapsed: certain = deadline + clock.uncertainUsec(setBy: table[slot].countedFrom)
    case .wall:
      certain = clock.certainElapsed(ofWall: ringingInstant(slot, from: deadline, at: now)) ?? .max
    }
    return certain > background.timelines.reading(.elapsed, at: now) ? certain : nil
  }

  /// The same for a time of an open ring.
  func certainElapsed(_ ring: Ring, _ deadline: Int64, at now: Moment) -> Int64? {
    guard background.clock.isOpen else { return nil }
    let certain = deadline + background.clock.uncertainUsec(setBy: ring.countedFrom)
    return certain > background.timelines.reading(.elapsed, at: now) ? certain : nil
  }

  /// The instant for which an alarm rings if it is due at `deadline`. If the clock was behind at
  /// boot, the instant at `deadline` may have been handled already. Then this is the next instant.
  private func ringingInstant(_ slot: Int, from deadline: Int64, at now: Moment) -> Int64 {
    guard deadline <= now.realtimeUsec, let schedule = table[slot].spec.schedule else {
      return deadline
    }
    let missedSince = missedSince(slot, at: now)
    guard deadline <= missedSince, missedSince <= now.realtimeUsec else { return deadline }
    return nextInstant(slot, schedule, afterUsec: missedSince) ?? deadline
  }

  /// Whether the time until the deadline of the timer in `slot` is uncertain, because it depends on
  /// a wall clock that is not synchronised.
  func isInDoubt(_ slot: Int) -> Bool {
    switch table[slot].clock {
    case .awake, .present: false
    case .elapsed: background.clock.isInDoubt(setBy: table[slot].countedFrom)
    case .wall: background.clock.isOpen
    }
  }

  /// Like `certainElapsed`. If the timer is a sequence and the daemon does not know yet which step
  /// it is in, this returns `.max`, so that the sequence does not fire.
  func certainFiring(_ slot: Int, deadline: Int64, at now: Moment) -> Int64? {
    isUndecided(slot) ? .max : certainElapsed(slot, deadline: deadline, at: now)
  }

  /// Moves a timer from its queue to `clockWaiters`, if it seems due only by a clock that is not
  /// synchronised.
  ///
  /// - Returns: whether the timer waits now.
  func deferForClock(
    _ slot: Int, in queue: DeadlineQueue, reading: Int64, at now: Moment
  ) -> Bool {
    // If the expiry itself seems due, use it, and not the next band.
    guard let deadline = table[slot].phase.deadline,
      let next = reading < deadline ? queueDeadline(slot) : deadline,
      let certain = certainFiring(slot, deadline: next, at: now)
    else { return false }
    if clockWaitCauses[slot] == nil {
      // A timer may begin to wait for its next band and expire during the wait. The cause of its
      // lateness is then the reboot.
      let late = reading >= deadline ? lateness(slot, deadline: deadline, at: now) : nil
      clockWaitCauses[slot] = waitCause(late)
    }
    let order = queue.order(of: slot) ?? 0
    queue.remove(slot)
    clockWaiters.insert(slot, deadline: certain, order: order)
    return true
  }

  /// The same for the ring of a timer, which is the first in `ringQueue`.
  func deferRingForClock(_ slot: Int, at now: Moment) -> Bool {
    guard let ring = table[slot].ring, let deadline = ring.deadline,
      let certain = certainElapsed(ring, deadline, at: now)
    else { return false }
    if ringWaitCauses[slot] == nil {
      ringWaitCauses[slot] = waitCause(ringLateness(slot, at: now))
    }
    ringQueue.remove(slot)
    ringWaiters.insert(slot, deadline: certain, order: ring.countedFrom)
    return true
  }

  private func waitCause(_ late: Lateness?) -> WaitCause {
    if let late, late.isHidden, let cause = late.cause {
      return WaitCause(cause: cause, span: late.span)
    }
    return WaitCause(cause: .reboot, span: background.clock.reboots.last?.span.id ?? 0)
  }

  /// Moves timers from `clockWaiters` back to their queues. It moves those that are certainly due.
  /// It moves all of them if the clock was set, if it was synchronised, or if the time to wait is
  /// over. O(timers moved).
  func releaseClockWaiters(at now: Moment) {
    clockWaitEnd = background.clockWaitEnd(at: now)
    var reading = background.timelines.reading(.elapsed, at: now)
    let wasSet = areClockWaitersStale
    if clockWaitEnd == nil || wasSet { reading = .max }
    areClockWaitersStale = false
    while let slot = clockWaiters.firstDue(at: reading) {
      let order = clockWaiters.order(of: slot) ?? 0
      clockWaiters.remove(slot)
      queue(of: slot)?.insert(slot, deadline: queueDeadline(slot) ?? 0, order: order)
    }
    while let slot = ringWaiters.firstDue(at: reading) {
      let order = ringWaiters.order(of: slot) ?? 0
      ringWaiters.remove(slot)
      ringQueue.insert(slot, deadline: table[slot].ring?.deadline ?? 0, order: order)
    }
    guard wasSet else { return }
    // If the clock was set back, these timers expire later than it seemed, and the stored cause
    // does not explain that.
    for slot in clockWaitCauses.keys where table.isOccupied(slot) {
      let reading = background.timelines.reading(table[slot].clock, at: now)
      if queueDeadline(slot) ?? .max > reading { clockWaitCauses[slot] = nil }
    }
  }
}
