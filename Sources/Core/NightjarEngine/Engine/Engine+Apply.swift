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
    switch event.kind {
    case .started(
      let clock, let durationUsec, let deadline, let attachments, let wakes, let spec,
      let atElapsed):
      var timer = Timer(
        id: subject.id, name: subject.name, spec: spec ?? .plain, clock: clock,
        fullLengthUsec: spec?.kind == .alarm ? 0 : durationUsec, runLengthUsec: durationUsec,
        startedUsec: event.timeUsec, phase: .running(deadline: deadline))
      timer.begin(durationUsec, until: deadline, at: event.timeUsec)
      timer.wakes = wakes
      timer.attachments = attachments.isEmpty ? nil : attachments
      if timer.spec.schedule != nil {
        timer.startedAtElapsed = atElapsed
      } else if timer.spec.kind == .alarm {
        timer.instantUsec = deadline
      }
      put(timer, at: slot, order: event.seq)
    case .updated(let attachments, let spec):
      table.attach(attachments, to: slot)
      if let spec { changeKeepingOrder(slot, event) { $0.update(to: spec) } }
    case .dismissed, .removed, .expired: return discard(slot)
    case .paused(let usec, _, let keepsSetSeq):
      change(slot, event, sets: !keepsSetSeq) {
        $0.pause(usec, ranUpTo: keepsSetSeq ? event.seq : nil)
      }
    case .pausedAfterSleep(let usec, _, let enteredSeq):
      change(slot, event, sets: enteredSeq == 0) {
        $0.pause(usec, ranUpTo: enteredSeq == 0 ? nil : enteredSeq)
      }
    case .resumed(let deadline, let resumption): resume(slot, event, deadline, resumption)
    case .extended(let byUsec, let deadline):
      // An extended deadline is still counted from the same event.
      change(slot, event, sets: false) { $0.extend(byUsec: byUsec, to: deadline) }
    case .restarted(let deadline):
      table.setFailure(nil, slot)
      change(slot, event) { $0.restart(until: deadline, event) }
    case .snoozed(let byUsec, let deadline):
      // After the snooze, the deadline is counted from the same event as before the snooze, so a
      // pause before it still matters.
      change(slot, event, keepsInterruption: true) {
        $0.snooze(byUsec, until: deadline, at: event.timeUsec)
      }
    case .fired(let ring), .stepped(let ring), .stepEnded(let ring):
      applyExpiry(slot, ring, isHeard: true, event)
    case .skipped(let ring): applyExpiry(slot, ring, isHeard: false, event)
    case .advanced(let atElapsed, let next): advance(slot, next, atElapsed: atElapsed, event)
    case .restartedAfterSleep(let next, _): advance(slot, next, atElapsed: 0, event)
    case .rescheduled(let deadline, let durationUsec, let back):
      change(slot, event, sets: false) { timer in
        if let back {
          (timer.course.position, timer.course.rangRounds) = (back.position, 0)
        } else {
          timer.course.handledInstant = event.timeUsec
        }
        timer.phase.move(to: deadline)
        timer.beginBands(durationUsec)
      }
    case .passedOver(let expiry): passOver(slot, expiry, event, isUndone: false)
    case .reinstated(let expiry): passOver(slot, expiry, event, isUndone: true)
    case .bandCrossed(let begun, _, _):
      changeKeepingOrder(slot, event) { $0.course.announcedBands = begun }
    case .acknowledged:
      table.setFailure(nil, slot)
      if table[slot].state != .fired { changeRing(slot) { $0 = nil } }
    case .unanswered(let number):
      changeRing(slot) {
        $0?.number = max(1, number)
        $0?.hasEnded = true
      }
    case .rangAgain(let number):
      changeRing(slot) {
        $0?.number = max(1, number)
        $0?.hasEnded = false
      }
    case .actionStarted, .renamedFrom: break
    case .actionEnded(let note, let end):
      guard end.outcome.isFailure else { break }
      table.setFailure(CommandFailure(note, end, timeUsec: event.timeUsec), slot)
    case .lapped(let elapsedUsec): table[slot].laps.append(elapsedUsec)
    case .undone(let undone): restore(slot, undone, event)
    case .renamedTo(let name): table.rename(slot, to: name)
    case .cancelled(let atElapsed, let usec, _):
      change(slot, event) { timer in
        let isStopwatch = timer.spec.kind == .stopwatch
        timer.end(
          isStopwatch
            ? .cancelledStopwatch(atElapsed: atElapsed, measuredUsec: usec)
            : .cancelled(atElapsed: atElapsed, remainingUsec: usec), nil)
      }
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged:
      preconditionFailure("an event about the machine has no subject")
    }
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
  private func passOver(
    _ slot: Int, _ expiry: Event.SkippedExpiry, _ event: Event, isUndone: Bool
  ) {
    // After a skip, the deadline is still counted from the same event.
    change(slot, event, sets: false) { timer in
      if isUndone {
        timer.passedOver.removeAll { $0 == expiry.key }
      } else {
        timer.passedOver.append(expiry.key)
      }
      let rounds: Int64 = isUndone ? -1 : 1
      if timer.hasWallRounds { timer.course.shiftRounds(by: rounds) }
      timer.course.position += rounds
      timer.extend(byUsec: expiry.byUsec, to: expiry.deadline)
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
      } else if !timer.isSnoozed, resumption != .inDoubt {
        timer.beginOnWall()
      }
      timer.run(until: deadline)
      if resumption == .interruptedAgain, let before { timer.countedFrom = before.resumedSeq }
      if !sets { timer.interruption = interruption }
    }
  }

  private func applyExpiry(_ slot: Int, _ ring: Ring, isHeard: Bool, _ event: Event) {
    let position = table[slot].course.position
    let last = LastRing(
      firedUsec: event.timeUsec, lateUsec: ring.lateUsec, cause: ring.cause,
      estimatedBy: ring.isEstimated ? event.seq : nil)
    guard case .runs(let deadline, let durationUsec)? = ring.next?.continuation else {
      return change(slot, event, sets: !ring.isEstimated) { timer in
        timer.noteExpiry(ring, isHeard: isHeard, event)
        let isWaiting = ring.next?.continuation == .waits
        timer.end(
          isWaiting ? .waiting(atElapsed: ring.atElapsed) : .fired(atElapsed: ring.atElapsed), last)
        // A sequence that is still in its step keeps its length, which a user may have extended.
        if timer.spec.kind == .sequence, timer.course.position != position {
          timer.runLengthUsec = timer.spec.stepUsec(at: timer.course.position)
        }
      }
    }
    change(slot, event, sets: false, keepsOrder: true) { timer in
      timer.noteExpiry(ring, isHeard: isHeard, event)
      if timer.isSnoozed { timer.countedFrom = timer.course.countedFromBeforeSnooze }
      timer.beginRound(durationUsec, until: deadline)
      if isHeard { timer.lastRing = last }
    }
  }

  private func advance(_ slot: Int, _ next: Recurrence, atElapsed: Int64, _ event: Event) {
    change(slot, event) { timer in
      (timer.course.position, timer.course.wasSilent) = (next.position, false)
      timer.beginOnWall()
      if case .runs(let deadline, let durationUsec) = next.continuation {
        timer.beginRound(durationUsec, until: deadline)
        timer.lastRing = nil
      } else {
        let last = LastRing(
          firedUsec: event.timeUsec, lateUsec: 0, cause: nil, estimatedBy: nil)
        timer.end(.fired(atElapsed: atElapsed), last)
      }
    }
  }

  private func change(
    _ slot: Int, _ event: Event, sets: Bool = true, keepsOrder: Bool = false,
    keepsInterruption: Bool = false, _ body: (inout Timer) -> Void
  ) {
    let queues = queues(of: slot)
    count(slot, -1)
    body(&table[slot])
    if sets {
      table[slot].countedFrom = event.seq
      if !keepsInterruption { table[slot].interruption = nil }
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

  private func changeRing(_ slot: Int, _ body: (inout LastRing?) -> Void) {
    count(slot, -1)
    body(&table[slot].lastRing)
    count(slot, 1)
  }

  private func discard(_ slot: Int) {
    lastRemoved = (table[slot].id, table[slot].attachments)
    removeFromQueues(slot, queues(of: slot))
    count(slot, -1)
    table.remove(slot)
  }

  /// Adds a timer to the counts, or with -1 subtracts it.
  func count(_ slot: Int, _ by: Int) {
    counts[Int(table[slot].shownState.rawValue)] += by
    if isRunningOnPresent(slot) { presentCount += by }
  }

  func isRunningOnPresent(_ slot: Int) -> Bool {
    table[slot].timeline == .present && table[slot].state == .running
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
    lastRing = nil
    run(until: reading)
  }

  fileprivate mutating func beginRound(_ lengthUsec: Int64, until deadline: Int64) {
    beginBands(lengthUsec)
    timeline = clock
    isSnoozed = false
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
    if hasWallRounds, !spec.isPlain { self.course.rangRounds = Course.allRounds }
  }

  fileprivate mutating func pause(_ usec: Int64, ranUpTo: Int64?) {
    if keepsDeadlineWhilePaused, let deadline = phase.deadline {
      phase = .pausedAlarm(deadline: deadline)
    } else if spec.kind == .stopwatch {
      phase = .pausedStopwatch(measuredUsec: usec, ranUpTo: ranUpTo)
    } else {
      phase = .paused(remainingUsec: usec, ranUpTo: ranUpTo)
    }
    lastRing = nil
  }

  fileprivate mutating func extend(byUsec: Int64, to usec: Int64) {
    runLengthUsec += byUsec
    phase.move(to: usec)
  }

  fileprivate mutating func restart(until deadline: Int64, _ event: Event) {
    (self.laps, self.passedOver, self.course) = ([], [], Course())
    (timeline, isSnoozed) = (clock, false)
    let isAlarm = spec.kind == .alarm
    if isAlarm {
      // Earlier instants count as handled, as if the alarm had rung now.
      (self.course.rangAtElapsed, self.course.rangEvent) = (event.counters.elapsedUsec, event.seq)
    }
    begin(
      isAlarm ? deadline - event.timeUsec : fullLengthUsec, until: deadline, at: event.timeUsec)
  }

  fileprivate mutating func snooze(_ byUsec: Int64, until deadline: Int64, at timeUsec: Int64) {
    if case .running(let next) = phase, !isSnoozed {
      if spec.repeats { self.course.deadlineAfterSnooze = next }
      self.course.countedFromBeforeSnooze = countedFrom
    }
    self.course.wasSilent = false
    (timeline, isSnoozed) = (.elapsed, true)
    begin(byUsec, until: deadline, at: timeUsec)
  }

  fileprivate mutating func update(to newSpec: SharedSpec) {
    if newSpec.isPlain {
      self.course = Course()
    } else if newSpec.bands != spec.bands {
      self.course.announcedBands = newSpec.band(remainingUsec: .max)
    }
    spec = newSpec
  }

  fileprivate mutating func end(_ newPhase: Phase, _ ring: LastRing?) {
    phase = newPhase
    isSnoozed = false
    lastRing = ring
  }

  /// Notes in the course that the timer expired. Call this before anything else changes.
  fileprivate mutating func noteExpiry(_ ring: Ring, isHeard: Bool, _ event: Event) {
    var noted = self.course
    (noted.wasPausedAtDeadline, noted.wasSilent) = (false, !isHeard)
    noted.announcedBands = spec.bands.count
    if let next = ring.next {
      // An expiry that was due after the end of a snooze has another lateness than that end.
      let isEndOfSnooze = isSnoozed && ring.atElapsed - ring.lateUsec == phase.deadline
      if spec.schedule == nil {
        if clock == .wall {
          noted.noteRound(next, isHeard: isHeard, isEndOfSnooze: isEndOfSnooze)
        }
        noted.deadlineAfterSnooze = next.mark
      } else {
        if isHeard, !isEndOfSnooze {
          // The ring may be for a later instant, if instants before the alarm's start were passed
          // over.
          let isNext =
            next.missed == 0 && next.mark == phase.deadline
            && noted.handledInstant == noted.rangFor?.last
          let before = isNext ? noted.rangFor : nil
          noted.rangFor =
            before?.extended(to: next.mark) ?? ConsecutiveInstants(last: next.mark)
        }
        noted.handledInstant = next.mark
      }
      noted.position = next.position
      if isHeard { (noted.rangAtElapsed, noted.rangEvent) = (ring.atElapsed, event.seq) }
    }
    self.course = noted
  }
}
