public import NightjarModel

/// Rings that no user has answered. The caller plays the ring and reports its end, because the
/// engine does not know how long a ring lasts.
extension Engine {
  /// Records that the ring of the timer in `slot` ended without an answer. O(log n).
  ///
  /// - Parameter firedUsec: `TimerRecord.firedUsec` of the expiry for which the timer rang.
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
  /// Whether the timer expired and no user has answered yet. Also true if the timer expired without
  /// a ring.
  public var isRinging: Bool { firedUsec != 0 && state != .cancelled && state != .paused }

  /// The state by which timers are listed and counted: one that continues is fired while it rings.
  package var shownState: TimerState {
    state == .running && isRinging && !isRingOver ? .fired : state
  }

  /// The number of the last ring for the present expiry, from 1.
  public var ringNumber: Int64 { Int64(ringPhase / 2) + 1 }

  /// Whether the last ring ended without an answer.
  public var isRingOver: Bool { ringPhase % 2 == 1 }
}
