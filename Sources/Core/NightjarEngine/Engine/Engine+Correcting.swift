import NightjarModel

/// Corrections of the timers at the moment when the wall clock is synchronised after a reboot (see
/// `WallClockState`).
extension Engine {
  /// Corrects all timers for wrong lengths of reboots. Repeating timers and sequences return to the
  /// round or step in which they would be without the error.
  func correct(_ spans: [SpanCorrection], at now: Moment) {
    let corrections = spans.filter { $0.byUsec != 0 }
    let byUsec = corrections.reduce(0) { $0 + $1.byUsec }
    if let longest = corrections.max(by: { $0.byUsec < $1.byUsec }) {
      recentCorrection = (longest.span, byUsec)
    }
    for index in lateSpans.indices {
      lateSpans[index].left[Int(Timeline.elapsed.rawValue)] += byUsec
    }
    for (index, correction) in corrections.enumerated() {
      background.correctAnswered(correction)
      var early: Int64 = 0
      if index == corrections.endIndex - 1 { early = earliestUsec(after: correction) }
      record(
        .spanCorrected(
          correction.span, byUsec: correction.byUsec, sinceSeq: correction.sinceSeq,
          earlyUsec: early, untilSeq: correction.untilSeq), at: now)
    }
    if corrections.contains(where: { $0.byUsec < 0 }) { recomputeWallDeadlines() }
  }

  /// Applies an event that concerns all timers. O(n).
  func applyToAll(_ event: Event, done: (_ slot: Int) -> Bool) {
    switch event.kind {
    case .spanCorrected(let span, let byUsec, let sinceSeq, _, let untilSeq):
      let correction = SpanCorrection(
        span: span, byUsec: byUsec, sinceSeq: sinceSeq, untilSeq: untilSeq)
      for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
        correct(slot, correction)
      }
    case .clockStepped(let byUsec):
      // By the new clock, each ring on `wall` was `byUsec` later (negative: earlier).
      for slot in estimatedSlots where !done(slot) && rangOnWall(slot) {
        table[slot].lastRing?.lateUsec += byUsec
      }
    default: break
    }
  }

  /// Applies a correction of the `elapsed` counter to one timer. A deadline that was set after the
  /// reboot moves with the counter; without this, the timer would expire too early or too late.
  private func correct(_ slot: Int, _ correction: SpanCorrection) {
    let timer = table[slot]
    let (byUsec, sinceSeq) = (correction.byUsec, correction.sinceSeq)
    var ring = estimatedRing(slot)
    ring?.apply(correction)
    if let ring { table[slot].lastRing?.lateUsec = ring.lateUsec }
    // `countedFrom` belongs to the deadline, so for an estimated ring it is not the event that
    // ended the timer.
    let isMoved =
      timer.state == .running
      ? timer.timeline == .elapsed && !ranOver(correction, slot)
      : timer.lastRing?.estimatedBy ?? timer.countedFrom > sinceSeq
    if timer.state == .paused {
      correctInDoubt(slot, correction)
    } else if isMoved {
      let queues = queues(of: slot)
      table[slot].phase.shift(by: byUsec)
      enqueue(slot, order: queues.main?.order(of: slot) ?? 0, from: queues)
    }
    if timer.spec.schedule != nil, timer.id > sinceSeq { table[slot].startedAtElapsed += byUsec }
    // The daemon may not know which of several reboots took longer. It then assumes that the alarm
    // rang at the earliest possible time. So the alarm may ring late for an instant, but it skips
    // none.
    if timer.course.rangEvent > max(sinceSeq, correction.untilSeq) {
      table[slot].course.rangAtElapsed += byUsec
    }
    if timer.isSnoozed, timer.clock == .elapsed, timer.spec.repeats,
      !ranOver(correction, slot, countedFrom: timer.course.countedFromBeforeSnooze)
    {
      table[slot].course.deadlineAfterSnooze += byUsec
    }
  }

  /// The last ring of a timer, if that ring is estimated; nil otherwise.
  private func estimatedRing(_ slot: Int) -> EstimatedRing? {
    guard let ring = table[slot].lastRing, let rangSeq = ring.estimatedBy else { return nil }
    return EstimatedRing(
      rangSeq: rangSeq, setSeq: table[slot].countedFrom, interruption: table[slot].interruption,
      isOnWall: rangOnWall(slot), lateUsec: ring.lateUsec)
  }

  /// Stores an estimated ring that a user answers now. The timer forgets the ring, but the engine
  /// must report how early the ring was when a later correction shows this.
  func noteAnswer(_ slot: Int, answeredSeq: Int64) {
    guard background.clock.isOpen, !endedSilently(slot), let ring = estimatedRing(slot) else {
      return
    }
    background.note(AnsweredRing(ring, answeredSeq: answeredSeq))
  }

  /// How early the earliest estimated ring since the reboots was, by the clock after `correction`;
  /// 0: none was early.
  private func earliestUsec(after correction: SpanCorrection) -> Int64 {
    let clock = background.clock
    let first = clock.reboots.first?.leftSeq ?? 0
    let rings = estimatedSlots.compactMap { slot -> EstimatedRing? in
      var ring = endedSilently(slot) ? nil : estimatedRing(slot)
      ring?.apply(correction)
      return ring
    }
    return (rings + clock.answered.map(\.ring)).reduce(0) { earliest, ring in
      // The engine has reported earlier rings with the correction of earlier reboots.
      ring.rangSeq > first ? max(earliest, -ring.lateUsec) : earliest
    }
  }

  /// Whether a timer ended at an expiry for which it did not ring.
  private func endedSilently(_ slot: Int) -> Bool {
    table[slot].state != .running && table[slot].course.wasSilent
  }

  /// The slots of the timers whose last ring is estimated. O(n).
  private var estimatedSlots: some Sequence<Int> {
    (0..<table.slotEnd).filter { table.isOccupied($0) && table[$0].lastRing?.estimatedBy != nil }
  }

  /// Whether the last ring of a timer was for a deadline on the wall clock.
  private func rangOnWall(_ slot: Int) -> Bool {
    (table[slot].state == .running ? table[slot].clock : table[slot].timeline) == .wall
  }
}

// MARK: - Pauses while the length of a reboot is in doubt

extension Engine {
  /// Whether a timer ran during all of the time that a correction is about.
  ///
  /// - Parameter countedFrom: the event from which the deadline is counted; nil: the timer's own.
  private func ranOver(
    _ correction: SpanCorrection, _ slot: Int, countedFrom: Int64? = nil
  ) -> Bool {
    guard countedFrom ?? table[slot].countedFrom <= correction.sinceSeq else { return false }
    return table[slot].interruption?.ranOver(correction) ?? true
  }

  /// Corrects the remaining time of a paused timer, which may become negative.
  private func correctInDoubt(_ slot: Int, _ correction: SpanCorrection) {
    guard !table[slot].timeline.countsUptime, let ranUpTo = table[slot].phase.ranUpTo,
      max(correction.sinceSeq, correction.untilSeq) < ranUpTo, ranOver(correction, slot)
    else { return }
    table[slot].phase.shift(by: correction.byUsec)
  }

  /// Whether a timer, before event `seq`, ran during a reboot whose length is uncertain or may be
  /// corrected again.
  func isCountedInDoubt(_ slot: Int, upTo seq: Int64) -> Bool {
    let (first, again) = countedInDoubt(slot, upTo: seq)
    return first || again
  }

  /// Like `isCountedInDoubt`, but with one result for the time before the timer's
  /// `Interruption` and one for the time after it.
  private func countedInDoubt(_ slot: Int, upTo seq: Int64) -> (first: Bool, again: Bool) {
    let (timeline, countedFrom) = (table[slot].timeline, table[slot].countedFrom)
    // If the clock is synchronised again in this boot, `elapsed` is corrected once more.
    guard !timeline.countsUptime, background.clock.isOpen || timeline == .elapsed else {
      return (false, false)
    }
    guard let interruption = table[slot].interruption, !interruption.isEmpty else {
      return (isAnyInDoubt(countedFrom, seq), false)
    }
    return (
      isAnyInDoubt(countedFrom, min(seq, interruption.pausedSeq)),
      isAnyInDoubt(interruption.resumedSeq, seq)
    )
  }

  /// Whether the end of an uncertain reboot was recorded by an event in `first..<end`.
  private func isAnyInDoubt(_ first: Int64, _ end: Int64) -> Bool {
    background.clock.reboots.contains { reboot in
      [reboot.leftSeq, reboot.lastLeftSeq].contains { first <= $0 && $0 < end }
    }
  }

  /// The remaining time that a pause stores for a timer that ran during a reboot of uncertain
  /// length; negative if the timer seems overdue.
  func remainingInDoubtUsec(_ slot: Int, at now: Moment) -> Int64 {
    guard let deadline = table[slot].phase.deadline else {
      return remainingOrMeasuredUsec(slot, at: now)
    }
    let (clock, timeline) = (background.clock, table[slot].timeline)
    if timeline == .wall, let base = clock.base,
      table[slot].countedFrom < clock.reboots.first?.leftSeq ?? 0
    {
      // The deadline was set at a time when the clock was right. Measure the time since then on
      // `elapsed`, which will be corrected.
      let elapsed = background.timelines.reading(.elapsed, at: now)
      return deadline - base.realtimeUsec(atElapsed: elapsed)
    }
    guard isOverdueInDoubt(slot, at: now) else { return remainingUsec(slot, at: now) }
    return deadline - background.timelines.reading(timeline, at: now)
  }

  /// How reboots of uncertain length affect a timer that resumes; nil: they do not affect it.
  func resumption(_ slot: Int, at now: Moment) -> Event.Resumption? {
    if case .pausedAlarm = table[slot].phase {
      return isOverdueInDoubt(slot, at: now) ? .inDoubt : nil
    }
    // Timers on the wall clock continue by the time that it shows.
    if table[slot].timeline == .wall { return background.clock.isOpen ? .inDoubt : nil }
    guard let ranUpTo = table[slot].phase.ranUpTo else { return nil }
    let (first, again) = countedInDoubt(slot, upTo: ranUpTo)
    guard first || again else { return nil }
    guard isAnyInDoubt(ranUpTo, .max) else { return .counted }
    return again ? .interruptedAgain : .interrupted
  }
}

extension Timer.Phase {
  /// Adds a correction of `elapsed` to what was read or measured on it.
  fileprivate mutating func shift(by usec: Int64) {
    switch self {
    case .running(let deadline): self = .running(deadline: deadline + usec)
    case .runningStopwatch(let since): self = .runningStopwatch(since: since + usec)
    case .paused(let remaining, let seq):
      self = .paused(remainingUsec: remaining - usec, ranUpTo: seq)
    case .pausedStopwatch(let measured, let seq):
      self = .pausedStopwatch(measuredUsec: measured + usec, ranUpTo: seq)
    case .fired(let elapsed): self = .fired(atElapsed: elapsed + usec)
    case .waiting(let elapsed): self = .waiting(atElapsed: elapsed + usec)
    case .cancelled(let elapsed, let remaining):
      self = .cancelled(atElapsed: elapsed + usec, remainingUsec: remaining)
    case .cancelledStopwatch(let elapsed, let measured):
      self = .cancelledStopwatch(atElapsed: elapsed + usec, measuredUsec: measured)
    case .pausedAlarm: break
    }
  }
}
