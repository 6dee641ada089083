package import NightjarModel

/// The moment that all code on the loop uses. The clocks are read once per iteration. They are read
/// again if the daemon was stopped within the iteration, or if it asks whether the wall clock is
/// synchronized.
package final class LoopClock {
  package private(set) var now: Moment

  package init(now: Moment) {
    self.now = now
  }

  /// How long the current iteration had taken at the last call of `look`, in microseconds.
  package private(set) var spentUsec: Int64 = 0

  /// How long the longest iteration has taken, in microseconds.
  package private(set) var longestUsec: Int64 = 0

  /// Begins an iteration. `moment` is the loop's reading of the clocks.
  package func begin(_ moment: Moment) {
    now = moment
    spentUsec = 0
  }

  /// Measures how long the current iteration has taken. `now` stays the moment at which the
  /// iteration began.
  package func measure() {
    spentUsec = Clocks.monotonicUsec() - now.monotonicUsec
  }

  package func end() {
    measure()
    longestUsec = max(longestUsec, spentUsec)
  }

  /// Replaces `now`, because the clocks were read once more in this iteration.
  package func advance(to moment: Moment) { now = moment }

  /// Reads the clocks again because the process was stopped within this iteration.
  package func reread() -> Moment {
    now = Clocks.read()
    return now
  }
}
