import Glibc

/// A service is away, until it answers again: that it takes a connection is not enough, as one that
/// is going away takes one or two, and one that fails may take any number.
package struct Absence {
  /// When to look for it no more.
  let giveUp: Deadline
  /// When to look for it again, and how long the pause behind that will be.
  private(set) var nextTry = Deadline.after(usec: 0)
  private var pauseMsec: Int64 = 0

  /// It is away from now on.
  ///
  /// - Parameter isBounded: whether to look for it for a minute only.
  package init(isBounded: Bool) {
    giveUp = isBounded ? .after(usec: StreamPosition.longestAbsenceUsec) : .never
  }

  /// Waits until it is time for another look: at once, then after 20 ms, and twice as long each
  /// time, up to half a second.
  ///
  /// - Returns: whether it is; false: the deadline has passed first, or it is to be given up.
  package mutating func pause(until deadline: Deadline = .never) -> Bool {
    let bound = Deadline.earlier(giveUp, deadline)
    while !nextTry.hasPassed {
      if bound.hasPassed { return false }
      poll(nil, 0, Deadline.earlier(nextTry, bound).pollMsec)
    }
    pauseMsec = StreamPosition.pause(behind: pauseMsec)
    nextTry = .after(usec: pauseMsec * 1_000)
    return true
  }
}
