import Glibc

/// The attempts to reach a service that cannot be reached. They end when the service answers. They
/// do not end when a connection is accepted: a service that is stopping may still accept a
/// connection, and a service that fails may accept any number.
package struct RetrySchedule {
  /// How long a daemon may be unreachable before a caller gives up, in microseconds. An upgrade
  /// takes less time, even with a slow disk.
  private static let longestAbsenceUsec: Int64 = 60_000_000
  /// The first and the longest pause, in milliseconds.
  private static let pauseMsec: (first: Int64, longest: Int64) = (20, 500)

  /// When the caller stops trying.
  let giveUp: Deadline
  /// When the caller tries to connect again.
  private(set) var nextTry = Deadline.after(usec: 0)
  /// The length of the pause that ends at `nextTry`, in milliseconds.
  private(set) var pauseMsec: Int64 = 0

  /// Begins an absence.
  ///
  /// - Parameter isBounded: whether the caller stops trying after a minute.
  package init(isBounded: Bool) {
    self.init(giveUp: isBounded ? .after(usec: Self.longestAbsenceUsec) : .never)
  }

  init(giveUp: Deadline) { self.giveUp = giveUp }

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
    advance()
    return true
  }

  /// Like `pause`, but blocks no thread.
  ///
  /// - Throws: `ClientError.cancelled`.
  mutating func pauseTask() async throws(ClientError) -> Bool {
    if giveUp.hasPassed { return false }
    while !nextTry.hasPassed {
      do {
        try await Task.sleep(for: .milliseconds(nextTry.pollMsec), clock: .continuous)
      } catch { throw .cancelled }
    }
    advance()
    return true
  }

  mutating func advance() {
    pauseMsec = min(max(pauseMsec * 2, Self.pauseMsec.first), Self.pauseMsec.longest)
    nextTry = .after(usec: pauseMsec * 1_000)
  }
}
