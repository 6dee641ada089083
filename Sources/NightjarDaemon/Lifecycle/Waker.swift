internal import Glibc
internal import NightjarCore
internal import NightjarStore
internal import NightjarSystem

/// Wakes the machine for timers that ask for it, and then keeps it awake until somebody has seen
/// them, or for two minutes: it would go back to sleep before anyone has heard it ring.
final class Waker: NotificationObserver {
  /// So long, in microseconds, the machine is kept awake for timers that nobody sees.
  static let holdUsec: Int64 = 120_000_000

  /// A timer that rings so soon after a sleep, in microseconds, is taken to have ended it.
  private static let wakingUsec: Int64 = 10_000_000

  /// To be called when the machine is to be kept awake, and when it need not be any more.
  var onHold: (_ holds: Bool) -> Void = { _ in }
  /// Whether it is kept awake.
  var isHolding: Bool { !ringing.isEmpty }

  private let service: TimerService
  private let clock: PassClock
  private var alarms: (boottime: TimerSource, realtime: TimerSource)?
  private var holdTimer: TimerSource?
  /// The names of timers that woke the machine and that nobody has seen yet.
  private var ringing: Set<String> = []
  private var boottimeAgainUsec: Int64?
  private var realtimeAgainUsec: Int64?
  /// BOOTTIME at the end of the last sleep.
  private var wokenAtUsec: Int64?

  init(loop: EventLoop, service: TimerService, clock: PassClock) throws(SystemError) {
    self.service = service
    self.clock = clock
    do {
      // What is due when they expire, the ordinary timers say as well.
      alarms = (
        boottime: try loop.timer(on: .boottimeAlarm) {},
        realtime: try loop.timer(on: .realtimeAlarm) {}
      )
    } catch {
      service.engine.wakeObstacle = Self.obstacle(error)
    }
    holdTimer = try loop.timer(on: .boottime) { [unowned self] in letGo() }
    service.bus.register(self)
  }

  private static func obstacle(_ error: SystemError) -> String {
    switch error.code {
    case EPERM:
      "the daemon has not been given CAP_WAKE_ALARM, as the drop-in wake.conf does where the service "
        + "manager has it"
    case EOPNOTSUPP, ENODEV, EINVAL: "this machine has no clock that could wake it"
    default: "\(error)"
    }
  }

  /// To be called at the end of each pass.
  func passEnded() {
    guard let alarms else { return }
    let next = service.engine.alarms
    let now = clock.now
    arm(alarms.boottime, for: next.boottimeUsec, now: now.boottimeUsec, again: &boottimeAgainUsec)
    arm(alarms.realtime, for: next.realtimeUsec, now: now.realtimeUsec, again: &realtimeAgainUsec)
  }

  /// One that is due while time is hidden cannot fire yet: it calls every second, for the machine
  /// may be on its way to sleep, and not in every pass.
  private func arm(
    _ alarm: TimerSource, for deadline: Int64?, now: Int64, again: inout Int64?
  ) {
    guard let deadline, deadline <= now else {
      again = nil
      return alarm.arm(atUsec: deadline)
    }
    if again ?? 0 <= now { again = now + 1_000_000 }
    alarm.arm(atUsec: again)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    if case .willEnterForeground(let span) = notification, span.causes.contains(.sleep) {
      wokenAtUsec = moment.boottimeUsec
    }
    guard case .recorded(let event) = notification, let subject = event.subject else { return }
    // Any word about a timer that rang is from somebody who has seen it.
    let wasHolding = isHolding
    ringing.remove(subject.name)
    if case .fired(_, _, let cause, _) = event.kind,
      cause == .sleep || isJustWoken(at: moment),
      service.engine.record(at: subject.slot).wakes
    {
      ringing.insert(subject.name)
      holdTimer?.arm(atUsec: moment.boottimeUsec + Self.holdUsec)
    }
    if wasHolding != isHolding { onHold(isHolding) }
  }

  /// The clock that wakes a machine has whole seconds: it comes back early, or late.
  private func isJustWoken(at moment: Moment) -> Bool {
    wokenAtUsec.map { moment.boottimeUsec - $0 < Self.wakingUsec } ?? false
  }

  private func letGo() {
    guard isHolding else { return }
    ringing = []
    onHold(false)
  }
}
