import Glibc

/// Waits for descriptors and for time.
enum Waiting {
  /// Waits until a descriptor is readable or closed.
  ///
  /// poll(2) waits in milliseconds; the time is rounded up, because waking too early would cost a
  /// second wake-up. Its clock stops while the machine sleeps; the daemon's message after the sleep
  /// ends the wait.
  ///
  /// - Parameters:
  ///   - descriptors: nil entries are ignored.
  ///   - output: the wait also ends when the reader of this descriptor is gone.
  ///   - usec: the longest wait; nil: forever.
  ///   - msec: the longest wait; -1: forever.
  /// - Returns: for each descriptor, whether it is ready.
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
