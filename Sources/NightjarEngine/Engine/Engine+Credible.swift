import NightjarModel

/// What is read back is believed only if it could be true: that a checksum is right says no more than
/// that the disk gave back what it was given.
extension Engine {
  /// Times and counters read back are nearer to zero than this, in microseconds: 9,000 years. What a
  /// life adds to them stays below 2^60, where the packed forms end.
  static let credibleUsec: Int64 = 1 << 58

  /// Whether an event that was done again left what could be true. O(1) for an event about a timer;
  /// O(timers) for the correction of a reboot, as that itself is.
  func isCredible(after event: Event) -> Bool {
    if let slot = event.subject?.slot { return !table.isOccupied(slot) || isCredible(slot) }
    guard case .spanCorrected = event.kind else { return true }
    return (0..<table.slotEnd).allSatisfy { !table.isOccupied($0) || isCredible($0) }
  }

  /// Whether what is there of the timer in `slot` could be true.
  func isCredible(_ slot: Int) -> Bool { isCredible(slot, table.specBeyondCountdown(slot)) }

  /// The same for a timer whose specification is at hand.
  func isCredible(_ slot: Int, _ spec: SharedSpec?) -> Bool {
    let record = table[slot]
    let isRecord =
      record.id > 0 && record.id <= record.lastSeq && Self.isCredible(record.originalUsec)
      && Self.isCredible(record.durationUsec) && Self.isCredible(record.point)
      && Self.isCredible(record.held) && Self.isCredible(record.startedUsec)
      && Self.isCredible(record.firedUsec)
    guard isRecord, let detail = table.detail(slot) else { return isRecord }
    let laps = table.laps(slot)
    return Self.isCredible(detail.mark) && Self.isCredible(detail.rangAtElapsed)
      && laps.count <= Limits.laps && laps.allSatisfy(Self.isCredible)
      && table.passedOver(slot).allSatisfy(Self.isCredible)
      && isCredible(record, at: Int64(detail.position), of: spec ?? .plain)
  }

  /// Whether a timer with this specification could have come to be so.
  private func isCredible(_ record: TimerRecord, at position: Int64, of spec: SharedSpec) -> Bool {
    switch spec.kind {
    case .countdown: !spec.repeats || record.originalUsec >= Limits.shortestRoundUsec
    case .alarm: record.clock == .wall
    case .stopwatch: record.clock != .wall
    case .sequence: spec.rounds == 0 || spec.round(at: position) < spec.rounds
    }
  }

  private static func isCredible(_ usec: Int64) -> Bool { usec.magnitude < credibleUsec }
}
