internal import Glibc

/// Waits with poll(2), for programs without an event loop.
public enum Poll {
  /// CLOCK_MONOTONIC in milliseconds. ContinuousClock would link the runtime for concurrency.
  static var nowMsec: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Waits until at least one descriptor is ready.
  ///
  /// - Parameters:
  ///   - interests: the descriptors, and for what to wait on each.
  ///   - msec: the longest wait in milliseconds; -1: without a limit.
  /// - Returns: what was found on each descriptor, in the same order; nothing for all of them after
  ///   a signal or at the end of the time. O(number of descriptors).
  public static func wait(
    for interests: [(descriptor: Int32, awaited: VarlinkConnection.Readiness)], msec: Int32 = -1
  ) -> [VarlinkConnection.Readiness] {
    var entries = interests.map { interest in
      let readable = interest.awaited.contains(.readable) ? POLLIN : 0
      let writable = interest.awaited.contains(.writable) ? POLLOUT : 0
      return pollfd(fd: interest.descriptor, events: Int16(readable | writable), revents: 0)
    }
    guard poll(&entries, nfds_t(entries.count), msec) > 0 else {
      return Array(repeating: [], count: interests.count)
    }
    return entries.map { entry in
      var found: VarlinkConnection.Readiness = []
      let events = Int32(entry.revents)
      if events & POLLIN != 0 { found.insert(.readable) }
      if events & POLLOUT != 0 { found.insert(.writable) }
      if events & (POLLHUP | POLLERR | POLLNVAL) != 0 { found.insert(.closed) }
      return found
    }
  }
}

extension VarlinkConnection {
  /// Waits for what the connection waits for, and handles what is found.
  ///
  /// - Parameter msec: the longest wait in milliseconds; -1: without a limit.
  /// - Returns: whether anything was found; false after a signal or at the end of the time.
  public func wait(msec: Int32 = -1) -> Bool {
    let found = Poll.wait(for: [(descriptor, awaited)], msec: msec)[0]
    advance(found)
    return !found.isEmpty
  }

  /// Sends all output that no gate holds back. Blocks while the other end does not read, and
  /// receives nothing meanwhile.
  public func flushAll() {
    flush()
    while !hasOutputEnded, outlet.hasSendable {
      _ = Poll.wait(for: [(descriptor, .writable)])
      flush()
    }
  }
}
