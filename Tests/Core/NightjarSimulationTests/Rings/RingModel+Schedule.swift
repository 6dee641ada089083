import NightjarEngine
import NightjarModel

/// Schedules: which expiries are due. Nothing here knows of rings, but for the instants that
/// sounded (rule 10).
extension RingModel {
  /// The expiries of a timer that are due; none: its next instant is another one.
  func dueExpiries(_ timer: ModelTimer) -> DueExpiries {
    if timer.spec.kind == .sequence { return steps(timer) }
    guard timer.repeats else {
      return DueExpiries(due: [timer.remainingUsec], positions: [0], nextPosition: 0)
    }
    guard let first = firstMissed(timer) else {
      return DueExpiries(nextPosition: timer.position)
    }
    return occurrences(timer, from: first)
  }

  private func isOver(_ timer: ModelTimer, _ position: Int64) -> Bool {
    timer.spec.rounds > 0 && position >= timer.spec.rounds
  }

  /// The deadlines of a repetition.
  private func occurrences(_ timer: ModelTimer, from first: Int64) -> DueExpiries {
    let isAlarm = timer.spec.schedule != nil
    var all = DueExpiries(nextPosition: timer.position)
    var left: Int64? = first
    while let usec = left, usec <= 0, !isOver(timer, all.nextPosition) {
      let isFull = all.due.count == 10_000 && isAlarm
      if isFull {
        // The others are not counted, but the last one is the one that rings.
        all.hasMore = true
        all.due[all.due.count - 1] = usec
      } else {
        all.due.append(usec)
        all.positions.append(all.nextPosition)
      }
      if isAlarm {
        left = next(timer, after: clocks.wallUsec + usec)
        if !isFull { all.nextPosition += 1 }
        continue
      }
      var usec = usec
      repeat {
        usec += timer.originalUsec
        all.nextPosition += 1
      } while timer.skipped.contains(all.nextPosition)
      left = usec
    }
    all.next = isOver(timer, all.nextPosition) ? nil : left
    return all
  }

  /// The ends of the steps of a sequence, up to a step that waits for Advance.
  private func steps(_ timer: ModelTimer) -> DueExpiries {
    let spec = timer.spec
    var all = DueExpiries(nextPosition: timer.position)
    var end: Int64? = timer.remainingUsec
    while let usec = end, usec <= 0 {
      let position = all.nextPosition
      all.due.append(usec)
      all.positions.append(position)
      end = nil
      if Self.isLast(spec, position) { break }
      if spec.steps[Int(position % Int64(spec.steps.count))].waits {
        all.waits = true
        break
      }
      all.nextPosition += 1
      end = usec + Self.stepUsec(spec, all.nextPosition)
    }
    all.next = end
    return all
  }

  /// The length of the step at a position.
  static func stepUsec(_ spec: SharedSpec, _ position: Int64) -> Int64 {
    let step = spec.steps[Int(position % Int64(spec.steps.count))]
    let round = position / Int64(spec.steps.count) + 1
    let isLong = spec.longEvery > 0 && round % spec.longEvery == 0
    return isLong ? step.longUsec ?? step.durationUsec : step.durationUsec
  }

  static func isLast(_ spec: SharedSpec, _ position: Int64) -> Bool {
    spec.rounds > 0 && position + 1 == spec.rounds * Int64(spec.steps.count)
  }
}

// MARK: - Instants of alarms

extension RingModel {
  /// The remaining time until an alarm's first instant after a time of the wall clock.
  func next(_ timer: ModelTimer, after wallUsec: Int64) -> Int64? {
    guard let schedule = timer.spec.schedule else { return nil }
    var next = FakeCalendar.next(schedule, afterUsec: wallUsec, zone: zone)
    // An instant that really rang or was skipped does not ring.
    func isSkipped(_ instant: Int64) -> Bool {
      timer.skipped.contains(FakeCalendar.wall(schedule, atUsec: instant, zone: zone))
    }
    while let instant = next, timer.rang?.contains(instant) == true || isSkipped(instant) {
      next = FakeCalendar.next(schedule, afterUsec: instant, zone: zone)
    }
    return next.map { $0 - clocks.wallUsec }
  }

  /// The first instant of an alarm that is due and counts as missed: after its start and after the
  /// last time when the clock was right. Nil: the alarm has moved to its next instant instead.
  private func firstMissed(_ timer: ModelTimer) -> Int64? {
    let late = timer.lateness()
    let isHidden = late.blame.map { $0.cause != .busy } ?? false
    guard timer.spec.schedule != nil, isHidden, late.blame?.cause != .paused else {
      return timer.remainingUsec
    }
    let missedSince = missedSince(timer)
    let first: Int64?
    if missedSince > clocks.wallUsec {
      guard late.blame?.cause == .step || late.blame?.cause == .reboot else {
        return timer.remainingUsec
      }
      first = next(timer, after: clocks.wallUsec)
    } else {
      guard clocks.wallUsec + timer.remainingUsec <= missedSince else { return timer.remainingUsec }
      first = next(timer, after: missedSince)
    }
    if let first, first <= 0 { return first }
    if let first {
      reschedule(timer, to: first)
    } else {
      end(timer)
    }
    return nil
  }

  /// An alarm has no further instant, and its present one does not count.
  private func end(_ timer: ModelTimer) {
    record("ran_out", of: timer, sumFacts(timer)) { timer, seq in
      timer.state = .over
      timer.wasMuted = false
      timer.band = timer.spec.bands.count
      timer.sinceEndUsec = 0
      timer.endedSeq = seq
      timer.deadline.isDeadlineWaiting = false
      timer.deadline.setSeq = seq
      timer.deadline.interruption = nil
      timer.deadline.order = seq
      timer.deadline.forgetBlame()
    }
  }

  /// The remaining time of the instant for which a due alarm rings. Instants before its start, or
  /// before the last time when the clock was right, do not count.
  func ringingInstant(_ timer: ModelTimer, _ left: Int64) -> Int64 {
    guard timer.spec.schedule != nil, left <= 0 else { return left }
    let missedSince = missedSince(timer)
    guard clocks.wallUsec + left <= missedSince, missedSince <= clocks.wallUsec else { return left }
    return next(timer, after: missedSince) ?? left
  }

  /// The time before which no instant of an alarm counts as missed.
  private func missedSince(_ timer: ModelTimer) -> Int64 {
    let counted = world.clock.countedUsec - timer.startedCountedUsec
    var rightNow = clocks.wallUsec
    // The start of an alarm in this boot, before the clock was known to be right, moves with the
    // steps.
    if let last = world.clock.last,
      world.clock.hasBeenSynchronized || timer.id <= world.clock.reboots.last?.leftSeq ?? 0
    {
      rightNow = last.wallUsec + world.clock.countedUsec - last.countedUsec
      // The count at the start may have been ahead.
      if world.clock.isOpen {
        rightNow -= world.clock.reboots.filter { $0.leftSeq < timer.id }
          .reduce(0) { $0 + $1.countedUsec - $1.uptimeUsec }
      }
    }
    return max(rightNow - counted, world.clock.inDoubtSinceUsec ?? .min)
  }

  /// Whether the clock was in doubt and is right again.
  private var hasDoubtEnded: Bool {
    world.clock.inDoubtSinceUsec != nil
      && world.clock.isBack(clocks.wallUsec, world.clock.countedUsec)
  }

  func clearEndedDoubt() {
    if hasDoubtEnded { world.clock.inDoubtSinceUsec = nil }
  }

  /// The time up to which all instants of an alarm are handled, after the clock was set back.
  func handledUpTo(_ timer: ModelTimer) -> Int64 {
    guard hasDoubtEnded, let last = world.clock.last else { return clocks.wallUsec }
    let rightNow = last.wallUsec + world.clock.countedUsec - last.countedUsec
    let rang = timer.sinceLastRingUsec.map { rightNow - $0 } ?? .min
    return min(clocks.wallUsec, max(rang, missedSince(timer)))
  }

  func reschedule(_ timer: ModelTimer, to usec: Int64) {
    let now = clocks.wallUsec
    record("rescheduled", of: timer, ["left": max(0, usec)]) { timer, seq in
      timer.deadline.isDeadlineWaiting = false
      timer.remainingUsec = usec
      timer.durationUsec = max(0, usec)
      timer.wasMuted = false
      timer.mark = now
      timer.band = timer.band(usec)
      timer.deadline.order = seq
    }
  }
}

// MARK: - The wall clock

extension RingModel {
  func recomputeWallDeadlines() {
    isRecomputeWanted = true
    world.zone = nil
  }

  /// The rules of the zones changed.
  func note(zone: Int64) {
    self.zone = zone
    guard isUp else { return }
    isCommitWanted = true
    record("zone_changed")
    areWaitsStale = true
    recomputeWallDeadlines()
  }

  /// Moves a repeating timer or sequence back to an earlier round or step, if a clock that was
  /// ahead had counted too far.
  private func returnToTrueRound(_ timer: ModelTimer) {
    guard timer.spec.repeats || timer.spec.kind == .sequence,
      timer.state == .running || timer.state == .paused
    else { return }
    var (left, position, usec) = (timer.remainingUsec, timer.position, timer.durationUsec)
    // The last of several rounds that are joined because some are skipped.
    usec -= timer.originalUsec * timer.skips(before: position)
    while left > usec, position > 0 {
      left -= usec
      position -= 1
      usec = timer.spec.kind == .sequence ? Self.stepUsec(timer.spec, position) : timer.originalUsec
    }
    while position < timer.position, timer.hasRung(position) || timer.skipped.contains(position) {
      let isSkipped = timer.skipped.contains(position)
      position += 1
      let more =
        timer.spec.kind == .sequence ? Self.stepUsec(timer.spec, position) : timer.originalUsec
      usec = isSkipped ? usec + more : more
      left += more
    }
    guard position < timer.position else { return }
    if timer.clock == .wall { leaveRing(timer) { $0.position >= position } }
    let facts = ["left": usec, "position": position].merging(sumFacts(timer)) { $1 }
    record("rescheduled", of: timer, facts) { timer, seq in
      timer.deadline.isDeadlineWaiting = false
      timer.remainingUsec = left
      timer.durationUsec = usec
      timer.position = position
      timer.band = timer.band(usec)
      timer.deadline.order = seq
    }
  }

  private func slot(of index: Int) -> Int { slots[world.timers.all[index].id] ?? .max }

  /// Recomputes the next instants of alarms.
  func recomputeIfWanted() {
    guard isRecomputeWanted else { return }
    for index in world.timers.all.indices.sorted(by: { slot(of: $0) < slot(of: $1) })
    where !world.timers.all[index].spec.isPlain {
      let timer = world.timers.all[index]
      if timer.spec.schedule != nil, timer.remainingUsec > 0 {
        let handled = handledUpTo(timer)
        leaveRing(timer) { $0.dueUsec > handled }
      }
      if timer.spec.schedule != nil, timer.state == .running || timer.state == .paused,
        timer.remainingUsec > 0, let usec = next(timer, after: handledUpTo(timer)),
        usec != timer.remainingUsec
      {
        reschedule(world.timers.all[index], to: usec)
        if usec <= 0 {
          world.timers.all[index].deadline.waitBlame = Blame(cause: .step, span: 0)
        }
      }
      returnToTrueRound(world.timers.all[index])
      recordBandChange(index)
    }
    isRecomputeWanted = false
    world.zone = zone
  }
}

// MARK: - Sequences after a background span

extension RingModel {
  /// The clock is right, or the wait is over: the lengths of the reboots are final.
  func applyUndecidedSpans() {
    guard clockWaitLeft == nil else { return }
    while !world.undecided.isEmpty { decideFirst() }
  }

  func decideFirst() {
    let first = world.undecided.removeFirst()
    guard let span = world.spans.first(where: { $0.id == first.id }) else { return }
    applyPolicy(\.afterSleep, for: span, passed: first.passed, enteredSeq: first.enteredSeq)
  }

  /// Whether it is not known yet whether a sequence is in this step at all.
  func isUndecided(_ timer: ModelTimer) -> Bool {
    world.undecided.contains { isConcerned(timer, \.afterSleep, in: $0.enteredSeq) }
  }

  /// Whether a span that began with this event is more than ordinary time for a sequence.
  private func isConcerned(
    _ timer: ModelTimer, _ policy: KeyPath<TimerSpec.Shared, AfterSpan>, in enteredSeq: Int64
  ) -> Bool {
    timer.state == .running && timer.spec.kind == .sequence
      && timer.spec.content[keyPath: policy] != .continue
      && timer.deadline.interruption?.resumedSeq ?? timer.deadline.setSeq < enteredSeq
  }

  /// Pauses, restarts or advances the sequences that a span or an absence concerns. Their rings
  /// stay as they are (rule 5).
  ///
  /// - Parameter passed: the time that passed since the start of the span.
  func applyPolicy(
    _ policy: KeyPath<TimerSpec.Shared, AfterSpan>, for span: LiteralSpan, passed: Amount,
    enteredSeq: Int64
  ) {
    refuseUndo { change in
      guard let timer = change.before, timer.state == .running, timer.spec.kind == .sequence,
        timer.spec.content[keyPath: policy] != .continue
      else { return nil }
      return .spanEnded(change.name)
    }
    let affected = world.timers.all.filter { isConcerned($0, policy, in: enteredSeq) }
    for var timer in affected.sorted(by: { $0.deadline.order < $1.deadline.order }) {
      // On `wall`, by the clock as it is set now.
      timer.remainingUsec += Self.hidden(passed, timer)
      let spec = timer.spec
      let breaks = spec.steps.filter(\.isBreak)
      let shortest =
        (breaks.isEmpty ? spec.steps : breaks)
        .flatMap { [$0.durationUsec, $0.longUsec ?? .max] }.min() ?? 0
      guard span.elapsedUsec >= shortest, timer.remainingUsec > 0 else { continue }
      let left = timer.remainingUsec
      let isAbsence = policy == \.afterAway
      let policy = spec.content[keyPath: policy]
      if policy == .pause {
        let isInDoubt = isCountedInDoubt(timer, upTo: enteredSeq)
        let counted = timer.spentUsec - Self.hidden(passed, timer)
        let facts = [
          "left": left, "span": span.id, "counted": counted,
          "paused": timer.pausedUsec + passed.elapsed,
        ]
        record("paused_after_span", of: timer, facts) { timer, seq in
          timer.state = .paused
          timer.pauseSeq = seq
          timer.spentUsec = counted
          timer.pausedUsec += passed.elapsed
          timer.deadline.pausedSeq = isInDoubt ? enteredSeq : 0
          Self.set(&timer, left, isSet: !isInDoubt, seq)
        }
        continue
      }
      func step(_ position: Int64) -> Step {
        spec.steps[Int(position % Int64(spec.steps.count))]
      }
      var position = timer.position
      var counted = timer.spentUsec - Self.hidden(passed, timer)
      switch (policy, step(position).isBreak) {
      case (_, true):
        guard span.elapsedUsec >= left, !Self.isLast(spec, position) else { continue }
        if step(position).waits, policy == .restart { continue }
        position += 1
        if !isAbsence { counted += left }
      case (.break, false):
        // The next step is a break, the span was as long, and a step follows it.
        guard !Self.isLast(spec, position), !Self.isLast(spec, position + 1),
          step(position + 1).isBreak, span.elapsedUsec >= Self.stepUsec(spec, position + 1)
        else { continue }
        position += 2
      default: break
      }
      if isAbsence, spec.longEvery > 0,
        let long = breaks.compactMap(\.longUsec).max(), span.elapsedUsec >= long
      {
        // Back to the first of the rounds that end with a long break.
        let inRound = position % Int64(spec.steps.count)
        var round = position / Int64(spec.steps.count)
        while round % spec.longEvery != 0 { round -= 1 }
        position = round * Int64(spec.steps.count) + inRound
      }
      let usec = Self.stepUsec(spec, position)
      let facts = [
        "position": position, "duration": usec, "span": span.id, "counted": counted,
        "paused": timer.pausedUsec,
      ]
      record("restarted_after_span", of: timer, facts) { timer, seq in
        timer.spentUsec = counted
        timer.position = position
        timer.rangAllOnWall()
        timer.durationUsec = usec
        timer.band = timer.band(usec)
        Self.set(&timer, usec, isSet: true, seq)
      }
    }
  }

  /// The part of the time that passed in a span in which the timer ran on.
  private static func hidden(_ passed: Amount, _ timer: ModelTimer) -> Int64 {
    timer.timeline.countsUptime ? passed[timer.timeline] : passed.elapsed
  }

  private static func set(
    _ timer: inout ModelTimer, _ remainingUsec: Int64, isSet: Bool, _ seq: Int64
  ) {
    timer.deadline.isDeadlineWaiting = false
    timer.deadline.forgetBlame()
    timer.remainingUsec = remainingUsec
    guard isSet else { return }
    timer.deadline.interruption = nil
    timer.deadline.setSeq = seq
    timer.deadline.order = seq
  }
}
