internal import NightjarSystem

/// Asks again and again for what nobody can say now, with waits that double, and gives up when the answer
/// cannot matter any more.
final class Inquiry {
  /// The first wait and the longest, in microseconds.
  private static let waitsUsec: ClosedRange<Int64> = 1_000_000...30_000_000

  private let untilUsec: Int64
  private var waitUsec = Inquiry.waitsUsec.lowerBound
  private var timer: TimerSource?

  /// Waits for nothing yet.
  ///
  /// - Parameters:
  ///   - untilUsec: when it gives up, on CLOCK_MONOTONIC.
  ///   - ask: may call `again`.
  init(
    on loop: EventLoop, untilUsec: Int64, ask: @escaping () -> Void,
    giveUp: @escaping () -> Void
  ) throws(SystemError) {
    self.untilUsec = untilUsec
    timer = try loop.timer(on: .monotonic) {
      Clocks.monotonicUsec() < untilUsec ? ask() : giveUp()
    }
  }

  deinit { timer?.cancel() }

  /// There was no answer: asks once more, later.
  func again() {
    timer?.arm(atUsec: min(Clocks.monotonicUsec() + waitUsec, untilUsec))
    waitUsec = min(2 * waitUsec, Self.waitsUsec.upperBound)
  }
}
