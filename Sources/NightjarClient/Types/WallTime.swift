import Glibc

/// A point in time on CLOCK_REALTIME: what the clock on the wall shows, and what may be set.
public struct WallTime: Hashable, Comparable, Sendable {
  /// How long after the epoch, 1970-01-01 00:00:00 UTC, leap seconds not counted (POSIX.1, "Seconds
  /// Since the Epoch"). With Foundation: `Date(timeIntervalSince1970: sinceEpoch / .seconds(1))`.
  public let sinceEpoch: Duration

  /// A point so long after the epoch.
  public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

  /// A point so many microseconds after the epoch.
  package init(usec: Int64) { sinceEpoch = .microseconds(usec) }

  /// The clock, read now.
  public static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(
      sinceEpoch: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)))
  }

  /// Whether one is earlier.
  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.sinceEpoch < right.sinceEpoch
  }

  /// A point that much later.
  public static func + (time: WallTime, length: Duration) -> WallTime {
    WallTime(sinceEpoch: time.sinceEpoch + length)
  }

  /// How much later one is than the other.
  public static func - (later: WallTime, earlier: WallTime) -> Duration {
    later.sinceEpoch - earlier.sinceEpoch
  }
}

extension Duration {
  /// In microseconds, rounded towards zero; what is beyond their range is the last of it.
  package var usec: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflowedToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return overflowed || overflowedToo ? (seconds < 0 ? .min : .max) : sum
  }
}
