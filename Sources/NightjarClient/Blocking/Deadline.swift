import Glibc

/// The moment by which something must have happened, or never.
///
/// It is on CLOCK_BOOTTIME: a sleep of the machine does not make a wait longer.
package struct Deadline: Equatable, Sendable {
  /// Nil stands for never.
  private let boottimeUsec: Int64?

  /// No deadline.
  package static let never = Deadline(boottimeUsec: nil)

  /// The longest single wait of poll(2). The clock of poll(2) stops while the machine sleeps, so a
  /// longer wait could overshoot the deadline by the length of the sleep.
  private static let longestPollMsec: Int64 = 60_000

  /// A deadline `usec` microseconds from now. Zero or less has passed already; a value beyond the
  /// clock's range is never.
  package static func after(usec: Int64) -> Deadline {
    let (sum, overflowed) = nowUsec().addingReportingOverflow(usec)
    return overflowed ? .never : Deadline(boottimeUsec: sum)
  }

  /// The earlier of two deadlines.
  package static func earlier(_ left: Deadline, _ right: Deadline) -> Deadline {
    guard let first = left.boottimeUsec, let second = right.boottimeUsec else {
      return left.boottimeUsec == nil ? right : left
    }
    return Deadline(boottimeUsec: min(first, second))
  }

  /// Whether it has passed.
  package var hasPassed: Bool {
    guard let boottimeUsec else { return false }
    return Self.nowUsec() >= boottimeUsec
  }

  /// How long poll(2) may wait until the caller must check the deadline again, in milliseconds,
  /// rounded up; -1 for no limit.
  package var pollMsec: Int32 {
    guard let boottimeUsec else { return -1 }
    let leftUsec = max(0, boottimeUsec - Self.nowUsec())
    return Int32(min((leftUsec + 999) / 1_000, Self.longestPollMsec))
  }

  private static func nowUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }
}
