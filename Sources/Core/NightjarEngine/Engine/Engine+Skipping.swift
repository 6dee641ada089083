public import NightjarModel

/// Skipping of expiries at a client's request.
extension Engine {
  /// Makes a repeating timer skip its next expiry. The skipped expiry counts as one of the rounds.
  public func skip(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.skip, slot)
    record(.passedOver(try expiryToSkip(slot, at: now)), about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  func expiryToSkip(
    _ slot: Int, at now: Moment
  ) throws(EngineError) -> Event.SkippedExpiry {
    guard !isSnoozed(slot) else { throw .snoozed(.skip) }
    let (record, spec) = (table[slot], table.spec(slot))
    let position = Int64(table.detail(slot)?.position ?? 0)
    // Without its last expiry, the timer would never ring again. The user must cancel it instead.
    let last = EngineError.invalidTransition(record.state, .skip)
    guard spec.rounds == 0 || position + 1 < spec.rounds else { throw last }
    let skippedExpiry: Event.SkippedExpiry
    if let schedule = spec.schedule {
      let ahead = instantsPassedOver(slot, schedule).count { $0 > now.realtimeUsec }
      guard ahead < Limits.skips else { throw .tooManySkips(Limits.skips) }
      let deadline = record.deadline
      guard let next = nextInstant(slot, schedule, afterUsec: deadline) else { throw last }
      skippedExpiry = Event.SkippedExpiry(
        key: passedKey(schedule, deadline), usec: deadline, byUsec: next - deadline, deadline: next)
    } else {
      guard passedBefore(position, slot) < Limits.skips else { throw .tooManySkips(Limits.skips) }
      skippedExpiry = moved(slot, round: position, rounds: 1, at: now)
    }
    guard record.durationUsec <= Limits.durationUsec - skippedExpiry.byUsec else {
      throw .durationTooLong(Limits.durationUsec)
    }
    return skippedExpiry
  }

  /// Takes back the last `skip` whose expiry has not passed yet.
  public func unskip(_ slot: Int, at now: Moment) throws(EngineError) {
    try check(.unskip, slot)
    record(.reinstated(try expiryToReinstate(slot, at: now)), about: slot, at: now)
    recordBandChange(slot, at: now)
  }

  func expiryToReinstate(
    _ slot: Int, at now: Moment
  ) throws(EngineError) -> Event.SkippedExpiry {
    guard !isSnoozed(slot) else { throw .snoozed(.unskip) }
    let record = table[slot]
    let none = EngineError.invalidTransition(record.state, .unskip)
    let skippedExpiry: Event.SkippedExpiry
    if let schedule = table.spec(slot).schedule {
      let detail = table.detail(slot)
      let last = passedOver(slot, schedule, at: now).last { detail?.hasRung(at: $0) == false }
      guard let last else { throw none }
      let key = passedKey(schedule, last)
      skippedExpiry = Event.SkippedExpiry(
        key: table.passedOver(slot).contains(key) ? key : last, usec: last,
        byUsec: last - record.deadline, deadline: last)
    } else {
      let round = Int64(table.detail(slot)?.position ?? 0) - 1
      guard table.passedOver(slot).contains(round) else { throw none }
      skippedExpiry = moved(slot, round: round, rounds: -1, at: now)
      let reading = background.timelines.reading(record.timeline, at: now)
      guard skippedExpiry.deadline > (record.state == .paused ? 0 : reading) else { throw none }
    }
    return skippedExpiry
  }

  /// Moves the next expiry of a countdown by one round, forwards or back.
  private func moved(
    _ slot: Int, round: Int64, rounds: Int64, at now: Moment
  ) -> Event.SkippedExpiry {
    let record = table[slot]
    let byUsec = rounds * record.originalUsec
    guard record.state == .running else {
      return Event.SkippedExpiry(
        key: round, usec: 0, byUsec: byUsec, deadline: record.remainingOrLateUsec + byUsec)
    }
    let left = record.deadline - background.timelines.reading(record.timeline, at: now)
    return Event.SkippedExpiry(
      key: round, usec: now.realtimeUsec + left + min(0, byUsec), byUsec: byUsec,
      deadline: record.deadline + byUsec)
  }

  /// The number of skipped rounds of a countdown directly before the round at `position`.
  func passedBefore(_ position: Int64, _ slot: Int) -> Int64 {
    let passed = table.passedOver(slot)
    guard !passed.isEmpty else { return 0 }
    var first = position
    while passed.contains(first - 1) { first -= 1 }
    return position - first
  }

  /// The times on CLOCK_REALTIME of the skipped expiries that have not passed yet, in order.
  /// O(skipped expiries).
  public func passedOver(_ slot: Int, at now: Moment) -> [Int64] {
    let passed = table.passedOver(slot)
    guard !passed.isEmpty, table[slot].state.isCounting else { return [] }
    let record = table[slot]
    if let schedule = table.spec(slot).schedule { return passedOver(slot, schedule, at: now) }
    guard record.state == .running, !isSnoozed(slot), let detail = table.detail(slot) else {
      return []
    }
    let left = record.deadline - background.timelines.reading(record.timeline, at: now)
    let count = passedBefore(Int64(detail.position), slot)
    return (0..<count).map { left - (count - $0) * record.originalUsec }.filter { $0 > 0 }
      .map { now.realtimeUsec + $0 }
  }

  /// The skipped expiries of the timer in `slot`, as they are stored (`Event.SkippedExpiry.key`).
  public func passedOver(at slot: Int) -> [Int64] { table.passedOver(slot) }
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
    table.passedOver(slot).compactMap { key in
      key < Self.wallKeys / 2 ? key : calendar.usec(schedule, atWall: key - Self.wallKeys)
    }
  }

  /// The skipped instants of an alarm that its present calendar has, that are not past, and that
  /// are before the next ring, in order.
  private func passedOver(_ slot: Int, _ schedule: Schedule, at now: Moment) -> [Int64] {
    let deadline = table[slot].deadline
    return instantsPassedOver(slot, schedule).filter {
      $0 > now.realtimeUsec && $0 < deadline && calendar.next(schedule, afterUsec: $0 - 1) == $0
    }.sorted()
  }
}
