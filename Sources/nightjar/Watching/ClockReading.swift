import Glibc

/// The clocks of timers, read one after the other, in microseconds.
struct ClockReading: Equatable {
  /// CLOCK_REALTIME since the epoch.
  var realtimeUsec: Int64
  /// CLOCK_BOOTTIME, which continues during sleep.
  var boottimeUsec: Int64
  /// CLOCK_MONOTONIC, which stops during sleep.
  var monotonicUsec: Int64

  /// The clocks now.
  static var now: ClockReading {
    ClockReading(
      realtimeUsec: usec(CLOCK_REALTIME), boottimeUsec: usec(CLOCK_BOOTTIME),
      monotonicUsec: usec(CLOCK_MONOTONIC))
  }

  private static func usec(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
