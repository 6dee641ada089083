/// Retries operations that failed because descriptors, memory or processes had run out, or because
/// another program did not answer. A retry comes soon after the daemon has released a resource, and
/// otherwise after waits that double.
package final class Shortage {
  /// The first wait and the longest wait, in microseconds. Between two retries there is at least
  /// the first wait, even if the daemon releases resources.
  package static let waitsUsec: ClosedRange<Int64> = 100_000...10_000_000

  private var bodies: [() -> Void] = []
  private var waitUsec = Shortage.waitsUsec.lowerBound
  private var lastTryUsec = Int64.min / 2
  private var nextTryUsec: Int64?
  private var timer: TimerSource?

  /// Creates the timer for retries. Call this before a resource runs out: afterwards it may be
  /// impossible to create a timer.
  package init(loop: EventLoop) throws(SystemError) {
    timer = try loop.timer(on: .monotonic) { [unowned self] in tryAgain() }
  }

  /// Calls `body` once, when it is time to retry the operation.
  package func again(_ body: @escaping () -> Void) {
    bodies.append(body)
    guard nextTryUsec == nil else { return }
    let now = Clocks.monotonicUsec()
    // If the last retry was only a short time ago, this failure probably has the same cause, and
    // the wait continues to grow.
    if now - lastTryUsec > 2 * waitUsec { waitUsec = Self.waitsUsec.lowerBound }
    arm(atUsec: now + waitUsec)
    waitUsec = min(2 * waitUsec, Self.waitsUsec.upperBound)
  }

  /// Brings the next retry forward. Call this when the daemon has released a resource: it closed a
  /// descriptor, or a process has ended.
  package func relieved() {
    guard let nextTryUsec else { return }
    let soon = max(Clocks.monotonicUsec(), lastTryUsec + Self.waitsUsec.lowerBound)
    if soon < nextTryUsec { arm(atUsec: soon) }
  }

  private func arm(atUsec: Int64) {
    nextTryUsec = atUsec
    timer?.arm(atUsec: atUsec)
  }

  private func tryAgain() {
    nextTryUsec = nil
    lastTryUsec = Clocks.monotonicUsec()
    let waiting = bodies
    bodies = []
    for body in waiting { body() }
  }
}
