internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem

/// Wakes the machine for timers that ask for it, and then keeps it awake until somebody has seen
/// them, or for two minutes: it would go back to sleep before anyone has heard it ring.
final class Waker: NotificationObserver {
  /// So long, in microseconds, the machine is kept awake for timers that nobody sees.
  static let holdUsec: Int64 = 120_000_000

  /// A timer that rings so soon after a sleep, in microseconds, is taken to have ended it.
  private static let wakingUsec: Int64 = 10_000_000

  /// Whether it is kept awake.
  var isHolding: Bool { !ringing.isEmpty }

  private let core: TimerCore
  private let clock: PassClock
  private let keepAwake: (_ holds: Bool) -> Void
  private var alarms: (boottime: Alarm, realtime: Alarm)?
  private var holdTimer: TimerSource?
  /// The names of timers that woke the machine and that nobody has seen yet.
  private var ringing: Set<String> = []
  /// BOOTTIME at the end of the last sleep.
  private var wokenAtUsec: Int64?

  /// - Parameter keepAwake: called when the machine is to be kept awake, and when it need not be any more.
  init(
    loop: EventLoop, core: TimerCore, clock: PassClock,
    keepAwake: @escaping (_ holds: Bool) -> Void
  ) throws(SystemError) {
    self.core = core
    self.clock = clock
    self.keepAwake = keepAwake
    do {
      alarms = (
        boottime: try Alarm(on: .boottimeAlarm, of: loop),
        realtime: try Alarm(on: .realtimeAlarm, of: loop)
      )
    } catch {
      core.engine.wakeObstacle = Self.obstacle(error)
    }
    holdTimer = try loop.timer(on: .boottime) { [unowned self] in letGo() }
    core.bus.register(self)
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

  /// Arms the alarms for the next deadlines. The daemon calls this at the end of each pass.
  func passEnded() {
    let next = core.engine.alarms
    alarms?.boottime.arm(for: next.boottimeUsec, now: clock.now.boottimeUsec)
    alarms?.realtime.arm(for: next.realtimeUsec, now: clock.now.realtimeUsec)
  }

  /// Disarms the alarms until `passEnded` is called again, at the end of this pass.
  func rest() {
    alarms?.boottime.arm(for: nil, now: clock.now.boottimeUsec)
    alarms?.realtime.arm(for: nil, now: clock.now.realtimeUsec)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    if case .willEnterForeground(let span) = notification, span.causes.contains(.sleep) {
      wokenAtUsec = moment.boottimeUsec
    }
    guard case .recorded(let event) = notification, let subject = event.subject else { return }
    // Any word about a timer that rang is from somebody who has seen it.
    let wasHolding = isHolding
    if wasHolding, event.isRequested || event.isTheEnd { ringing.remove(subject.name) }
    if event.isHeard, let ring = event.heardRing, ring.cause == .sleep || isJustWoken(at: moment),
      core.engine.record(at: subject.slot).wakes
    {
      ringing.insert(subject.name)
      holdTimer?.arm(atUsec: moment.boottimeUsec + Self.holdUsec)
    }
    if wasHolding != isHolding { keepAwake(isHolding) }
  }

  /// The clock that wakes a machine has whole seconds: it comes back early, or late.
  private func isJustWoken(at moment: Moment) -> Bool {
    wokenAtUsec.map { moment.boottimeUsec - $0 < Self.wakingUsec } ?? false
  }

  private func letGo() {
    guard isHolding else { return }
    ringing = []
    keepAwake(false)
  }
}

/// A deadline on one of the clocks that wake the machine.
///
/// An alarm that expires when the kernel has frozen the process, and the machine is not asleep yet,
/// wakes nobody (an armed one does, or has the suspend fail: alarmtimer_suspend in the kernel's
/// kernel/time/alarmtimer.c). So a second one stands behind it.
private struct Alarm {
  /// How far behind, in microseconds: longer than a machine is on its way to sleep without us.
  private static let behindUsec: Int64 = 10_000_000

  private let exact: TimerSource
  private let behind: TimerSource
  /// When the second one expires for a deadline that has passed.
  private var againUsec: Int64 = 0

  init(on clock: KernelClock, of loop: EventLoop) throws(SystemError) {
    // What is due when they expire, the ordinary timers say as well.
    exact = try loop.timer(on: clock) {}
    behind = try loop.timer(on: clock) {}
  }

  /// A deadline that has passed cannot fire while time is hidden, and the machine may be on its way
  /// to sleep: the second one stays ahead of it, and does not move with every pass.
  mutating func arm(for deadline: Int64?, now: Int64) {
    guard let deadline else {
      exact.arm(atUsec: nil)
      return behind.arm(atUsec: nil)
    }
    guard deadline <= now else {
      againUsec = 0
      exact.arm(atUsec: deadline)
      return behind.arm(atUsec: deadline + Self.behindUsec)
    }
    // Also where the wall clock was set back.
    let ahead = now + Self.behindUsec
    if !(now + 1...ahead).contains(againUsec) { againUsec = ahead }
    exact.arm(atUsec: nil)
    behind.arm(atUsec: againUsec)
  }
}
