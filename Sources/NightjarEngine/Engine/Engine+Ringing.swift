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
    let point = table[slot].point
    let first = lateness(slot, deadline: point, on: timeline, reading: reading)
    let isEstimated = isInDoubt(slot, on: timeline)
    guard let detail = table.detail(slot) else {
      record(.fired(ring(first, isEstimated: isEstimated, at: now)), about: slot, at: now)
      return
    }
    let due = Due(
      slot: slot, spec: table.spec(slot), detail: detail, timeline: timeline, reading: reading,
      first: first, isEstimated: isEstimated, now: now)
    if due.spec.kind == .sequence {
      ringSequence(due)
    } else if due.spec.isRepeating {
      if detail.isSnoozed || isOver(due, behind: Int64(detail.position)) {
        ringAgain(due)
      } else {
        ringRepeating(due)
      }
    } else {
      let ring = ring(due, due.first)
      record(isSilent(due, due.first) ? .skipped(ring) : .fired(ring), about: slot, at: now)
    }
  }

  /// A timer that is due, with the reading of its clock.
  private struct Due {
    var slot: Int
    var spec: SharedSpec
    var detail: TimerDetail
    var timeline: Timeline
    var reading: Int64
    /// How late the engine handles the first of the due occurrences.
    var first: Lateness
    /// Whether the expiry or its lateness was computed from a wall clock that the kernel does not
    /// vouch for.
    var isEstimated: Bool
    var now: Moment

    /// The policy for missed expiries. `skip` applies only if the first of them was hidden
    /// (`Lateness.isHidden`); otherwise the timer rings.
    var missed: MissedPolicy {
      spec.missed == .skip && !first.isHidden ? .once : spec.missed
    }
  }

  private func ring(_ due: Due, _ late: Lateness, next: Recurrence? = nil) -> Ring {
    ring(late, isEstimated: due.isEstimated, at: due.now, next: next)
  }

  private func ring(
    _ late: Lateness, isEstimated: Bool, at now: Moment, next: Recurrence? = nil
  ) -> Ring {
    Ring(
      atElapsed: background.timelines.reading(.elapsed, at: now), lateUsec: late.usec,
      cause: late.cause, span: late.span, next: next, isEstimated: isEstimated)
  }

  /// Whether the late policy suppresses the ring.
  private func isSilent(_ due: Due, _ late: Lateness) -> Bool {
    guard late.isHidden else { return false }
    switch due.spec.late {
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
    if table.detail(slot)?.wasMuted == true { return Lateness(usec: late, cause: .paused, span: 0) }
    if !clockWaitCauses.isEmpty, let waited = clockWaitCauses[slot] {
      return Lateness(usec: late, cause: waited.cause, span: waited.span)
    }
    // After its first ring, a repeating timer keeps its order in the queue, even if an event has
    // set its deadline again. `setAnewSeqs` has the number of that event.
    let seq = max(queue(timeline).order(of: slot) ?? 0, setAnewSeqs[slot] ?? 0)
    let spans = lateSpans.filter { deadline <= $0.left[Int(timeline.rawValue)] && seq < $0.leftSeq }
    if let first = spans.first {
      return Lateness(
        usec: spans.reduce(late) { $0 + $1.hiddenUsec(behind: deadline, on: timeline) },
        cause: first.cause, span: first.id)
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
  private struct Points {
    var count: Int64
    var last: Int64
    /// The occurrence after the last one; nil: there is none.
    var next: Int64?
    /// The number of skipped rounds of a countdown among these occurrences and directly after the
    /// last one.
    var passed: Int64 = 0
    /// Whether there are more occurrences than were counted.
    var isCut = false
  }

  private func isOver(_ due: Due, behind position: Int64) -> Bool {
    due.spec.rounds > 0 && position >= due.spec.rounds
  }

  /// The occurrences from `first`, which is due, up to `reading`, and at most `limit` of them. O(1)
  /// for a countdown without skipped rounds; O(occurrences) for an alarm.
  ///
  /// - Parameter position: the position of `first`; nil: the timer's own.
  private func points(
    _ due: Due, from first: Int64, to reading: Int64, limit: Int64, position: Int64? = nil
  ) -> Points {
    guard let schedule = due.spec.schedule else {
      let position = position ?? Int64(due.detail.position)
      let ahead = table.passedOver(due.slot).filter { $0 > position }
      guard ahead.isEmpty else {
        return rounds(due, from: first, to: reading, limit: limit, position, ahead[...])
      }
      let period = table[due.slot].originalUsec
      let count = min(limit, (reading - first) / period + 1)
      return Points(
        count: count, last: first + (count - 1) * period, next: first + count * period)
    }
    var points = Points(count: 1, last: first)
    points.next = nextInstant(due.slot, schedule, afterUsec: first)
    while points.count < limit, let next = points.next, next <= reading {
      if points.count == Engine.countedPoints {
        points.isCut = true
        points.last = lastPoint(due.slot, schedule, from: next, to: reading)
        points.next = nextInstant(due.slot, schedule, afterUsec: reading)
        break
      }
      points.count += 1
      points.last = next
      points.next = nextInstant(due.slot, schedule, afterUsec: next)
    }
    calendarBudget -= Int(points.count)
    return points
  }

  /// Like `points`, for a countdown that has skipped rounds after its present one. `ahead` has the
  /// numbers of these rounds. They were skipped while the wall clock was ahead, and the clock was
  /// set back since. O(skipped rounds).
  private func rounds(
    _ due: Due, from first: Int64, to reading: Int64, limit: Int64, _ position: Int64,
    _ ahead: ArraySlice<Int64>
  ) -> Points {
    let period = table[due.slot].originalUsec
    let end = due.spec.rounds > 0 ? due.spec.rounds : .max
    var (points, ahead) = (Points(count: 0, last: first), ahead)
    var (round, deadline) = (position, first)
    while true {
      let due = deadline <= reading ? (reading - deadline) / period + 1 : 0
      let count = min(due, min(ahead.first ?? .max, end) - round, limit - points.count)
      if count > 0 { points.last = deadline + (count - 1) * period }
      points.count += count
      round += count
      deadline += count * period
      let isMet = ahead.first == round
      while ahead.first == round {
        ahead.removeFirst()
        points.passed += 1
        round += 1
        deadline += period
      }
      guard isMet, points.count < limit, deadline <= reading else { break }
    }
    points.next = deadline
    return points
  }

  /// The last occurrence of a schedule that is not after `reading`; `first` is an earlier
  /// occurrence. O(log of the time between).
  private func lastPoint(
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

  private func ringRepeating(_ due: Due) {
    var due = due
    guard let first = firstMissed(&due) else { return }
    let position = Int64(due.detail.position)
    let left = due.spec.rounds > 0 ? due.spec.rounds - position : Int64.max
    // With `missed=each`, the engine counted the occurrences when the first one rang, so it needs
    // only the next one now. Silent occurrences are always counted, because one event records all
    // of them.
    let isCounted =
      due.missed == .each && countedUpTo[due.slot] == due.reading && !isSilent(due, due.first)
    let all = points(due, from: first, to: due.reading, limit: isCounted ? 1 : left)
    var isSkipped = due.first.isHidden && (due.missed == .skip || due.spec.late == .skip)
    var stretch = all
    if !isSkipped, due.missed == .each, !all.isCut, all.count > 1 {
      (stretch, isSkipped) = firstOfEach(due, from: first, all: all)
    }
    // More than `ringsPerSpan` occurrences may follow the silent ones, so the next call must count
    // again. It must also count again if the clock was set back and `rangTo` is later than these
    // occurrences. This ring sets `rangTo` back, and then the alarm is due again.
    let forgetsRings = due.detail.rangTo > stretch.last
    if due.missed == .each, !isSkipped, !forgetsRings { countedUpTo[due.slot] = due.reading }
    let late = lateness(
      due.slot, deadline: stretch.last, on: due.timeline, reading: due.reading)
    isSkipped = isSkipped || isSilent(due, late)
    let next = recurrence(
      due, behind: stretch, position: position + stretch.count + stretch.passed)
    var ring = ring(due, late, next: next)
    ring.next?.missed = isSkipped ? stretch.count : stretch.count - 1
    record(isSkipped ? .skipped(ring) : .fired(ring), about: due.slot, at: due.now)
  }

  /// The occurrences that the next event covers with `missed=each`, and whether the timer stays
  /// silent for them. One event covers all occurrences that are too old to ring. If the others are
  /// more than `ringsPerSpan`, one event covers the excess.
  private func firstOfEach(_ due: Due, from first: Int64, all: Points) -> (Points, Bool) {
    if case .fireWithin(let within) = due.spec.late, due.first.isHidden, due.first.usec > within {
      let old = points(due, from: first, to: max(first, due.reading - within - 1), limit: all.count)
      return (old, true)
    }
    let more = all.count - Engine.ringsPerSpan
    return (points(due, from: first, to: due.reading, limit: max(1, more + 1)), false)
  }

  /// The first due instant that counts as missed. If the clock was behind, two kinds of instants do
  /// not count: those before the alarm's start, and those before the last time when the clock was
  /// right. Nil: no instant counts, and this function has moved the alarm to its next instant.
  private func firstMissed(_ due: inout Due) -> Int64? {
    let first = table[due.slot].point
    guard let schedule = due.spec.schedule, due.first.isHidden else { return first }
    let floor = self.floor(due.slot, at: due.now)
    let next: Int64?
    if floor > due.now.realtimeUsec {
      // The clock is still behind. The instants that it has jumped over are before the start of the
      // alarm.
      guard due.first.cause == .step || due.first.cause == .reboot else { return first }
      next = nextInstant(due.slot, schedule, afterUsec: due.now.realtimeUsec)
    } else {
      guard first <= floor else { return first }
      next = nextInstant(due.slot, schedule, afterUsec: floor)
    }
    if let next, next <= due.reading {
      due.first = lateness(due.slot, deadline: next, on: due.timeline, reading: due.reading)
      return next
    }
    passOver(due, to: next)
    return nil
  }

  /// The time up to which no instant of an alarm counts as missed: its start, or the last time when
  /// the wall clock was right, whichever is later.
  func floor(_ slot: Int, at now: Moment) -> Int64 {
    let clock = background.clock
    let isOfThisBoot = table[slot].id > clock.reboots.last?.leftSeq ?? 0
    let started: Int64
    if let last = clock.last, clock.isVouched || !isOfThisBoot {
      // Assume the earliest possible start. The alarm may ring once for an instant before its
      // start, but it loses none after it.
      let atElapsed = table[slot].originalUsec - clock.uncertainUsec(at: table[slot].id)
      started = last.realtimeUsec(atElapsed: atElapsed)
    } else {
      // If the alarm was started under a clock that the kernel did not vouch for, its start moves
      // with the steps that correct the clock.
      let elapsed = background.timelines.reading(.elapsed, at: now)
      started = now.realtimeUsec - (elapsed - table[slot].originalUsec)
    }
    return max(started, clock.doubtUsec ?? .min)
  }

  /// Moves an alarm to its next instant without a ring. If `next` is nil, the alarm ends.
  private func passOver(_ due: Due, to next: Int64?) {
    guard let next else {
      let position = Int64(due.detail.position)
      let over = Recurrence(position: position, missed: 0, mark: due.detail.mark, going: .ends)
      return _ = record(.skipped(ring(due, due.first, next: over)), about: due.slot, at: due.now)
    }
    record(
      .rescheduled(deadline: next, durationUsec: next - due.now.realtimeUsec), about: due.slot,
      at: due.now)
  }

  private func recurrence(_ due: Due, behind points: Points, position: Int64) -> Recurrence {
    let mark = due.spec.schedule == nil ? 0 : points.last
    guard !isOver(due, behind: position), let next = points.next else {
      return Recurrence(position: position, missed: 0, mark: mark, going: .ends)
    }
    return Recurrence(
      position: position, missed: 0, mark: mark,
      going: .on(deadline: next, durationUsec: next - points.last))
  }

  /// Rings at the end of a snooze. The repetition then continues with its first occurrence after
  /// now.
  private func ringAgain(_ due: Due) {
    var next = Recurrence(
      position: Int64(due.detail.position), missed: 0, mark: due.detail.mark, going: .ends)
    let clock = table[due.slot].clock
    let reading = background.timelines.reading(clock, at: due.now)
    if let point = nextPoint(due, &next.position, reading), !isOver(due, behind: next.position) {
      if point > reading {
        let rounds = 1 + passedBefore(next.position, due.slot)
        let isAlarm = due.spec.schedule != nil
        next.going = .on(
          deadline: point,
          durationUsec: isAlarm ? point - reading : rounds * table[due.slot].originalUsec)
      } else {
        let left = due.spec.rounds > 0 ? due.spec.rounds - next.position : Int64.max
        let missed = points(
          due, from: point, to: reading, limit: left, position: next.position)
        next = recurrence(
          due, behind: missed, position: next.position + missed.count + missed.passed)
        next.missed = missed.count
      }
    }
    let ring = ring(due, due.first, next: next)
    record(isSilent(due, due.first) ? .skipped(ring) : .fired(ring), about: due.slot, at: due.now)
  }

  /// The next occurrence of a repeating timer whose snooze ends. If the wall clock was ahead and
  /// the engine counted too many rounds, this sets `position` back to the right round.
  private func nextPoint(_ due: Due, _ position: inout Int64, _ reading: Int64) -> Int64? {
    if let schedule = due.spec.schedule {
      // If the clock was set back, instants that it reaches again count as not handled yet.
      return nextInstant(
        due.slot, schedule, afterUsec: min(due.detail.mark, due.now.realtimeUsec))
    }
    let period = table[due.slot].originalUsec
    let isAhead = due.detail.mark - period > reading
    var back = isAhead ? min(position, (due.detail.mark - reading - 1) / period) : 0
    let (passed, isOnWall) = (table.passedOver(due.slot), table[due.slot].clock == .wall)
    while back > 0,
      isOnWall && due.detail.hasRung(in: position - back) || passed.contains(position - back)
    {
      back -= 1
    }
    position -= back
    return due.detail.mark - back * period
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
    var going: Recurrence.Going
  }

  /// The ends of steps up to `reading`, and at most `limit` of them. O(steps of one cycle), however
  /// long ago the first end was.
  private func steps(_ due: Due, limit: Int64) -> Steps {
    let spec = due.spec
    var steps = Steps(
      count: 0, last: table[due.slot].point, position: Int64(due.detail.position), going: .waits)
    var end = steps.last
    let cycle = spec.steps.contains(where: \.waits) ? nil : spec.cycle
    while true {
      steps.count += 1
      steps.last = end
      if spec.isLast(steps.position) {
        steps.going = .ends
        return steps
      }
      if spec.step(at: steps.position).waits { return steps }
      steps.position += 1
      let usec = spec.stepUsec(at: steps.position)
      end += usec
      if end > due.reading || steps.count == limit {
        steps.going = .on(deadline: end, durationUsec: usec)
        return steps
      }
      if let cycle {
        var cycles = min((due.reading - end) / cycle.usec, (limit - steps.count - 1) / cycle.steps)
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

  private func ringSequence(_ due: Due) {
    var steps = steps(due, limit: .max)
    if due.missed == .each, steps.count > 1 {
      steps = self.steps(due, limit: max(1, steps.count - Engine.ringsPerSpan + 1))
    }
    let late = lateness(due.slot, deadline: steps.last, on: due.timeline, reading: due.reading)
    let isSkipped = due.first.isHidden && due.missed == .skip || isSilent(due, late)
    // The position in a sequence without end would overflow after thousands of years of short
    // steps.
    let position =
      due.spec.rounds == 0 ? steps.position % Self.endlessSteps(due.spec) : steps.position
    let next = Recurrence(
      position: position, missed: isSkipped ? steps.count : steps.count - 1,
      step: due.spec.step(at: position).name, going: steps.going)
    let ring = ring(due, late, next: next)
    let kind: Event.Kind
    if isSkipped {
      kind = .skipped(ring)
    } else {
      switch steps.going {
      case .on: kind = .stepped(ring)
      case .waits: kind = .stepEnded(ring)
      case .ends: kind = .fired(ring)
      }
    }
    record(kind, about: due.slot, at: due.now)
  }

  /// After how many steps the position of an endless sequence returns to 0: a whole number of
  /// cycles, at most 2^31.
  private static func endlessSteps(_ spec: SharedSpec) -> Int64 {
    let cycle = max(1, spec.longEvery) * Int64(spec.steps.count)
    return (Int64(1) << 31) / cycle * cycle
  }
}
