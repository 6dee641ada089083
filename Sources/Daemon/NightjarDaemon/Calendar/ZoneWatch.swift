internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarSystem
internal import NightjarTime

/// Notices that the machine's time zone was set or that a file with the rules of a time zone was
/// replaced.
final class ZoneWatch {
  /// How long, in microseconds, the daemon waits after the last change of the zone files before it
  /// reads them. A package update replaces the files one by one.
  private static let settlingUsec: Int64 = 500_000

  private let loop: EventLoop
  private let calendar: ZoneCalendar
  private let core: TimerCore
  private let clock: LoopClock
  private var watch: FolderWatch?
  private var timer: TimerSource?

  init(
    loop: EventLoop, calendar: ZoneCalendar, core: TimerCore, clock: LoopClock
  ) throws(SystemError) {
    self.calendar = calendar
    self.core = core
    self.clock = clock
    self.loop = loop
    timer = try loop.timer(on: .monotonic) { [unowned self] in look() }
    beginWatch()
  }

  private func beginWatch() {
    do {
      watch = try FolderWatch(ZoneDatabase.watchedFolders, on: loop) { [unowned self] in
        timer?.arm(atUsec: self.clock.now.monotonicUsec + Self.settlingUsec)
      }
    } catch {
      Log.write(.warning, "changes of the time zone go unseen until SIGHUP or a restart: \(error)")
    }
  }

  /// Reads the machine's zone and the rules of all zones again, and reports a change to the core.
  func look() {
    calendar.refresh()
    core.note(zone: calendar.zone, at: clock.now)
    // A folder may have been replaced by another one.
    beginWatch()
  }
}
