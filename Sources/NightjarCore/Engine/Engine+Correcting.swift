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
          earlyUsec: early), at: now)
    }
    if corrections.contains(where: { $0.byUsec < 0 }) { reckonAnew() }
  }

  /// What happens to all timers at once. O(n) for the correction of a reboot.
  func applyToAll(_ event: Event, done: (_ slot: Int) -> Bool) {
    switch event.kind {
    case .spanCorrected(_, let byUsec, let sinceSeq, _):
      for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
        correct(slot, byUsec: byUsec, sinceSeq: sinceSeq)
      }
    case .clockStepped(let byUsec):
      // By the clock as it is now, a ring on `wall` was so much later or earlier.
      for slot in stillEstimated() where !done(slot) && rangOnWall(slot) {
        table[slot].held += byUsec
      }
    default: break
    }
  }

  /// The `elapsed` counter was corrected by `byUsec`: what was set by it behind event `sinceSeq` goes
  /// along, or it would fire early or late by as much.
  private func correct(_ slot: Int, byUsec: Int64, sinceSeq: Int64) {
    let record = table[slot]
    let lateByUsec = record.held + change(ofRingAt: slot, byUsec: byUsec, sinceSeq: sinceSeq)
    let isMoved =
      record.state == .running ? record.setSeq > sinceSeq : endedBehind(sinceSeq, record)
    if record.isEstimated { table[slot].held = lateByUsec }
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
  private func change(ofRingAt slot: Int, byUsec: Int64, sinceSeq: Int64) -> Int64 {
    let record = table[slot]
    guard record.isEstimated, !rangOnWall(slot), record.setSeq <= sinceSeq else { return 0 }
    let rangBehind =
      record.state == .running
      ? table.detail(slot)?.rangSeq ?? 0 > sinceSeq : record.lastSeq > sinceSeq
    return rangBehind ? byUsec : 0
  }

  /// By how much the earliest of the estimated rings was early, once a correction is applied; 0: none was.
  private func earliestUsec(after correction: SpanCorrection) -> Int64 {
    stillEstimated().reduce(0) { earliest, slot in
      let change = change(
        ofRingAt: slot, byUsec: correction.byUsec, sinceSeq: correction.sinceSeq)
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
  /// Whether `point` is a counter of `elapsed`.
  fileprivate var pointIsElapsed: Bool {
    switch state {
    case .running: timeline == .elapsed
    case .fired, .cancelled, .waiting: true
    case .paused, nil: false
    }
  }
}
