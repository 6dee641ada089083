import NightjarModel

/// Handling of a due deadline: whether the timer rings, for how many occurrences, and how it
/// continues.
extension Engine {
  /// How late an expiry is handled, and why.
  struct Lateness {
    var usec: Int64
    var cause: LateCause?
    /// The number of the background span in which the timer expired; 0: it expired in none.
    var span: Int64

    /// Whether the timer expired while it could not ring, as in a background span. Then the late
    /// policy applies.
    var isHidden: Bool { cause?.isHidden ?? false }
  }

  /// Handles the deadline of the timer in `slot`, which is due.
  func ring(_ slot: Int, on timeline: Timeline, reading: Int64, at now: Moment) {
    let deadline = deadline(slot)
    let first = lateness(slot, deadline: deadline, on: timeline, reading: reading)
    let expiry = Expiry(
      slot: slot, timer: table[slot], deadline: deadline, timeline: timeline, reading: reading,
      first: first, isEstimated: isInDoubt(slot, on: timeline), now: now)
    if expiry.spec.kind == .sequence {
      ringSequence(expiry)
    } else if expiry.spec.isRepeating {
      if expiry.timer.isSnoozed || isOver(expiry, behind: expiry.course.position) {
        ringAfterSnooze(expiry)
      } else {
        ringRepeating(expiry)
      }
    } else {
      let ring = ring(expiry, expiry.first)
      record(isSilent(expiry, expiry.first) ? .skipped(ring) : .fired(ring), about: slot, at: now)
    }
  }

  /// A timer that is due, with the reading of its clock.
  private struct Expiry {
    var slot: Int
    var timer: Timer
    var deadline: Int64
    var timeline: Timeline
    var reading: Int64
    /// How late the engine handles the first of the due occurrences.
    var first: Lateness
    /// Whether the expiry or its lateness was computed from a wall clock that is not synchronised.
    var isEstimated: Bool
    var now: Moment

    var spec: SharedSpec { timer.spec }
    var course: Course { timer.course }

    /// The policy for missed expiries. `skip` applies only if the first of them was hidden
    /// (`Lateness.isHidden`); otherwise the timer rings.
    var missed: MissedPolicy {
      spec.missed == .skip && !first.isHidden ? .once : spec.missed
    }
  }

  /// How late an occurrence of a timer is handled. A snoozed timer waits on `elapsed`, so there the
  /// occurrence is compared with the background spans.
  private func lateness(_ expiry: Expiry, deadline: Int64) -> Lateness {
    var (timeline, reading) = (expiry.timeline, expiry.reading)
    if expiry.timer.isSnoozed {
      timeline = .elapsed
      reading = background.timelines.reading(.elapsed, at: expiry.now)
    }
    return lateness(
      expiry.slot, deadline: reading - (expiry.reading - deadline), on: timeline, reading: reading)
  }

  private func ring(_ expiry: Expiry, _ late: Lateness, next: Recurrence? = nil) -> Ring {
    Ring(
      atElapsed: background.timelines.reading(.elapsed, at: expiry.now), lateUsec: late.usec,
      cause: late.cause, span: late.span, next: next, isEstimated: expiry.isEstimated)
  }

  /// Whether the late policy suppresses the ring.
  private func isSilent(_ expiry: Expiry, _ late: Lateness) -> Bool {
    guard late.isHidden else { return false }
    switch expiry.spec.late {
    case .fire: return false
    case .skip: return true
    case .fireWithin(let usec): return late.usec > usec
    }
  }

  /// How late a deadline of the timer in `slot` is handled, on its own timeline, and why.
  ///
  /// For the user, time also passes while `awake` and `present` stand still. So if a deadline was
  /// due before a background span, the time that the timeline did not count in the span is added to
  /// the lateness.
  func lateness(
    _ slot: Int, deadline: Int64, on timeline: Timeline, reading: Int64
  ) -> Lateness {
    let late = reading - deadline
    if table[slot].course.wasPausedAtDeadline {
      return Lateness(usec: late, cause: .paused, span: 0)
    }
    if !clockWaitCauses.isEmpty, let waited = clockWaitCauses[slot] {
      return Lateness(usec: late, cause: waited.cause, span: waited.span)
    }
    // The order of a timer in the queue is the number of an event. For a repeating timer that has
    // rung, that event may be older than the one that set the deadline. `deadlineSetSeqs` has the
    // number of the latter.
    let seq = max(queue(timeline).order(of: slot) ?? 0, deadlineSetSeqs[slot] ?? 0)
    let spans = lateSpans.filter { deadline <= $0.left[Int(timeline.rawValue)] && seq < $0.leftSeq }
    if let first = spans.first {
      return Lateness(
        usec: spans.reduce(late) { $0 + $1.hiddenUsec(behind: deadline, on: timeline) },
        cause: first.cause(of: deadline, on: timeline), span: first.span.id)
    }
    if timeline == .elapsed, let (span, by) = recentCorrection, late < by,
      let cause = span.causes.first
    {
      return Lateness(usec: late, cause: LateCause(cause), span: span.id)
    }
    if timeline == .wall, recentStepUsec > 0, late < recentStepUsec {
      return Lateness(usec: late, cause: .step, span: 0)
    }
    return Lateness(usec: late, cause: late > Engine.busyThresholdUsec ? .busy : nil, span: 0)
  }
}

// MARK: - Countdowns and alarms that repeat

extension Engine {
  /// Consecutive occurrences of a repeating timer.
  private struct Occurrences {
    var count: Int64
    var last: Int64
    /// The occurrence after the last one; nil: there is none.
    var next: Int64?
    /// The number of skipped rounds of a countdown among these occurrences and directly after the
    /// last one.
    var passed: Int64 = 0
    /// Whether there are more occurrences than were counted.
    var hasMore = false
  }

  private func isOver(_ expiry: Expiry, behind position: Int64) -> Bool {
    expiry.spec.rounds > 0 && position >= expiry.spec.rounds
  }

  /// The occurrences from `first`, which is due, up to `reading`, and at most `limit` of them. O(1)
  /// for a countdown without skipped rounds; O(occurrences) for an alarm.
  ///
  /// - Parameter position: the position of `first`; nil: the timer's own.
  private func occurrences(
    _ expiry: Expiry, from first: Int64, to reading: Int64, limit: Int64, position: Int64? = nil
  ) -> Occurrences {
    guard let schedule = expiry.spec.schedule else {
      let position = position ?? expiry.course.position
      let ahead = expiry.timer.passedOver.filter { $0 > position }
      guard ahead.isEmpty else {
        return rounds(expiry, from: first, to: reading, limit: limit, position, ahead[...])
      }
      let period = expiry.timer.fullLengthUsec
      let count = min(limit, (reading - first) / period + 1)
      return Occurrences(
        count: count, last: first + (count - 1) * period, next: first + count * period)
    }
    var occurrences = Occurrences(count: 1, last: first)
    occurrences.next = nextInstant(expiry.slot, schedule, afterUsec: first)
    while occurrences.count < limit, let next = occurrences.next, next <= reading {
      if occurrences.count == Engine.countedOccurrences {
        occurrences.hasMore = true
        occurrences.last = lastOccurrence(expiry.slot, schedule, from: next, to: reading)
        occurrences.next = nextInstant(expiry.slot, schedule, afterUsec: reading)
        break
      }
      occurrences.count += 1
      occurrences.last = next
      occurrences.next = nextInstant(expiry.slot, schedule, afterUsec: next)
    }
    calendarBudget -= Int(occurrences.count)
    return occurrences
  }

  /// Like `occurrences`, for a countdown that has skipped rounds after its present one. `ahead` has
  /// the numbers of these rounds. They were skipped while the wall clock was ahead, and the clock
  /// was set back since. O(skipped rounds).
  private func rounds(
    _ expiry: Expiry, from first: Int64, to reading: Int64, limit: Int64, _ position: Int64,
    _ ahead: ArraySlice<Int64>
  ) -> Occurrences {
    let period = expiry.timer.fullLengthUsec
    let end = expiry.spec.rounds > 0 ? expiry.spec.rounds : .max
    var (occurrences, ahead) = (Occurrences(count: 0, last: first), ahead)
    var (round, deadline) = (position, first)
    while true {
      let overdue = deadline <= reading ? (reading - deadline) / period + 1 : 0
      let count = min(overdue, min(ahead.first ?? .max, end) - round, limit - occurrences.count)
      if count > 0 { occurrences.last = deadline + (count - 1) * period }
      occurrences.count += count
      round += count
      deadline += count * period
      let isMet = ahead.first == round
      while ahead.first == round {
        ahead.removeFirst()
        occurrences.passed += 1
        round += 1
        deadline += period
      }
      guard isMet, occurrences.count < limit, deadline <= reading else { break }
    }
    occurrences.next = deadline
    return occurrences
  }

  /// The last occurrence of a schedule that is not after `reading`; `first` is an earlier
  /// occurrence. O(log of the time between).
  private func lastOccurrence(
    _ slot: Int, _ schedule: Schedule, from first: Int64, to reading: Int64
  ) -> Int64 {
    var (last, none) = (first, reading)
    while none - last > 1 {
      let middle = last + (none - last) / 2
      if let next = nextInstant(slot, schedule, afterUsec: middle), next <= reading {
        last = next
      } else {
        none = middle
      }
    }
    return last
  }

  /// - Parameters:
  ///   - due: the first due occurrence, if the timer is snoozed; nil: the timer's deadline.
  ///   - joined: how many occurrences before it were due while the timer was snoozed.
  private func ringRepeating(_ expiry: Expiry, from due: Int64? = nil, joined: Int64 = 0) {
    var expiry = expiry
    guard let first = due ?? firstMissed(&expiry) else { return }
    let position = expiry.course.position
    let left = expiry.spec.rounds > 0 ? expiry.spec.rounds - position : Int64.max
    // With `missed=each`, the engine counted the occurrences when the first one rang, so it needs
    // only the next one now. Silent occurrences are always counted, because one event records all
    // of them.
    let isCounted =
      expiry.missed == .each && countedUpTo[expiry.slot] == expiry.reading
      && !isSilent(expiry, expiry.first)
    let all = occurrences(expiry, from: first, to: expiry.reading, limit: isCounted ? 1 : left)
    // After a snooze, `missed` decides only if there are several occurrences.
    let isMissed = expiry.missed == .skip && (due == nil || all.count > 1)
    var isSkipped = expiry.first.isHidden && (isMissed || expiry.spec.late == .skip)
    var stretch = all
    if !isSkipped, expiry.missed == .each, !all.hasMore, all.count > 1 {
      (stretch, isSkipped) = firstOfEach(expiry, from: first, all: all)
    }
    // More than `ringsPerSpan` occurrences may follow the silent ones, so the next call must count
    // again. It must also count again if the clock was set back, and the last instant
    // that rang is later than these occurrences. This ring sets `rangFor` to an earlier instant,
    // and the instants after it no longer count as rung.
    let forgetsRings = (expiry.course.rangFor?.last ?? 0) > stretch.last
    if expiry.missed == .each, !isSkipped, !forgetsRings {
      countedUpTo[expiry.slot] = expiry.reading
    }
    let late = lateness(expiry, deadline: stretch.last)
    isSkipped = isSkipped || isSilent(expiry, late)
    let next = recurrence(
      expiry, behind: stretch, position: position + stretch.count + stretch.passed)
    var ring = ring(expiry, late, next: next)
    ring.next?.missed = joined + (isSkipped ? stretch.count : stretch.count - 1)
    record(isSkipped ? .skipped(ring) : .fired(ring), about: expiry.slot, at: expiry.now)
  }

  /// The occurrences that the next event covers with `missed=each`, and whether the timer stays
  /// silent for them. One event covers all occurrences that are too old to ring. If the others are
  /// more than `ringsPerSpan`, one event covers the excess.
  private func firstOfEach(_ expiry: Expiry, from first: Int64, all: Occurrences) -> (
    Occurrences, Bool
  ) {
    if case .fireWithin(let within) = expiry.spec.late, expiry.first.isHidden,
      expiry.first.usec > within
    {
      let old = occurrences(
        expiry, from: first, to: max(first, expiry.reading - within - 1), limit: all.count)
      return (old, true)
    }
    let more = all.count - Engine.ringsPerSpan
    return (occurrences(expiry, from: first, to: expiry.reading, limit: max(1, more + 1)), false)
  }

  /// The first due instant that counts as missed. If the clock was behind, two kinds of instants do
  /// not count: those before the alarm's start, and those before the last time when the clock was
  /// right. Nil: no instant counts, and this function has moved the alarm to its next instant.
  private func firstMissed(_ expiry: inout Expiry) -> Int64? {
    let first = expiry.deadline
    guard let schedule = expiry.spec.schedule, expiry.first.isHidden else { return first }
    let missedSince = self.missedSince(expiry.slot, at: expiry.now)
    let next: Int64?
    if missedSince > expiry.now.realtimeUsec {
      // The clock is still behind. The instants that it has jumped over are before the start of the
      // alarm.
      guard expiry.first.cause == .step || expiry.first.cause == .reboot else { return first }
      next = nextInstant(expiry.slot, schedule, afterUsec: expiry.now.realtimeUsec)
    } else {
      guard first <= missedSince else { return first }
      next = nextInstant(expiry.slot, schedule, afterUsec: missedSince)
    }
    if let next, next <= expiry.reading {
      expiry.first = lateness(
        expiry.slot, deadline: next, on: expiry.timeline, reading: expiry.reading)
      return next
    }
    moveToNextInstant(expiry, to: next)
    return nil
  }

  /// The time up to which no instant of an alarm counts as missed: its start, or the last time when
  /// the wall clock was right, whichever is later.
  func missedSince(_ slot: Int, at now: Moment) -> Int64 {
    let clock = background.clock
    let isOfThisBoot = table[slot].id > clock.reboots.last?.leftSeq ?? 0
    let started: Int64
    if let last = clock.last, clock.hasBeenSynchronized || !isOfThisBoot {
      // Assume the earliest possible start. The alarm may ring once for an instant before its
      // start, but no instant after its start is lost.
      let atElapsed = table[slot].startedAtElapsed - clock.uncertainUsec(at: table[slot].id)
      started = last.realtimeUsec(atElapsed: atElapsed)
    } else {
      // If the alarm was started under a clock that was not synchronised, its start moves with the
      // steps that correct the clock.
      let elapsed = background.timelines.reading(.elapsed, at: now)
      started = now.realtimeUsec - (elapsed - table[slot].startedAtElapsed)
    }
    return max(started, clock.inDoubtSinceUsec ?? .min)
  }

  /// Moves an alarm to its next instant without a ring. If `next` is nil, the alarm ends.
  private func moveToNextInstant(_ expiry: Expiry, to next: Int64?) {
    guard let next else {
      let over = Recurrence(
        position: expiry.course.position, missed: 0, mark: expiry.course.handledInstant,
        continuation: .ends)
      return _ = record(
        .skipped(ring(expiry, expiry.first, next: over)), about: expiry.slot, at: expiry.now)
    }
    record(
      .rescheduled(deadline: next, durationUsec: next - expiry.now.realtimeUsec),
      about: expiry.slot,
      at: expiry.now)
  }

  private func recurrence(_ expiry: Expiry, behind occurrences: Occurrences, position: Int64)
    -> Recurrence
  {
    let mark = expiry.spec.schedule == nil ? 0 : occurrences.last
    guard !isOver(expiry, behind: position), let next = occurrences.next else {
      return Recurrence(position: position, missed: 0, mark: mark, continuation: .ends)
    }
    return Recurrence(
      position: position, missed: 0, mark: mark,
      continuation: .runs(deadline: next, durationUsec: next - occurrences.last))
  }

  /// Rings at the end of a snooze. The repetition then continues with its first occurrence after
  /// now. Occurrences that were due while the timer was snoozed are silent. If others are due that
  /// came after the end of the snooze, they alone decide whether and how late the timer rings.
  private func ringAfterSnooze(_ expiry: Expiry) {
    let course = expiry.course
    var next = Recurrence(
      position: course.position, missed: 0,
      mark: expiry.spec.schedule == nil ? course.deadlineAfterSnooze : course.handledInstant,
      continuation: .ends)
    let clock = expiry.timer.clock
    let reading = background.timelines.reading(clock, at: expiry.now)
    if let deadline = nextOccurrence(expiry, &next.position, reading),
      !isOver(expiry, behind: next.position)
    {
      if deadline > reading {
        let rounds = 1 + passedBefore(next.position, expiry.slot)
        let isAlarm = expiry.spec.schedule != nil
        next.continuation = .runs(
          deadline: deadline,
          durationUsec: isAlarm ? deadline - reading : rounds * expiry.timer.fullLengthUsec)
      } else {
        let left = expiry.spec.rounds > 0 ? expiry.spec.rounds - next.position : Int64.max
        // `awake` and `present` stand still in a sleep, so they do not tell what came after the end.
        let sinceEnd = clock.countsUptime ? 0 : expiry.reading - expiry.deadline
        var missed = Occurrences(count: 0, last: deadline, next: deadline)
        if deadline <= reading - sinceEnd {
          missed = occurrences(
            expiry, from: deadline, to: reading - sinceEnd, limit: left, position: next.position)
        }
        next.position += missed.count + missed.passed
        if let first = missed.next, first <= reading, !isOver(expiry, behind: next.position) {
          var later = expiry
          (later.timeline, later.reading) = (clock, reading)
          later.timer.course.position = next.position
          later.first = lateness(later, deadline: first)
          return ringRepeating(later, from: first, joined: missed.count)
        }
        next = recurrence(expiry, behind: missed, position: next.position)
        next.missed = missed.count
      }
    }
    let ring = ring(expiry, expiry.first, next: next)
    record(
      isSilent(expiry, expiry.first) ? .skipped(ring) : .fired(ring), about: expiry.slot,
      at: expiry.now)
  }

  /// The next occurrence of a repeating timer whose snooze ends. If the wall clock was ahead and
  /// the engine counted too many rounds, this sets `position` back to the right round.
  private func nextOccurrence(_ expiry: Expiry, _ position: inout Int64, _ reading: Int64) -> Int64?
  {
    if let schedule = expiry.spec.schedule {
      // If the clock was set back, instants that it reaches again count as not handled yet.
      let handled = min(expiry.course.handledInstant, expiry.now.realtimeUsec)
      return nextInstant(expiry.slot, schedule, afterUsec: handled)
    }
    let (period, next) = (expiry.timer.fullLengthUsec, expiry.course.deadlineAfterSnooze)
    var back = next - period > reading ? min(position, (next - reading - 1) / period) : 0
    let (passed, isOnWall) = (expiry.timer.passedOver, expiry.timer.clock == .wall)
    while back > 0,
      isOnWall && expiry.course.hasRung(in: position - back) || passed.contains(position - back)
    {
      back -= 1
    }
    position -= back
    return next - back * period
  }
}

// MARK: - Sequences

extension Engine {
  /// The ends of steps of a sequence that have passed.
  private struct Steps {
    var count: Int64
    /// The last end.
    var last: Int64
    /// The position of the step after the last of these ends.
    var position: Int64
    var continuation: Recurrence.Continuation
  }

  /// The ends of steps up to `reading`, and at most `limit` of them. O(steps of one cycle), however
  /// long ago the first end was.
  private func steps(_ expiry: Expiry, limit: Int64) -> Steps {
    let spec = expiry.spec
    var steps = Steps(
      count: 0, last: expiry.deadline, position: expiry.course.position, continuation: .waits)
    var end = steps.last
    let cycle = spec.steps.contains(where: \.waits) ? nil : spec.cycle
    while true {
      steps.count += 1
      steps.last = end
      if spec.isLast(steps.position) {
        steps.continuation = .ends
        return steps
      }
      if spec.step(at: steps.position).waits { return steps }
      steps.position += 1
      let usec = spec.stepUsec(at: steps.position)
      end += usec
      if end > expiry.reading || steps.count == limit {
        steps.continuation = .runs(deadline: end, durationUsec: usec)
        return steps
      }
      if let cycle {
        var cycles = min(
          (expiry.reading - end) / cycle.usec, (limit - steps.count - 1) / cycle.steps)
        if spec.rounds > 0 {
          let left = spec.rounds * Int64(spec.steps.count) - 1 - steps.position
          cycles = min(cycles, left / cycle.steps)
        }
        steps.count += cycles * cycle.steps
        steps.position += cycles * cycle.steps
        end += cycles * cycle.usec
      }
    }
  }

  private func ringSequence(_ expiry: Expiry) {
    var steps = steps(expiry, limit: .max)
    if expiry.missed == .each, steps.count > 1 {
      steps = self.steps(expiry, limit: max(1, steps.count - Engine.ringsPerSpan + 1))
    }
    let late = lateness(
      expiry.slot, deadline: steps.last, on: expiry.timeline, reading: expiry.reading)
    let isSkipped = expiry.first.isHidden && expiry.missed == .skip || isSilent(expiry, late)
    // The position in a sequence without end would overflow after thousands of years of short
    // steps.
    let position =
      expiry.spec.rounds == 0 ? steps.position % Self.endlessSteps(expiry.spec) : steps.position
    let next = Recurrence(
      position: position, missed: isSkipped ? steps.count : steps.count - 1,
      step: expiry.spec.step(at: position).name, continuation: steps.continuation)
    let ring = ring(expiry, late, next: next)
    let kind: Event.Kind
    if isSkipped {
      kind = .skipped(ring)
    } else {
      switch steps.continuation {
      case .runs: kind = .stepped(ring)
      case .waits: kind = .stepEnded(ring)
      case .ends: kind = .fired(ring)
      }
    }
    record(kind, about: expiry.slot, at: expiry.now)
  }

  /// After how many steps the position of an endless sequence returns to 0: a whole number of
  /// cycles, at most 2^31.
  private static func endlessSteps(_ spec: SharedSpec) -> Int64 {
    let cycle = max(1, spec.longEvery) * Int64(spec.steps.count)
    return (Int64(1) << 31) / cycle * cycle
  }
}
