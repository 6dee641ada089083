import Glibc

/// The absence of a service, which lasts until the service answers. A connection alone is not
/// enough: a service that is stopping accepts one or two, and a failing one may accept any number.
package struct Absence {
  /// When to give up.
  let giveUp: Deadline
  /// When to try again. The pause after that is `pauseMsec` long.
  private(set) var nextTry = Deadline.after(usec: 0)
  private var pauseMsec: Int64 = 0

  /// Begins an absence.
  ///
  /// - Parameter isBounded: whether to give up after a minute.
  package init(isBounded: Bool) {
    giveUp = isBounded ? .after(usec: StreamPosition.longestAbsenceUsec) : .never
  }

  /// Waits until the next attempt is due: at once, then after 20 ms, and twice as long each time,
  /// up to half a second.
  ///
  /// - Returns: false if the deadline has passed first, or if it is time to give up.
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
