import NightjarEngine
import NightjarModel

/// Handles what is due, deadline by deadline.
extension LiteralModel {
  /// Handles a band or a deadline.
  func handleDue(_ timer: LiteralTimer) {
    guard timer.remainingUsec <= 0 else {
      return announceBand(timer, timer.remainingUsec)
    }
    if timer.spec.kind == .sequence {
      ringSequence(timer)
    } else if timer.repeats, timer.isSnoozed || isOver(timer, timer.position) {
      ringAfterSnooze(timer)
    } else if timer.repeats {
      ringRepeating(timer)
    } else {
      let late = timer.lateness()
      ring(
        timer, isSilent(timer, late) ? "skipped" : "fired", late, [],
        Effect(state: .fired, position: 0, mark: 0, band: timer.spec.bands.count))
    }
  }

  private func announceBand(_ timer: LiteralTimer, _ leftUsec: Int64) {
    let band = timer.band(leftUsec)
    record("band_crossed", of: timer, [Int64(band), leftUsec], Effect(band: band))
  }

  /// Announces another band after time was added or taken.
  func recordBandChange(_ index: Int) {
    let timer = world.timers.all[index]
    guard timer.state == .running || timer.state == .paused, !timer.spec.bands.isEmpty else {
      return
    }
    // A band that begins only by a clock in doubt waits for that.
    var seen = timer
    seen.remainingUsec -= world.timers.backgroundTime?[timer.timeline] ?? 0
    guard !isWaiting(seen) else { return }
    if timer.state == .paused, timer.pausedSeq != 0, !timer.isAlarmOnWall, clockWaitLeft != nil {
      return
    }
    let left = world.timers.visibleRemaining(timer)
    if left > 0, timer.band(left) != timer.band { announceBand(timer, left) }
  }

  private func ring(
    _ timer: LiteralTimer, _ type: String, _ late: (usec: Int64, blame: Blame?),
    _ numbers: [Int64], _ effect: Effect
  ) {
    let word = Int64(late.blame?.cause.rawValue ?? 0)
    record(
      type, of: timer,
      [late.usec, word, late.blame?.span ?? 0] + numbers + [isInDoubt(timer) ? 1 : 0], effect)
  }

  private func isHidden(_ late: (usec: Int64, blame: Blame?)) -> Bool {
    late.blame.map { $0.cause != .busy } ?? false
  }

  private func isSilent(_ timer: LiteralTimer, _ late: (usec: Int64, blame: Blame?)) -> Bool {
    guard isHidden(late) else { return false }
    switch timer.spec.late {
    case .fire: return false
    case .skip: return true
    case .fireWithin(let usec): return late.usec > usec
    }
  }

  private func isOver(_ timer: LiteralTimer, _ position: Int64) -> Bool {
    timer.spec.rounds > 0 && position >= timer.spec.rounds
  }
}

// MARK: - What repeats

extension LiteralModel {
  /// The deadlines of a repetition.
  private struct Occurrences {
    /// The remaining time of each that is due, not above zero.
    var due: [Int64] = []
    /// The round of each.
    var rounds: [Int64] = []
    /// The remaining time of the next one, and its round.
    var next: Int64?
    var nextRound: Int64
    /// Whether there were more than are counted.
    var hasMore = false
  }

  /// The deadlines of a repetition, from the one that is counted down.
  private func occurrences(
    _ timer: LiteralTimer, from first: Int64, at position: Int64, on clock: Timeline
  ) -> Occurrences {
    let isAlarm = timer.spec.schedule != nil
    var occurrences = Occurrences(nextRound: position)
    var left: Int64? = first
    while let usec = left, usec <= 0, !isOver(timer, occurrences.nextRound) {
      let isFull = occurrences.due.count == 10_000 && isAlarm
      if isFull {
        // The others are not counted, but the last one is the one that rings.
        occurrences.hasMore = true
        occurrences.due[occurrences.due.count - 1] = usec
      } else {
        occurrences.due.append(usec)
        occurrences.rounds.append(occurrences.nextRound)
      }
      if isAlarm {
        left = next(timer, after: clocks.wallUsec + usec)
        if !isFull { occurrences.nextRound += 1 }
        continue
      }
      var usec = usec
      repeat {
        usec += timer.originalUsec
        occurrences.nextRound += 1
      } while timer.skipped.contains(occurrences.nextRound)
      left = usec
    }
    occurrences.next = isOver(timer, occurrences.nextRound) ? nil : left
    return occurrences
  }

  /// The remaining time until an alarm's first instant after a time of the wall clock.
  func next(_ timer: LiteralTimer, after wallUsec: Int64) -> Int64? {
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
  private func firstMissed(_ timer: LiteralTimer) -> Int64? {
    let late = timer.lateness()
    guard timer.spec.schedule != nil, isHidden(late) else { return timer.remainingUsec }
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
    guard let first else {
      ring(
        timer, "skipped", late, position: timer.position, missed: 0, mark: timer.mark, next: nil,
        durationUsec: nil)
      return nil
    }
    reschedule(timer, to: first)
    return nil
  }

  /// The remaining time of the instant for which a due alarm rings. Instants before its start, or
  /// before the last time when the clock was right, do not count.
  func ringingInstant(_ timer: LiteralTimer, _ left: Int64) -> Int64 {
    guard timer.spec.schedule != nil, left <= 0 else { return left }
    let missedSince = missedSince(timer)
    guard clocks.wallUsec + left <= missedSince, missedSince <= clocks.wallUsec else { return left }
    return next(timer, after: missedSince) ?? left
  }

  /// The time before which no instant of an alarm counts as missed.
  private func missedSince(_ timer: LiteralTimer) -> Int64 {
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
  func handledUpTo(_ timer: LiteralTimer) -> Int64 {
    guard hasDoubtEnded, let last = world.clock.last else { return clocks.wallUsec }
    let rightNow = last.wallUsec + world.clock.countedUsec - last.countedUsec
    let rang = timer.sinceLastRingUsec.map { rightNow - $0 } ?? .min
    return min(clocks.wallUsec, max(rang, missedSince(timer)))
  }

  func reschedule(_ timer: LiteralTimer, to usec: Int64) {
    record(
      "rescheduled", of: timer, [max(0, usec)],
      Effect(
        state: timer.state, remaining: .exactly(usec), durationUsec: max(0, usec),
        mark: clocks.wallUsec, band: timer.band(usec)))
  }

  private func ringRepeating(_ timer: LiteralTimer) {
    guard let first = firstMissed(timer) else { return }
    ring(timer, occurrences(timer, from: first, at: timer.position, on: timer.timeline), joined: 0)
  }

  /// Rings for due occurrences, except the first `joined`, which were due in a snooze.
  private func ring(_ timer: LiteralTimer, _ occurrences: Occurrences, joined: Int) {
    var all = occurrences
    all.due.removeFirst(joined)
    all.rounds.removeFirst(joined)
    let firstLate = timer.lateness(delta: all.due[0] - timer.remainingUsec)
    var missed = timer.spec.missed
    if missed == .skip, !isHidden(firstLate) || timer.isSnoozed && all.due.count == 1 {
      missed = .once
    }
    var isSkipped = isHidden(firstLate) && (missed == .skip || timer.spec.late == .skip)
    var count = all.due.count
    if !isSkipped, missed == .each, !all.hasMore, count > 1 {
      if case .fireWithin(let within) = timer.spec.late, isHidden(firstLate),
        firstLate.usec > within
      {
        count = max(1, all.due.count { -$0 > within })
        isSkipped = true
      } else {
        count = max(1, count - 999)
      }
    }
    let last = all.due[count - 1]
    let late = timer.lateness(delta: last - timer.remainingUsec)
    isSkipped = isSkipped || isSilent(timer, late)
    let next = count < all.due.count ? all.due[count] : all.next
    let isAlarm = timer.spec.schedule != nil
    ring(
      timer, isSkipped ? "skipped" : "fired", late,
      position: count < all.due.count ? all.rounds[count] : all.nextRound,
      missed: Int64(joined + (isSkipped ? count : count - 1)),
      mark: isAlarm ? clocks.wallUsec + last : 0,
      next: next.map { next in
        guard timer.isSnoozed else { return .more(next - timer.remainingUsec) }
        return isAlarm ? .exactly(next) : .grid(more: next - (timer.gridUsec ?? 0))
      },
      durationUsec: next.map { $0 - last })
  }

  private func ring(
    _ timer: LiteralTimer, _ type: String, _ late: (usec: Int64, blame: Blame?), position: Int64,
    missed: Int64, mark: Int64, next: Effect.Remaining?, durationUsec: Int64?
  ) {
    var effect = Effect(position: position, mark: mark)
    var numbers = [position, missed]
    if let next, let durationUsec {
      effect.remaining = next
      effect.durationUsec = durationUsec
      effect.band = timer.band(durationUsec)
      numbers += [2, durationUsec]
    } else {
      effect.state = .fired
      effect.band = timer.spec.bands.count
      numbers.append(0)
    }
    ring(timer, type, late, numbers, effect)
  }

  /// Rings at the end of a snooze.
  private func ringAfterSnooze(_ timer: LiteralTimer) {
    let late = timer.lateness()
    var (position, missed, mark) = (timer.position, Int64(0), timer.mark)
    var next: Effect.Remaining?
    var durationUsec: Int64?
    let isAlarm = timer.spec.schedule != nil
    var first = isAlarm ? self.next(timer, after: min(timer.mark, clocks.wallUsec)) : timer.gridUsec
    // Rounds that a clock that was ahead counted are taken back.
    while !isAlarm, let usec = first, usec > timer.originalUsec, position > 0 {
      first = usec - timer.originalUsec
      position -= 1
    }
    while position < timer.position, let usec = first,
      hasRung(timer, position) || !isAlarm && timer.skipped.contains(position)
    {
      first = usec + timer.originalUsec
      position += 1
    }
    if !isOver(timer, position), let first {
      let all = occurrences(timer, from: first, at: position, on: timer.clock)
      // What was due after the end of the snooze decides alone.
      let joined =
        timer.clock.countsUptime ? all.due.count : all.due.count { $0 <= timer.remainingUsec }
      guard joined == all.due.count else { return ring(timer, all, joined: joined) }
      missed = Int64(all.due.count)
      position = all.nextRound
      if isAlarm, let last = all.due.last { mark = clocks.wallUsec + last }
      if let left = all.next {
        next = isAlarm ? .exactly(left) : .grid(more: left - (timer.gridUsec ?? 0))
        let usual = isAlarm ? left : timer.originalUsec * (1 + timer.skips(before: position))
        durationUsec = all.due.last.map { left - $0 } ?? usual
      }
      if !isAlarm { mark = all.due.isEmpty ? timer.mark : 0 }
    }
    ring(
      timer, isSilent(timer, late) ? "skipped" : "fired", late, position: position, missed: missed,
      mark: mark, next: next, durationUsec: durationUsec)
  }
}

// MARK: - Sequences

extension LiteralModel {
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

  private func ringSequence(_ timer: LiteralTimer) {
    let spec = timer.spec
    let first = timer.remainingUsec
    // The ends of steps that are due, up to a step that waits for Advance.
    var ends: [Int64] = []
    var (position, end) = (timer.position, first)
    while end <= 0 {
      ends.append(end)
      let step = spec.steps[Int(position % Int64(spec.steps.count))]
      if Self.isLast(spec, position) || step.waits { break }
      position += 1
      end += Self.stepUsec(spec, position)
    }
    let firstLate = timer.lateness()
    var missed = spec.missed
    if missed == .skip, !isHidden(firstLate) { missed = .once }
    let count = missed == .each ? max(1, ends.count - 999) : ends.count
    position = timer.position + Int64(count) - 1
    let last = ends[count - 1]
    let late = timer.lateness(delta: last - first)
    let isSkipped = isHidden(firstLate) && missed == .skip || isSilent(timer, late)
    let step = spec.steps[Int(position % Int64(spec.steps.count))]
    var effect = Effect(position: position, mark: 0, band: spec.bands.count)
    // An extension of a step does not apply to the steps after it.
    if count > 1 { effect.durationUsec = Self.stepUsec(spec, position) }
    let counted = Int64(isSkipped ? count : count - 1)
    var type = "fired"
    var numbers = [position, counted, 0]
    if Self.isLast(spec, position) {
      effect.state = .fired
    } else if step.waits {
      effect.state = .waiting
      (type, numbers) = ("step_ended", [position, counted, 1])
    } else {
      let usec = Self.stepUsec(spec, position + 1)
      (type, numbers) = ("stepped", [position + 1, counted, 2, usec])
      effect = Effect(
        remaining: .more(last - first + usec), durationUsec: usec, position: position + 1, mark: 0,
        band: timer.band(usec))
    }
    ring(timer, isSkipped ? "skipped" : type, late, numbers, effect)
  }

  /// The clock is right, or the wait is over: the lengths of the reboots are final.
  func applyUndecidedSpans() {
    guard clockWaitLeft == nil else { return }
    while !world.undecided.isEmpty { decideFirst() }
  }

  func decideFirst() {
    let first = world.undecided.removeFirst()
    guard let span = world.spans.first(where: { $0.id == first.id }) else { return }
    applySleepPolicy(for: span, passed: first.passed, enteredSeq: first.enteredSeq)
  }

  /// Whether it is not known yet whether a sequence is in this step at all.
  func isUndecided(_ timer: LiteralTimer) -> Bool {
    world.undecided.contains { isAsleep(timer, in: $0.enteredSeq) }
  }

  /// Whether a span that began with this event is more than ordinary time for a sequence.
  private func isAsleep(_ timer: LiteralTimer, in enteredSeq: Int64) -> Bool {
    timer.state == .running && timer.spec.kind == .sequence && timer.spec.afterSleep != .continue
      && !timer.isSnoozed && timer.interruption?.resumedSeq ?? timer.setSeq < enteredSeq
  }

  /// Pauses or restarts the sequences that a span concerns.
  ///
  /// - Parameter passed: the time that passed since the start of the span.
  func applySleepPolicy(for span: LiteralSpan, passed: Amount, enteredSeq: Int64) {
    refuseUndo { undo in
      guard let timer = undo.before, timer.state == .running, timer.spec.kind == .sequence,
        timer.spec.afterSleep != .continue
      else { return nil }
      return .spanEnded(undo.name)
    }
    let affected = world.timers.all.filter { isAsleep($0, in: enteredSeq) }
    for var timer in affected.sorted(by: { $0.order < $1.order }) {
      // On `wall`, by the clock as it is set now.
      timer.remainingUsec += timer.timeline.countsUptime ? passed[timer.timeline] : passed.elapsed
      let spec = timer.spec
      let breaks = spec.steps.filter(\.isBreak)
      let shortest =
        (breaks.isEmpty ? spec.steps : breaks)
        .flatMap { [$0.durationUsec, $0.longUsec ?? .max] }.min() ?? 0
      guard span.elapsedUsec >= shortest, timer.remainingUsec > 0 else { continue }
      if spec.afterSleep == .pause {
        let isInDoubt = isCountedInDoubt(timer, upTo: enteredSeq)
        record(
          "paused_after_sleep", of: timer, [timer.remainingUsec, span.id],
          Effect(
            state: .paused, remaining: .exactly(timer.remainingUsec), isSet: !isInDoubt,
            pausedSeq: isInDoubt ? enteredSeq : 0))
        continue
      }
      let step = spec.steps[Int(timer.position % Int64(spec.steps.count))]
      var position = timer.position
      if step.isBreak {
        guard span.elapsedUsec >= timer.remainingUsec, !step.waits, !Self.isLast(spec, position)
        else { continue }
        position += 1
      }
      let usec = Self.stepUsec(spec, position)
      record(
        "restarted_after_sleep", of: timer, [position, 0, 2, usec, span.id],
        Effect(
          remaining: .exactly(usec), durationUsec: usec, position: position,
          band: timer.band(usec), isSet: true))
    }
  }
}

// MARK: - The wall clock

extension LiteralModel {
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
  private func returnToTrueRound(_ timer: LiteralTimer) {
    guard timer.spec.repeats || timer.spec.kind == .sequence,
      timer.state == .running || timer.state == .paused, !timer.isSnoozed
    else { return }
    var (left, position, usec) = (timer.remainingUsec, timer.position, timer.durationUsec)
    // The last of several rounds that are joined because some are skipped.
    usec -= timer.originalUsec * timer.skips(before: position)
    while left > usec, position > 0 {
      left -= usec
      position -= 1
      usec = timer.spec.kind == .sequence ? Self.stepUsec(timer.spec, position) : timer.originalUsec
    }
    while position < timer.position, hasRung(timer, position) || timer.skipped.contains(position) {
      let isSkipped = timer.skipped.contains(position)
      position += 1
      let more =
        timer.spec.kind == .sequence ? Self.stepUsec(timer.spec, position) : timer.originalUsec
      usec = isSkipped ? usec + more : more
      left += more
    }
    guard position < timer.position else { return }
    record(
      "rescheduled", of: timer, [usec, position],
      Effect(
        state: timer.state, remaining: .exactly(left), durationUsec: usec, position: position,
        band: timer.band(usec)))
  }

  /// Whether a round or step on `wall` rang before the clock was set back, or is handled for
  /// another reason.
  private func hasRung(_ timer: LiteralTimer, _ position: Int64) -> Bool {
    guard timer.clock == .wall, let rung = timer.roundsRung else { return false }
    return position < timer.position && timer.position - position <= rung
  }

  private func slot(of index: Int) -> Int { slots[world.timers.all[index].id] ?? .max }

  /// Recomputes the next instants of alarms.
  func recomputeIfWanted() {
    guard isRecomputeWanted else { return }
    for index in world.timers.all.indices.sorted(by: { slot(of: $0) < slot(of: $1) })
    where !world.timers.all[index].spec.isPlain {
      let timer = world.timers.all[index]
      if timer.spec.schedule != nil, timer.isAlarmOnWall,
        timer.state == .running || timer.state == .paused, timer.remainingUsec > 0,
        let usec = next(timer, after: handledUpTo(timer)), usec != timer.remainingUsec
      {
        reschedule(timer, to: usec)
        if usec <= 0 { world.timers.all[index].waitBlame = Blame(cause: .step, span: 0) }
      }
      returnToTrueRound(timer)
      recordBandChange(index)
    }
    isRecomputeWanted = false
    world.zone = zone
  }
}
