public import NightjarModel

/// Rings that no user answers. The caller that plays them reports it: the engine does not know how long a ring
/// lasts.
extension Engine {
  /// Records that the ring of the timer in `slot` ended, and that nobody answered it. O(log n).
  ///
  /// - Parameter firedUsec: `TimerRecord.firedUsec` of the expiry that was rung for.
  /// - Returns: whether it was recorded: not in the background, and not for a ring that has ended, was
  ///   answered, or is over because the timer expired again.
  public func recordUnanswered(_ slot: Int, firedUsec: Int64, at now: Moment) -> Bool {
    recordTurn(of: slot, firedUsec: firedUsec, isOver: false, at: now)
  }

  /// Records that the timer in `slot` rings again for the same expiry, because nobody answered. O(log n).
  ///
  /// - Returns: whether it was recorded, as for `recordUnanswered`, of which it is the counterpart.
  public func recordRangAgain(_ slot: Int, firedUsec: Int64, at now: Moment) -> Bool {
    recordTurn(of: slot, firedUsec: firedUsec, isOver: true, at: now)
  }

  private func recordTurn(
    of slot: Int, firedUsec: Int64, isOver: Bool, at now: Moment
  ) -> Bool {
    guard !isInBackground, table.isOccupied(slot) else { return false }
    let record = table[slot]
    guard record.isRinging, record.firedUsec == firedUsec, record.isRingOver == isOver,
      record.ringNumber < Limits.ringsOfExpiry || !isOver
    else { return false }
    let kind: Event.Kind =
      isOver
      ? .rangAgain(number: record.ringNumber + 1) : .unanswered(number: record.ringNumber)
    self.record(kind, about: slot, at: now)
    return true
  }
}

extension TimerRecord {
  /// It rang, and nobody has said yet that they heard. Also of one that expired without a ring.
  public var isRinging: Bool { firedUsec != 0 && state != .cancelled && state != .paused }

  /// The number of its last ring for the present expiry, from 1.
  public var ringNumber: Int64 { Int64(ringTurn / 2) + 1 }

  /// Whether that ring has ended, and nobody answered it.
  public var isRingOver: Bool { ringTurn % 2 == 1 }
}
