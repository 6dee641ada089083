import Glibc

/// Waits until a descriptor is ready, or until a time has passed.
enum Waiting {
  /// Waits until one of the descriptors is readable or closed, or until the longest wait is over.
  ///
  /// poll(2) waits in milliseconds. The time is rounded up, because a wait that ended too early
  /// would have to be repeated. The clock of poll(2) stops while the machine sleeps; a message of
  /// the daemon ends the wait after the sleep.
  ///
  /// - Parameters:
  ///   - descriptors: the descriptors. Nil entries are ignored.
  ///   - output: a descriptor for output. If its reader has closed it, the program ends.
  ///   - usec: the longest wait, in microseconds; nil: there is no limit.
  ///   - msec: another longest wait, in milliseconds; -1: there is no limit. The shorter of the two
  ///     is used.
  /// - Returns: whether each descriptor is ready, in the order of `descriptors`.
  @discardableResult
  static func wait(
    for descriptors: [Int32?], output: Int32? = nil, usec: Int64?, msec: Int32 = -1
  ) -> [Bool] {
    var requests = descriptors.map { pollfd(fd: $0 ?? -1, events: Int16(POLLIN), revents: 0) }
    requests.append(pollfd(fd: output ?? -1, events: 0, revents: 0))
    let limits = [usec.map { Int32(clamping: ($0 + 999) / 1_000) }, msec >= 0 ? msec : nil]
    _ = poll(&requests, nfds_t(requests.count), limits.compactMap(\.self).min() ?? -1)
    if requests.last?.revents != 0 { exit(ExitStatus.fine.rawValue) }
    return requests.dropLast().map { $0.revents != 0 }
  }
}
