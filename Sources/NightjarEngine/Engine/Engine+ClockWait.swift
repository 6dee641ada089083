import NightjarModel

/// What is due only by a wall clock that is not vouched for, and waits for that.
extension Engine {
  /// Whether a turn at `deadline` of the timer in `slot` has come only by a wall clock that is not
  /// vouched for, and if so, at which counter of `elapsed` it has come for certain.
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

  /// For which instant an alarm rings that is due at `deadline`: a clock that was behind at an earlier boot may
  /// have taken it back to instants that are dealt with.
  private func firstToRing(_ slot: Int, from deadline: Int64, at now: Moment) -> Int64 {
    guard deadline <= now.realtimeUsec, let schedule = table.specBeyondCountdown(slot)?.schedule
    else { return deadline }
    let floor = floor(slot, at: now)
    guard deadline <= floor, floor <= now.realtimeUsec else { return deadline }
    return nextInstant(slot, schedule, afterUsec: floor) ?? deadline
  }

  /// Whether it is known only from a wall clock that is not vouched for how far the counter of `timeline` is
  /// behind a deadline of the timer in `slot`.
  func isInDoubt(_ slot: Int, on timeline: Timeline) -> Bool {
    switch timeline {
    case .awake, .present: false
    case .elapsed: background.clock.isInDoubt(setBy: table[slot].setSeq)
    case .wall: background.clock.isOpen
    }
  }

  /// The same of what may happen then: nothing does to a sequence of which it is not decided whether it is
  /// in this step at all, as long as the clock is waited for.
  func certainFiring(
    _ slot: Int, deadline: Int64, on timeline: Timeline, at now: Moment
  ) -> Int64? {
    isUndecided(slot) ? .max : certainTurn(slot, deadline: deadline, on: timeline, at: now)
  }

  /// Takes a timer that is due only by an unvouched clock out of its queue, while that is waited for.
  ///
  /// - Returns: whether it waits now.
  func holdBack(
    _ slot: Int, in queue: DeadlineQueue, on timeline: Timeline, reading: Int64, at now: Moment
  ) -> Bool {
    // An overdue timer comes due by its deadline, not by its next band.
    let point = table[slot].point
    let deadline = reading < point ? queueDeadline(slot) : point
    guard let certain = certainFiring(slot, deadline: deadline, on: timeline, at: now) else {
      return false
    }
    if clockWaitCauses[slot] == nil {
      // What comes due while it waits, for a band at first, is late because of the reboot.
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

  /// Puts timers back whose turn has come for certain; all of them, once the clock was set or vouched for,
  /// or they have waited for long enough. O(those).
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
    // What the clock was set back from comes due anew, and for a cause of its own.
    for slot in clockWaitCauses.keys where table.isOccupied(slot) {
      let reading = background.timelines.reading(table[slot].timeline, at: now)
      if queueDeadline(slot) > reading { clockWaitCauses[slot] = nil }
    }
  }

  func queueDeadline(_ slot: Int) -> Int64 {
    queueDeadline(slot, table[slot], table.specBeyondCountdown(slot))
  }
}
