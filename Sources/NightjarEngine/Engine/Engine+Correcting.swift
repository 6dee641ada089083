import NightjarModel

/// What is set right when the wall clock is vouched for after a reboot.
extension Engine {
  /// The lengths of reboots were wrong. What repeats goes back to its present round or step.
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
    if corrections.contains(where: { $0.byUsec < 0 }) { reckonAnew() }
  }

  /// What happens to all timers at once. O(n) for the correction of a reboot.
  func applyToAll(_ event: Event, done: (_ slot: Int) -> Bool) {
    switch event.kind {
    case .spanCorrected(let span, let byUsec, let sinceSeq, _, let untilSeq):
      let correction = SpanCorrection(
        span: span, byUsec: byUsec, sinceSeq: sinceSeq, untilSeq: untilSeq)
      for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
        correct(slot, correction)
      }
    case .clockStepped(let byUsec):
      // By the clock as it is now, a ring on `wall` was so much later or earlier.
      for slot in stillEstimated().keys where !done(slot) && rangOnWall(slot) {
        table[slot].held += byUsec
      }
    default: break
    }
  }

  /// The `elapsed` counter was corrected: what was set by it behind the reboot goes along, or it would fire
  /// early or late by as much.
  private func correct(_ slot: Int, _ correction: SpanCorrection) {
    let record = table[slot]
    let (byUsec, sinceSeq) = (correction.byUsec, correction.sinceSeq)
    var ring = estimatedRing(slot)
    ring?.take(correction)
    let isMoved =
      record.state == .running ? !ranOver(correction, slot) : endedSeq(slot) > sinceSeq
    if let ring { table[slot].held = ring.lateUsec }
    correctInDoubt(slot, correction)
    if record.pointIsElapsed, isMoved {
      let places = places(slot)
      table[slot].point += byUsec
      enqueue(slot, order: places.turn?.order(of: slot) ?? 0, from: places)
    }
    guard let detail = table.detail(slot) else { return }
    let spec = table.spec(slot)
    if spec.schedule != nil, record.id > sinceSeq { table[slot].originalUsec += byUsec }
    table.changeDetail(slot) { changed in
      // Where it is not known which of several reboots was longer, it rang as early as it can have: what an
      // alarm passed over since is rather met than not.
      if detail.rangSeq > max(sinceSeq, correction.untilSeq) { changed.rangAtElapsed += byUsec }
      if detail.isSnoozed, record.clock == .elapsed, spec.repeats,
        !ranOver(correction, slot, setSeq: detail.markSeq)
      {
        changed.mark += byUsec
      }
    }
  }

  /// The number of the event with which a timer ended that is over. Of an estimated ring `setSeq` is that of its
  /// deadline.
  private func endedSeq(_ slot: Int) -> Int64 {
    estimatedRingSeq(at: slot) ?? table[slot].setSeq
  }

  /// The last ring of a timer, if that is estimated.
  private func estimatedRing(_ slot: Int) -> EstimatedRing? {
    guard let rangSeq = estimatedRingSeq(at: slot) else { return nil }
    let record = table[slot]
    return EstimatedRing(
      rangSeq: rangSeq, setSeq: record.setSeq, interruption: table.interruption(slot),
      isOnWall: rangOnWall(slot), lateUsec: record.held)
  }

  /// Somebody answers the last ring of a timer, which forgets it: how early it was may have to be told yet.
  func noteAnswer(_ slot: Int, answeredSeq: Int64) {
    guard background.clock.isOpen, !endedSilently(slot), let ring = estimatedRing(slot) else {
      return
    }
    background.note(AnsweredRing(ring, answeredSeq: answeredSeq))
  }

  /// By how much the earliest of the estimated rings since the reboots was early, once a correction is
  /// applied; 0: none was.
  private func earliestUsec(after correction: SpanCorrection) -> Int64 {
    let clock = background.clock
    let first = clock.reboots.first?.leftSeq ?? 0
    let rings = stillEstimated().keys.compactMap { slot -> EstimatedRing? in
      var ring = endedSilently(slot) ? nil : estimatedRing(slot)
      ring?.take(correction)
      return ring
    }
    return (rings + clock.answered.map(\.ring)).reduce(0) { earliest, ring in
      // Those before have been told with the correction of earlier reboots.
      ring.rangSeq > first ? max(earliest, -ring.lateUsec) : earliest
    }
  }

  /// Whether a timer ended without a ring.
  private func endedSilently(_ slot: Int) -> Bool {
    table[slot].state != .running && table.detail(slot)?.wasSkipped == true
  }

  /// The numbers of the estimated rings that are the last of their timers, by slot. O(those that were so since
  /// this was asked).
  private func stillEstimated() -> [Int: Int64] {
    estimatedRings = estimatedRings.filter { table.isOccupied($0.key) && table[$0.key].isEstimated }
    return estimatedRings
  }

  /// Whether the last ring of a timer was by the wall clock.
  private func rangOnWall(_ slot: Int) -> Bool {
    let record = table[slot]
    return (record.state == .running ? record.clock : record.timeline) == .wall
  }
}

// MARK: - Pauses while the length of a reboot is in doubt

extension Engine {
  /// Whether a timer ran on over all that is corrected, since it was set by event `setSeq`.
  ///
  /// - Parameter setSeq: nil: by the event that it is counted from now.
  private func ranOver(
    _ correction: SpanCorrection, _ slot: Int, setSeq: Int64? = nil
  ) -> Bool {
    let record = table[slot]
    let untilSeq = max(correction.sinceSeq, correction.untilSeq)
    let isPaused = setSeq == nil && record.state == .paused
    guard setSeq ?? record.setSeq <= correction.sinceSeq, !isPaused || untilSeq < record.point
    else { return false }
    return table.interruption(slot)?.ranOver(correction) ?? true
  }

  /// Corrects what remains of a paused timer.
  private func correctInDoubt(_ slot: Int, _ correction: SpanCorrection) {
    let record = table[slot]
    guard record.state == .paused, !record.timeline.countsUptime, !keepsPointWhilePaused(slot),
      ranOver(correction, slot)
    else { return }
    table[slot].held += isCountingUp(slot) ? correction.byUsec : -correction.byUsec
  }

  /// Whether a timer ran over a reboot whose length is in doubt, or may be again, before event `seq`.
  func isCountedInDoubt(_ slot: Int, upTo seq: Int64) -> Bool {
    let (first, again) = countedInDoubt(slot, upTo: seq)
    return first || again
  }

  /// The same, before its last interruption, and since.
  private func countedInDoubt(_ slot: Int, upTo seq: Int64) -> (first: Bool, again: Bool) {
    let record = table[slot]
    // The same boot may be vouched for anew, and `elapsed` be corrected once more.
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

  /// Whether a reboot in doubt was left with an event from `first` on, and before `end`.
  private func isAnyInDoubt(_ first: Int64, _ end: Int64) -> Bool {
    background.clock.reboots.contains { reboot in
      [reboot.leftSeq, reboot.lastLeftSeq].contains { first <= $0 && $0 < end }
    }
  }

  /// What a pause keeps of a timer that ran over a reboot in doubt.
  func heldInDoubtUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    let clock = background.clock
    if record.timeline == .wall, let base = clock.base,
      record.setSeq < clock.reboots.first?.leftSeq ?? 0
    {
      // Its deadline was set by a clock that was right: what has passed since is counted on `elapsed`, which
      // will be corrected.
      let elapsed = background.timelines.reading(.elapsed, at: now)
      return record.point - base.realtimeUsec(atElapsed: elapsed)
    }
    guard isOverdueInDoubt(slot, at: now) else { return heldUsec(slot, at: now) }
    return record.point - background.timelines.reading(record.timeline, at: now)
  }

  /// How a paused timer goes on.
  func resumption(_ slot: Int, at now: Moment) -> Event.Resumption? {
    if keepsPointWhilePaused(slot) { return isOverdueInDoubt(slot, at: now) ? .inDoubt : nil }
    // Timers on the wall clock continue by what it shows.
    if table[slot].timeline == .wall { return background.clock.isOpen ? .inDoubt : nil }
    let pausedSeq = table[slot].point
    guard pausedSeq != 0 else { return nil }
    let (first, again) = countedInDoubt(slot, upTo: pausedSeq)
    guard first || again else { return nil }
    guard isAnyInDoubt(pausedSeq, .max) else { return .counted }
    return again ? .interruptedAgain : .interrupted
  }
}

extension TimerRecord {
  /// Whether `point` is a counter of `elapsed`.
  fileprivate var pointIsElapsed: Bool {
    switch state {
    case .running: timeline == .elapsed
    case .fired, .cancelled, .waiting: true
    case .paused, nil: false
    }
  }
}
