internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem

/// Wakes the machine for timers that ask for it. Then keeps it awake until the user has reacted to
/// those timers, or for two minutes. Otherwise the machine would go back to sleep before the user
/// has heard the ring.
final class Waker: NotificationObserver {
  /// How long, in microseconds, the daemon keeps the machine awake after a timer woke it, if the
  /// user does not react.
  static let keepAwakeUsec: Int64 = 120_000_000

  /// If a timer rings within this time after the machine resumed, in microseconds, the daemon
  /// assumes that the timer woke the machine.
  private static let wakingUsec: Int64 = 10_000_000

  /// Whether the daemon is to keep the machine awake. The daemon reads this at the end of each loop
  /// iteration.
  var isKeepingAwake: Bool { !ringing.isEmpty }

  private let core: TimerCore
  private let clock: LoopClock
  private var alarms: (boottime: Alarm, realtime: Alarm)?
  private var keepAwakeTimer: TimerSource?
  /// The names of timers that woke the machine and that the user has not reacted to yet.
  private var ringing: Set<String> = []
  /// CLOCK_BOOTTIME when the machine last resumed from sleep; nil: it has not slept.
  private var wokenAtUsec: Int64?

  init(loop: EventLoop, core: TimerCore, clock: LoopClock) throws(SystemError) {
    self.core = core
    self.clock = clock
    do {
      alarms = (
        boottime: try Alarm(on: .boottimeAlarm, of: loop),
        realtime: try Alarm(on: .realtimeAlarm, of: loop)
      )
    } catch {
      core.engine.wakeObstacle = Self.obstacle(error)
    }
    keepAwakeTimer = try loop.timer(on: .boottime) { [unowned self] in ringing = [] }
    core.bus.register(self)
  }

  private static func obstacle(_ error: SystemError) -> WakeObstacle {
    switch error.code {
    case EPERM: .capability
    case EOPNOTSUPP, ENODEV, EINVAL: .noClock
    default: .refused("\(error)")
    }
  }

  /// Arms the wake-up alarms for the next deadlines. The daemon calls this at the end of each loop
  /// iteration.
  func iterationEnded() {
    let next = core.engine.alarms
    alarms?.boottime.arm(for: next.boottimeUsec, now: clock.now.boottimeUsec)
    alarms?.realtime.arm(for: next.realtimeUsec, now: clock.now.realtimeUsec)
  }

  /// Disarms the wake-up alarms. The next call of `iterationEnded` arms them again.
  func disarm() {
    alarms?.boottime.arm(for: nil, now: clock.now.boottimeUsec)
    alarms?.realtime.arm(for: nil, now: clock.now.realtimeUsec)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    if case .willEnterForeground(let span) = notification, span.causes.contains(.sleep) {
      wokenAtUsec = moment.boottimeUsec
    }
    guard case .recorded(let event) = notification, let subject = event.subject else { return }
    // If a client changes a timer that woke the machine, the user has noticed the ring.
    if isKeepingAwake, event.isRequested || event.removesTimer { ringing.remove(subject.name) }
    if event.isHeard, event.sounding?.late.cause == .sleep || isJustWoken(at: moment),
      core.engine.timer(at: subject.slot).wakes
    {
      ringing.insert(subject.name)
      keepAwakeTimer?.arm(atUsec: moment.boottimeUsec + Self.keepAwakeUsec)
    }
  }

  /// Whether the machine resumed less than `wakingUsec` ago. It may resume before the deadline of
  /// the timer, because the clock that wakes a machine has a resolution of one second.
  private func isJustWoken(at moment: Moment) -> Bool {
    wokenAtUsec.map { moment.boottimeUsec - $0 < Self.wakingUsec } ?? false
  }
}

/// Two kernel timers that wake the machine for one deadline.
///
/// Before the machine sleeps, the kernel freezes the process. An alarm that expires between the
/// freeze and the sleep does not wake the machine. So a second alarm follows the first. If the
/// second alarm is armed when the machine suspends, it wakes the machine later or makes the suspend
/// fail (alarmtimer_suspend in the kernel's kernel/time/alarmtimer.c).
private struct Alarm {
  /// How long after the first alarm the second alarm expires, in microseconds: longer than the
  /// machine takes to suspend after it has frozen the process.
  private static let backupUsec: Int64 = 10_000_000

  private let exact: TimerSource
  private let backup: TimerSource
  /// When the second alarm expires if the deadline has passed, on the alarm's clock in
  /// microseconds; 0: the deadline has not passed.
  private var backupAtUsec: Int64 = 0

  init(on clock: KernelClock, of loop: EventLoop) throws(SystemError) {
    // The handlers are empty, because a wake-up is enough: every iteration handles the timers
    // that are due.
    exact = try loop.timer(on: clock) {}
    backup = try loop.timer(on: clock) {}
  }

  /// Arms both alarms. If the deadline has passed and its timer could not expire because of a
  /// background span, the machine may be about to sleep. Then this arms only the second alarm, for
  /// a time in the future, and later calls keep that time.
  mutating func arm(for deadline: Int64?, now: Int64) {
    guard let deadline else {
      exact.arm(atUsec: nil)
      return backup.arm(atUsec: nil)
    }
    guard deadline <= now else {
      backupAtUsec = 0
      exact.arm(atUsec: deadline)
      return backup.arm(atUsec: deadline + Self.backupUsec)
    }
    // If the wall clock was set back, `backupAtUsec` is later than `ahead` and is computed again.
    let ahead = now + Self.backupUsec
    if !(now + 1...ahead).contains(backupAtUsec) { backupAtUsec = ahead }
    exact.arm(atUsec: nil)
    backup.arm(atUsec: backupAtUsec)
  }
}
