internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem

/// Asks whether the kernel vouches for the wall clock.
///
/// The daemon asks at its start and whenever the clock was set. While the length of a reboot hangs on the
/// answer, it also asks every second for the first minute, every minute for an hour, and when
/// systemd-timesyncd touches its mark. As long as the clock was not vouched for in this boot, it asks at
/// the end of passes that take place anyway, at most once a second. It never wakes the machine for that.
final class Synchronization: NotificationObserver {
  private static let secondUsec: Int64 = 1_000_000
  private static let minuteUsec: Int64 = 60_000_000
  private static let hourUsec: Int64 = 3_600_000_000

  private let core: TimerCore
  private let clock: PassClock
  private let mark = TimesyncMark()
  private let startedUsec: Int64
  private var askedUsec = Int64.min / 2
  private var timer: TimerSource?
  private var watch: FolderWatch?

  init(loop: EventLoop, core: TimerCore, clock: PassClock) throws(SystemError) {
    self.core = core
    self.clock = clock
    startedUsec = clock.now.monotonicUsec
    timer = try loop.timer(on: .monotonic) { [unowned self] in ask() }
    watch = try FolderWatch([TimesyncMark.folder], on: loop) { [unowned self] in
      if core.background.clock.isOpen { ask() }
    }
    core.bus.register(self)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    guard case .clockStepped = notification else { return }
    mark.clockWasSet(realtimeUsec: moment.realtimeUsec)
    // Asked after the delivery, in a pass of its own: the answer may change the spans.
    timer?.arm(atUsec: moment.monotonicUsec)
  }

  /// What the clocks read, and whether the wall clock is vouched for.
  func read() -> (moment: Moment, isVouched: Bool) {
    let reading = Clocks.readVouched()
    return (reading.moment, reading.isVouched || mark.vouches)
  }

  /// Asks again when it is time to. The daemon calls this at the end of each pass, before it commits what
  /// changed in the pass.
  func passWillEnd() {
    guard !core.background.clock.isVouched else { return }
    let now = clock.now.monotonicUsec
    if core.background.clock.isOpen, let pause = pause(at: now) {
      if askedUsec + pause <= now { ask() }
      timer?.arm(atUsec: askedUsec + pause)
    } else if askedUsec + Self.secondUsec <= now {
      ask()
    }
  }

  /// How long to wait between two questions; nil: the daemon is not woken to ask.
  private func pause(at now: Int64) -> Int64? {
    switch now - startedUsec {
    case ..<Self.minuteUsec: Self.secondUsec
    case ..<Self.hourUsec: Self.minuteUsec
    default: nil
    }
  }

  /// Asks whether the clock is vouched for, and for what it reads at that moment.
  func ask() {
    askedUsec = clock.now.monotonicUsec
    let (moment, isVouched) = read()
    // What the clock was set by since this iteration began comes first.
    core.background.observe(moment)
    clock.advance(to: moment)
    core.background.note(synchronized: isVouched, at: moment)
  }
}
