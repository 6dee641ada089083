internal import NightjarCore
internal import NightjarSystem

/// The moment by which everything on the loop goes: read once for each pass, and once more when the
/// daemon was stopped in the middle of one.
final class PassClock {
  private(set) var now: Moment

  init(now: Moment) {
    self.now = now
  }

  /// The loop has read the clocks for a new pass.
  func begin(_ moment: Moment) {
    now = moment
  }

  /// Time has passed within this pass: the process was stopped.
  func reread() -> Moment {
    now = Clocks.read()
    return now
  }
}
