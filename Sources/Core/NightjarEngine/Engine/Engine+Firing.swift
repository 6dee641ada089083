public import NightjarModel

/// Handling of due timers: bands, expiries, steps, and the removal of old timers.
extension Engine {
  /// Handles the timers that are due at `now`, unless a background span is open. One call records
  /// at most `firingsAtOnce` events, in the order of the deadlines. Equal deadlines are handled in
  /// the order in which they were set. O(due × log n).
  ///
  /// - Returns: whether more timers are due. Then the caller must call again.
  public func fireDue(at now: Moment) -> Bool {
    guard !isInBackground else { return false }
    let elapsed = background.timelines.reading(.elapsed, at: now)
    undoHistory.expire(atElapsed: elapsed)
    applyUndecidedSpans(at: now)
    recomputeSomeWallDeadlines(at: now)
    releaseClockWaiters(at: now)
    if clockWaitEnd == nil { recordExpiriesOfSpan(at: now) }
    var budget = Engine.firingsAtOnce
    calendarBudget = Engine.instantsPerIteration
    // Wall deadlines are not handled until all are recomputed, because some may turn out not to be
    // due.
    for timeline in Timeline.allCases where timeline != .wall || recomputeSlot == nil {
      let reading = background.timelines.reading(timeline, at: now)
      while budget > 0, calendarBudget > 0, let queue = firstDueQueue(timeline, reading),
        let slot = queue.firstSlot
      {
        if handleFirst(slot, in: queue, on: timeline, reading: reading, at: now) { budget -= 1 }
      }
    }
    if calendarBudget <= 0 { budget = 0 }
    while clockWaitEnd == nil, budget > 0, let slot = retentionQueue.firstDue(at: elapsed) {
      budget -= 1
      record(.forgotten(ring: table[slot].ring?.number ?? 0), about: slot, at: now)
    }
    if budget == 0, isAnyDue(at: now) { return true }
    if recomputeSlot != nil { return true }
    background.clearEndedDoubt(at: now)
    if clockWaiters.count + ringWaiters.count == 0 {
      (clockWaitCauses, ringWaitCauses) = ([:], [:])
    }
    lateSpans.removeAll(keepingCapacity: true)
    deadlineSetSeqs = [:]
    knownInstants = [:]
    recentStepUsec = 0
    recentCorrection = nil
    return clockWaitEnd == nil && retentionQueue.firstDue(at: elapsed) != nil
  }

  /// The readings of the kernel's clocks for which the loop must be armed; none in the background.
  public var wake: Wake {
    guard !isInBackground else { return Wake() }
    let timelines = background.timelines
    let elapsed = [
      elapsedQueue.first, ringQueue.first, clockWaiters.first, ringWaiters.first,
      clockWaitEnd == nil ? retentionQueue.first : nil,
    ]
    let boottime = elapsed.compactMap { $0 }.min().map {
      timelines.kernelUsec(.elapsed, deadline: $0)
    }
    return Wake(
      boottimeUsec: [boottime, clockWaitEnd].compactMap { $0 }.min(), monotonicUsec: uptimeWake,
      realtimeUsec: wallQueue.first)
  }

  /// The reading of MONOTONIC at which the next timer on `awake` or `present` is due. This assumes
  /// that the user stays until then. While the user is away, no timer on `present` is due.
  private var uptimeWake: Int64? {
    let timelines = background.timelines
    let awake = awakeQueue.first.map { timelines.kernelUsec(.awake, deadline: $0) }
    guard timelines.absence.sinceAwakeUsec == nil, let first = presentQueue.first else {
      return awake
    }
    return min(awake ?? .max, timelines.kernelUsec(.present, deadline: first))
  }

  /// The readings of the kernel's clocks at which the machine must be woken; nil: no timer wakes it
  /// by that clock. They are set in the background too, because the machine may be about to sleep.
  /// O(1).
  public var alarms: (boottimeUsec: Int64?, realtimeUsec: Int64?) {
    // A timer that is due but waits for the clock must not wake the machine again and again. Later
    // ones may have to wait too; `[clock] wait` in the configuration limits the wait.
    let isWaiting = [
      elapsedAlarms.firstSlot.map(isWaitingForClock) ?? false,
      snoozeAlarms.firstSlot.map(ringWaiters.contains) ?? false,
      wallAlarms.firstSlot.map(isWaitingForClock) ?? false,
    ]
    let boottime = [
      isWaiting[0] ? nil : elapsedAlarms.first, isWaiting[1] ? nil : snoozeAlarms.first,
    ].compactMap { $0 }.min().map { background.timelines.kernelUsec(.elapsed, deadline: $0) }
    let end = isWaiting.contains(true) ? clockWaitEnd : nil
    return ([end, boottime].compactMap { $0 }.min(), isWaiting[2] ? nil : wallAlarms.first)
  }

  /// Whether a timer runs on `awake` or `present`. Their counters cannot be computed after a crash
  /// or reboot, so the anchor must then be written from time to time.
  public var hasAwakeTimers: Bool {
    awakeQueue.count > 0 || presentQueue.count > 0 && background.presence != .away
  }

  private func isAnyDue(at now: Moment) -> Bool {
    Timeline.allCases.contains { timeline in
      firstDueQueue(timeline, background.timelines.reading(timeline, at: now)) != nil
    }
  }

  /// The queue with the first deadline on a timeline that is due at `reading`: of a schedule or of
  /// a ring; nil: none is due.
  private func firstDueQueue(_ timeline: Timeline, _ reading: Int64) -> DeadlineQueue? {
    let schedules = queue(timeline)
    var first = schedules
    // While wall deadlines are recomputed, it is not known what is due together with a ring.
    if timeline == .elapsed, recomputeSlot == nil, ringQueue.isBefore(schedules) {
      first = ringQueue
    }
    return first.firstDue(at: reading) == nil ? nil : first
  }

  /// Handles the timer in `slot`, which is the first in `queue`: it has reached its next band, its
  /// deadline, or a time of its ring.
  ///
  /// - Returns: whether an event was recorded.
  private func handleFirst(
    _ slot: Int, in queue: DeadlineQueue, on timeline: Timeline, reading: Int64, at now: Moment
  ) -> Bool {
    if queue === ringQueue {
      if clockWaitEnd != nil, deferRingForClock(slot, at: now) { return false }
    } else {
      if clockWaitEnd != nil, deferForClock(slot, in: queue, reading: reading, at: now) {
        return false
      }
      let deadline = deadline(slot)
      if reading >= deadline, let first = queue.first, first < deadline {
        // The timer was in the queue by the time of its next band, in front of timers with earlier
        // deadlines. Put it into the queue by its deadline.
        queue.move(slot, deadline: deadline, order: queue.order(of: slot) ?? 0)
        return false
      }
    }
    let before = lastSeq
    handleDue(slot, at: now)
    return lastSeq > before
  }
}
