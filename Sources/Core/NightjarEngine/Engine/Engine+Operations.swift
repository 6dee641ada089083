public import NightjarModel

/// The operations on timers. Each one is carried out or refused with a typed error, in every state
/// of the timer.
extension Engine {
  /// The slot of the timer with this name, in any of its Unicode spellings. O(1) expected.
  public func slot(named name: String) -> Int? { table.slot(named: name) }

  /// Whether there is a timer in `slot`.
  public func isOccupied(_ slot: Int) -> Bool { table.isOccupied(slot) }

  /// Starts a timer. The caller has checked the name. With `replace`, the new timer replaces a
  /// timer of this name in any state. With `ifAbsent`, a timer that keeps the name stays as it is,
  /// and its slot is returned: an active one, or one with a snoozed ring. A timer with `wakes` is
  /// also added to the queue of timers that wake the machine.
  ///
  /// - Returns: the slot, and whether a timer was started.
  public func start(
    _ name: String, _ spec: TimerSpec, replace: Bool = false, ifAbsent: Bool = false,
    at now: Moment
  ) throws(EngineError) -> (slot: Int, created: Bool) {
    do { try spec.check() } catch { throw .problem(error) }
    let shared = spec.shared == .plain ? .plain : SharedSpec(spec.shared)
    let clock = spec.kind == .alarm ? .wall : spec.clock
    let begin = try beginning(spec, shared, clock: clock, at: now)
    let existing = table.slot(named: name)
    if let existing, !replace, table[existing].keepsName {
      if ifAbsent { return (existing, false) }
      throw .timerExists
    }
    guard existing != nil || table.count < maximumTimers else {
      throw .tooManyTimers(maximumTimers)
    }
    let slot = existing ?? table.nextSlot
    // The name keeps its first spelling.
    let subject = Event.Subject(
      slot: slot, id: lastSeq + 1, name: existing.map { table[$0].name } ?? name,
      previous: existing.map { table[$0].lastEvent } ?? 0)
    record(
      .started(
        clock: clock, durationUsec: begin.durationUsec, deadline: begin.deadline,
        attachments: spec.attachments, wakes: spec.wakes,
        spec: shared === SharedSpec.plain ? nil : shared,
        replaced: existing.map {
          Event.Replaced(id: table[$0].id, ring: table[$0].ring?.number ?? 0)
        }),
      subject: subject, at: now)
    return (slot, true)
  }

  /// The duration of the first round or step, and its deadline.
  private func beginning(
    _ spec: TimerSpec, _ shared: SharedSpec, clock: Timeline, at now: Moment
  ) throws(EngineError) -> (durationUsec: Int64, deadline: Int64) {
    let reading = background.timelines.reading(clock, at: now)
    switch spec.kind {
    case .countdown:
      return (spec.durationUsec, reading + spec.durationUsec)
    case .alarm:
      let instant =
        spec.schedule.map { calendar.next($0, afterUsec: now.realtimeUsec) } ?? spec.atUsec
      guard let instant, instant > now.realtimeUsec else { throw .neverElapses }
      guard instant - now.realtimeUsec <= Limits.durationUsec else {
        throw .durationTooLong(Limits.durationUsec)
      }
      return (instant - now.realtimeUsec, instant)
    case .stopwatch: return (0, reading)
    case .sequence:
      let usec = shared.stepUsec(at: 0)
      return (usec, reading + usec)
    }
  }

  /// A short name that no timer has. The first round of names is the list of birds; each later
  /// round has the same birds with the number of the round. The search begins with round
  /// `nameRound`. O(names in a round), amortised.
  public func unusedName() -> String {
    // Names become free while other timers run. When few timers are left, begin with the first
    // round again.
    if table.count < TimerName.birds.count { nameRound = 1 }
    var round = nameRound
    while true {
      nameRound = round
      for bird in TimerName.birds {
        let name = round == 1 ? bird : "\(bird)-\(round)"
        if table.slot(named: name) == nil { return name }
      }
      round += 1
    }
  }

  /// Pauses a running timer and stores its remaining time. A paused alarm keeps its deadline, and
  /// does not ring when the deadline passes.
  public func pause(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.pause, slot)
    let keepsSetSeq =
      !table[slot].keepsDeadlineWhilePaused && isCountedInDoubt(slot, upTo: lastSeq + 1)
    let kind = Event.Kind.paused(
      remainingUsec: keepsSetSeq
        ? remainingInDoubtUsec(slot, at: now) : remainingOrMeasuredUsec(slot, at: now),
      isUp: table[slot].spec.kind == .stopwatch, keepsSetSeq: keepsSetSeq)
    record(kind, about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  /// Resumes a paused timer with its remaining time. An alarm whose deadline has passed is due at
  /// once.
  public func resume(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.resume, slot)
    let reading = background.timelines.reading(table[slot].clock, at: now)
    var isOver = isOverdueInDoubt(slot, at: now)
    let deadline: Int64
    switch table[slot].phase {
    case .pausedAlarm(let instant): deadline = instant
    case .pausedStopwatch(let measured, _): deadline = reading - max(0, measured)
    case .paused(let remaining, _):
      deadline = reading + remaining
      isOver = isOver || remaining < 0
    case .running, .runningStopwatch, .over, .waiting, .cancelled, .cancelledStopwatch:
      preconditionFailure("only a paused timer can be resumed")
    }
    record(.resumed(deadline: deadline, resumption(slot, at: now)), about: slot, at: now)
    if isOver {
      // The timer's time was over before the pause. The correction of a reboot has shown this or
      // will show it.
      clockWaitCauses[slot] = WaitCause(
        cause: .reboot, span: background.clock.reboots.last?.span.id ?? 0)
    }
  }

  /// Cancels a timer that runs, is paused or waits, and ends its ring. A timer that is over and
  /// whose ring is open is removed.
  public func cancel(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.cancel, slot)
    record(
      .cancelled(
        remainingUsec: remainingOrMeasuredUsec(slot, at: now),
        isUp: table[slot].spec.kind == .stopwatch, ring: ringNumber(slot),
        removes: removes(.cancel, slot)),
      about: slot, at: now)
  }

  /// The number of the open ring; 0: none is open.
  func ringNumber(_ slot: Int) -> Int64 { table[slot].ring?.number ?? 0 }

  /// Ends the open ring. Without one, cancels the timer.
  public func stop(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.stop, slot)
    guard table[slot].ring != nil else { return try cancel(slot, at: now) }
    record(
      .stopped(ring: ringNumber(slot), removes: removes(.stop, slot)), about: slot, at: now)
  }

  /// Starts a timer again with its original length, in any state, on its own clock. Its ring ends.
  public func restart(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.restart, slot)
    let deadline = try newBeginning(slot, at: now).deadline
    record(.restarted(deadline: deadline, ring: ringNumber(slot)), about: slot, at: now)
  }

  private func newBeginning(
    _ slot: Int, at now: Moment
  ) throws(EngineError) -> (durationUsec: Int64, deadline: Int64) {
    try beginning(timerSpec(at: slot), table[slot].spec, clock: table[slot].clock, at: now)
  }

  /// Adds `byUsec` to the remaining time; negative: subtracts. If no time remains, the timer is due
  /// now.
  public func extend(_ slot: Int, byUsec: Int64, at now: Moment) throws(EngineError) {
    try check(.extend, slot)
    let timer = table[slot]
    if isOverdueInDoubt(slot, at: now) {
      // The clock may be wrong, so the remaining time is unknown. Only the deadline moves.
      let by = max(byUsec, -timer.runLengthUsec)
      guard by <= Limits.durationUsec - timer.runLengthUsec else {
        throw .durationTooLong(Limits.durationUsec)
      }
      var deadline = max(0, (timer.phase.deadline ?? 0) + by)
      if case .paused(let remaining, _) = timer.phase { deadline = remaining + by }
      return _ = record(.extended(byUsec: by, deadline: deadline), about: slot, at: now)
    }
    let remaining = remainingUsec(slot, at: now)
    let (wanted, overflow) = remaining.addingReportingOverflow(byUsec)
    let by = max(0, wanted) - remaining
    guard !overflow, timer.runLengthUsec <= Limits.durationUsec - by else {
      throw .durationTooLong(Limits.durationUsec)
    }
    let reading = background.timelines.reading(timer.clock, at: now)
    let deadline = max(0, wanted) + (timer.phase.deadline == nil ? 0 : reading)
    record(.extended(byUsec: by, deadline: deadline), about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  /// Snoozes the open ring: it sounds again `byUsec` from now, on `elapsed`. The schedule
  /// continues. A new snooze replaces an earlier one.
  ///
  /// - Parameter agoUsec: how long ago the snooze was requested, if that was on another machine.
  public func snooze(
    _ slot: Int, byUsec: Int64, agoUsec: Int64 = 0, at now: Moment
  ) throws(EngineError) {
    try check(.snooze, slot)
    guard byUsec > 0 else { throw .durationNotPositive(byUsec) }
    guard byUsec <= Limits.durationUsec else { throw .durationTooLong(Limits.durationUsec) }
    let deadline = background.timelines.reading(.elapsed, at: now) + byUsec - agoUsec
    record(
      .snoozed(byUsec: byUsec, deadline: deadline, ring: ringNumber(slot)), about: slot, at: now)
  }

  /// Ends the ring, and clears what else the timer shows: an expiry that did not ring, and a failed
  /// command. A timer that is over is removed.
  public func dismiss(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.dismiss, slot)
    record(
      .dismissed(
        ring: ringNumber(slot), miss: table[slot].expiries.miss?.number ?? 0,
        removes: removes(.dismiss, slot)),
      about: slot, at: now)
  }

  /// Whether an operation that is possible removes the timer: it is over, and its ring ends.
  package func removes(_ operation: Operation, _ slot: Int) -> Bool {
    let (state, ringing) = (table[slot].state, table[slot].ringing)
    return switch operation {
    case .remove: true
    case .stop, .cancel: ringing.hasRing && !state.isActive
    case .dismiss: state == .over || (ringing.hasRing || ringing.hasMiss) && !state.isActive
    case .pause, .resume, .restart, .extend, .snooze, .update, .advance, .lap, .skip, .unskip: false
    }
  }

  /// Moves a sequence to its next step, whether or not the current one is over. After the last step
  /// the sequence ends.
  public func advance(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.advance, slot)
    let (spec, position) = (table[slot].spec, table[slot].course.position)
    var next = Recurrence(position: position, .ends)
    if !spec.isLast(position) {
      next.position += 1
      let usec = spec.stepUsec(at: next.position)
      let reading = background.timelines.reading(table[slot].clock, at: now)
      next.continuation = .runs(deadline: reading + usec, durationUsec: usec)
    }
    next.step = spec.step(at: next.position).name
    record(.advanced(next: next, ring: ringNumber(slot)), about: slot, at: now)
  }

  /// Records the time that a stopwatch shows.
  public func lap(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.lap, slot)
    guard table[slot].laps.count < Limits.laps else {
      throw .tooManyLaps(Limits.laps)
    }
    record(.lapped(elapsedUsec: remainingOrMeasuredUsec(slot, at: now)), about: slot, at: now)
  }

  /// Removes a timer, in any state.
  public func remove(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.remove, slot)
    record(.removed(ring: ringNumber(slot)), about: slot, at: now)
  }

  /// Renames a timer; the caller has checked the name. Does nothing if it is the timer's name
  /// already.
  public func rename(_ slot: Int, to name: String, at now: Moment) throws(EngineError) {
    guard table.isOccupied(slot) else { throw .timerNotFound }
    guard name != table[slot].name else { return }
    guard table.slot(named: name) == nil else { throw .timerExists }
    recordName(name, of: slot, at: now)
  }

  /// Records that the timer in `slot` gets `name`, which no other timer has.
  func recordName(_ name: String, of slot: Int, at now: Moment) {
    let oldName = table[slot].name
    record(.renamedTo(name), about: slot, at: now)
    record(.renamedFrom(oldName), about: slot, at: now)
  }

  /// Changes the parts of a timer that can change while it exists. These are its labels, data,
  /// bands, ring, and the exceptions of its schedule.
  ///
  /// - Parameter spec: the result of `timerSpec(at:)` with the changes.
  public func update(_ slot: Int, to spec: TimerSpec, at now: Moment) throws(EngineError) {
    try check(.update, slot)
    do { try spec.check() } catch { throw .problem(error) }
    let isOther = spec.shared != table[slot].spec.content
    let isRescheduled = spec.schedule != table[slot].spec.schedule
    if isRescheduled, let schedule = spec.schedule, table[slot].state.isCounting,
      nextInstant(slot, schedule, afterUsec: now.realtimeUsec) == nil
    {
      throw .neverElapses
    }
    record(
      .updated(spec.attachments, spec: isOther ? SharedSpec(spec.shared) : nil), about: slot,
      at: now)
    if isRescheduled { reschedule(slot, at: now) }
    if isOther { recordBandChange(slot, at: now) }
  }

  /// Records that a command was started, or with `end`, how it ended. The event belongs to the
  /// timer of the command, if that timer still exists.
  ///
  /// - Parameter timer: the timer of the command; nil: the command belongs to no timer.
  public func recordAction(
    _ note: ActionNote, end: ActionEnd? = nil, timer: (name: String, id: Int64)?, at now: Moment
  ) {
    var note = note
    let slot = timer.flatMap { self.slot(of: $0.id, named: $0.name) }
    if slot != nil {
      note.owner = .subject
    } else if let timer {
      note.owner = .former(name: timer.name, id: timer.id)
    } else {
      note.owner = .machine
    }
    let kind: Event.Kind =
      if let end { .actionEnded(note, end) } else { .actionStarted(note) }
    record(kind, about: slot, at: now)
  }

  func check(_ operation: Operation, _ slot: Int) throws(EngineError) {
    guard table.isOccupied(slot) else { throw .timerNotFound }
    let (state, spec) = (table[slot].state, table[slot].spec)
    // A failed command is shown until a user dismisses it, in every state of the timer.
    if operation == .dismiss, table[slot].failure != nil { return }
    guard operation.applies(to: spec) else { throw .notForKind(spec.kind, operation) }
    guard operation.isLegal(in: state, table[slot].ringing) else {
      throw .invalidTransition(state, operation)
    }
  }

  public func possibleOperations(_ slot: Int, at now: Moment) -> [Operation] {
    Operation.allCases.filter { operation in
      do throws(EngineError) {
        try check(operation, slot)
        if operation == .restart { _ = try newBeginning(slot, at: now) }
        if operation == .skip { _ = try expiryToSkip(slot, at: now) }
        if operation == .unskip { _ = try expiryToReinstate(slot, at: now) }
        return true
      } catch {
        return false
      }
    }
  }
}

extension Engine {
  /// Carries out `operation` on the timer in `slot`. Only operations that take a length use
  /// `byUsec`.
  ///
  /// - Parameters:
  ///   - expiry: the number of the expiry that an answer from elsewhere is about. The answer does
  ///     nothing if that ring is over, or if a newer expiry has joined it. Nil: the newest.
  ///   - agoUsec: how long ago that answer was given.
  package func perform(
    _ operation: Operation, _ slot: Int, byUsec: Int64, expiry: Int64? = nil, agoUsec: Int64 = 0,
    at now: Moment
  ) throws(EngineError) {
    if isOutdated(expiry, slot) { return }
    switch operation {
    case .pause: try pause(slot, at: now)
    case .resume: try resume(slot, at: now)
    case .cancel: try cancel(slot, at: now)
    case .restart: try restart(slot, at: now)
    case .extend: try extend(slot, byUsec: byUsec, at: now)
    case .snooze: try snooze(slot, byUsec: byUsec, agoUsec: agoUsec, at: now)
    case .stop: try stop(slot, at: now)
    case .dismiss: try dismiss(slot, at: now)
    case .remove: try remove(slot, at: now)
    case .advance: try advance(slot, at: now)
    case .lap: try lap(slot, at: now)
    case .skip: try skip(slot, at: now)
    case .unskip: try unskip(slot, at: now)
    case .update: preconditionFailure("Update has parameters of its own")
    }
  }

  /// Whether an answer that was given elsewhere comes too late: the ring is over, or a newer expiry
  /// has joined it.
  package func isOutdated(_ expiry: Int64?, _ slot: Int) -> Bool {
    guard let expiry, table.isOccupied(slot) else { return false }
    return table[slot].ring.map { $0.number > expiry } ?? true
  }
}
