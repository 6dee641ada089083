/// What is read back is believed only if it could be true: that a checksum is right says no more than
/// that the disk gave back what it was given.
extension Engine {
  /// Times and counters read back are nearer to zero than this, in microseconds: 9,000 years. What a
  /// life adds to them stays below 2^60, where the packed forms end.
  static let credibleUsec: Int64 = 1 << 58

  /// Whether what is stored of a timer could be true.
  static func isCredible(_ record: TimerRecord) -> Bool {
    record.id > 0 && record.id <= record.lastSeq && isCredible(record.originalUsec)
      && isCredible(record.durationUsec) && isCredible(record.point) && isCredible(record.held)
      && isCredible(record.startedUsec) && isCredible(record.firedUsec)
  }

  private static func isCredible(_ usec: Int64) -> Bool { usec.magnitude < credibleUsec }

  /// Whether an event that was done again left what could be true. O(1); O(n) for the correction of a
  /// reboot, as that itself is.
  func isCredible(after event: Event) -> Bool {
    if let slot = event.subject?.slot {
      return !table.isOccupied(slot) || Self.isCredible(table[slot])
    }
    guard case .spanCorrected = event.kind else { return true }
    return (0..<table.slotEnd).allSatisfy { !table.isOccupied($0) || Self.isCredible(table[$0]) }
  }
}
