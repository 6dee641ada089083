internal import NightjarCore
internal import NightjarLedger
internal import NightjarSystem

/// Asks whether the wall clock is known to be right: whenever it was set, and every second for a
/// minute after that while the length of a reboot hangs on it. Otherwise it wakes nobody.
final class Synchronization: NotificationObserver {
  private static let askAgainUsec: Int64 = 1_000_000

  private let service: TimerService
  private let clock: PassClock
  private var timer: TimerSource?

  init(loop: EventLoop, service: TimerService, clock: PassClock) throws(SystemError) {
    self.service = service
    self.clock = clock
    timer = try loop.timer(on: .monotonic) { [unowned self] in ask() }
    service.bus.register(self)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    // Asked after the delivery, in a pass of its own: the answer may change the spans.
    if case .clockStepped = notification { timer?.arm(atUsec: moment.monotonicUsec) }
  }

  private func ask() {
    service.background.note(synchronized: Clocks.synchronized(), at: clock.now)
    if service.background.awaitsSynchronization(at: clock.now) {
      timer?.arm(atUsec: clock.now.monotonicUsec + Self.askAgainUsec)
    }
  }
}
