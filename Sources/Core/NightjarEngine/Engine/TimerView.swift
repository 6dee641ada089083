public import NightjarModel

/// A timer as a client sees it at one moment. All times are in microseconds.
public struct TimerView: Sendable {
  /// The stored fields of the timer.
  public var record: TimerRecord
  /// The specification of the timer.
  public var spec: SharedSpec
  /// The state that the timer has beyond a plain countdown; nil: the timer is a plain countdown.
  public var detail: TimerDetail?
  /// The remaining time; 0 for a timer that fired and for a stopwatch.
  public var remainingUsec: Int64
  /// The elapsed time; for a sequence, the elapsed time of the present step.
  public var elapsedUsec: Int64
  /// The time of the next expiry on CLOCK_REALTIME, as the clock is set now; nil: the timer does
  /// not run.
  public var deadlineUsec: Int64?
  /// The time of the next expiry on CLOCK_BOOTTIME; nil: the timer does not run on `elapsed`.
  public var deadlineBoottimeUsec: Int64?
  /// How long ago the timer rang; nil: it did not ring, or a user answered the ring.
  public var firedAgoUsec: Int64?
  /// Whether the timer seems due, but only by a wall clock that is not synchronised (see
  /// `WallClockState`). Such a timer waits.
  public var waitsForClock = false
  /// Whether the timer stands still because the user is away.
  public var isAway = false

  /// By how much the last ring was early, because the wall clock was ahead; nil: the ring was not
  /// early.
  public var earlyUsec: Int64? {
    // A timer that ended silently did not ring.
    let isSilent = record.state != .running && detail?.wasSkipped == true
    return record.isEstimated && !isSilent && record.remainingOrLateUsec < 0
      ? -record.remainingOrLateUsec : nil
  }

  /// The progress from 0 to 1; 0 for a stopwatch. In a band with a range, the progress within that
  /// range.
  public var progress: Double {
    if spec.kind == .stopwatch { return 0 }
    return spec.progress(
      remainingUsec: record.durationUsec - elapsedUsec, of: record.durationUsec)
  }

  /// The band in which the timer is; nil: no band has begun.
  public var band: Band? {
    guard !spec.bands.isEmpty else { return nil }
    let begun = spec.band(remainingUsec: remainingUsec)
    return begun > 0 ? spec.bands[begun - 1] : nil
  }
}

extension Engine {
  /// The record of the timer in `slot`, which must be in use.
  public func record(at slot: Int) -> TimerRecord { table[slot] }

  /// The specification of the timer in `slot`. The slot must be in use.
  public func spec(at slot: Int) -> SharedSpec { table.spec(slot) }

  /// The specification with which the timer was started, with all updates since. The slot must be
  /// in use.
  public func timerSpec(at slot: Int) -> TimerSpec {
    let (record, shared) = (table[slot], table.spec(slot).content)
    var spec = TimerSpec(
      shared: shared, clock: record.clock, durationUsec: 0, atUsec: nil, wakes: record.wakes,
      attachments: table.attachments(slot) ?? .none)
    switch shared.kind {
    case .countdown: spec.durationUsec = record.originalUsec
    case .alarm: spec.atUsec = shared.schedule == nil ? record.originalUsec : nil
    case .stopwatch, .sequence: break
    }
    return spec
  }

  /// The times of a stopwatch's laps, in order, in microseconds.
  public func laps(at slot: Int) -> [Int64] { table.laps(slot) }

  /// The name of the timer in `slot`.
  public func name(at slot: Int) -> String { table.name(slot) }

  /// The labels, data and ring of the timer in `slot`.
  public func attachments(at slot: Int) -> Attachments? { table.attachments(slot) }

  /// The slot of the timer with this name and ID; nil: there is no such timer any more. O(1)
  /// expected.
  public func slot(of id: Int64, named name: String) -> Int? {
    guard let slot = table.slot(named: name), table[slot].id == id else { return nil }
    return slot
  }

  /// The attachments of the timer that an event is about, even if the event has just removed the
  /// timer. Call this only while the bus delivers the event.
  public func attachments(of subject: Event.Subject) -> Attachments? {
    if table.isOccupied(subject.slot), table[subject.slot].id == subject.id {
      return table.attachments(subject.slot)
    }
    return lastRemoved?.id == subject.id ? lastRemoved?.attachments : nil
  }

  /// A pause of the timer in `slot` that did not change `setSeq`; nil: there was none.
  public func interruption(at slot: Int) -> Interruption? { table.interruption(slot) }

  /// The last failed command of the timer in `slot`; nil: none failed, or a client dismissed it.
  public func failure(at slot: Int) -> CommandFailure? { table.failure(slot) }

  /// How many timers have a ring of their own.
  public var ringCount: Int { table.ringCount }

  /// The remaining time of a timer at `now`.
  func remainingUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    switch record.state {
    case .running:
      if isCountingUp(slot) { return 0 }
      return max(0, record.deadline - background.timelines.reading(record.timeline, at: now))
    case .paused where keepsDeadlineWhilePaused(slot):
      return max(0, record.deadline - now.realtimeUsec)
    case .paused, .cancelled: return isCountingUp(slot) ? 0 : max(0, record.remainingOrLateUsec)
    case .fired, .waiting: return 0
    }
  }

  /// The time that a pause of the timer stores: its remaining time, or for a stopwatch, the
  /// measured time.
  func remainingOrMeasuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    isCountingUp(slot) ? measuredUsec(slot, at: now) : remainingUsec(slot, at: now)
  }

  /// The time that a stopwatch shows.
  private func measuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    guard record.state == .running else { return max(0, record.remainingOrLateUsec) }
    return max(0, background.timelines.reading(record.timeline, at: now) - record.deadline)
  }

  func isCountingUp(_ slot: Int) -> Bool {
    table.spec(slot).kind == .stopwatch
  }

  /// The timer in `slot` as a client sees it at `now`. O(1).
  public func view(_ slot: Int, at now: Moment) -> TimerView {
    let record = table[slot]
    let detail = table.detail(slot)
    let timelines = background.timelines
    let remaining = remainingUsec(slot, at: now)
    let isCountingUp = isCountingUp(slot)
    var view = TimerView(
      record: record, spec: detail == nil ? .plain : table.spec(slot), detail: detail,
      remainingUsec: remaining,
      elapsedUsec: isCountingUp
        ? measuredUsec(slot, at: now) : max(0, record.durationUsec - remaining))
    view.isAway =
      record.state == .running && record.timeline == .present && background.presence == .away
    switch record.state {
    case .running where !isCountingUp:
      let left = record.deadline - timelines.reading(record.timeline, at: now)
      view.waitsForClock =
        left <= 0 && !isInBackground && background.clockWaitEnd(at: now) != nil
        && certainFiring(slot, deadline: record.deadline, on: record.timeline, at: now) != nil
      view.deadlineUsec = now.realtimeUsec + left
      if record.timeline == .elapsed {
        view.deadlineBoottimeUsec = timelines.kernelUsec(.elapsed, deadline: record.deadline)
      }
      if record.firedUsec != 0, let detail {
        view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - detail.rangAtElapsed)
      }
    case .fired: view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - record.deadline)
    case .waiting where record.firedUsec != 0:
      view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - record.deadline)
    case .running, .paused, .cancelled, .waiting: break
    }
    return view
  }

  /// The running timer that rings next, and the time of the ring on CLOCK_REALTIME, as the clock is
  /// set now. Timers that stand still because the user is away do not count. O(1) without bands.
  /// With bands, it looks at up to 10,000 timers whose next band comes before the first deadline.
  public func next(at now: Moment) -> (slot: Int, realtimeUsec: Int64)? {
    let present = background.presence == .away ? [] : [presentQueue]
    let heads = ([elapsedQueue, awakeQueue, wallQueue] + present).map { queue in
      queue.nearest(atMost: 10_000) { table[$0].deadline }
    }
    return heads.compactMap { slot in
      slot.flatMap { slot in view(slot, at: now).deadlineUsec.map { (slot, $0) } }
    }.min { $0.1 < $1.1 }
  }
}

extension Engine {
  /// The first inconsistency in the engine's structures, or nil. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    let mainQueues = [
      elapsedQueue, awakeQueue, wallQueue, presentQueue, retentionQueue, clockWaiters,
    ]
    for queue in mainQueues + [affectedBySleep] {
      if let wrong = queue.violatedInvariant() { return wrong }
    }
    var seen = Engine.noCounts
    var seenOnPresent = 0
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      let record = table[slot]
      seen[Int(record.shownState.rawValue)] += 1
      if record.state == .running, record.timeline == .present { seenOnPresent += 1 }
      if table.slot(named: table.name(slot)) != slot { return "\(slot) is not found by its name" }
      let spec = table.specBeyondCountdown(slot)
      let right = isWaitingForClock(slot) ? clockWaiters : queue(of: record, spec)
      for queue in mainQueues where queue.contains(slot) != (queue === right) {
        return "\(slot) is in the wrong queue"
      }
      for queue in [elapsedAlarms, wallAlarms]
      where queue.contains(slot) != (queue === alarmQueue(of: record, spec)) {
        return "\(slot) is among the wrong alarms"
      }
      if affectedBySleep.contains(slot) != isAffectedBySleep(slot, record, spec) {
        return "\(slot) sleeps wrongly"
      }
      if spec?.isPlain == true {
        return "\(slot) has a detail without need"
      }
    }
    if seenOnPresent != presentCount { return "\(presentCount) on present, are \(seenOnPresent)" }
    return seen == counts ? nil : "counted \(counts), are \(seen)"
  }
}
