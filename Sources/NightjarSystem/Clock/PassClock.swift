package import NightjarModel

/// The moment by which everything on the loop goes: read once for each pass, and once more when the
/// daemon was stopped in the middle of one.
package final class PassClock {
  package private(set) var now: Moment

  package init(now: Moment) {
    self.now = now
  }

  /// How long this pass had taken when somebody last looked, in microseconds.
  package private(set) var spentUsec: Int64 = 0

  /// How long the longest pass has taken, in microseconds.
  package private(set) var longestUsec: Int64 = 0

  /// The loop has read the clocks for a new pass.
  package func begin(_ moment: Moment) {
    now = moment
    spentUsec = 0
  }

  /// Looks how long this pass has taken. By `now` it is still its beginning.
  package func look() {
    spentUsec = Clocks.monotonicUsec() - now.monotonicUsec
  }

  /// The pass is over.
  package func end() {
    look()
    longestUsec = max(longestUsec, spentUsec)
  }

  /// The clocks were read once more in this pass.
  package func advance(to moment: Moment) { now = moment }

  /// Time has passed within this pass: the process was stopped.
  package func reread() -> Moment {
    now = Clocks.read()
    return now
  }
}
