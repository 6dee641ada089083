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
        table[slot].remainingOrLateUsec += byUsec
      }
    default: break
    }
  }

  /// Applies a correction of the `elapsed` counter to one timer. A deadline that was set after the
  /// reboot moves with the counter; without this, the timer would expire too early or too late.
  private func correct(_ slot: Int, _ correction: SpanCorrection) {
    let record = table[slot]
    let (byUsec, sinceSeq) = (correction.byUsec, correction.sinceSeq)
    var ring = estimatedRing(slot)
    ring?.apply(correction)
    let isMoved =
      record.state == .running ? !ranOver(correction, slot) : endedSeq(slot) > sinceSeq
    if let ring { table[slot].remainingOrLateUsec = ring.lateUsec }
    correctInDoubt(slot, correction)
    if record.isDeadlineElapsed, isMoved {
      let queues = queues(of: slot)
      table[slot].deadline += byUsec
      enqueue(slot, order: queues.main?.order(of: slot) ?? 0, from: queues)
    }
    guard let detail = table.detail(slot) else { return }
    let spec = table.spec(slot)
    if spec.schedule != nil, record.id > sinceSeq { table[slot].originalUsec += byUsec }
    table.changeDetail(slot) { changed in
      // The daemon may not know which of several reboots took longer. It then assumes that the
      // alarm rang at the earliest possible time. So the alarm may ring late for an instant, but it
      // skips none.
      if detail.rangSeq > max(sinceSeq, correction.untilSeq) { changed.rangAtElapsed += byUsec }
      if record.isSnoozed, record.clock == .elapsed, spec.repeats,
        !ranOver(correction, slot, setSeq: detail.markSeq)
      {
        changed.mark += byUsec
      }
    }
  }

  /// The number of the event that ended a timer. If the timer's last ring was computed from a clock
  /// that was not synchronised (an estimated ring), `setSeq` is not this number, because it belongs
  /// to the deadline.
  private func endedSeq(_ slot: Int) -> Int64 {
    table[slot].estimatedSeq ?? table[slot].setSeq
  }

  /// The last ring of a timer, if that ring is estimated; nil otherwise.
  private func estimatedRing(_ slot: Int) -> EstimatedRing? {
    let record = table[slot]
    guard let rangSeq = record.estimatedSeq else { return nil }
    return EstimatedRing(
      rangSeq: rangSeq, setSeq: record.setSeq, interruption: table.interruption(slot),
      isOnWall: rangOnWall(slot), lateUsec: record.remainingOrLateUsec)
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
    table[slot].state != .running && table.detail(slot)?.wasSkipped == true
  }

  /// The slots of the timers whose last ring is estimated. O(n).
  private var estimatedSlots: some Sequence<Int> {
    (0..<table.slotEnd).filter { table.isOccupied($0) && table[$0].isEstimated }
  }

  /// Whether the last ring of a timer was for a deadline on the wall clock.
  private func rangOnWall(_ slot: Int) -> Bool {
    let record = table[slot]
    return (record.state == .running ? record.clock : record.timeline) == .wall
  }
}

// MARK: - Pauses while the length of a reboot is in doubt

extension Engine {
  /// Whether a timer ran during all of the time that a correction is about.
  ///
  /// - Parameter setSeq: the event from which the deadline is counted; nil: the timer's own
  ///   `setSeq`.
  private func ranOver(
    _ correction: SpanCorrection, _ slot: Int, setSeq: Int64? = nil
  ) -> Bool {
    let record = table[slot]
    let untilSeq = max(correction.sinceSeq, correction.untilSeq)
    let isPaused = setSeq == nil && record.state == .paused
    guard setSeq ?? record.setSeq <= correction.sinceSeq, !isPaused || untilSeq < record.deadline
    else { return false }
    return table.interruption(slot)?.ranOver(correction) ?? true
  }

  /// Corrects the remaining time of a paused timer, which may become negative.
  private func correctInDoubt(_ slot: Int, _ correction: SpanCorrection) {
    let record = table[slot]
    guard record.state == .paused, !record.timeline.countsUptime, !keepsDeadlineWhilePaused(slot),
      ranOver(correction, slot)
    else { return }
    table[slot].remainingOrLateUsec += isCountingUp(slot) ? correction.byUsec : -correction.byUsec
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
    let record = table[slot]
    // If the clock is synchronised again in this boot, `elapsed` is corrected once more.
    guard !record.timeline.countsUptime,
      background.clock.isOpen || record.timeline == .elapsed
    else { return (false, false) }
    guard let interruption = table.interruption(slot), !interruption.isEmpty else {
      return (isAnyInDoubt(record.setSeq, seq), false)
    }
    return (
      isAnyInDoubt(record.setSeq, min(seq, interruption.pausedSeq)),
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
    let record = table[slot]
    let clock = background.clock
    if record.timeline == .wall, let base = clock.base,
      record.setSeq < clock.reboots.first?.leftSeq ?? 0
    {
      // The deadline was set at a time when the clock was right. Measure the time since then on
      // `elapsed`, which will be corrected.
      let elapsed = background.timelines.reading(.elapsed, at: now)
      return record.deadline - base.realtimeUsec(atElapsed: elapsed)
    }
    guard isOverdueInDoubt(slot, at: now) else { return remainingOrMeasuredUsec(slot, at: now) }
    return record.deadline - background.timelines.reading(record.timeline, at: now)
  }

  /// How reboots of uncertain length affect a timer that resumes; nil: they do not affect it.
  func resumption(_ slot: Int, at now: Moment) -> Event.Resumption? {
    if keepsDeadlineWhilePaused(slot) { return isOverdueInDoubt(slot, at: now) ? .inDoubt : nil }
    // Timers on the wall clock continue by the time that it shows.
    if table[slot].timeline == .wall { return background.clock.isOpen ? .inDoubt : nil }
    let pausedSeq = table[slot].deadline
    guard pausedSeq != 0 else { return nil }
    let (first, again) = countedInDoubt(slot, upTo: pausedSeq)
    guard first || again else { return nil }
    guard isAnyInDoubt(pausedSeq, .max) else { return .counted }
    return again ? .interruptedAgain : .interrupted
  }
}

extension TimerRecord {
  /// Whether `deadline` of this record is a value of the `elapsed` counter.
  fileprivate var isDeadlineElapsed: Bool {
    switch state {
    case .running: timeline == .elapsed
    case .fired, .cancelled, .waiting: true
    case .paused: false
    }
  }
}
