import Dispatch
package import Glibc

/// Readings of the kernel's clocks, in microseconds. Tests compare the daemon's readings with them.
package enum Now {
  package static var realtimeUsec: Int64 { usec(CLOCK_REALTIME) }
  package static var boottimeUsec: Int64 { usec(CLOCK_BOOTTIME) }

  package static func usec(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}

/// A time zone, made for a test, in which it is now exactly noon.
package struct Noon {
  package let nowUsec: Int64
  /// The value of TZ for the time zone.
  package let zone: String

  package init() {
    let seconds = Now.realtimeUsec / second
    nowUsec = seconds * second
    // In POSIX, the offset is the time to add to local time to get UTC.
    let offset = seconds % 86_400 - 12 * 3_600
    let (hours, minutes) = (abs(offset) / 3_600, abs(offset) / 60 % 60)
    zone = "<noon>\(offset < 0 ? "-" : "+")\(hours):\(minutes):\(abs(offset) % 60)"
  }
}

/// Waits until real time has passed, for tests about time. A timer ends the wait, so it blocks no
/// thread, and other tests continue.
package func elapse(seconds: Double) async {
  let timer = DispatchSource.makeTimerSource(queue: .global())
  await withCheckedContinuation { continuation in
    timer.setEventHandler {
      timer.cancel()
      continuation.resume()
    }
    timer.schedule(deadline: .now() + seconds, leeway: .nanoseconds(0))
    timer.activate()
  }
}

package let second: Int64 = 1_000_000
package let millisecond: Int64 = 1_000
package let hour: Int64 = 3_600_000_000

/// Blocks the thread for a time that is too short for a timer.
package func spin(usec: Int64) {
  let end = Now.boottimeUsec + usec
  while Now.boottimeUsec < end {}
}
