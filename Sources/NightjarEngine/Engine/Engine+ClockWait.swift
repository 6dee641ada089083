import NightjarModel

/// Timers that are due only by a wall clock that the kernel does not vouch for, and that wait for
/// it.
extension Engine {
  /// The counter of `elapsed` at which a turn at `deadline` of the timer in `slot` has certainly
  /// come; nil: the turn does not depend on a clock that the kernel does not vouch for, or has
  /// certainly come already.
  func certainTurn(_ slot: Int, deadline: Int64, on timeline: Timeline, at now: Moment) -> Int64? {
    let clock = background.clock
    guard clock.isOpen else { return nil }
    let certain: Int64
    switch timeline {
    case .awake, .present: return nil
    case .elapsed: certain = deadline + clock.uncertainUsec(setBy: table[slot].setSeq)
    case .wall:
      certain = clock.certainElapsed(ofWall: firstToRing(slot, from: deadline, at: now)) ?? .max
    }
    return certain > background.timelines.reading(.elapsed, at: now) ? certain : nil
  }

  /// The instant for which an alarm that is due at `deadline` rings. After a boot with a clock that
  /// was behind, the deadline may be an instant that was already handled.
  private func firstToRing(_ slot: Int, from deadline: Int64, at now: Moment) -> Int64 {
    guard deadline <= now.realtimeUsec, let schedule = table.specBeyondCountdown(slot)?.schedule
    else { return deadline }
    let floor = floor(slot, at: now)
    guard deadline <= floor, floor <= now.realtimeUsec else { return deadline }
    return nextInstant(slot, schedule, afterUsec: floor) ?? deadline
  }

  /// Whether the distance between the counter of `timeline` and a deadline of the timer in `slot`
  /// is known only from a wall clock that the kernel does not vouch for.
  func isInDoubt(_ slot: Int, on timeline: Timeline) -> Bool {
    switch timeline {
    case .awake, .present: false
    case .elapsed: background.clock.isInDoubt(setBy: table[slot].setSeq)
    case .wall: background.clock.isOpen
    }
  }

  /// Like `certainTurn`, but never for a sequence that waits for the decision whether it is in this
  /// step at all: `.max` for it.
  func certainFiring(
    _ slot: Int, deadline: Int64, on timeline: Timeline, at now: Moment
  ) -> Int64? {
    isUndecided(slot) ? .max : certainTurn(slot, deadline: deadline, on: timeline, at: now)
  }

  /// Moves a timer that is due only by a clock that the kernel does not vouch for from its queue to
  /// those that wait for the clock.
  ///
  /// - Returns: whether the timer waits now.
  func holdBack(
    _ slot: Int, in queue: DeadlineQueue, on timeline: Timeline, reading: Int64, at now: Moment
  ) -> Bool {
    // An overdue timer is due by its deadline, not by its next band.
    let point = table[slot].point
    let deadline = reading < point ? queueDeadline(slot) : point
    guard let certain = certainFiring(slot, deadline: deadline, on: timeline, at: now) else {
      return false
    }
    if clockWaitCauses[slot] == nil {
      // The reboot is why the timer will be late, if it waits here for a band first and expires
      // during the wait.
      var cause = (LateCause.reboot, background.clock.reboots.last?.span.id ?? 0)
      if reading >= point {
        let late = lateness(slot, deadline: point, on: timeline, reading: reading)
        if late.isHidden { cause = (late.cause ?? .reboot, late.span) }
      }
      clockWaitCauses[slot] = cause
    }
    let order = queue.order(of: slot) ?? 0
    queue.remove(slot)
    clockWaiters.insert(slot, deadline: certain, order: order)
    return true
  }

  /// Moves timers back to their queues: those that are certainly due, or all of them if the clock
  /// was set, the kernel vouched for it, or the wait is over. O(timers moved).
  func releaseClockWaiters(at now: Moment) {
    clockWaitEnd = background.clockWaitEnd(at: now)
    var reading = background.timelines.reading(.elapsed, at: now)
    let wasSet = areClockWaitersStale
    if clockWaitEnd == nil || wasSet { reading = .max }
    areClockWaitersStale = false
    while let slot = clockWaiters.firstDue(at: reading) {
      let order = clockWaiters.order(of: slot) ?? 0
      clockWaiters.remove(slot)
      queue(of: slot)?.insert(slot, deadline: queueDeadline(slot), order: order)
    }
    guard wasSet else { return }
    // If the clock was set back, these timers expire again later, and the cause of that is not this
    // one.
    for slot in clockWaitCauses.keys where table.isOccupied(slot) {
      let reading = background.timelines.reading(table[slot].timeline, at: now)
      if queueDeadline(slot) > reading { clockWaitCauses[slot] = nil }
    }
  }

  func queueDeadline(_ slot: Int) -> Int64 {
    queueDeadline(slot, table[slot], table.specBeyondCountdown(slot))
  }
}
