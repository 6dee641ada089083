internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarService
internal import NightjarSystem
internal import NightjarTime

/// Sees when the machine's zone is set, or the zones' rules are renewed.
final class ZoneWatch {
  /// A package is renewed file by file: so long after the last, in microseconds, it is looked at.
  private static let settlingUsec: Int64 = 500_000

  private let calendar: ZoneCalendar
  private let core: TimerCore
  private let clock: PassClock
  private var watch: FolderWatch?
  private var timer: TimerSource?

  init(
    loop: EventLoop, calendar: ZoneCalendar, core: TimerCore, clock: PassClock
  ) throws(SystemError) {
    self.calendar = calendar
    self.core = core
    self.clock = clock
    timer = try loop.timer(on: .monotonic) { [unowned self] in look() }
    do {
      watch = try FolderWatch(ZoneDatabase.watchedFolders, on: loop) { [unowned self] in
        timer?.arm(atUsec: self.clock.now.monotonicUsec + Self.settlingUsec)
      }
    } catch {
      Log.write(.warning, "changes of the time zone go unseen until SIGHUP or a restart: \(error)")
    }
  }

  /// Looks whether something has changed, and says so.
  func look() {
    calendar.refresh()
    core.note(zone: calendar.zone, at: clock.now)
  }
}
