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

// MARK: - Bands

extension Engine {
  private func enterBand(_ slot: Int, remainingUsec: Int64, at now: Moment) {
    let bands = table.spec(slot).bands
    let begun = table.spec(slot).band(remainingUsec: remainingUsec)
    record(
      .bandCrossed(
        begun: begun, begun > 0 ? bands[begun - 1] : nil, remainingUsec: remainingUsec),
      about: slot, at: now)
  }

  /// Says so if another band is in force than was announced: time was given or taken, or the clock
  /// was set back. O(bands).
  func settleBand(_ slot: Int, at now: Moment) {
    guard let detail = table.detail(slot), table[slot].state?.isCounting == true else { return }
    guard !isBandInDoubt(slot, at: now) else { return }
    let remaining = remainingUsec(slot, at: now)
    // What is due comes due by itself.
    guard remaining > 0, table.spec(slot).band(remainingUsec: remaining) != Int(detail.band)
    else { return }
    enterBand(slot, remainingUsec: remaining, at: now)
  }
}

extension Engine {
  /// Whether the next band of the timer in `slot` has begun only by a clock that is not vouched for, and
  /// waits for that.
  private func isBandInDoubt(_ slot: Int, at now: Moment) -> Bool {
    let record = table[slot]
    guard background.clockWaitEnd(at: now) != nil else { return false }
    if record.state == .paused, !keepsPointWhilePaused(slot), record.point != 0 { return true }
    guard record.state == .running else { return false }
    let turn = queueDeadline(slot)
    return turn <= background.timelines.reading(record.timeline, at: now)
      && certainFiring(slot, deadline: turn, on: record.timeline, at: now) != nil
  }
}

// MARK: - The wall clock

extension Engine {
  /// The wall clock went back, or the zones have other rules: what goes by them is worked out anew,
  /// before anything on `wall` comes due.
  public func reckonAnew() {
    reckoning = 0
    background.zone = nil
  }

  /// The zones' rules are those that `fingerprint` stands for.
  public func note(zone fingerprint: Int64) {
    zoneFingerprint = fingerprint
    if reckoning == nil { background.zone = fingerprint }
  }

  /// Works out `firingsAtOnce` timers, or looks whether there are any in `slotsPerPass` slots.
  private func reckon(at now: Moment) {
    guard let first = reckoning else { return }
    var budget = Engine.firingsAtOnce
    var slot = first
    let end = min(first + Engine.slotsPerPass, table.slotEnd)
    while slot < end, budget > 0 {
      if table.isOccupied(slot), table[slot].hasDetail {
        reschedule(slot, at: now)
        settleBand(slot, at: now)
        budget -= 1
      }
      slot += 1
    }
    guard slot >= table.slotEnd else {
      reckoning = slot
      return
    }
    reckoning = nil
    background.zone = zoneFingerprint
  }

  func reschedule(_ slot: Int, at now: Moment) {
    let record = table[slot]
    guard let schedule = table.spec(slot).schedule else { return goBack(slot, at: now) }
    guard record.state?.isCounting == true, record.timeline == .wall,
      record.point > now.realtimeUsec,
      let next = nextInstant(slot, schedule, afterUsec: dealtWith(slot, at: now)),
      next != record.point
    else { return }
    // Its instant passed while the clock showed something else.
    if next <= now.realtimeUsec { clockWaitCauses[slot] = (.step, 0) }
    self.record(
      .rescheduled(deadline: next, durationUsec: max(0, next - now.realtimeUsec)), about: slot,
      at: now)
  }

  /// Up to where the instants of an alarm have been dealt with, if the clock was set back: to now, unless it
  /// was ahead and is right again. Then what passed meanwhile was only counted, by a wrong clock: but for
  /// what was before its last ring, which people heard.
  private func dealtWith(_ slot: Int, at now: Moment) -> Int64 {
    guard let doubt = background.doubtThatEnds(at: now), let last = background.clock.last,
      let detail = table.detail(slot)
    else { return now.realtimeUsec }
    let rang = detail.rangSeq > 0 ? last.realtimeUsec(atElapsed: detail.rangAtElapsed) : .min
    return min(now.realtimeUsec, max(doubt, rang, floor(slot, at: now)))
  }

  /// The first instant of a calendar after `afterUsec` that is not among those that really rang, nor among
  /// those that a client had the alarm pass over.
  func nextInstant(_ slot: Int, _ schedule: Schedule, afterUsec: Int64) -> Int64? {
    let passed = table.passedOver(slot)
    var after = afterUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      if let detail = table.detail(slot), detail.hasRung(at: next) {
        after = detail.rangTo
      } else if passed.contains(next) {
        after = next
      } else {
        return next
      }
    }
    return nil
  }

  /// What repeats and was counted on by a clock that was ahead comes back to its present round or step:
  /// more can remain of that than it takes only if its clock was set back. On `wall` what really rang does
  /// not ring again, and what a client had it pass over stays passed over. O(rounds or steps of one cycle, and
  /// of those that rang or are passed over one after the other).
  private func goBack(_ slot: Int, at now: Moment) {
    let record = table[slot]
    let spec = table.spec(slot)
    guard spec.repeats || spec.kind == .sequence, record.state?.isCounting == true,
      !isSnoozed(slot), let detail = table.detail(slot)
    else { return }
    let reading = background.timelines.reading(record.clock, at: now)
    let left = record.state == .paused ? record.held : record.point - reading
    let passed = table.passedOver(slot)
    let passedUsec = passedBefore(Int64(detail.position), slot) * record.originalUsec
    var place = (
      left: left, position: Int64(detail.position), usec: record.durationUsec - passedUsec
    )
    func length(at position: Int64) -> Int64 {
      spec.kind == .sequence ? spec.stepUsec(at: position) : record.originalUsec
    }
    let cycle = spec.kind == .sequence ? spec.cycle : (steps: 1, usec: record.originalUsec)
    while place.left > place.usec, place.position > 0 {
      place.left -= place.usec
      place.position -= 1
      place.usec = length(at: place.position)
      guard let cycle else { continue }
      let cycles = min((place.left - 1) / cycle.usec, place.position / cycle.steps)
      place.left -= cycles * cycle.usec
      place.position -= cycles * cycle.steps
    }
    while place.position < Int64(detail.position) {
      let isPassed = passed.contains(place.position)
      guard isPassed || record.clock == .wall && detail.hasRung(in: place.position) else { break }
      place.position += 1
      let usec = length(at: place.position)
      place.usec = isPassed ? place.usec + usec : usec
      place.left += usec
    }
    guard place.position < Int64(detail.position) else { return }
    let step = spec.kind == .sequence ? spec.step(at: place.position).name : ""
    self.record(
      .rescheduled(
        deadline: record.state == .paused ? place.left : reading + place.left,
        durationUsec: place.usec, back: .init(position: place.position, step: step)),
      about: slot, at: now)
  }
}

// MARK: - A wall clock that is not vouched for

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
  private func holdBack(
    _ slot: Int, in queue: DeadlineQueue, on timeline: Timeline, reading: Int64, at now: Moment
  ) -> Bool {
    // What is overdue comes due by its end, whatever its bands.
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
  private func releaseClockWaiters(at now: Moment) {
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

  private func queueDeadline(_ slot: Int) -> Int64 {
    queueDeadline(slot, table[slot], table.specBeyondCountdown(slot))
  }
}

// MARK: - Spans

extension Engine {
  /// Remembers a span that was just left, until what came due in it has fired.
  func noteLate(_ span: Span) {
    guard let left = span.left, let cause = span.causes.first else { return }
    let readings = Timeline.allCases.map { background.timelines.reading($0, at: left) }
    lateSpans.append(
      LateSpan(
        id: span.id, cause: LateCause(cause), left: readings, leftSeq: lastSeq + 1,
        enteredAwakeUsec: background.enteredAwakeUsec,
        enteredPresentUsec: background.enteredPresentUsec, elapsedUsec: span.elapsedUsec))
  }

  /// What a span means to the sequences that do not just go on: a reboot, whose length only the wall clock
  /// tells, waits for that, and what follows meanwhile for its turn. O(those sequences).
  func makeUp(for span: Span, at now: Moment) {
    guard span.causes.contains(.reboot) || !background.clock.undecided.isEmpty else {
      return makeUp(for: background.entry(of: span), at: now)
    }
    background.wait(for: span)
    // Some of these sequences wait for the clock already. They are no longer certainly due at any moment.
    for slot in sleepers.slotsInOrder() where isWaitingForClock(slot) && isUndecided(slot) {
      clockWaiters.move(slot, deadline: .max, order: clockWaiters.order(of: slot) ?? 0)
    }
    if background.clock.undecided.count > VouchedClock.mostReboots {
      makeUp(for: background.takeUndecided(), at: now)
    }
  }

  /// Makes up for what waited for the clock, once that is vouched for or was waited for for long enough.
  private func decide(at now: Moment) {
    guard !background.clock.undecided.isEmpty, background.clockWaitEnd(at: now) == nil else {
      return
    }
    while !background.clock.undecided.isEmpty {
      makeUp(for: background.takeUndecided(), at: now)
    }
  }

  /// Whether a sequence waits for the clock, which tells whether it is in this step at all.
  func isUndecided(_ slot: Int) -> Bool {
    guard let last = background.clock.undecided.last, sleepers.contains(slot) else { return false }
    return runsSinceSeq(slot) < last.enteredSeq
  }

  private func runsSinceSeq(_ slot: Int) -> Int64 {
    table.interruption(slot)?.resumedSeq ?? table[slot].setSeq
  }

  private func makeUp(for span: UndecidedSpan, at now: Moment) {
    guard sleepers.count > 0 else { return }
    for slot in sleepers.slotsInOrder() where runsSinceSeq(slot) < span.enteredSeq {
      makeUp(slot, for: span, at: now)
    }
  }

  private func makeUp(_ slot: Int, for span: UndecidedSpan, at now: Moment) {
    let spec = table.spec(slot)
    let record = table[slot]
    let remaining = record.point - reading(record.timeline, enteredWith: span, at: now)
    guard span.elapsedUsec >= spec.shortestBreakUsec, remaining > 0,
      var position = table.detail(slot).map({ Int64($0.position) })
    else { return }
    if spec.afterSleep == .pause {
      let isInDoubt = isCountedInDoubt(slot, upTo: span.enteredSeq)
      let kind = Event.Kind.pausedAfterSleep(
        remainingUsec: remaining, span: span.id, enteredSeq: isInDoubt ? span.enteredSeq : 0)
      return _ = self.record(kind, about: slot, at: now)
    }
    let step = spec.step(at: position)
    if step.isBreak {
      // One that has an end of its own comes to it by the clock.
      guard span.elapsedUsec >= remaining, !step.waits, !spec.isLast(position) else { return }
      position += 1
    }
    let usec = spec.stepUsec(at: position)
    let deadline = background.timelines.reading(record.clock, at: now) + usec
    let next = Recurrence(
      position: position, missed: 0, step: spec.step(at: position).name,
      going: .on(deadline: deadline, durationUsec: usec))
    self.record(.restartedAfterSleep(next, span: span.id), about: slot, at: now)
  }

  /// The counter with which a span was entered; of `wall` by the clock as it is set now.
  private func reading(
    _ timeline: Timeline, enteredWith span: UndecidedSpan, at now: Moment
  ) -> Int64 {
    switch timeline {
    case .elapsed: span.entered.elapsedUsec
    case .awake: span.entered.awakeUsec
    case .present: span.enteredPresentUsec
    case .wall:
      now.realtimeUsec
        - (background.timelines.reading(.elapsed, at: now) - span.entered.elapsedUsec)
    }
  }

  /// Lists what came due in the span that was left last, before each does what it does. O(due).
  private func tellWhatCameDue(at now: Moment) {
    guard let span = spanToTell else { return }
    spanToTell = nil
    var count: Int64 = 0
    var slots: [Int] = []
    for timeline in Timeline.allCases {
      let reading = background.timelines.reading(timeline, at: now)
      let due = queue(timeline).due(at: reading, atMost: Engine.namesPerSpan - slots.count) {
        let point = table[$0].point
        return point <= reading ? point : nil
      }
      count += Int64(due.count)
      slots += due.first
    }
    guard count > 0 else { return }
    record(.cameDue(span: span, names: slots.map { table.name($0) }, count: count), at: now)
  }
}

/// A span that was left while what came due in it has not fired yet.
struct LateSpan {
  var id: Int64
  var cause: LateCause
  /// The counters when it was left, by `Timeline.rawValue`.
  var left: [Int64]
  /// The number of the event that says so: a deadline set behind it did not come due in the span,
  /// though its counter may stand at the same point.
  var leftSeq: Int64
  /// The counters of `awake` and `present` when it was entered.
  var enteredAwakeUsec, enteredPresentUsec: Int64
  /// How long it took.
  var elapsedUsec: Int64

  /// How much longer it took than the counter of a timeline says for which it was hidden time, if a deadline
  /// had come before it was entered; 0 for any other.
  func hiddenUsec(behind deadline: Int64, on timeline: Timeline) -> Int64 {
    guard timeline.countsUptime else { return 0 }
    let entered = timeline == .awake ? enteredAwakeUsec : enteredPresentUsec
    guard deadline <= entered else { return 0 }
    return max(0, elapsedUsec - (left[Int(timeline.rawValue)] - entered))
  }
}
