import Glibc

/// Waits for descriptors and for time.
enum Waiting {
  /// Waits until one of the descriptors can be read or has ended.
  ///
  /// poll(2) waits in milliseconds, rounded up here: who wakes too early would wake twice. Its clock
  /// stands still while the machine sleeps; the daemon's word that it is awake again ends the wait.
  ///
  /// - Parameters:
  ///   - descriptors: nil is passed over.
  ///   - output: whoever reads this going away ends the wait, too.
  ///   - usec: at most so long; nil: for ever.
  ///   - msec: likewise; -1: for ever.
  /// - Returns: for each descriptor whether there is something.
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
