import Glibc

/// The time in which a service cannot be reached. It ends when the service answers. An accepted
/// connection is not enough: a service that is stopping may still accept one or two connections,
/// and a failing service any number.
package struct Absence {
  /// When to give up.
  let giveUp: Deadline
  /// When to try again.
  private(set) var nextTry = Deadline.after(usec: 0)
  /// The pause that ends at `nextTry`.
  private var pauseMsec: Int64 = 0

  /// Begins an absence.
  ///
  /// - Parameter isBounded: whether to give up after a minute.
  package init(isBounded: Bool) {
    giveUp = isBounded ? .after(usec: StreamPosition.longestAbsenceUsec) : .never
  }

  /// Waits until the next attempt is due. The first attempt is due at once, the second after 20 ms.
  /// Each further pause is twice as long as the one before, up to half a second.
  ///
  /// - Returns: false if the deadline passed first, or if it is time to give up.
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
