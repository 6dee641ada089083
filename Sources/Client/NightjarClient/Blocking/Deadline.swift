import Glibc

/// The moment at which the caller stops waiting for something, or never.
///
/// The moment is on CLOCK_BOOTTIME, so a sleep of the machine does not make a wait longer.
package struct Deadline: Equatable, Sendable {
  /// The moment in microseconds; nil: never.
  private let boottimeUsec: Int64?

  /// A deadline that never passes.
  package static let never = Deadline(boottimeUsec: nil)

  /// The longest single wait of poll(2). The clock of poll(2) stops while the machine sleeps, so a
  /// longer wait could overshoot the deadline by the length of the sleep.
  private static let longestPollMsec: Int64 = 60_000

  /// A deadline `usec` microseconds from now. If `usec` is zero or negative, the deadline has
  /// passed already. If the moment is beyond the clock's range, the deadline never passes.
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

  /// Whether the deadline has passed.
  package var hasPassed: Bool {
    guard let boottimeUsec else { return false }
    return Self.nowUsec() >= boottimeUsec
  }

  /// How long poll(2) may wait before the caller must check the deadline again, in milliseconds,
  /// rounded up; -1: without a limit.
  package var pollMsec: Int32 {
    guard boottimeUsec != nil else { return -1 }
    return Int32(min((leftUsec + 999) / 1_000, Self.longestPollMsec))
  }

  /// The microseconds that are left, at least 0; the greatest number if the deadline never passes.
  var leftUsec: Int64 { boottimeUsec.map { max(0, $0 - Self.nowUsec()) } ?? .max }

  private static func nowUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }
}
