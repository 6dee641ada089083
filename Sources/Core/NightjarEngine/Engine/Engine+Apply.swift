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
      let spec = spec ?? .plain
      let originalUsec =
        spec.kind == .alarm ? (spec.schedule == nil ? deadline : atElapsed) : durationUsec
      var record = TimerRecord(
        id: subject.id, lastSeq: event.seq, originalUsec: originalUsec,
        durationUsec: durationUsec, deadline: deadline, remainingOrLateUsec: 0,
        startedUsec: event.timeUsec,
        firedUsec: 0, state: .running, clock: clock, timeline: clock, lateCause: nil,
        setSeq: event.seq)
      record.wakes = wakes
      start(record, named: subject.name, at: slot, spec, attachments)
    case .updated(let attachments, let spec):
      table.attach(attachments, to: slot)
      if let spec {
        let keepsBands = spec.bands == table.spec(slot).bands
        changeKeepingOrder(slot, event) {
          table.assign(spec, to: slot)
          if !keepsBands { beginBands(slot, remainingUsec: .max) }
        }
      } else {
        table[slot].lastSeq = event.seq
      }
    case .dismissed, .removed, .expired:
      discard(slot)
    case .paused(let remainingUsec, _, let keepsSetSeq):
      let pausedSeq = keepsSetSeq ? event.seq : 0
      let deadline = keepsDeadlineWhilePaused(slot) ? table[slot].deadline : pausedSeq
      change(slot, event, sets: !keepsSetSeq) { $0.pause(remainingUsec, deadline: deadline) }
    case .pausedAfterSleep(let remainingUsec, _, let enteredSeq):
      change(slot, event, sets: enteredSeq == 0) { $0.pause(remainingUsec, deadline: enteredSeq) }
    case .resumed(let deadline, let resumption): resume(slot, event, deadline, resumption)
    case .extended(let byUsec, let deadline):
      let keepsDeadline = keepsDeadlineWhilePaused(slot)
      // `setSeq` stays: an extended deadline is still counted from the same event.
      change(slot, event, sets: false) {
        $0.extend(byUsec: byUsec, to: deadline, keepsDeadline: keepsDeadline)
      }
    case .restarted(let deadline):
      table.setFailure(nil, slot)
      restart(slot, event, deadline: deadline)
    case .snoozed(let byUsec, let deadline):
      snooze(slot, byUsec: byUsec, deadline: deadline, event)
    case .fired(let ring), .stepped(let ring), .stepEnded(let ring):
      applyExpiry(slot, ring, isHeard: true, event)
    case .skipped(let ring): applyExpiry(slot, ring, isHeard: false, event)
    case .advanced(let atElapsed, let next): advance(slot, next, atElapsed: atElapsed, event)
    case .restartedAfterSleep(let next, _): advance(slot, next, atElapsed: 0, event)
    case .rescheduled(let deadline, let durationUsec, let back):
      beginBands(slot, remainingUsec: durationUsec)
      table.changeDetail(slot) { detail in
        if let back {
          detail.position = UInt32(clamping: back.position)
          detail.rangNone()
        } else {
          detail.mark = event.timeUsec
        }
      }
      change(slot, event, sets: false) { record in
        if back != nil, record.state == .paused {
          record.remainingOrLateUsec = deadline
        } else {
          record.deadline = deadline
        }
        record.durationUsec = durationUsec
      }
    case .passedOver(let skippedExpiry): passOver(slot, skippedExpiry, event, isUndone: false)
    case .reinstated(let skippedExpiry): passOver(slot, skippedExpiry, event, isUndone: true)
    case .bandCrossed(let begun, _, _):
      changeKeepingOrder(slot, event) {
        table.changeDetail(slot) { $0.band = UInt8(clamping: begun) }
      }
    case .acknowledged:
      table.setFailure(nil, slot)
      table[slot].lastSeq = event.seq
      // In a paused timer, `remainingOrLateUsec` has the remaining time. Otherwise it has the
      // lateness of the ring, which is forgotten here.
      guard [.running, .waiting].contains(table[slot].state) else { break }
      changeRing(slot) { $0.clearRing() }
    case .unanswered(let number):
      table[slot].lastSeq = event.seq
      changeRing(slot) { $0.ringPhase = UInt8(clamping: 2 * number - 1) }
    case .rangAgain(let number):
      table[slot].lastSeq = event.seq
      changeRing(slot) { $0.ringPhase = UInt8(clamping: 2 * number - 2) }
    case .actionStarted: table[slot].lastSeq = event.seq
    case .actionEnded(let note, let end):
      table[slot].lastSeq = event.seq
      guard end.outcome.isFailure else { break }
      table.setFailure(CommandFailure(note, end, timeUsec: event.timeUsec), slot)
    case .lapped(let elapsedUsec):
      table[slot].lastSeq = event.seq
      table.setLaps(table.laps(slot) + [elapsedUsec], slot)
    case .undone(let undone): restore(slot, undone, event)
    case .renamedTo(let name):
      table.rename(slot, to: name)
      table[slot].lastSeq = event.seq
    case .renamedFrom: table[slot].lastSeq = event.seq
    case .cancelled(let atElapsed, let remainingUsec, _):
      change(slot, event) {
        $0.end(.cancelled, atElapsed: atElapsed, remainingOrLateUsec: remainingUsec)
      }
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged:
      preconditionFailure("an event about the machine has no subject")
    }
  }

  private func start(
    _ record: TimerRecord, named name: String, at slot: Int, _ spec: SharedSpec,
    _ attachments: Attachments
  ) {
    var timer = Timer(record)
    if !spec.isPlain {
      timer.detail = TimerDetail(spec: spec)
      timer.detail?.band = UInt8(clamping: spec.band(remainingUsec: record.durationUsec))
    }
    timer.attachments = attachments.isEmpty ? nil : attachments
    put(timer, named: name, at: slot, order: record.lastSeq)
  }

  /// Puts a timer into a slot, in place of the timer that the slot may have.
  private func put(_ timer: Timer, named name: String, at slot: Int, order: Int64) {
    var queues = Queues()
    if table.isOccupied(slot) {
      lastRemoved = (table[slot].id, table.attachments(slot))
      queues = self.queues(of: slot)
      count(table[slot], -1)
      table.renew(timer, named: name, at: slot)
    } else {
      table.insert(timer, named: name, at: slot)
    }
    count(timer.record, 1)
    enqueue(slot, order: order, from: queues)
  }

  /// Marks an expiry as skipped, or removes the mark. A skipped expiry counts as one of the rounds.
  private func passOver(
    _ slot: Int, _ skippedExpiry: Event.SkippedExpiry, _ event: Event, isUndone: Bool
  ) {
    let before = table.passedOver(slot)
    table.setPassedOver(
      isUndone ? before.filter { $0 != skippedExpiry.key } : before + [skippedExpiry.key], slot)
    let isOnWall = table.spec(slot).schedule == nil && table[slot].clock == .wall
    table.changeDetail(slot) { detail in
      if isOnWall { detail.shiftRounds(by: isUndone ? -1 : 1) }
      if isUndone { detail.position -= min(1, detail.position) } else { detail.position += 1 }
    }
    let keepsDeadline = keepsDeadlineWhilePaused(slot)
    // `setSeq` stays: after a skip, the deadline is still counted from the same event.
    change(slot, event, sets: false) {
      $0.extend(
        byUsec: skippedExpiry.byUsec, to: skippedExpiry.deadline, keepsDeadline: keepsDeadline)
    }
  }

  /// Restores a timer to its state before a change that was undone. The timer gets its old place
  /// among timers with the same deadline.
  private func restore(_ slot: Int, _ undone: Event.Undone, _ event: Event) {
    guard let subject = event.subject, let image = undone.before as? StoredImage else {
      preconditionFailure("only the engine and the ledger make images")
    }
    var timer = image.timer.timer
    timer.record.lastSeq = event.seq
    let order = image.timer.order
    put(timer, named: subject.name, at: slot, order: order == 0 ? event.seq : order)
  }

  private func resume(
    _ slot: Int, _ event: Event, _ deadline: Int64, _ resumption: Event.Resumption?
  ) {
    let record = table[slot]
    if keepsDeadlineWhilePaused(slot) {
      table.changeDetail(slot) { detail in
        detail.wasMuted = deadline <= event.timeUsec && resumption != .inDoubt
      }
    } else if table.hasDetail(slot), !isSnoozed(slot), resumption != .inDoubt {
      beginOnWall(slot)
    }
    let before = table.interruption(slot)
    var interruption = Interruption(pausedSeq: event.seq, resumedSeq: event.seq)
    switch resumption {
    case .counted: if let before, !before.isEmpty { interruption = before }
    case .interrupted:
      interruption.pausedSeq = before.flatMap { $0.isEmpty ? nil : $0.pausedSeq } ?? record.deadline
    case .interruptedAgain: interruption.pausedSeq = record.deadline
    case .inDoubt, nil: return change(slot, event) { $0.run(until: deadline) }
    }
    change(slot, event, sets: false) { record in
      record.run(until: deadline)
      if resumption == .interruptedAgain, let before { record.setSeq = before.resumedSeq }
    }
    table.setInterruption(interruption, slot)
  }

  /// Notes that the user began this round or step. If the wall clock is set back later, the timer
  /// does not return to an earlier round or step.
  private func beginOnWall(_ slot: Int) {
    guard table[slot].clock == .wall, table.spec(slot).schedule == nil else { return }
    table.changeDetail(slot) { $0.rangAll() }
  }

  private func restart(_ slot: Int, _ event: Event, deadline: Int64) {
    let spec = table.spec(slot)
    let record = table[slot]
    let durationUsec = spec.kind == .alarm ? deadline - event.timeUsec : record.originalUsec
    if table.hasDetail(slot) {
      table.changeDetail(slot) { detail in
        detail.begin()
        guard spec.kind == .alarm else { return }
        // Earlier instants count as handled, as if the alarm had rung now.
        (detail.rangAtElapsed, detail.rangSeq) = (event.counters.elapsedUsec, event.seq)
      }
    }
    table.setLaps([], slot)
    table.setPassedOver([], slot)
    beginBands(slot, remainingUsec: durationUsec)
    change(slot, event) { record in
      record.timeline = record.clock
      record.begin(durationUsec: durationUsec, until: deadline, at: event.timeUsec)
      record.isSnoozed = false
    }
  }

  private func snooze(_ slot: Int, byUsec: Int64, deadline: Int64, _ event: Event) {
    let record = table[slot]
    if table.hasDetail(slot) {
      let isCounting = record.state == .running && !isSnoozed(slot)
      let repeats = table.spec(slot).repeats
      table.changeDetail(slot) { detail in
        if isCounting {
          if repeats { detail.mark = record.deadline }
          detail.markSeq = record.setSeq
        }
        detail.wasSkipped = false
      }
      beginBands(slot, remainingUsec: byUsec)
    }
    // After the snooze, the deadline is counted from the same event as before the snooze, so a
    // pause before it still matters.
    change(slot, event, keepsInterruption: true) { record in
      record.timeline = .elapsed
      record.begin(durationUsec: byUsec, until: deadline, at: event.timeUsec)
      record.isSnoozed = true
    }
  }

  private func applyExpiry(_ slot: Int, _ ring: Ring, isHeard: Bool, _ event: Event) {
    let before = table.detail(slot)
    let markSeq = isSnoozed(slot) ? before?.markSeq : nil
    if table.hasDetail(slot) { noteInDetail(slot, ring, isHeard: isHeard, event) }
    switch ring.next?.continuation {
    case nil, .ends?: end(slot, .fired, ring, event, from: before?.position)
    case .waits?: end(slot, .waiting, ring, event, from: before?.position)
    case .runs(let deadline, let durationUsec)?:
      beginBands(slot, remainingUsec: durationUsec)
      change(slot, event, sets: false, keepsOrder: true) { record in
        let remainingOrLateUsec = record.remainingOrLateUsec
        record.run(until: deadline)
        record.remainingOrLateUsec = isHeard ? ring.lateUsec : remainingOrLateUsec
        if isHeard { record.estimatedSeq = ring.isEstimated ? event.seq : nil }
        record.timeline = record.clock
        record.isSnoozed = false
        record.durationUsec = durationUsec
        if let markSeq { record.setSeq = markSeq }
        guard isHeard else { return }
        record.firedUsec = event.timeUsec
        record.ringPhase = 0
        record.lateCause = ring.cause
      }
    }
  }

  private func noteInDetail(_ slot: Int, _ ring: Ring, isHeard: Bool, _ event: Event) {
    let spec = table.spec(slot)
    let deadline = table[slot].deadline
    let isOnWall = spec.schedule == nil && table[slot].clock == .wall
    // An expiry that was due after the end of a snooze has another lateness than that end.
    let isEndOfSnooze = isSnoozed(slot) && ring.atElapsed - ring.lateUsec == deadline
    table.changeDetail(slot) { detail in
      if isHeard, spec.schedule != nil, !isEndOfSnooze, let next = ring.next {
        // The ring may be for a later instant, if instants before the alarm's start were passed
        // over.
        let isNext = next.missed == 0 && next.mark == deadline && detail.mark == detail.rangTo
        detail.noteRang(next.mark, isNext: isNext)
      } else if isOnWall, let next = ring.next {
        detail.noteRound(next, isHeard: isHeard, isEndOfSnooze: isEndOfSnooze)
      }
      detail.wasMuted = false
      detail.wasSkipped = !isHeard
      detail.band = UInt8(clamping: spec.bands.count)
      guard let next = ring.next else { return }
      detail.position = UInt32(clamping: next.position)
      detail.mark = next.mark
      guard isHeard else { return }
      detail.rangAtElapsed = ring.atElapsed
      detail.rangSeq = event.seq
    }
  }

  /// - Parameter position: the timer's position before the ring.
  private func end(
    _ slot: Int, _ state: TimerState, _ ring: Ring, _ event: Event, from position: UInt32? = nil
  ) {
    let durationUsec = position.flatMap { stepUsec(slot, from: $0) }
    change(slot, event, sets: !ring.isEstimated) { record in
      record.end(state, atElapsed: ring.atElapsed, remainingOrLateUsec: ring.lateUsec)
      record.estimatedSeq = ring.isEstimated ? event.seq : nil
      if let durationUsec { record.durationUsec = durationUsec }
      record.firedUsec = event.timeUsec
      record.lateCause = ring.cause
    }
  }

  /// The length of the current step of a sequence, if the sequence has left the step at `position`.
  /// Nil: the timer is still in that step and keeps its length, which a user may have extended.
  private func stepUsec(_ slot: Int, from position: UInt32) -> Int64? {
    let spec = table.spec(slot)
    guard spec.kind == .sequence, let present = table.detail(slot)?.position, present != position
    else { return nil }
    return spec.stepUsec(at: Int64(present))
  }

  private func advance(_ slot: Int, _ next: Recurrence, atElapsed: Int64, _ event: Event) {
    table.changeDetail(slot) { detail in
      detail.position = UInt32(clamping: next.position)
      detail.wasSkipped = false
    }
    beginOnWall(slot)
    switch next.continuation {
    case .runs(let deadline, let durationUsec):
      beginBands(slot, remainingUsec: durationUsec)
      change(slot, event) { record in
        record.timeline = record.clock
        record.isSnoozed = false
        record.durationUsec = durationUsec
        record.run(until: deadline)
        record.clearRing()
      }
    case .waits, .ends:
      end(
        slot, .fired, Ring(atElapsed: atElapsed, lateUsec: 0, cause: nil, span: 0), event)
    }
  }

  /// Sets the band with which a timer begins; records no event.
  private func beginBands(_ slot: Int, remainingUsec: Int64) {
    guard table.hasDetail(slot) else { return }
    let begun = table.spec(slot).band(remainingUsec: remainingUsec)
    table.changeDetail(slot) { $0.band = UInt8(clamping: begun) }
  }

  private func change(
    _ slot: Int, _ event: Event, sets: Bool = true, keepsOrder: Bool = false,
    keepsInterruption: Bool = false, _ body: (inout TimerRecord) -> Void
  ) {
    var record = table[slot]
    let queues = queues(of: slot)
    count(record, -1)
    body(&record)
    record.lastSeq = event.seq
    if sets { record.setSeq = event.seq }
    table[slot] = record
    if sets, !keepsInterruption { table.setInterruption(nil, slot) }
    count(record, 1)
    enqueue(slot, order: keepsOrder ? record.setSeq : event.seq, from: queues)
  }

  /// Runs `body`, which may change the timer's deadline. The timer keeps its place among timers
  /// with the same deadline.
  private func changeKeepingOrder(_ slot: Int, _ event: Event, _ body: () -> Void) {
    let queues = queues(of: slot)
    let order = queues.main?.order(of: slot) ?? event.seq
    body()
    table[slot].lastSeq = event.seq
    enqueue(slot, order: order, from: queues)
  }

  /// Changes the data about the last ring of a timer, and keeps its deadline.
  private func changeRing(_ slot: Int, _ body: (inout TimerRecord) -> Void) {
    count(table[slot], -1)
    body(&table[slot])
    count(table[slot], 1)
  }

  private func discard(_ slot: Int) {
    let record = table[slot]
    lastRemoved = (record.id, table.attachments(slot))
    removeFromQueues(slot, queues(of: slot))
    count(record, -1)
    table.remove(slot)
  }

  func count(_ record: TimerRecord, _ by: Int) {
    counts[Int(record.shownState.rawValue)] += by
    if record.timeline == .present, record.state == .running { presentCount += by }
  }
}

extension CommandFailure {
  fileprivate init(_ note: ActionNote, _ end: ActionEnd, timeUsec: Int64) {
    self.init(
      callingSeq: note.key.seq, timeUsec: timeUsec, command: note.command, outcome: end.outcome,
      lastLines: end.lastLines)
  }
}

extension TimerDetail {
  /// Sets all fields to those of a new timer with the same specification.
  fileprivate mutating func begin() {
    self = TimerDetail(spec: spec)
  }
}

extension TimerRecord {
  fileprivate mutating func pause(_ remainingUsec: Int64, deadline newDeadline: Int64) {
    state = .paused
    deadline = newDeadline
    clearRing()
    remainingOrLateUsec = remainingUsec
  }

  fileprivate mutating func run(until deadline: Int64) {
    state = .running
    self.deadline = deadline
    remainingOrLateUsec = 0
  }

  /// Clears the data about the last ring.
  fileprivate mutating func clearRing() {
    firedUsec = 0
    ringPhase = 0
    lateCause = nil
    remainingOrLateUsec = 0
    estimatedSeq = nil
  }

  fileprivate mutating func begin(durationUsec: Int64, until deadline: Int64, at timeUsec: Int64) {
    self.durationUsec = durationUsec
    startedUsec = timeUsec
    run(until: deadline)
    clearRing()
  }

  fileprivate mutating func extend(byUsec: Int64, to newDeadline: Int64, keepsDeadline: Bool) {
    durationUsec += byUsec
    if state == .running || keepsDeadline {
      deadline = newDeadline
    } else {
      remainingOrLateUsec = newDeadline
    }
  }

  fileprivate mutating func end(_ state: TimerState, atElapsed: Int64, remainingOrLateUsec: Int64) {
    self.state = state
    deadline = atElapsed
    isSnoozed = false
    firedUsec = 0
    ringPhase = 0
    lateCause = nil
    estimatedSeq = nil
    self.remainingOrLateUsec = remainingOrLateUsec
  }
}
