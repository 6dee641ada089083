import CLinux
import Glibc
public import NightjarModel

/// Reads the clocks. No other code reads them.
public enum Clocks {
  /// If two readings of CLOCK_BOOTTIME differ by more than this, in microseconds, a suspend or a
  /// long preemption may lie between them.
  private static let tornUsec: Int64 = 100
  private static let attempts = 8

  /// The ID of this boot, read once. A test can simulate a reboot by setting `NIGHTJAR_BOOT_ID` to
  /// 32 hexadecimal digits.
  ///
  /// All zeros if the ID cannot be read. In that case, only a CLOCK_BOOTTIME that went back reveals
  /// a reboot.
  public static let bootID: BootID = {
    let override = getenv("NIGHTJAR_BOOT_ID").map { String(cString: $0) }
    if let override, let id = BootID(text: override) { return id }
    let text = readKernelFile("/proc/sys/kernel/random/boot_id") ?? []
    let digits = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return BootID(text: digits) ?? BootID(high: 0, low: 0)
  }()

  /// The kernel's three clocks at one moment.
  ///
  /// CLOCK_BOOTTIME is read before and after the other clocks. If its two readings differ by over
  /// 100 µs, all clocks are read again: a suspend between two readings would look like a step of a
  /// clock. After 8 attempts, the attempt with the smallest difference is used. The result's
  /// BOOTTIME is the middle of its two readings.
  public static func read() -> Moment { read { usec(CLOCK_REALTIME) } }

  /// Reads all clocks several times, and returns the reading with the smallest difference between
  /// its two readings of CLOCK_BOOTTIME. `realtimeUsec` reads the wall clock.
  private static func read(realtimeUsec: () -> Int64) -> Moment {
    var best = Moment(realtimeUsec: 0, boottimeUsec: 0, monotonicUsec: 0, bootID: bootID)
    var bestGap = Int64.max
    for _ in 0..<attempts {
      let before = usec(CLOCK_BOOTTIME)
      let realtime = realtimeUsec()
      let monotonic = usec(CLOCK_MONOTONIC)
      let gap = usec(CLOCK_BOOTTIME) - before
      if gap < bestGap {
        bestGap = gap
        best.realtimeUsec = realtime
        best.boottimeUsec = before + gap / 2
        best.monotonicUsec = monotonic
      }
      if gap <= tornUsec { break }
    }
    return best
  }

  /// CLOCK_MONOTONIC alone, for measuring durations. For the moment of an event, use `read`.
  public static func monotonicUsec() -> Int64 { usec(CLOCK_MONOTONIC) }

  /// The kernel's clocks at one moment, and whether the wall clock was synchronized at that moment.
  /// If two functions read these, the clock could be set between the two calls.
  ///
  /// The wall clock is synchronized if NTP, PTP or a hypervisor disciplines it: then adjtimex(2)
  /// does not report STA_UNSYNC. It is also synchronized if the kernel's error bound is below the
  /// kernel's limit of 16 s, because chrony without `rtcsync` leaves STA_UNSYNC set.
  /// systemd-timedated uses the second criterion.
  public static func readWithSynchronization() -> (moment: Moment, isSynchronized: Bool) {
    var isSynchronized = false
    let moment = read {
      var status: Int32 = 0
      var (maxErrorUsec, realtimeUsec): (Int64, Int64) = (0, 0)
      guard nj_clock_discipline(&status, &maxErrorUsec, &realtimeUsec) >= 0 else {
        isSynchronized = false
        return usec(CLOCK_REALTIME)
      }
      isSynchronized = isDisciplined(status: status, maxErrorUsec: maxErrorUsec)
      return realtimeUsec
    }
    return (moment, isSynchronized)
  }

  /// Whether adjtimex(2) reports a synchronized clock. At boot and after each step of the clock,
  /// the kernel sets an error of 16 s and STA_UNSYNC (`NTP_PHASE_LIMIT` in its timex.h).
  static func isDisciplined(status: Int32, maxErrorUsec: Int64) -> Bool {
    let unsynchronized = status & Int32(NJ_CLOCK_UNSYNCHRONIZED) != 0
    return !unsynchronized || maxErrorUsec < 16_000_000
  }

  private static func usec(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}

/// A clock that a timer can be armed on.
public enum KernelClock: Sendable {
  /// CLOCK_REALTIME: the wall clock. It can be set.
  case realtime
  /// CLOCK_BOOTTIME: the time since boot, including suspend.
  case boottime
  /// CLOCK_MONOTONIC: the time since boot, without suspend.
  case monotonic
  /// CLOCK_REALTIME; a timer on it wakes the machine. It requires CAP_WAKE_ALARM
  /// (timerfd_create(2)).
  case realtimeAlarm
  /// CLOCK_BOOTTIME; a timer on it wakes the machine. It requires CAP_WAKE_ALARM.
  case boottimeAlarm

  var id: clockid_t {
    switch self {
    case .realtime: CLOCK_REALTIME
    case .boottime: CLOCK_BOOTTIME
    case .monotonic: CLOCK_MONOTONIC
    case .realtimeAlarm: CLOCK_REALTIME_ALARM
    case .boottimeAlarm: CLOCK_BOOTTIME_ALARM
    }
  }
}
