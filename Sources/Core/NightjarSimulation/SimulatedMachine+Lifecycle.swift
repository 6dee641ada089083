public import NightjarEngine
public import NightjarLedger
import NightjarModel

/// The events in the life of a machine. The causes and their order are the same as in the daemon's
/// lifecycle, with the same commits in between. The daemon runs before and after each event.
extension SimulatedMachine {
  /// How long after a boot the daemon starts, unless the whole reboot took less time.
  public static let usualUptimeUsec: Int64 = 10_000_000

  /// The machine sleeps, and logind announces it. A timer with `wakes` ends the sleep when it is
  /// due.
  ///
  /// - Parameter onAlarm: called when a timer ends the sleep, before the daemon learns of the end.
  /// - Returns: how long the machine slept, at most `usec`.
  public func sleep(
    usec: Int64, onAlarm: (_ sleptUsec: Int64) -> Void = { _ in }
  ) throws(StoreError) -> Int64 {
    try runIteration { $0.background.enter(.sleep, at: clocks.now) }
    let slept = min(usec, untilAlarm() ?? usec)
    clocks.sleep(usec: slept)
    if slept < usec { onAlarm(slept) }
    try runIteration { $0.background.leave(.sleep, at: clocks.now) }
    return slept
  }

  /// The time until a timer wakes the machine; nil: none does.
  private func untilAlarm() -> Int64? {
    guard wakeObstacle == nil, let alarms = core?.engine.alarms else { return nil }
    return [
      alarms.boottimeUsec.map { $0 - clocks.now.boottimeUsec },
      alarms.realtimeUsec.map { $0 - clocks.now.realtimeUsec },
    ].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// SIGTSTP stops the daemon, and SIGCONT continues it `usec` later.
  public func stop(usec: Int64) throws(StoreError) {
    try runIteration { $0.background.enter(.stop, at: clocks.now) }
    clocks.advance(usec: usec)
    try runIteration { $0.background.leave(.stop, at: clocks.now) }
  }

  /// SIGTERM ends the daemon, and the daemon is started again `usec` later.
  public func restart(afterUsec usec: Int64) throws(StoreError) {
    try runIteration { $0.background.enter(.down, at: clocks.now) }
    try kill(startedAfterUsec: usec)
  }

  /// The daemon is killed, which its service manager sees, and is started again `usec` later.
  public func kill(startedAfterUsec usec: Int64) throws(StoreError) {
    let end = clocks.now.monotonicUsec
    crash()
    clocks.advance(usec: usec)
    try boot(downSince: end)
  }

  /// The machine is shut down and booted. The daemon runs again `usec` after its end.
  ///
  /// - Parameter errorUsec: the error that is added to the wall clock. The kernel does not vouch
  ///   for a wrong clock until `synchronize()`.
  public func reboot(takingUsec usec: Int64, errorUsec: Int64 = 0) throws(StoreError) {
    try runIteration { $0.background.enter(.down, at: clocks.now) }
    crash()
    let uptimeUsec = min(usec, Self.usualUptimeUsec)
    clocks.reboot(offUsec: usec - uptimeUsec, uptimeUsec: uptimeUsec, errorUsec: errorUsec)
    isSynchronized = clocks.wallErrorUsec == 0
    try boot()
  }

  /// The whole machine stops for `usec` without any announcement.
  public func freeze(usec: Int64) throws(StoreError) {
    clocks.advance(usec: usec)
    try runIteration()
  }

  /// The screen is locked or unlocked, or logind stops to report the user's presence.
  public func note(_ presence: Presence) throws(StoreError) {
    self.presence = presence
    try runIteration { $0.background.note(presence: presence, at: clocks.now) }
  }

  /// A user sets the wall clock by `usec`.
  public func setClock(byUsec usec: Int64) throws(StoreError) {
    clocks.step(usec: usec)
    isSynchronized = false
    try runIteration()
  }

  /// The network corrects the wall clock, and it is synchronised from now on.
  public func synchronize() throws(StoreError) {
    if clocks.wallErrorUsec != 0 { try setClock(byUsec: -clocks.wallErrorUsec) }
    isSynchronized = true
    try runIteration { $0.background.note(synchronized: true, at: clocks.now) }
  }

  /// The machine's own zone changes, and with it the calendar.
  public func move(toZone name: String) throws(StoreError) {
    zoneName = name
    zone += 1
    try runIteration { $0.note(zone: (name, zone), at: clocks.now) }
  }
}
