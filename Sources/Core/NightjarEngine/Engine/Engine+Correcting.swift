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
      for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
        changeEstimates(slot) { $0.step(byUsec: byUsec) }
      }
    default: break
    }
  }

  /// Applies a correction of the `elapsed` counter to one timer. A deadline that was set after the
  /// reboot moves with the counter; without this, the timer would expire too early or too late.
  private func correct(_ slot: Int, _ correction: SpanCorrection) {
    let timer = table[slot]
    let (byUsec, sinceSeq) = (correction.byUsec, correction.sinceSeq)
    changeEstimates(slot) { $0.apply(correction) }
    if let ring = timer.ring {
      let queues = queues(of: slot)
      if ring.countedFrom > sinceSeq { table[slot].ring?.state.shift(by: byUsec) }
      if ring.sinceEvent > max(sinceSeq, correction.untilSeq) {
        table[slot].ring?.sinceElapsed += byUsec
      }
      enqueueRing(slot, from: queues)
    }
    let isMoved =
      timer.state == .running
      ? timer.clock == .elapsed && !ranOver(correction, slot) : timer.countedFrom > sinceSeq
    if timer.state == .paused {
      correctInDoubt(slot, correction)
    } else if isMoved {
      let queues = queues(of: slot)
      table[slot].phase.shift(by: byUsec)
      enqueue(slot, order: queues.main?.order(of: slot) ?? 0, from: queues)
    }
    if timer.pauses.present?.sinceEvent ?? 0 > max(sinceSeq, correction.untilSeq) {
      table[slot].pauses.present?.sinceElapsed += byUsec
    }
    if timer.spec.schedule != nil, timer.id > sinceSeq { table[slot].startedAtElapsed += byUsec }
    // The daemon may not know which of several reboots took longer. It then assumes that the alarm
    // rang at the earliest possible time. So the alarm may ring late for an instant, but it skips
    // none.
    if timer.course.rangEvent > max(sinceSeq, correction.untilSeq) {
      table[slot].course.rangAtElapsed += byUsec
    }
  }

  /// Changes what the timer stores of deadlines that were handled by a clock in doubt.
  private func changeEstimates(_ slot: Int, _ change: (inout Reached) -> Void) {
    guard table[slot].expiries != .none else { return }
    var all = table[slot].expiries
    if var last = all.last {
      change(&last.reached)
      all.last = last
    }
    if var miss = all.miss {
      change(&miss.reached)
      all.miss = miss
    }
    if var ring = all.ring {
      change(&ring.expiry.reached)
      change(&ring.sound)
      for index in ring.joined.indices { change(&ring.joined[index].reached) }
      if ring.expiries == 1 { ring.firstDueUsec = ring.expiry.reached.dueUsec }
      all.ring = ring
    }
    table[slot].expiries = all
  }

  /// Stores the estimated sound of a ring that a user answers now. The timer forgets the ring, but
  /// the engine must report how early it was when a later correction shows this.
  func noteAnswer(_ slot: Int, answeredSeq: Int64) {
    guard background.clock.isOpen, let sound = table[slot].ring?.sound, sound.estimate != nil else {
      return
    }
    background.note(AnsweredRing(sound, answeredSeq: answeredSeq))
  }

  /// How early the earliest estimated sound since the reboots was, by the clock after `correction`;
  /// 0: none was early. O(n).
  private func earliestUsec(after correction: SpanCorrection) -> Int64 {
    let clock = background.clock
    let first = clock.reboots.first?.leftSeq ?? 0
    let open = (0..<table.slotEnd).lazy.filter { self.table.isOccupied($0) }
      .compactMap { slot -> Reached? in
        var sound = self.table[slot].ring?.sound
        sound?.apply(correction)
        return sound
      }
    return (Array(open) + clock.answered.map(\.sound)).reduce(0) { earliest, sound in
      // The engine has reported earlier rings with the correction of earlier reboots.
      sound.estimate?.seq ?? 0 > first ? max(earliest, -sound.lateUsec) : earliest
    }
  }
}

// MARK: - Pauses while the length of a reboot is in doubt

extension Engine {
  /// Whether a timer ran during all of the time that a correction is about.
  private func ranOver(_ correction: SpanCorrection, _ slot: Int) -> Bool {
    guard table[slot].countedFrom <= correction.sinceSeq else { return false }
    return table[slot].interruption?.ranOver(correction) ?? true
  }

  /// Corrects the remaining time of a paused timer, which may become negative.
  private func correctInDoubt(_ slot: Int, _ correction: SpanCorrection) {
    guard !table[slot].clock.countsUptime, let ranUpTo = table[slot].phase.ranUpTo,
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
    let (timeline, countedFrom) = (table[slot].clock, table[slot].countedFrom)
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
    let (clock, timeline) = (background.clock, table[slot].clock)
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
    if table[slot].clock == .wall { return background.clock.isOpen ? .inDoubt : nil }
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
    case .over(let elapsed): self = .over(atElapsed: elapsed + usec)
    case .waiting(let elapsed): self = .waiting(atElapsed: elapsed + usec)
    case .cancelled(let elapsed, let remaining):
      self = .cancelled(atElapsed: elapsed + usec, remainingUsec: remaining)
    case .cancelledStopwatch(let elapsed, let measured):
      self = .cancelledStopwatch(atElapsed: elapsed + usec, measuredUsec: measured)
    case .pausedAlarm: break
    }
  }
}

extension Ring.State {
  /// Adds a correction of `elapsed`.
  fileprivate mutating func shift(by usec: Int64) {
    switch self {
    case .sounding(let elapsed): self = .sounding(until: elapsed + usec)
    case .insisting(let elapsed): self = .insisting(at: elapsed + usec)
    case .snoozed(let elapsed): self = .snoozed(until: elapsed + usec)
    case .quiet(let elapsed): self = .quiet(since: elapsed + usec)
    }
  }
}
