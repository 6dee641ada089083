public import NightjarModel

/// Rings that no user has answered. The caller plays the ring and reports its end, because the
/// engine does not know how long a ring lasts.
extension Engine {
  /// Records that the ring of the timer in `slot` ended without an answer. O(log n).
  ///
  /// - Parameter firedUsec: `LastRing.firedUsec` of the expiry for which the timer rang.
  /// - Returns: whether the event was recorded. Nothing is recorded in the background, or if the
  ///   ring has ended, was answered, or belongs to an earlier expiry.
  public func recordUnanswered(_ slot: Int, firedUsec: Int64, at now: Moment) -> Bool {
    recordRingPhase(of: slot, firedUsec: firedUsec, isOver: false, at: now)
  }

  /// Records that the timer in `slot` rings again for the same expiry, because the user did not
  /// answer. O(log n).
  ///
  /// - Returns: whether the event was recorded. The conditions are those of `recordUnanswered`,
  ///   except that the last ring must have ended.
  public func recordRangAgain(_ slot: Int, firedUsec: Int64, at now: Moment) -> Bool {
    recordRingPhase(of: slot, firedUsec: firedUsec, isOver: true, at: now)
  }

  private func recordRingPhase(
    of slot: Int, firedUsec: Int64, isOver: Bool, at now: Moment
  ) -> Bool {
    guard !isInBackground, table.isOccupied(slot), let ring = table[slot].lastRing,
      ring.firedUsec == firedUsec, ring.hasEnded == isOver,
      ring.number < Limits.ringsOfExpiry || !isOver
    else { return false }
    record(
      isOver ? .rangAgain(number: ring.number + 1) : .unanswered(number: ring.number),
      about: slot, at: now)
    return true
  }
}
