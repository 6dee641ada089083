import Glibc

/// The time in which a service cannot be reached. It ends when the service answers. It does not end
/// when a connection is accepted: a service that is stopping may still accept a connection, and a
/// service that fails may accept any number.
package struct RetrySchedule {
  /// When the caller stops trying.
  let giveUp: Deadline
  /// When the caller tries to connect again.
  private(set) var nextTry = Deadline.after(usec: 0)
  /// The length of the pause that ends at `nextTry`, in milliseconds.
  private var pauseMsec: Int64 = 0

  /// Begins an absence.
  ///
  /// - Parameter isBounded: whether the caller stops trying after a minute.
  package init(isBounded: Bool) {
    giveUp = isBounded ? .after(usec: StreamPosition.longestAbsenceUsec) : .never
  }

  /// Waits until the next attempt to connect is due. The first attempt is due at once, the second
  /// one after 20 ms. Each further pause is twice as long as the one before, up to half a second.
  ///
  /// - Returns: false if `deadline` passed first, or if the caller has to stop trying.
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
