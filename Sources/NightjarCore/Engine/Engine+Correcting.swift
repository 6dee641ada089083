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
      for slot in stillEstimated() where !done(slot) && rangOnWall(slot) {
        let isPaused = table[slot].state == .paused
        table[slot].held += isPaused ? -byUsec : byUsec
      }
    default: break
    }
  }

  /// The `elapsed` counter was corrected: what was set by it behind the reboot goes along, or it would fire
  /// early or late by as much.
  private func correct(_ slot: Int, _ correction: SpanCorrection) {
    let record = table[slot]
    let (byUsec, sinceSeq) = (correction.byUsec, correction.sinceSeq)
    let lateByUsec = record.held + change(ofRingAt: slot, by: correction)
    let isMoved =
      record.state == .running
      ? !record.ranOver(correction) : endedBehind(sinceSeq, record)
    if record.isEstimated, record.state != .paused { table[slot].held = lateByUsec }
    if record.state == .paused, record.timeline == .elapsed, record.ranOver(correction) {
      table[slot].held += isCountingUp(slot) ? byUsec : -byUsec
    }
    if record.pointIsElapsed, isMoved {
      let places = places(slot)
      table[slot].point += byUsec
      enqueue(slot, order: places.turn?.order(of: slot) ?? 0, from: places)
    }
    guard let detail = table.detail(slot) else { return }
    let recipe = table.recipe(slot)
    if recipe.schedule != nil, record.id > sinceSeq { table[slot].originalUsec += byUsec }
    table.changeDetail(slot) { changed in
      if detail.rangSeq > sinceSeq { changed.rangAtElapsed += byUsec }
      if detail.isSnoozed, record.clock == .elapsed, detail.markSeq > sinceSeq, recipe.repeats {
        changed.mark += byUsec
      }
    }
  }

  /// Whether a timer that is over ended behind event `sinceSeq`. Of an estimated ring `setSeq` is that of
  /// its deadline.
  private func endedBehind(_ sinceSeq: Int64, _ record: TimerRecord) -> Bool {
    (record.isEstimated ? record.lastSeq : record.setSeq) > sinceSeq
  }

  /// By how much later an estimated ring was, if the counter of `elapsed` is corrected: nothing, if it
  /// was by another timeline, or its deadline moves along.
  private func change(ofRingAt slot: Int, by correction: SpanCorrection) -> Int64 {
    let record = table[slot]
    guard record.isEstimated, !rangOnWall(slot), record.ranOver(correction) else { return 0 }
    let rangBehind =
      record.state == .running
      ? table.detail(slot)?.rangSeq ?? 0 > correction.sinceSeq
      : record.lastSeq > correction.sinceSeq
    return rangBehind ? correction.byUsec : 0
  }

  /// By how much the earliest of the estimated rings was early, once a correction is applied; 0: none was.
  private func earliestUsec(after correction: SpanCorrection) -> Int64 {
    stillEstimated().reduce(0) { earliest, slot in
      guard table[slot].state != .paused else { return earliest }
      let change = change(ofRingAt: slot, by: correction)
      return max(earliest, -(table[slot].held + change))
    }
  }

  /// The timers whose last ring is estimated. O(those that were so since this was asked).
  func stillEstimated() -> Set<Int> {
    estimatedSlots = estimatedSlots.filter { table.isOccupied($0) && table[$0].isEstimated }
    return estimatedSlots
  }

  /// Whether the last ring of a timer was by the wall clock.
  private func rangOnWall(_ slot: Int) -> Bool {
    let record = table[slot]
    return (record.state == .running ? record.clock : record.timeline) == .wall
  }
}

extension TimerRecord {
  /// Whether it is paused, and was running when event `seq` was recorded.
  func wasRunning(at seq: Int64) -> Bool {
    state == .paused && setSeq <= seq && seq < point
  }

  /// Whether its deadline, or what remains of it, was counted over all that is corrected.
  fileprivate func ranOver(_ correction: SpanCorrection) -> Bool {
    if correction.untilSeq != 0, isInterrupted { return false }
    guard state == .paused else { return setSeq <= correction.sinceSeq }
    return wasRunning(at: max(correction.sinceSeq, correction.untilSeq))
      && setSeq <= correction.sinceSeq
  }

  /// Whether `point` is a counter of `elapsed`.
  fileprivate var pointIsElapsed: Bool {
    switch state {
    case .running: timeline == .elapsed
    case .fired, .cancelled, .waiting: true
    case .paused, nil: false
    }
  }
}
