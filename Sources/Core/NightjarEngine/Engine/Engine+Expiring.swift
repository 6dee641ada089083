import NightjarModel

/// What a due timer does: it enters a band, or it expires, and its ring sounds, joins or stays
/// silent. The rules are those of SEMANTICS.md, section 10.
extension Engine {
  /// Handles what is due of the timer in `slot`: of its schedule, of its ring, or of both. An
  /// expiry that was due before the end of a snooze joins the ring, and one that was due after it
  /// decides alone.
  func handleDue(_ slot: Int, at now: Moment) {
    guard isRingDue(slot, at: now), let ring = table[slot].ring else {
      return handleSchedule(slot, at: now)
    }
    let late = ringLateness(slot, at: now)
    guard isScheduleDue(slot, at: now) else { return handleRing(slot, ring, late, at: now) }
    if let left = leftUntilDeadline(slot, at: now) {
      return enterBand(slot, remainingUsec: left, at: now)
    }
    guard let due = dueExpiries(slot, at: now) else { return }
    let first = due.firstLate
    let last = lateness(due.all, of: due, slot, at: now)
    if ring.isSnoozed, first.usec >= late.usec {
      join(due, slot, lateAtLeast: late.usec, at: now)
    } else if !ring.isSounding, last.usec < late.usec {
      expire(due, slot, endsWait: true, at: now)
    } else if first.usec >= late.usec {
      expire(due, slot, at: now)
    } else {
      handleRing(slot, ring, late, at: now)
    }
  }

  private func handleSchedule(_ slot: Int, at now: Moment) {
    if let left = leftUntilDeadline(slot, at: now) {
      return enterBand(slot, remainingUsec: left, at: now)
    }
    guard let due = dueExpiries(slot, at: now) else { return }
    if table[slot].ring?.isSnoozed == true {
      join(due, slot, lateAtLeast: .min, at: now)
    } else {
      expire(due, slot, at: now)
    }
  }

  /// The time until the deadline of a running timer; nil: the deadline is reached.
  private func leftUntilDeadline(_ slot: Int, at now: Moment) -> Int64? {
    let left = deadline(slot) - background.timelines.reading(table[slot].clock, at: now)
    return left > 0 ? left : nil
  }

  /// Whether a band or the deadline of the timer is reached, and it does not wait for the clock.
  private func isScheduleDue(_ slot: Int, at now: Moment) -> Bool {
    guard case .running(let deadline) = table[slot].phase, let next = queueDeadline(slot) else {
      return false
    }
    let clock = table[slot].clock
    let reading = background.timelines.reading(clock, at: now)
    guard next <= reading else { return false }
    return clockWaitEnd == nil
      || !isWaitingForClock(slot)
        && certainFiring(slot, deadline: reading < deadline ? next : deadline, at: now) == nil
  }

  // MARK: - Policies

  /// Whether the late policy keeps an expiry, a snooze or an insist from ringing.
  func isTooLate(_ slot: Int, _ late: Lateness) -> Bool {
    guard late.isHidden else { return false }
    return switch table[slot].spec.late {
    case .fire: false
    case .skip: true
    case .fireWithin(let usec): late.usec > usec
    }
  }

  /// How many expiries there are up to the newest one that is too late.
  private func tooLateCount(_ due: DueExpiries, _ slot: Int, at now: Moment) -> Int64 {
    func late(_ stretch: DueExpiries.Stretch) -> Lateness {
      lateness(stretch, of: due, slot, at: now)
    }
    var count = due.all.count
    switch table[slot].spec.late {
    case .fire: return 0
    case .skip: break
    case .fireWithin(let usec): count = due.count { late($0).usec > usec }
    }
    guard count > 0, !late(due.upTo(count)).isHidden else { return count }
    // Those before may have passed in a background span.
    return due.count { $0.count <= count && late($0).isHidden }
  }

  /// How many of the first expiries were on time, or only delayed by a busy daemon, before the
  /// clock was set over later ones. They are handled before those, because that is no reason for a
  /// policy.
  private func delayedCount(_ due: DueExpiries, _ slot: Int, at now: Moment) -> Int64 {
    guard !due.firstLate.isHidden else { return 0 }
    return due.count { !lateness($0, of: due, slot, at: now).isHidden }
  }

  /// How late the last of a stretch is handled.
  private func lateness(
    _ stretch: DueExpiries.Stretch, of due: DueExpiries, _ slot: Int, at now: Moment
  ) -> Lateness {
    stretch.last == due.first ? due.firstLate : lateness(slot, deadline: stretch.last, at: now)
  }

  /// First the late policy judges each expiry by its own lateness. If several may still ring,
  /// `missed` decides. Each call records one event; the rest is still due and is judged again.
  ///
  /// - Parameter endsWait: whether the end of a snooze or an insist passed before them. If none of
  ///   them rings, the ring is quiet.
  private func expire(
    _ due: DueExpiries, _ slot: Int, endsWait: Bool = false, at now: Moment
  ) {
    let missed = table[slot].spec.missed
    let delayed = delayedCount(due, slot, at: now)
    let tooLate = delayed > 0 ? 0 : tooLateCount(due, slot, at: now)
    let mayRing = delayed > 0 ? delayed : due.all.count - tooLate
    let isSkipped =
      mayRing > 1 && missed == .skip && delayed == 0
      && lateness(due.upTo(tooLate + 1), of: due, slot, at: now).isHidden
    let silent = mayRing == 0 || isSkipped ? due.all.count : tooLate
    if silent > 0 {
      let stretch = due.upTo(silent)
      record(
        .didNotRing(
          lateness(stretch, of: due, slot, at: now), passing(stretch, slot),
          quietsRing: endsWait), about: slot, sums: sums(slot, due: due.first, stretch), at: now)
      return
    }
    let isEach = missed == .each && !due.hasMore
    ring(due, upTo: isEach ? max(1, mayRing - Engine.ringsPerSpan + 1) : mayRing, slot, at: now)
  }

  private func ring(_ due: DueExpiries, upTo count: Int64, _ slot: Int, at now: Moment) {
    let stretch = due.upTo(count)
    let late = lateness(stretch, of: due, slot, at: now)
    let passing = passing(stretch, slot)
    let ring = table[slot].ring
    var continues = false
    if case .runs = stretch.continuation { continues = true }
    let length = ringLength(slot, continues: continues)
    record(
      .rang(
        late,
        Sounding(
          expiry: passing.number, expiries: (ring?.expiries ?? 0) + 1,
          firstDueUsec: ring?.firstDueUsec ?? now.realtimeUsec - late.usec, forUsec: length.forUsec,
          insistUsec: length.insistUsec), passing),
      about: slot, sums: sums(slot, due: due.first, stretch), at: now)
  }

  /// Lets the expiries with at least this lateness join the snoozed ring.
  private func join(
    _ due: DueExpiries, _ slot: Int, lateAtLeast usec: Int64, at now: Moment
  ) {
    let count = due.count { lateness($0, of: due, slot, at: now).usec >= usec }
    let number = table[slot].expiries.lastNumber
    let joined = (max(0, count - Int64(Limits.joined))..<count).map { place in
      let stretch = due.upTo(place + 1)
      return JoinedExpiry(
        number: number + place + 1, late: lateness(stretch, of: due, slot, at: now),
        position: stretch.position)
    }
    let stretch = due.upTo(count)
    record(
      .joined(
        joined, count: count, next: passing(stretch, slot).next,
        expiries: (table[slot].ring?.expiries ?? 0) + count),
      about: slot, sums: sums(slot, due: due.first, stretch), at: now)
  }

  /// The last expiry of a stretch, which stands for those before it.
  private func passing(_ stretch: DueExpiries.Stretch, _ slot: Int) -> Passing {
    let spec = table[slot].spec
    let cycle = spec.kind == .sequence && spec.rounds == 0 ? Self.endlessSteps(spec) : .max
    let position = stretch.nextPosition % cycle
    return Passing(
      number: table[slot].expiries.lastNumber + stretch.count, missed: stretch.count - 1,
      position: stretch.position % cycle,
      next: Recurrence(
        position: position, handledInstant: spec.schedule == nil ? 0 : stretch.last,
        step: spec.kind == .sequence ? spec.step(at: position).name : "", stretch.continuation))
  }

  /// After how many steps the position of an endless sequence returns to 0: a whole number of
  /// cycles, at most 2^31. Else the position would overflow after thousands of years of short
  /// steps.
  private static func endlessSteps(_ spec: SharedSpec) -> Int64 {
    let cycle = max(1, spec.longEvery) * Int64(spec.steps.count)
    return (Int64(1) << 31) / cycle * cycle
  }
}

// MARK: - Which expiries are due

extension Engine {
  /// The expiries of a timer that are due; nil: an alarm has moved to its next instant instead, or
  /// is over.
  private func dueExpiries(_ slot: Int, at now: Moment) -> DueExpiries? {
    let timer = table[slot]
    let reading = background.timelines.reading(timer.clock, at: now)
    guard let schedule = timer.spec.schedule else {
      let first = deadline(slot)
      return DueExpiries(
        timer, first: first, lateness(slot, deadline: first, at: now), reading: reading)
    }
    guard let first = firstMissed(slot, schedule, at: now) else { return nil }
    let late = lateness(slot, deadline: first, at: now)
    let limit = min(
      Engine.countedOccurrences,
      timer.spec.rounds > 0 ? timer.spec.rounds - timer.course.position : .max)
    if let known = knownInstants[slot], known.reading == reading, let place = known.place(of: first)
    {
      return DueExpiries(
        timer, instants: Array(known.instants[place...].prefix(Int(limit))), late, next: known.next,
        reading: reading)
    }
    var known = KnownInstants(instants: [first], reading: reading)
    known.next = nextInstant(slot, schedule, afterUsec: first)
    while let next = known.next, next <= reading, known.instants.count < limit {
      known.instants.append(next)
      known.next = nextInstant(slot, schedule, afterUsec: next)
    }
    var hasMore = false
    if let next = known.next, next <= reading, known.instants.count == Engine.countedOccurrences {
      hasMore = true
      known.instants[known.instants.count - 1] = lastInstant(
        slot, schedule, from: next, to: reading)
      known.next = nextInstant(slot, schedule, afterUsec: reading)
    }
    calendarBudget -= known.instants.count
    // If the clock was set back, a ring for an earlier instant makes the alarm forget that later
    // ones rang. Then they must be computed again.
    let forgets = timer.course.rangFor.map { $0.last > first } ?? false
    // The last of more than are counted would be counted as one.
    if !forgets, !hasMore { knownInstants[slot] = known }
    return DueExpiries(
      timer, instants: known.instants, late, next: known.next, hasMore: hasMore,
      reading: reading)
  }

  /// The last instant of a schedule that is not after `reading`; `first` is an earlier one.
  /// O(log of the time between).
  private func lastInstant(
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

  /// The first due instant that counts as missed. If the clock was behind, two kinds of instants do
  /// not count: those before the alarm's start, and those before the last time when the clock was
  /// right. Nil: no instant counts, and this function has moved the alarm to its next instant.
  private func firstMissed(_ slot: Int, _ schedule: Schedule, at now: Moment) -> Int64? {
    let first = deadline(slot)
    let late = lateness(slot, deadline: first, at: now)
    guard late.isHidden, late.cause != .paused else { return first }
    let missedSince = missedSince(slot, at: now)
    let next: Int64?
    if missedSince > now.realtimeUsec {
      // The clock is still behind. The instants that it has jumped over are before the start of the
      // alarm.
      guard late.cause == .step || late.cause == .reboot else { return first }
      next = nextInstant(slot, schedule, afterUsec: now.realtimeUsec)
    } else {
      guard first <= missedSince else { return first }
      next = nextInstant(slot, schedule, afterUsec: missedSince)
    }
    if let next, next <= now.realtimeUsec { return next }
    if let next {
      record(
        .rescheduled(deadline: next, durationUsec: next - now.realtimeUsec), about: slot, at: now)
    } else {
      record(.ranOut, about: slot, at: now)
    }
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

  /// The due instants of an alarm, so that they are not computed again for each of its rings.
  struct KnownInstants {
    var instants: [Int64]
    var next: Int64?
    /// The reading of the clock up to which they were computed.
    var reading: Int64

    /// The index of an instant. O(log instants).
    func place(of instant: Int64) -> Int? {
      var (low, high) = (0, instants.count)
      while low < high {
        let middle = (low + high) / 2
        if instants[middle] < instant { low = middle + 1 } else { high = middle }
      }
      return low < instants.count && instants[low] == instant ? low : nil
    }
  }
}

// MARK: - Lateness

extension Engine {
  /// How late a deadline of the timer's schedule is handled, and why.
  func lateness(_ slot: Int, deadline: Int64, at now: Moment) -> Lateness {
    let clock = table[slot].clock
    let reading = background.timelines.reading(clock, at: now)
    var late: Lateness
    if table[slot].course.wasPausedAtDeadline {
      late = Lateness(usec: reading - deadline, cause: .paused, span: 0)
    } else {
      // The order of a timer in the queue is the number of an event. For a repeating timer that has
      // rung, that event may be older than the one that set the deadline. `deadlineSetSeqs` has the
      // number of the latter.
      let seq = max(queue(clock).order(of: slot) ?? 0, deadlineSetSeqs[slot] ?? 0)
      late = lateness(
        deadline: deadline, setBy: seq, on: clock, reading: reading, waited: clockWaitCauses[slot])
    }
    late.isEstimated = isInDoubt(slot)
    return late
  }

  /// How late the end of a sound, an insist or the end of a snooze is handled, and why.
  func ringLateness(_ slot: Int, at now: Moment) -> Lateness {
    guard let ring = table[slot].ring, let deadline = ring.deadline else {
      return Lateness(usec: 0, cause: nil, span: 0)
    }
    var late = lateness(
      deadline: deadline, setBy: ring.countedFrom, on: .elapsed,
      reading: background.timelines.reading(.elapsed, at: now), waited: ringWaitCauses[slot])
    late.isEstimated = background.clock.isInDoubt(setBy: ring.countedFrom)
    return late
  }

  /// For the user, time also passes while `awake` and `present` stand still. So if a deadline was
  /// due before a background span, the time that the timeline did not count in the span is added to
  /// the lateness.
  private func lateness(
    deadline: Int64, setBy seq: Int64, on timeline: Timeline, reading: Int64, waited: WaitCause?
  ) -> Lateness {
    let late = reading - deadline
    if let waited { return Lateness(usec: late, cause: waited.cause, span: waited.span) }
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
