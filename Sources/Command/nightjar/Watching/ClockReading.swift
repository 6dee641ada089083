import Glibc

/// The readings of all clocks of timers, in microseconds. The clocks are read one after the other.
struct ClockReading: Equatable {
  /// The reading of CLOCK_REALTIME, since the epoch.
  var realtimeUsec: Int64
  /// The reading of CLOCK_BOOTTIME, which continues while the machine sleeps.
  var boottimeUsec: Int64
  /// The reading of CLOCK_MONOTONIC, which stops while the machine sleeps.
  var monotonicUsec: Int64

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
