public import NightjarModel

/// A timer as somebody sees it at one moment. Everything in microseconds.
public struct TimerView: Sendable {
  /// What is stored of it.
  public var record: TimerRecord
  /// What it does.
  public var spec: SharedSpec
  /// What changes of that; nil: it is a countdown and no more.
  public var detail: TimerDetail?
  /// What remains; 0 for one that fired, and for a stopwatch.
  public var remainingUsec: Int64
  /// How far it has come; of a sequence in the present step.
  public var elapsedUsec: Int64
  /// When it rings, on CLOCK_REALTIME as it goes now; nil unless it runs.
  public var deadlineUsec: Int64?
  /// When it rings, on CLOCK_BOOTTIME; nil unless it runs on `elapsed`.
  public var deadlineBoottimeUsec: Int64?
  /// How long ago it rang; nil: it did not, or that was seen.
  public var firedAgoUsec: Int64?
  /// Whether it is due by a wall clock that was not vouched for, and waits for that.
  public var waitsForClock = false
  /// Whether it stands still, because the user is away.
  public var isAway = false

  /// By how much the last ring was early, by a clock that turned out to have been ahead; nil: it was not.
  public var earlyUsec: Int64? {
    // It did not ring where it ended without.
    let isSilent = record.state != .running && detail?.wasSkipped == true
    return record.isEstimated && !isSilent && record.held < 0 ? -record.held : nil
  }

  /// From 0 to 1, through the range of the band it is in where that has one; 0 for a stopwatch.
  public var progress: Double {
    if spec.kind == .stopwatch { return 0 }
    return spec.progress(
      remainingUsec: record.durationUsec - elapsedUsec, of: record.durationUsec)
  }

  /// The band it is in; nil: none has begun.
  public var band: Band? {
    guard !spec.bands.isEmpty else { return nil }
    let begun = spec.band(remainingUsec: remainingUsec)
    return begun > 0 ? spec.bands[begun - 1] : nil
  }
}

extension Engine {
  /// A timer's record; the slot is in use.
  public func record(at slot: Int) -> TimerRecord { table[slot] }

  /// What a timer does; the slot is in use.
  public func spec(at slot: Int) -> SharedSpec { table.spec(slot) }

  /// What was asked for, with all updates since; the slot is in use.
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

  /// What a stopwatch had measured at each lap, in order.
  public func laps(at slot: Int) -> [Int64] { table.laps(slot) }

  /// A timer's name.
  public func name(at slot: Int) -> String { table.name(slot) }

  /// The bytes of a timer's name; valid until it is removed.
  public func nameBytes(at slot: Int) -> UnsafeRawBufferPointer { table.nameBytes(slot) }

  /// What is attached to a timer.
  public func attachments(at slot: Int) -> Attachments? { table.attachments(slot) }

  /// Where the timer of this name and ID is; nil if it is not there any more. O(1) expected.
  public func slot(of id: Int64, named name: String) -> Int? {
    guard let slot = table.slot(named: name), table[slot].id == id else { return nil }
    return slot
  }

  /// What is attached to the timer that an event is about, while that is being delivered: also if it
  /// has just been put away by it.
  public func attachments(of subject: Event.Subject) -> Attachments? {
    if table.isOccupied(subject.slot), table[subject.slot].id == subject.id {
      return table.attachments(subject.slot)
    }
    return departed?.id == subject.id ? departed?.attachments : nil
  }

  /// The pause of the timer in `slot` that is counted from before it; nil: it has none.
  public func interruption(at slot: Int) -> Interruption? { table.interruption(slot) }

  /// The command of the timer in `slot` that failed last; nil: none did, or a client dismissed that.
  public func failure(at slot: Int) -> CommandFailure? { table.failure(slot) }

  /// How many rings are in use: as long as there are none, nobody has to look for one.
  public var ringCount: Int { table.ringCount }

  /// What remains of a timer at `now`.
  func remainingUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    switch record.state {
    case .running:
      if isCountingUp(slot) { return 0 }
      return max(0, record.point - background.timelines.reading(record.timeline, at: now))
    case .paused where keepsPointWhilePaused(slot):
      return max(0, record.point - now.realtimeUsec)
    case .paused, .cancelled: return isCountingUp(slot) ? 0 : max(0, record.held)
    case .fired, .waiting, nil: return 0
    }
  }

  /// What a pause keeps: what remains, or what a stopwatch has measured.
  func heldUsec(_ slot: Int, at now: Moment) -> Int64 {
    isCountingUp(slot) ? measuredUsec(slot, at: now) : remainingUsec(slot, at: now)
  }

  /// What a stopwatch has measured.
  private func measuredUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    guard record.state == .running else { return max(0, record.held) }
    return max(0, background.timelines.reading(record.timeline, at: now) - record.point)
  }

  func isCountingUp(_ slot: Int) -> Bool {
    table[slot].hasDetail && table.spec(slot).kind == .stopwatch
  }

  /// A timer as it is seen at `now`. O(1).
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
      let left = record.point - timelines.reading(record.timeline, at: now)
      view.waitsForClock =
        left <= 0 && !isInBackground && background.clockWaitEnd(at: now) != nil
        && certainFiring(slot, deadline: record.point, on: record.timeline, at: now) != nil
      view.deadlineUsec = now.realtimeUsec + left
      if record.timeline == .elapsed {
        view.deadlineBoottimeUsec = timelines.kernelUsec(.elapsed, deadline: record.point)
      }
      if record.firedUsec != 0, let detail {
        view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - detail.rangAtElapsed)
      }
    case .fired: view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - record.point)
    case .waiting where record.firedUsec != 0:
      view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - record.point)
    case .running, .paused, .cancelled, .waiting, nil: break
    }
    return view
  }

  /// The running timer that rings next, as REALTIME goes now, and when; none that stands still. O(1) without
  /// bands; with bands, those that come before the first deadline are looked through, up to 10,000 of them.
  public func next(at now: Moment) -> (slot: Int, realtimeUsec: Int64)? {
    let present = background.presence == .away ? [] : [presentQueue]
    let heads = ([elapsedQueue, awakeQueue, wallQueue] + present).map { queue in
      queue.nearest(atMost: 10_000) { table[$0].point }
    }
    return heads.compactMap { slot in
      slot.flatMap { slot in view(slot, at: now).deadlineUsec.map { (slot, $0) } }
    }.min { $0.1 < $1.1 }
  }
}

extension Engine {
  /// What is wrong with the engine's structures, or nil. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    let turns = [elapsedQueue, awakeQueue, wallQueue, presentQueue, retentionQueue, clockWaiters]
    for queue in turns + [sleepers] {
      if let wrong = queue.violatedInvariant() { return wrong }
    }
    var seen = Engine.noCounts
    var seenOnPresent = 0
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      let record = table[slot]
      seen[Int(record.state!.rawValue)] += 1
      if record.state == .running, record.timeline == .present { seenOnPresent += 1 }
      if table.slot(named: table.name(slot)) != slot { return "\(slot) is not found by its name" }
      let spec = table.specBeyondCountdown(slot)
      let right = isWaitingForClock(slot) ? clockWaiters : queue(of: record, spec)
      for queue in turns where queue.contains(slot) != (queue === right) {
        return "\(slot) is in the wrong queue"
      }
      for queue in [elapsedAlarms, wallAlarms]
      where queue.contains(slot) != (queue === alarmQueue(of: record, spec)) {
        return "\(slot) is among the wrong alarms"
      }
      if sleepers.contains(slot) != isSleeper(slot, record, spec) {
        return "\(slot) sleeps wrongly"
      }
      if record.hasDetail != (table.spec(slot) != .plain) {
        return "\(slot) has a detail without need, or none"
      }
    }
    if seenOnPresent != presentCount { return "\(presentCount) on present, are \(seenOnPresent)" }
    return seen == counts ? nil : "counted \(counts), are \(seen)"
  }
}
