import NightjarCore

/// What people can ask, as the manual has it: done, or refused.
extension LiteralModel {
  private static let longestUsec: Int64 = 100 * 31_557_600 * 1_000_000

  /// Starts a countdown; nil if that was done, or was not needed.
  func start(
    _ name: String, durationUsec: Int64, clock: Timeline, data: [UInt8], replace: Bool,
    ifAbsent: Bool
  ) -> EngineError? {
    if let refused = refusal(durationUsec) { return refused }
    let existing = world.timers.index(name)
    if let existing, world.timers.all[existing].isActive, !replace {
      return ifAbsent ? nil : .timerExists
    }
    if existing == nil, world.timers.all.count == maximumTimers {
      return .tooManyTimers(maximumTimers)
    }
    let timer = LiteralTimer(
      name: name, id: world.lastSeq + 1, clock: clock, timeline: clock, originalUsec: durationUsec,
      durationUsec: durationUsec, remainingUsec: durationUsec + held(clock),
      setSeq: world.lastSeq + 1, startedUsec: clocks.wallUsec, data: data)
    recordRequest(
      "started", of: timer, [Int64(clock.rawValue), durationUsec, Int64(data.count)])
    if let existing {
      world.timers.all[existing] = timer
    } else {
      world.timers.all.append(timer)
    }
    return nil
  }

  /// Asks for anything else; nil if it was done.
  func perform(_ operation: Operation, _ name: String, byUsec: Int64) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    let refused = EngineError.invalidTransition(timer.state, operation)
    let remaining = world.timers.visibleRemaining(timer)
    switch operation {
    case .pause:
      guard timer.state == .running else { return refused }
      recordRequest("paused", of: timer, [remaining])
      world.timers.all[index].state = .paused
      world.timers.all[index].remainingUsec = remaining
      world.timers.all[index].forgetBlame()
    case .resume:
      guard timer.state == .paused else { return refused }
      recordRequest("resumed", of: timer)
      run(index, timer.remainingUsec, on: timer.timeline)
    case .cancel:
      guard timer.isActive else { return refused }
      recordRequest("cancelled", of: timer, [remaining])
      cancel(index, remaining)
    case .restart:
      recordRequest("restarted", of: timer)
      begin(index, timer.originalUsec, on: timer.clock)
    case .extend:
      guard timer.isActive else { return refused }
      return extend(index, by: byUsec)
    case .snooze:
      guard timer.state == .fired else { return refused }
      if let refused = refusal(byUsec) { return refused }
      recordRequest("snoozed", of: timer, [byUsec])
      begin(index, byUsec, on: .elapsed)
    case .dismiss:
      guard timer.state == .fired else { return refused }
      recordRequest("dismissed", of: timer)
      world.timers.all.remove(at: index)
    case .remove:
      recordRequest("removed", of: timer)
      world.timers.all.remove(at: index)
    case .update:
      world.timers.all[index].data = Self.data(byUsec)
      recordRequest("updated", of: timer, [Int64(Self.data(byUsec).count)])
    }
    return nil
  }

  /// The data that an update of the scenario brings.
  static func data(_ byUsec: Int64) -> [UInt8] {
    Array(repeating: UInt8(ascii: "x"), count: Int(byUsec.magnitude % 5))
  }

  private func refusal(_ durationUsec: Int64) -> EngineError? {
    if durationUsec <= 0 { return .durationNotPositive(durationUsec) }
    return durationUsec > Self.longestUsec ? .durationTooLong(Self.longestUsec) : nil
  }

  /// What will be subtracted on the way out, though it passed before.
  private func held(_ timeline: Timeline) -> Int64 { world.timers.heldBack?[timeline] ?? 0 }

  private func run(_ index: Int, _ remainingUsec: Int64, on timeline: Timeline) {
    world.timers.all[index].state = .running
    world.timers.all[index].timeline = timeline
    world.timers.all[index].remainingUsec = remainingUsec + held(timeline)
    world.timers.all[index].setSeq = world.lastSeq
    world.timers.all[index].isSetSinceReboot = true
    world.timers.all[index].forgetBlame()
  }

  private func begin(_ index: Int, _ durationUsec: Int64, on timeline: Timeline) {
    run(index, durationUsec, on: timeline)
    world.timers.all[index].durationUsec = durationUsec
    world.timers.all[index].startedUsec = clocks.wallUsec
    world.timers.all[index].firedUsec = 0
    world.timers.all[index].lateUsec = 0
    world.timers.all[index].lateCause = nil
  }

  private func cancel(_ index: Int, _ remainingUsec: Int64) {
    world.timers.all[index].state = .cancelled
    world.timers.all[index].remainingUsec = remainingUsec
    world.timers.all[index].sinceEndUsec = -held(.elapsed)
    world.timers.all[index].isSetSinceReboot = true
    world.timers.all[index].setSeq = world.lastSeq
    world.timers.all[index].forgetBlame()
  }

  private func extend(_ index: Int, by byUsec: Int64) -> EngineError? {
    let timer = world.timers.all[index]
    let remaining = world.timers.visibleRemaining(timer)
    // No more can be taken than is there.
    let by = max(byUsec, -remaining)
    if by > Self.longestUsec || timer.durationUsec + by > Self.longestUsec {
      return .durationTooLong(Self.longestUsec)
    }
    recordRequest("extended", of: timer, [by])
    world.timers.all[index].durationUsec += by
    if timer.state == .paused {
      world.timers.all[index].remainingUsec = remaining + by
    } else {
      run(index, remaining + by, on: timer.timeline)
      // What it is counted from stays.
      world.timers.all[index].isSetSinceReboot = timer.isSetSinceReboot
    }
    return nil
  }
}
