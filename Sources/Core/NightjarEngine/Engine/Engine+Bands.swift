import NightjarModel

/// Bands: records when a timer enters one.
extension Engine {
  func enterBand(_ slot: Int, remainingUsec: Int64, at now: Moment) {
    let bands = table.spec(slot).bands
    let begun = table.spec(slot).band(remainingUsec: remainingUsec)
    record(
      .bandCrossed(
        begun: begun, begun > 0 ? bands[begun - 1] : nil, remainingUsec: remainingUsec),
      about: slot, at: now)
  }

  /// Records an event if the timer is no longer in the band that was last announced. This happens
  /// after a client adds or subtracts time, or after the clock is set back. O(bands).
  func recordBandChange(_ slot: Int, at now: Moment) {
    guard let detail = table.detail(slot), table[slot].state.isCounting else { return }
    guard !isBandInDoubt(slot, at: now) else { return }
    let remaining = remainingUsec(slot, at: now)
    // If no time remains, the engine records the expiry instead.
    guard remaining > 0, table.spec(slot).band(remainingUsec: remaining) != Int(detail.band)
    else { return }
    enterBand(slot, remainingUsec: remaining, at: now)
  }

  /// Whether the next band of the timer in `slot` seems to have begun, but only by a wall clock
  /// that is not synchronised (see `WallClockState`). Such a timer waits for the clock.
  private func isBandInDoubt(_ slot: Int, at now: Moment) -> Bool {
    let record = table[slot]
    guard background.clockWaitEnd(at: now) != nil else { return false }
    if record.state == .paused, !keepsDeadlineWhilePaused(slot), record.deadline != 0 {
      return true
    }
    guard record.state == .running else { return false }
    let next = queueDeadline(slot)
    return next <= background.timelines.reading(record.timeline, at: now)
      && certainFiring(slot, deadline: next, on: record.timeline, at: now) != nil
  }
}
