import NightjarModel

/// The only code that changes timers, both for new events and when the ledger is replayed.
extension Engine {
  /// Applies an event, except to slots for which `done` is true. O(log n) in the timers of its
  /// timeline; O(n) for the correction of a reboot.
  func apply(_ event: Event, done: (_ slot: Int) -> Bool = { _ in false }) {
    lastSeq = event.seq
    guard let subject = event.subject else { return applyToAll(event, done: done) }
    let slot = subject.slot
    if event.setsDeadline {
      if !clockWaitCauses.isEmpty { clockWaitCauses[slot] = nil }
      if !lateSpans.isEmpty { deadlineSetSeqs[slot] = event.seq }
    }
    if !ringWaitCauses.isEmpty, event.answersRing || event.isHeard { ringWaitCauses[slot] = nil }
    if event.removesTimer { return discard(slot) }
    switch event.kind {
    case .started(
      let clock, let durationUsec, let deadline, let attachments, let wakes, let spec, _):
      var timer = Timer(
        id: subject.id, name: subject.name, spec: spec ?? .plain, clock: clock,
        fullLengthUsec: spec?.kind == .alarm ? 0 : durationUsec, runLengthUsec: durationUsec,
        startedUsec: event.timeUsec, phase: .running(deadline: deadline))
      timer.begin(durationUsec, until: deadline, at: event.timeUsec)
      timer.wakes = wakes
      timer.attachments = attachments.isEmpty ? nil : attachments
      if timer.spec.schedule != nil {
        timer.startedAtElapsed = event.counters.elapsedUsec
      } else if timer.spec.kind == .alarm {
        timer.instantUsec = deadline
      }
      put(timer, at: slot, order: event.seq)
    case .updated(let attachments, let spec):
      table.attach(attachments, to: slot)
      if let spec { changeKeepingOrder(slot, event) { $0.update(to: spec) } }
    case .paused(let usec, _, let keepsSetSeq):
      change(slot, event, sets: !keepsSetSeq) {
        $0.pause(usec, ranUpTo: keepsSetSeq ? event.seq : nil)
      }
    case .pausedAfterSpan(let usec, _, let enteredSeq):
      change(slot, event, sets: enteredSeq == 0) {
        $0.pause(usec, ranUpTo: enteredSeq == 0 ? nil : enteredSeq)
      }
    case .resumed(let deadline, let resumption): resume(slot, event, deadline, resumption)
    case .extended(let byUsec, let deadline):
      // An extended deadline is still counted from the same event.
      change(slot, event, sets: false) { $0.extend(byUsec: byUsec, to: deadline) }
    case .restarted(let deadline, _):
      table.setFailure(nil, slot)
      change(slot, event) { $0.restart(until: deadline, event) }
    case .snoozed(_, let deadline, _):
      changeRing(slot, event) {
        $0.state = .snoozed(until: deadline)
        $0.countedFrom = event.seq
      }
    case .rang(let late, let sounding, let passing):
      let reached = reached(late, slot, event, isOfRing: passing == nil)
      guard let passing else {
        changeRings(slot) { $0.sound(reached, sounding, nil, event) }
        break
      }
      expire(slot, passing.next, event, due: reached.dueUsec) { timer, handled in
        let expiry = Expiry(passing, reached, .rang, handledBefore: handled)
        timer.note(expiry, isMiss: false)
        timer.sound(reached, sounding, expiry, event)
      }
    case .didNotRing(let late, let passing, let quietsRing):
      let reached = reached(late, slot, event, isOfRing: false)
      expire(slot, passing.next, event, due: reached.dueUsec) { timer, handled in
        if quietsRing { timer.quietRing(event) }
        timer.note(Expiry(passing, reached, .didNotRing, handledBefore: handled), isMiss: true)
      }
    case .joined(let all, _, let next, let expiries):
      let times = all.map { reached($0.late, slot, event, isOfRing: false) }
      expire(slot, next, event, due: times.first?.dueUsec ?? 0) { timer, handled in
        timer.join(all, times, expiries: expiries, handledBefore: handled)
      }
    case .rangAgain(let late, let sounding, _):
      let reached = reached(late, slot, event, isOfRing: true)
      changeRings(slot) { $0.sound(reached, sounding, nil, event) }
    case .unanswered: changeRing(slot, event) { $0 = $0.withoutSound }
    case .unnoticed(let unnoticed, _): changeRing(slot, event) { $0.unnoticed = unnoticed }
    case .stayedQuiet: changeRings(slot) { $0.quietRing(event) }
    case .leftRing(_, let left, let expiries):
      changeRings(slot) { $0.leaveRing(left, expiries: expiries) }
      if table[slot].spec.schedule != nil { table[slot].course.position -= left }
    case .advanced(let next, _): advance(slot, next, event)
    case .restartedAfterSpan(let next, _): advance(slot, next, event)
    case .rescheduled(let deadline, let durationUsec, let back):
      change(slot, event, sets: false) { timer in
        if let back {
          timer.course.position = back.position
          // Both rounds or steps end at a value of the same counter, and they have different
          // lengths.
          let old = timer.phase.deadline ?? timer.phase.remainingUsec
          timer.course.countedUsec += timer.runLengthUsec - old - (durationUsec - deadline)
        } else {
          timer.course.handledInstant = event.timeUsec
          timer.course.wasPausedAtDeadline = false
        }
        timer.phase.move(to: deadline)
        timer.beginBands(durationUsec)
      }
    case .ranOut:
      change(slot, event) {
        $0.course.wasPausedAtDeadline = false
        $0.course.announcedBands = $0.spec.bands.count
        $0.phase = .over(atElapsed: event.counters.elapsedUsec)
      }
    case .skipped(let expiry, let number): skip(slot, expiry, number, event)
    case .unskipped(let expiry): skip(slot, expiry, nil, event)
    case .bandCrossed(let begun, _, _):
      changeKeepingOrder(slot, event) { $0.course.announcedBands = begun }
    case .dismissed:
      table.setFailure(nil, slot)
      changeRings(slot) { ($0.ring, $0.expiries.miss, $0.expiries.misses) = (nil, nil, 0) }
    case .stopped: changeRings(slot) { $0.ring = nil }
    case .actionStarted, .renamedFrom: break
    case .actionEnded(let note, let end):
      guard end.outcome.isFailure else { break }
      table.setFailure(CommandFailure(note, end, timeUsec: event.timeUsec), slot)
    case .lapped(let elapsedUsec): table[slot].laps.append(elapsedUsec)
    case .undone(let undone): restore(slot, undone, event)
    case .renamedTo(let name): table.rename(slot, to: name)
    case .cancelled(let usec, _, _, _):
      let elapsed = event.counters.elapsedUsec
      change(slot, event) { timer in
        timer.ring = nil
        timer.phase =
          timer.spec.kind == .stopwatch
          ? .cancelledStopwatch(atElapsed: elapsed, measuredUsec: usec)
          : .cancelled(atElapsed: elapsed, remainingUsec: usec)
      }
    case .removed, .forgotten: break
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged:
      preconditionFailure("an event about the machine has no subject")
    }
    if let sums = event.sums, !event.beginsRun { table[slot].note(sums, event) }
    table[slot].lastEvent = event.seq
  }

  /// Puts a timer into a slot, in place of the timer that the slot may have.
  private func put(_ timer: Timer, at slot: Int, order: Int64) {
    var queues = Queues()
    if table.isOccupied(slot) {
      lastRemoved = (table[slot].id, table[slot].attachments)
      queues = self.queues(of: slot)
      count(slot, -1)
      table.renew(timer, at: slot)
    } else {
      table.insert(timer, at: slot)
    }
    count(slot, 1)
    enqueue(slot, order: order, from: queues)
  }

  /// Marks an expiry as skipped, or removes the mark. A skipped expiry counts as one of the rounds.
  ///
  /// - Parameter number: the number of the skipped expiry; nil: a skip is taken back.
  private func skip(_ slot: Int, _ skipped: Event.SkippedExpiry, _ number: Int64?, _ event: Event) {
    // After a skip, the deadline is still counted from the same event.
    change(slot, event, sets: false) { timer in
      let position = timer.course.position
      if let number {
        timer.passedOver.append(skipped.key)
        timer.expiries.lastNumber = number
        if timer.course.rangRounds?.last == position - 1 { timer.course.rangRounds?.last += 1 }
      } else {
        timer.passedOver.removeAll { $0 == skipped.key }
        if let rang = timer.course.rangRounds, rang.last == position - 1, rang.first < rang.last {
          timer.course.rangRounds?.last -= 1
        }
      }
      timer.course.position += number == nil ? -1 : 1
      timer.extend(byUsec: skipped.byUsec, to: skipped.deadline)
    }
  }

  /// Restores a timer to its state before a change that was undone. The timer gets its old place
  /// among timers with the same deadline.
  private func restore(_ slot: Int, _ undone: Event.Undone, _ event: Event) {
    guard let subject = event.subject, let image = undone.before as? StoredImage else {
      preconditionFailure("only the engine and the ledger make images")
    }
    var timer = image.timer.timer
    timer.name = subject.name
    let order = image.timer.order
    put(timer, at: slot, order: order == 0 ? event.seq : order)
  }

  private func resume(
    _ slot: Int, _ event: Event, _ deadline: Int64, _ resumption: Event.Resumption?
  ) {
    let (before, ranUpTo) = (table[slot].interruption, table[slot].phase.ranUpTo ?? 0)
    var interruption = Interruption(pausedSeq: event.seq, resumedSeq: event.seq)
    switch resumption {
    case .counted: if let before, !before.isEmpty { interruption = before }
    case .interrupted:
      interruption.pausedSeq = before.flatMap { $0.isEmpty ? nil : $0.pausedSeq } ?? ranUpTo
    case .interruptedAgain: interruption.pausedSeq = ranUpTo
    case .inDoubt, nil: break
    }
    let sets = resumption == .inDoubt || resumption == nil
    change(slot, event, sets: sets) { timer in
      if timer.keepsDeadlineWhilePaused {
        timer.course.wasPausedAtDeadline = deadline <= event.timeUsec && resumption != .inDoubt
      } else if resumption != .inDoubt {
        timer.beginOnWall()
      }
      timer.run(until: deadline)
      if resumption == .interruptedAgain, let before { timer.countedFrom = before.resumedSeq }
      if !sets { timer.interruption = interruption }
    }
  }

  /// A timer as it is when one of its deadlines is handled: when that was, and how late.
  ///
  /// - Parameter isOfRing: whether the deadline is a time of the ring, and not of the schedule.
  private func reached(_ late: Lateness, _ slot: Int, _ event: Event, isOfRing: Bool) -> Reached {
    let timer = table[slot]
    return Reached(
      atUsec: event.timeUsec, lateUsec: late.usec, cause: late.cause, span: late.span,
      estimate: late.isEstimated
        ? Estimate(
          seq: event.seq,
          countedFrom: isOfRing ? timer.ring?.countedFrom ?? 0 : timer.countedFrom,
          interruption: isOfRing ? nil : timer.interruption,
          isOnWall: !isOfRing && timer.clock == .wall)
        : nil)
  }

  /// The schedule continues after an expiry. It knows nothing of rings.
  ///
  /// - Parameters:
  ///   - due: when the first of the expiries that are noted was due, on CLOCK_REALTIME.
  ///   - note: called then, with the last instant of an alarm that was handled before that; -1:
  ///     there were other instants between them.
  private func expire(
    _ slot: Int, _ next: Recurrence, _ event: Event, due: Int64,
    _ note: (inout Timer, Int64) -> Void
  ) {
    let course = table[slot].course
    let skipsInstants = table[slot].spec.schedule != nil && table[slot].phase.deadline != due
    let before = (
      position: course.position, handled: skipsInstants ? -1 : course.handledInstant
    )
    guard case .runs(let deadline, let durationUsec) = next.continuation else {
      return change(slot, event) { timer in
        timer.noteExpiry(next)
        timer.course.announcedBands = timer.spec.bands.count
        let elapsed = event.counters.elapsedUsec
        timer.phase =
          next.continuation == .waits ? .waiting(atElapsed: elapsed) : .over(atElapsed: elapsed)
        // A sequence that is still in its step keeps its length, which a user may have extended.
        if timer.spec.kind == .sequence, next.position != before.position {
          timer.runLengthUsec = timer.spec.stepUsec(at: next.position)
        }
        timer.noteCounted(event, presentUsec: timer.runLengthUsec)
        note(&timer, before.handled)
      }
    }
    change(slot, event, sets: false, keepsOrder: true) { timer in
      timer.noteExpiry(next)
      timer.noteCounted(event, presentUsec: 0)
      timer.beginRound(durationUsec, until: deadline)
      note(&timer, before.handled)
    }
  }

  private func advance(_ slot: Int, _ next: Recurrence, _ event: Event) {
    change(slot, event) { timer in
      if case .advanced = event.kind { timer.ring = nil }
      timer.course.position = next.position
      timer.beginOnWall()
      if case .runs(let deadline, let durationUsec) = next.continuation {
        timer.noteCounted(event, presentUsec: 0)
        timer.beginRound(durationUsec, until: deadline)
      } else {
        // The last step is as long as it ran.
        let counted = event.sums?.countedUsec ?? 0
        timer.runLengthUsec = max(0, counted - timer.course.countedUsec)
        timer.noteCounted(event, presentUsec: timer.runLengthUsec)
        timer.phase = .over(atElapsed: event.counters.elapsedUsec)
      }
    }
  }

  /// - Parameters:
  ///   - sets: whether the deadline is counted from this event.
  ///   - keepsOrder: whether the timer keeps its place among equal deadlines.
  private func change(
    _ slot: Int, _ event: Event, sets: Bool = true, keepsOrder: Bool = false,
    _ body: (inout Timer) -> Void
  ) {
    let queues = queues(of: slot)
    count(slot, -1)
    body(&table[slot])
    if sets {
      table[slot].countedFrom = event.seq
      table[slot].interruption = nil
    }
    count(slot, 1)
    enqueue(slot, order: keepsOrder ? table[slot].countedFrom : event.seq, from: queues)
  }

  /// Runs `body`, which may change when the timer's next band begins. The timer keeps its place
  /// among timers with the same deadline.
  private func changeKeepingOrder(_ slot: Int, _ event: Event, _ body: (inout Timer) -> Void) {
    let queues = queues(of: slot)
    let order = queues.main?.order(of: slot) ?? event.seq
    body(&table[slot])
    enqueue(slot, order: order, from: queues)
  }

  private func discard(_ slot: Int) {
    lastRemoved = (table[slot].id, table[slot].attachments)
    removeFromQueues(slot, queues(of: slot))
    count(slot, -1)
    table.remove(slot)
  }

  /// Adds a timer to the counts, or with -1 subtracts it.
  func count(_ slot: Int, _ by: Int) {
    counts[Int(table[slot].state.rawValue)] += by
    if isRunningOnPresent(slot) { presentCount += by }
    guard table[slot].hasRing else { return }
    switch table[slot].ring?.state {
    case .sounding: ringCounts.ringing += by
    case .snoozed: ringCounts.snoozed += by
    case .quiet, .insisting: ringCounts.unanswered += by
    case nil: break
    }
  }

  func isRunningOnPresent(_ slot: Int) -> Bool {
    table[slot].clock == .present && table[slot].state == .running
  }
}

extension CommandFailure {
  fileprivate init(_ note: ActionNote, _ end: ActionEnd, timeUsec: Int64) {
    self.init(
      callingSeq: note.key.seq, timeUsec: timeUsec, command: note.command, outcome: end.outcome,
      lastLines: end.lastLines)
  }
}

extension Timer {
  /// Whether this is a countdown or a sequence whose rounds are counted on the wall clock.
  fileprivate var hasWallRounds: Bool { clock == .wall && spec.schedule == nil }

  /// Sets the band with which a run, round or step of this length begins; records no event.
  fileprivate mutating func beginBands(_ lengthUsec: Int64) {
    runLengthUsec = lengthUsec
    self.course.announcedBands = spec.band(remainingUsec: lengthUsec)
  }

  fileprivate mutating func begin(
    _ lengthUsec: Int64, until reading: Int64, at timeUsec: Int64
  ) {
    beginBands(lengthUsec)
    startedUsec = timeUsec
    run(until: reading)
  }

  fileprivate mutating func beginRound(_ lengthUsec: Int64, until deadline: Int64) {
    beginBands(lengthUsec)
    run(until: deadline)
  }

  /// - Parameter reading: the deadline, or for a stopwatch the reading at which it showed 0.
  fileprivate mutating func run(until reading: Int64) {
    let isStopwatch = spec.kind == .stopwatch
    phase = isStopwatch ? .runningStopwatch(since: reading) : .running(deadline: reading)
  }

  /// Notes that the user began this round or step. If the wall clock is set back later, the timer
  /// does not return to an earlier round or step.
  fileprivate mutating func beginOnWall() {
    guard hasWallRounds, !spec.isPlain else { return }
    let position = self.course.position
    self.course.rangRounds = position > 0 ? Rounds(first: 0, last: position - 1) : nil
  }

  fileprivate mutating func pause(_ usec: Int64, ranUpTo: Int64?) {
    if keepsDeadlineWhilePaused, let deadline = phase.deadline {
      phase = .pausedAlarm(deadline: deadline)
    } else if spec.kind == .stopwatch {
      phase = .pausedStopwatch(measuredUsec: usec, ranUpTo: ranUpTo)
    } else {
      phase = .paused(remainingUsec: usec, ranUpTo: ranUpTo)
    }
  }

  fileprivate mutating func extend(byUsec: Int64, to usec: Int64) {
    runLengthUsec += byUsec
    phase.move(to: usec)
  }

  fileprivate mutating func restart(until deadline: Int64, _ event: Event) {
    (self.laps, self.passedOver, self.course, self.pauses) = ([], [], Course(), Pauses())
    ring = nil
    let isAlarm = spec.kind == .alarm
    if isAlarm {
      // Earlier instants count as handled, as if the alarm had rung now.
      (self.course.rangAtElapsed, self.course.rangEvent) = (event.counters.elapsedUsec, event.seq)
    }
    begin(
      isAlarm ? deadline - event.timeUsec : fullLengthUsec, until: deadline, at: event.timeUsec)
  }

  fileprivate mutating func update(to newSpec: SharedSpec) {
    if newSpec.isPlain {
      self.course = Course()
    } else if newSpec.bands != spec.bands {
      self.course.announcedBands = newSpec.band(remainingUsec: .max)
    }
    spec = newSpec
  }

  /// Notes the time that was counted before the present round or step.
  ///
  /// - Parameter presentUsec: the part of the event's sum that belongs to the present one.
  fileprivate mutating func noteCounted(_ event: Event, presentUsec: Int64) {
    guard let sums = event.sums, spec.kind != .alarm else { return }
    self.course.countedUsec = sums.countedUsec - presentUsec
  }

  /// Notes in `course` that the timer expired.
  fileprivate mutating func noteExpiry(_ next: Recurrence) {
    guard !spec.isPlain else { return }
    var noted = self.course
    noted.wasPausedAtDeadline = false
    noted.position = next.position
    noted.handledInstant = next.handledInstant
    self.course = noted
  }

  /// These expiries join the snoozed ring in silence.
  fileprivate mutating func join(
    _ all: [JoinedExpiry], _ reached: [Reached], expiries count: Int64, handledBefore: Int64
  ) {
    guard var ring else { return }
    var handled = handledBefore
    for (joined, reached) in zip(all, reached) {
      let isAlarm = spec.schedule != nil
      let expiry = Expiry(
        number: joined.number, reached, outcome: .joined, position: joined.position,
        handledBefore: isAlarm ? handled : 0)
      handled = reached.dueUsec
      ring.joined.append(expiry)
      note(expiry, isMiss: false)
    }
    ring.joined.removeFirst(max(0, ring.joined.count - Limits.joined))
    ring.expiries = count
    self.ring = ring
  }

  /// The last `left` expiries that joined the ring have not happened.
  fileprivate mutating func leaveRing(_ left: Int64, expiries count: Int64) {
    guard var ring else { return }
    ring.joined.removeLast(max(0, min(Int(left), ring.joined.count)))
    ring.expiries = count
    self.ring = ring
    guard let last = expiries.last, last.outcome == .joined else { return }
    let isMissNewer = expiries.miss?.number ?? 0 > ring.number
    expiries.last = isMissNewer ? expiries.miss : ring.newest
  }
}

extension Expiry {
  fileprivate init(
    _ passing: Passing, _ reached: Reached, _ outcome: Outcome, handledBefore: Int64
  ) {
    self.init(
      number: passing.number, reached, missed: passing.missed, outcome: outcome,
      position: passing.position, handledBefore: handledBefore)
  }
}
