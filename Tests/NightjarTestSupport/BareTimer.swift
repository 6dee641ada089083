import Foundation
import Glibc

/// A timer of the kernel that a thread of the test awaits again and again. It shows how late the
/// machine wakes any program, so a test can tell a slow daemon from a busy machine.
package final class BareTimer: @unchecked Sendable {
  /// The time from one expiry to the next.
  private static let gapNsec = 2_000_000

  private let condition = NSCondition()
  private var lates: [Int64] = []
  private var isOver = false

  private init() {
    Thread.detachNewThread { [self] in
      var hasMore = true
      while hasMore {
        let dueNsec = Now.boottimeUsec * 1000 + Int64(Self.gapNsec)
        var due = timespec()
        due.tv_sec = Int(dueNsec / 1_000_000_000)
        due.tv_nsec = Int(dueNsec % 1_000_000_000)
        _ = clock_nanosleep(CLOCK_BOOTTIME, Int32(TIMER_ABSTIME), &due, nil)
        let lateUsec = Now.boottimeUsec - dueNsec / 1000
        hasMore = condition.withLock {
          lates.append(lateUsec)
          return !isOver
        }
      }
    }
  }

  /// By how much a part of the expiries so far was late at most: with 0.5 the median, with 1 the
  /// latest.
  package func lateUsec(_ part: Double = 1) -> Int64 {
    let sorted = condition.withLock { lates.sorted() }
    guard !sorted.isEmpty else { return 0 }
    return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
  }

  /// Measures something, and repeats that while the measurement is wrong and the machine is busy.
  ///
  /// A measurement that is right is never due to a busy machine, so one is enough. A wrong one is
  /// an issue: of what was measured if the bare timer was on time meanwhile, and of the machine if
  /// it was late in every round.
  ///
  /// - Parameters:
  ///   - busyUsec: if the timer is later than this, the machine is busy. On a quiet machine it is
  ///     late by less than a millisecond.
  ///   - measure: returns what is wrong; empty: everything is right.
  /// - Returns: the sentence about the issue; nil: a measurement was right.
  package static func issue(
    rounds: Int = 10, busyUsec: Int64 = 3 * millisecond,
    _ measure: (BareTimer) async throws -> [String]
  ) async rethrows -> String? {
    var wrong: [String] = []
    for round in 1...rounds {
      let timer = BareTimer()
      defer { timer.condition.withLock { timer.isOver = true } }
      wrong = try await measure(timer)
      guard !wrong.isEmpty else { return nil }
      let lateUsec = timer.lateUsec()
      wrong.append("a bare timer was late by \(lateUsec) µs at most")
      print("round \(round): \(wrong.joined(separator: "; "))")
      guard lateUsec > busyUsec else { return wrong.joined(separator: "; ") }
    }
    return "this machine is too busy to measure; repeat with `make test-timed` when other programs "
      + "do less (\(wrong.joined(separator: "; ")))"
  }
}

/// A delay that is longer than its bound, as a sentence; nil: it is not.
package func excess(_ what: String, _ usec: Int64, over boundUsec: Int64) -> String? {
  usec < boundUsec ? nil : "\(what): \(usec) µs, and the bound is \(boundUsec) µs"
}
