internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem

/// Finds out whether the wall clock is synchronized: by the kernel's flag, or by the file that
/// systemd-timesyncd touches.
///
/// The daemon asks at its start and whenever the clock was set. While it needs the answer to
/// compute the length of a reboot, it asks more often: every second for the first minute, every
/// minute for the first hour, and when systemd-timesyncd touches its file. Until the clock has been
/// synchronized in this boot, the daemon also asks at most once a second, at the end of an
/// iteration that takes place anyway. The daemon never wakes the machine for this.
final class Synchronization: NotificationObserver {
  private static let secondUsec: Int64 = 1_000_000
  private static let minuteUsec: Int64 = 60_000_000
  private static let hourUsec: Int64 = 3_600_000_000

  private let core: TimerCore
  private let clock: LoopClock
  private let mark = TimesyncMark()
  private let startedUsec: Int64
  private var askedUsec = Int64.min / 2
  private var timer: TimerSource?
  private var watch: FolderWatch?

  init(loop: EventLoop, core: TimerCore, clock: LoopClock) throws(SystemError) {
    self.core = core
    self.clock = clock
    startedUsec = clock.now.monotonicUsec
    timer = try loop.timer(on: .monotonic) { [unowned self] in ask() }
    do {
      watch = try FolderWatch([TimesyncMark.folder], on: loop) { [unowned self] in
        if core.background.clock.isOpen { ask() }
      }
    } catch {
      Log.write(
        .warning, "that systemd-timesyncd has set the clock may be noticed later: \(error)")
    }
    core.bus.register(self)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    guard case .clockStepped = notification else { return }
    mark.clockWasSet(realtimeUsec: moment.realtimeUsec)
    // Ask in another iteration, after all observers have got this notification: the answer may
    // change the spans.
    timer?.arm(atUsec: moment.monotonicUsec)
  }

  /// Reads the clocks, and reads whether the wall clock is synchronized.
  func read() -> (moment: Moment, isSynchronized: Bool) {
    let reading = Clocks.readWithSynchronization()
    return (reading.moment, reading.isSynchronized || mark.isSynchronized)
  }

  /// Asks again whether the wall clock is synchronized, if the time for that has come. The daemon
  /// calls this at the end of each loop iteration, before it commits the changes of the iteration.
  func iterationWillEnd() {
    guard !core.background.clock.hasBeenSynchronized else { return }
    let now = clock.now.monotonicUsec
    if core.background.clock.isOpen, let pause = pause(at: now) {
      if askedUsec + pause <= now { ask() }
      timer?.arm(atUsec: askedUsec + pause)
    } else if askedUsec + Self.secondUsec <= now {
      ask()
    }
  }

  /// How long after the last question the daemon wakes up for the next one, in microseconds; nil if
  /// it does not wake up for a question.
  private func pause(at now: Int64) -> Int64? {
    switch now - startedUsec {
    case ..<Self.minuteUsec: Self.secondUsec
    case ..<Self.hourUsec: Self.minuteUsec
    default: nil
    }
  }

  /// Reads the clocks and whether the wall clock is synchronized, and passes both to the core.
  func ask() {
    askedUsec = clock.now.monotonicUsec
    let (moment, isSynchronized) = read()
    // First report a step of the clock that happened since this iteration began.
    core.background.observe(moment)
    clock.advance(to: moment)
    core.background.note(synchronized: isSynchronized, at: moment)
  }
}
