import Glibc

/// A moment on CLOCK_REALTIME, the wall clock, which can be set.
public struct WallTime: Hashable, Comparable, Sendable {
  /// The time since the epoch, 1970-01-01 00:00:00 UTC, without leap seconds (POSIX.1, "Seconds
  /// Since the Epoch"). With Foundation: `Date(timeIntervalSince1970: sinceEpoch / .seconds(1))`.
  public let sinceEpoch: Duration

  /// Creates the moment at this time after the epoch.
  public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// Creates the moment at this number of microseconds after the epoch.
  package init(usec: Int64) { sinceEpoch = .microseconds(usec) }

  /// The present time.
  public static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(
      sinceEpoch: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)))
  }

  /// Whether `left` is earlier than `right`.
  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.sinceEpoch < right.sinceEpoch
  }

  /// The moment that is `length` later.
  public static func + (time: WallTime, length: Duration) -> WallTime {
    WallTime(sinceEpoch: time.sinceEpoch + length)
  }

  /// The time from `earlier` to `later`.
  public static func - (later: WallTime, earlier: WallTime) -> Duration {
    later.sinceEpoch - earlier.sinceEpoch
  }
}

extension Duration {
  /// The time since the epoch in microseconds, rounded towards zero and clamped to the range of the
  /// type.
  package var usec: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflowedToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflowed || overflowedToo ? (seconds < 0 ? .min : .max) : sum
  }
}
