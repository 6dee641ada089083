package import NightjarModel

/// The moment that all code on the loop uses. It is read once per iteration. It is read again if
/// the daemon was stopped within the iteration, or asks whether the wall clock is synchronized.
package final class PassClock {
  package private(set) var now: Moment

  package init(now: Moment) {
    self.now = now
  }

  /// How long this iteration had taken at the last `look`, in microseconds.
  package private(set) var spentUsec: Int64 = 0

  /// How long the longest iteration has taken, in microseconds.
  package private(set) var longestUsec: Int64 = 0

  /// Called when the loop has read the clocks for a new iteration.
  package func begin(_ moment: Moment) {
    now = moment
    spentUsec = 0
  }

  /// Measures how long this iteration has taken. `now` stays at its beginning.
  package func look() {
    spentUsec = Clocks.monotonicUsec() - now.monotonicUsec
  }

  /// Called at the end of the iteration.
  package func end() {
    look()
    longestUsec = max(longestUsec, spentUsec)
  }

  /// Called when the clocks were read once more in this iteration.
  package func advance(to moment: Moment) { now = moment }

  /// Reads the clocks again because the process was stopped within this iteration.
  package func reread() -> Moment {
    now = Clocks.read()
    return now
  }
}
