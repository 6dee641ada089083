public import NightjarModel

/// What is due: bands, rings, steps, and the end of retentions.
extension Engine {
  /// Does what is due at `now`, unless time is hidden: at most `firingsAtOnce` events, in the order
  /// of their deadlines, those with equal ones in the order in which they were set. O(due × log n).
  ///
  /// - Returns: whether more is due than was done.
  public func fireDue(at now: Moment) -> Bool {
    guard !isInBackground else { return false }
    decide(at: now)
    reckon(at: now)
    releaseClockWaiters(at: now)
    if clockWaitEnd == nil { tellWhatCameDue(at: now) }
    var budget = Engine.firingsAtOnce
    calendarBudget = Engine.pointsPerPass
    // What is still to be worked out anew may not be due by then.
    for timeline in Timeline.allCases where timeline != .wall || reckoning == nil {
      let reading = background.timelines.reading(timeline, at: now)
      let queue = queue(timeline)
      while budget > 0, calendarBudget > 0, let slot = queue.firstDue(at: reading) {
        if comeDue(slot, in: queue, on: timeline, reading: reading, at: now) { budget -= 1 }
      }
    }
    if calendarBudget <= 0 { budget = 0 }
    let elapsed = background.timelines.reading(.elapsed, at: now)
    while clockWaitEnd == nil, budget > 0, let slot = retentionQueue.firstDue(at: elapsed) {
      budget -= 1
      record(.expired, about: slot, at: now)
    }
    if budget == 0, isAnyDue(at: now) { return true }
    if reckoning != nil { return true }
    background.endDoubt(at: now)
    if clockWaiters.count == 0 { clockWaitCauses = [:] }
    lateSpans.removeAll(keepingCapacity: true)
    setAnewSeqs = [:]
    countedUpTo = [:]
    recentStepUsec = 0
    recentCorrection = nil
    return clockWaitEnd == nil && retentionQueue.firstDue(at: elapsed) != nil
  }

  /// For which readings of the kernel's clocks the loop is to be armed; for none while time is
  /// hidden.
  public var wake: Wake {
    guard !isInBackground else { return Wake() }
    let timelines = background.timelines
    let elapsed = [
      elapsedQueue.first, clockWaiters.first, clockWaitEnd == nil ? retentionQueue.first : nil,
    ]
    let boottime = elapsed.compactMap { $0 }.min().map {
      timelines.kernelUsec(.elapsed, deadline: $0)
    }
    return Wake(
      boottimeUsec: [boottime, clockWaitEnd].compactMap { $0 }.min(), monotonicUsec: uptimeWake,
      realtimeUsec: wallQueue.first)
  }

  /// The reading of MONOTONIC at which something is due on `awake` or `present`, if the user stays until
  /// then. While the user is away, nothing comes due on `present`.
  private var uptimeWake: Int64? {
    let timelines = background.timelines
    let awake = awakeQueue.first.map { timelines.kernelUsec(.awake, deadline: $0) }
    guard timelines.absence.sinceAwakeUsec == nil, let first = presentQueue.first else {
      return awake
    }
    return min(awake ?? .max, timelines.kernelUsec(.present, deadline: first))
  }

  /// When the machine is to be woken, by the kernel's clocks: also while time is hidden, for then
  /// it may sleep. O(1).
  public var alarms: (boottimeUsec: Int64?, realtimeUsec: Int64?) {
    let boottime = elapsedAlarms.first.map {
      background.timelines.kernelUsec(.elapsed, deadline: $0)
    }
    guard clockWaiters.count > 0, let clockWaitEnd else { return (boottime, wallAlarms.first) }
    // Those that are due already, but wait, are not to wake it again and again.
    let waiting = (boottime: isFirstWaiting(elapsedAlarms), realtime: isFirstWaiting(wallAlarms))
    let isAnyWaiting = waiting.boottime || waiting.realtime
    return (
      [isAnyWaiting ? clockWaitEnd : nil, waiting.boottime ? nil : boottime].compactMap { $0 }
        .min(),
      waiting.realtime ? nil : wallAlarms.first
    )
  }

  /// Whether the first alarm that is to wake the machine waits for the clock. The alarms behind it may
  /// have to wait as well, for as long as `[clock] wait` in the configuration says.
  private func isFirstWaiting(_ alarms: DeadlineQueue) -> Bool {
    alarms.firstSlot.map(isWaitingForClock) ?? false
  }

  /// Whether a timer runs on a timeline that a reboot tells nothing of: then the anchor is to be written from
  /// time to time.
  public var hasAwakeTimers: Bool {
    awakeQueue.count > 0 || presentQueue.count > 0 && background.presence != .away
  }

  private func isAnyDue(at now: Moment) -> Bool {
    Timeline.allCases.contains { timeline in
      queue(timeline).firstDue(at: background.timelines.reading(timeline, at: now)) != nil
    }
  }

  /// Its turn has come: a band, or its deadline.
  ///
  /// - Returns: whether something happened.
  private func comeDue(
    _ slot: Int, in queue: DeadlineQueue, on timeline: Timeline, reading: Int64, at now: Moment
  ) -> Bool {
    if clockWaitEnd != nil, holdBack(slot, in: queue, on: timeline, reading: reading, at: now) {
      return false
    }
    let point = table[slot].point
    if reading < point {
      enterBand(slot, remainingUsec: point - reading, at: now)
      return true
    }
    if let turn = queue.first, turn < point {
      // A band brought it here, before others whose deadlines came first.
      queue.move(slot, deadline: point, order: queue.order(of: slot) ?? 0)
      return false
    }
    ring(slot, on: timeline, reading: reading, at: now)
    return true
  }
}
