import NightjarModel

/// Checks of values that were read from disk. A correct checksum proves only that the disk returned
/// the written bytes. It does not prove that the values are possible.
extension Engine {
  /// Times and counters from disk must be nearer to zero than this, in microseconds: 9,000 years.
  /// So their sums with later times stay below 2^60, the limit for numbers in the packed forms on
  /// disk.
  static let credibleUsec: Int64 = 1 << 58

  /// Whether the timers are possible after an event was replayed. O(1) for an event about a timer;
  /// O(timers) for the correction of a reboot, which changes all of them.
  func isCredible(after event: Event) -> Bool {
    if let slot = event.subject?.slot { return !table.isOccupied(slot) || isCredible(slot) }
    guard case .spanCorrected = event.kind else { return true }
    return (0..<table.slotEnd).allSatisfy { !table.isOccupied($0) || isCredible($0) }
  }

  /// Whether the values of the timer in `slot` are possible.
  func isCredible(_ slot: Int) -> Bool { isCredible(slot, table.specBeyondCountdown(slot)) }

  /// Like `isCredible(_:)`, for a caller that has the specification.
  func isCredible(_ slot: Int, _ spec: SharedSpec?) -> Bool {
    let record = table[slot]
    let isRecord =
      record.id > 0 && record.id <= record.lastSeq && Self.isCredible(record.originalUsec)
      && Self.isCredible(record.durationUsec) && Self.isCredible(record.deadline)
      && Self.isCredible(record.remainingOrLateUsec) && Self.isCredible(record.startedUsec)
      && Self.isCredible(record.firedUsec)
    guard isRecord, let detail = table.detail(slot) else { return isRecord }
    let laps = table.laps(slot)
    return Self.isCredible(detail.mark) && Self.isCredible(detail.rangAtElapsed)
      && laps.count <= Limits.laps && laps.allSatisfy(Self.isCredible)
      && table.passedOver(slot).allSatisfy(Self.isCredible)
      && isCredible(record, at: Int64(detail.position), of: spec ?? .plain)
  }

  /// Whether a timer with this specification can have these values.
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
