import NightjarModel

/// Bands: records when a timer enters one.
extension Engine {
  func enterBand(_ slot: Int, remainingUsec: Int64, at now: Moment) {
    let bands = table[slot].spec.bands
    let begun = table[slot].spec.band(remainingUsec: remainingUsec)
    record(
      .bandCrossed(
        begun: begun, begun > 0 ? bands[begun - 1] : nil, remainingUsec: remainingUsec),
      about: slot, at: now)
  }

  /// Records an event if the timer is no longer in the band that was last announced. This happens
  /// after a client adds or subtracts time, or after the clock is set back. O(bands).
  func recordBandChange(_ slot: Int, at now: Moment) {
    guard table[slot].state.isCounting, !isBandInDoubt(slot, at: now) else { return }
    let remaining = remainingUsec(slot, at: now)
    // If no time remains, the engine records the expiry instead.
    guard remaining > 0,
      table[slot].spec.band(remainingUsec: remaining) != table[slot].course.announcedBands
    else { return }
    enterBand(slot, remainingUsec: remaining, at: now)
  }

  /// Whether the next band of the timer in `slot` seems to have begun, but only by a wall clock
  /// that is not synchronised (see `WallClockState`). Such a timer waits for the clock.
  private func isBandInDoubt(_ slot: Int, at now: Moment) -> Bool {
    guard background.clockWaitEnd(at: now) != nil else { return false }
    if table[slot].phase.ranUpTo != nil { return true }
    guard case .running = table[slot].phase, let next = queueDeadline(slot) else { return false }
    return next <= background.timelines.reading(table[slot].clock, at: now)
      && certainFiring(slot, deadline: next, at: now) != nil
  }
}
