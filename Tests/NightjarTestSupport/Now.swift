import Dispatch
import Glibc

/// Readings of the kernel's clocks in microseconds, for comparison with the daemon's.
package enum Now {
  package static var realtimeUsec: Int64 { usec(CLOCK_REALTIME) }
  package static var boottimeUsec: Int64 { usec(CLOCK_BOOTTIME) }

  private static func usec(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}

/// Noon, exact to the second, in a time zone that is made for the test.
package struct Noon {
  package let nowUsec: Int64
  /// The value of TZ with which it is noon.
  package let zone: String

  package init() {
    let seconds = Now.realtimeUsec / second
    nowUsec = seconds * second
    // POSIX gives the time to add to local time to get UTC.
    let offset = seconds % 86_400 - 12 * 3_600
    let (hours, minutes) = (abs(offset) / 3_600, abs(offset) / 60 % 60)
    zone = "<noon>\(offset < 0 ? "-" : "+")\(hours):\(minutes):\(abs(offset) % 60)"
  }
}

/// Lets real time pass, for tests about time: returns when a timer has fired. It blocks no thread,
/// so other tests continue.
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

/// Blocks the thread for a time that is too short to await anything.
package func spin(usec: Int64) {
  let end = Now.boottimeUsec + usec
  while Now.boottimeUsec < end {}
}
