internal import NightjarCore
internal import NightjarSystem

/// The moment by which everything on the loop goes: read once for each pass, and once more when the
/// daemon was stopped in the middle of one.
final class PassClock {
  private(set) var now: Moment

  init(now: Moment) {
    self.now = now
  }

  /// How long this pass had taken when somebody last looked, in microseconds.
  private(set) var spentUsec: Int64 = 0

  /// How long the longest pass has taken, in microseconds.
  private(set) var longestUsec: Int64 = 0

  /// The loop has read the clocks for a new pass.
  func begin(_ moment: Moment) {
    now = moment
    spentUsec = 0
  }

  /// Looks how long this pass has taken. By `now` it is still its beginning.
  func look() {
    spentUsec = Clocks.monotonicUsec() - now.monotonicUsec
  }

  /// The pass is over.
  func end() {
    look()
    longestUsec = max(longestUsec, spentUsec)
  }

  /// The clocks were read once more in this pass.
  func advance(to moment: Moment) { now = moment }

  /// Time has passed within this pass: the process was stopped.
  func reread() -> Moment {
    now = Clocks.read()
    return now
  }
}
