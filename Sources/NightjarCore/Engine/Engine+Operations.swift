/// What can be asked of the timers. Each call is done or refused with a typed error, in every
/// state.
extension Engine {
  /// The slot of the timer with this name. O(1) expected.
  @inline(__always)
  public func slot(named name: UnsafeRawBufferPointer) -> Int? { table.slot(named: name) }

  /// The slot of the timer with this name, or `timerNotFound`.
  public func require(_ name: String) throws(EngineError) -> Int {
    guard let slot = table.slot(named: name) else { throw .timerNotFound }
    return slot
  }

  /// Whether there is a timer in `slot`.
  public func isOccupied(_ slot: Int) -> Bool { table.isOccupied(slot) }

  /// Starts a countdown. Its name has been checked. With `replace`, a timer of that name gives way
  /// in whatever state; with `ifAbsent`, one that runs or is paused is left as it is and answered
  /// with. One that `wakes` is also among the `alarms`.
  ///
  /// - Returns: the slot, and whether a timer was started.
  public func start(
    _ name: String, durationUsec: Int64, clock: Timeline, attachments: Attachments = Attachments(),
    wakes: Bool = false, replace: Bool = false, ifAbsent: Bool = false, at now: Moment
  ) throws(EngineError) -> (slot: Int, created: Bool) {
    try check(durationUsec: durationUsec)
    let existing = table.slot(named: name)
    if let existing, !replace, table[existing].state?.isActive == true {
      if ifAbsent { return (existing, false) }
      throw .timerExists
    }
    guard existing != nil || table.count < maximumTimers else {
      throw .tooManyTimers(maximumTimers)
    }
    let slot = existing ?? table.nextSlot
    let subject = Event.Subject(
      slot: slot, id: lastSeq + 1, name: name, previous: existing.map { table[$0].lastSeq } ?? 0)
    let deadline = background.timelines.reading(clock, at: now) + durationUsec
    record(
      .started(
        clock: clock, durationUsec: durationUsec, deadline: deadline, attachments: attachments,
        wakes: wakes),
      subject: subject, at: now)
    return (slot, true)
  }

  /// A short name that no timer has, of the lowest round of names that was not full when last seen
  /// so. O(names in a round), amortised.
  public func unusedName() -> String {
    // Names come free again while others run; then they are given again from the first round on.
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

  /// Keeps what remains of a running timer.
  public func pause(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.pause, slot)
    record(.paused(remainingUsec: remainingUsec(slot, at: now)), about: slot, at: now)
  }

  /// Goes on with what remained of a paused timer.
  public func resume(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.resume, slot)
    let reading = background.timelines.reading(table[slot].timeline, at: now)
    record(.resumed(deadline: reading + table[slot].held), about: slot, at: now)
  }

  /// Calls a running or a paused timer off.
  public func cancel(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.cancel, slot)
    record(
      .cancelled(
        atElapsed: background.timelines.reading(.elapsed, at: now),
        remainingUsec: remainingUsec(slot, at: now)),
      about: slot, at: now)
  }

  /// Begins again with the duration it was started with, in any state, on its own clock.
  public func restart(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.restart, slot)
    let record = table[slot]
    let deadline = background.timelines.reading(record.clock, at: now) + record.originalUsec
    self.record(.restarted(deadline: deadline), about: slot, at: now)
  }

  /// Adds to what remains, or takes from it; what is shortened past its end is due now.
  public func extend(_ slot: Int, byUsec: Int64, at now: Moment) throws(EngineError) {
    try check(.extend, slot)
    let record = table[slot]
    let remaining = remainingUsec(slot, at: now)
    let (wanted, overflow) = remaining.addingReportingOverflow(byUsec)
    let by = max(0, wanted) - remaining
    guard !overflow, record.durationUsec <= Engine.maximumDurationUsec - by else {
      throw .durationTooLong(Engine.maximumDurationUsec)
    }
    let reading = background.timelines.reading(record.timeline, at: now)
    let point = max(0, wanted) + (record.state == .running ? reading : 0)
    self.record(.extended(byUsec: by, point: point), about: slot, at: now)
  }

  /// Lets a timer that fired ring again, `byUsec` from now, on `elapsed`.
  public func snooze(_ slot: Int, byUsec: Int64, at now: Moment) throws(EngineError) {
    try check(.snooze, slot)
    try check(durationUsec: byUsec)
    let deadline = background.timelines.reading(.elapsed, at: now) + byUsec
    record(.snoozed(byUsec: byUsec, deadline: deadline), about: slot, at: now)
  }

  /// Puts a timer that fired away.
  public func dismiss(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.dismiss, slot)
    record(.dismissed, about: slot, at: now)
  }

  /// Puts a timer away, in any state.
  public func remove(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.remove, slot)
    record(.removed, about: slot, at: now)
  }

  /// Replaces the labels, the data, or both; what is nil stays.
  public func update(
    _ slot: Int, labels: [Label]?, data: [UInt8]?, at now: Moment
  ) throws(EngineError) {
    try check(.update, slot)
    var attachments = table.attachments(slot) ?? Attachments()
    if let labels { attachments.labels = labels }
    if let data { attachments.data = data }
    record(.updated(attachments), about: slot, at: now)
  }

  private func check(_ operation: Operation, _ slot: Int) throws(EngineError) {
    guard let state = table[slot].state else { throw .timerNotFound }
    guard operation.isLegal(in: state) else { throw .invalidTransition(state, operation) }
  }

  private func check(durationUsec: Int64) throws(EngineError) {
    guard durationUsec > 0 else { throw .durationNotPositive(durationUsec) }
    guard durationUsec <= Engine.maximumDurationUsec else {
      throw .durationTooLong(Engine.maximumDurationUsec)
    }
  }
}

extension TimerState {
  /// Running or paused: there is still something to come.
  public var isActive: Bool { self == .running || self == .paused }
}
