public import NightjarModel

/// Skipping of expiries at a client's request.
extension Engine {
  /// Makes a repeating timer skip its next expiry. The skipped expiry counts as one of the rounds.
  public func skip(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.skip, slot)
    let skipped = try expiryToSkip(slot, at: now)
    record(.skipped(skipped, expiry: table[slot].expiries.lastNumber + 1), about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  func expiryToSkip(
    _ slot: Int, at now: Moment
  ) throws(EngineError) -> Event.SkippedExpiry {
    let timer = table[slot]
    let (spec, position) = (timer.spec, timer.course.position)
    // Without its last expiry, the timer would never ring again. The user must cancel it instead.
    let last = EngineError.invalidTransition(timer.state, .skip)
    guard spec.rounds == 0 || position + 1 < spec.rounds else { throw last }
    let skippedExpiry: Event.SkippedExpiry
    if let schedule = spec.schedule {
      let ahead = instantsPassedOver(slot, schedule).count { $0 > now.realtimeUsec }
      guard ahead < Limits.skips else { throw .tooManySkips(Limits.skips) }
      guard let deadline = timer.phase.deadline,
        let next = nextInstant(slot, schedule, afterUsec: deadline)
      else { throw last }
      skippedExpiry = Event.SkippedExpiry(
        key: passedKey(schedule, deadline), usec: deadline, byUsec: next - deadline, deadline: next)
    } else {
      guard passedBefore(position, slot) < Limits.skips else { throw .tooManySkips(Limits.skips) }
      skippedExpiry = moved(slot, round: position, rounds: 1, at: now)
    }
    guard timer.runLengthUsec <= Limits.durationUsec - skippedExpiry.byUsec else {
      throw .durationTooLong(Limits.durationUsec)
    }
    return skippedExpiry
  }

  /// Takes back the last `skip` whose expiry has not passed yet.
  public func unskip(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.unskip, slot)
    record(.unskipped(try expiryToReinstate(slot, at: now)), about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  func expiryToReinstate(
    _ slot: Int, at now: Moment
  ) throws(EngineError) -> Event.SkippedExpiry {
    let timer = table[slot]
    let none = EngineError.invalidTransition(timer.state, .unskip)
    let skippedExpiry: Event.SkippedExpiry
    if let schedule = timer.spec.schedule {
      let last = passedOver(slot, schedule, at: now).last {
        timer.course.rangFor?.contains($0) != true
      }
      guard let last, let deadline = timer.phase.deadline else { throw none }
      let key = passedKey(schedule, last)
      skippedExpiry = Event.SkippedExpiry(
        key: timer.passedOver.contains(key) ? key : last, usec: last, byUsec: last - deadline,
        deadline: last)
    } else {
      let round = timer.course.position - 1
      guard timer.passedOver.contains(round) else { throw none }
      skippedExpiry = moved(slot, round: round, rounds: -1, at: now)
      let reading = background.timelines.reading(timer.clock, at: now)
      guard skippedExpiry.deadline > (timer.state == .paused ? 0 : reading) else { throw none }
    }
    return skippedExpiry
  }

  /// Moves the next expiry of a countdown by one round, forwards or back.
  private func moved(
    _ slot: Int, round: Int64, rounds: Int64, at now: Moment
  ) -> Event.SkippedExpiry {
    let byUsec = rounds * table[slot].fullLengthUsec
    if case .paused(let remaining, _) = table[slot].phase {
      return Event.SkippedExpiry(
        key: round, usec: 0, byUsec: byUsec, deadline: remaining + byUsec)
    }
    let deadline = deadline(slot)
    let left = deadline - background.timelines.reading(table[slot].clock, at: now)
    return Event.SkippedExpiry(
      key: round, usec: now.realtimeUsec + left + min(0, byUsec), byUsec: byUsec,
      deadline: deadline + byUsec)
  }

  /// The number of skipped rounds of a countdown directly before the round at `position`.
  func passedBefore(_ position: Int64, _ slot: Int) -> Int64 {
    let passed = table[slot].passedOver
    guard !passed.isEmpty else { return 0 }
    var first = position
    while passed.contains(first - 1) { first -= 1 }
    return position - first
  }

  /// The times on CLOCK_REALTIME of the skipped expiries that have not passed yet, in order.
  /// O(skipped expiries).
  public func passedOver(_ slot: Int, at now: Moment) -> [Int64] {
    let timer = table[slot]
    guard !timer.passedOver.isEmpty, timer.state.isCounting else { return [] }
    if let schedule = timer.spec.schedule { return passedOver(slot, schedule, at: now) }
    guard case .running(let deadline) = timer.phase else { return [] }
    let left = deadline - background.timelines.reading(timer.clock, at: now)
    let count = passedBefore(timer.course.position, slot)
    return (0..<count).map { left - (count - $0) * timer.fullLengthUsec }.filter { $0 > 0 }
      .map { now.realtimeUsec + $0 }
  }
}

/// The skipped instants of an alarm.
///
/// These instants are stored as local date and time. If the zone changes, the calendar has other
/// instants, but the same local times stay skipped.
extension Engine {
  /// This value is added to a stored local time, to distinguish it from an instant. Older versions
  /// of the daemon stored the instants themselves, which are below 2^54.
  private static let wallKeys: Int64 = 1 << 57

  /// The stored key of a skipped instant.
  private func passedKey(_ schedule: Schedule, _ usec: Int64) -> Int64 {
    Self.wallKeys + calendar.wall(schedule, atUsec: usec)
  }

  /// Whether the alarm skips an instant.
  func isPassedOver(_ usec: Int64, _ schedule: Schedule, in passed: [Int64]) -> Bool {
    guard !passed.isEmpty else { return false }
    return passed.contains(usec) || passed.contains(passedKey(schedule, usec))
  }

  /// The skipped instants of an alarm, including those that its present calendar no longer has.
  private func instantsPassedOver(_ slot: Int, _ schedule: Schedule) -> [Int64] {
    table[slot].passedOver.compactMap { key in
      key < Self.wallKeys / 2 ? key : calendar.usec(schedule, atWall: key - Self.wallKeys)
    }
  }

  /// The skipped instants of an alarm that its present calendar has, that are not past, and that
  /// are before the next ring, in order.
  private func passedOver(_ slot: Int, _ schedule: Schedule, at now: Moment) -> [Int64] {
    let deadline = deadline(slot)
    return instantsPassedOver(slot, schedule).filter {
      $0 > now.realtimeUsec && $0 < deadline && calendar.next(schedule, afterUsec: $0 - 1) == $0
    }.sorted()
  }
}
