public import NightjarEngine
public import NightjarLedger
import NightjarModel

/// What happens to a machine, from its beginning to its end, as the daemon's lifecycle has it: the same
/// causes, in the same order, with what is on the disk in between. The daemon is up before and after.
extension SimulatedMachine {
  /// How long a machine has been up when a daemon on it is started, unless it took less altogether.
  public static let usualUptimeUsec: Int64 = 10_000_000

  /// The machine sleeps, which logind announces. A timer that `wakes` ends the sleep when it is due.
  ///
  /// - Parameter onAlarm: called when that happens, before the daemon sees that the sleep is over.
  /// - Returns: how long it slept, at most `usec`.
  public func sleep(
    usec: Int64, onAlarm: (_ sleptUsec: Int64) -> Void = { _ in }
  ) throws(StoreError) -> Int64 {
    try pass { $0.background.enter(.sleep, at: clocks.now) }
    let slept = min(usec, untilAlarm() ?? usec)
    clocks.sleep(usec: slept)
    if slept < usec { onAlarm(slept) }
    try pass { $0.background.leave(.sleep, at: clocks.now) }
    return slept
  }

  /// How long until a timer wakes the machine; nil if none does.
  private func untilAlarm() -> Int64? {
    guard wakeObstacle == nil, let alarms = core?.engine.alarms else { return nil }
    return [
      alarms.boottimeUsec.map { $0 - clocks.now.boottimeUsec },
      alarms.realtimeUsec.map { $0 - clocks.now.realtimeUsec },
    ].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// SIGTSTP stops the daemon, and SIGCONT continues it `usec` later.
  public func stop(usec: Int64) throws(StoreError) {
    try pass { $0.background.enter(.stop, at: clocks.now) }
    clocks.advance(usec: usec)
    try pass { $0.background.leave(.stop, at: clocks.now) }
  }

  /// SIGTERM ends the daemon, and it is started again `usec` later.
  public func restart(afterUsec usec: Int64) throws(StoreError) {
    try pass { $0.background.enter(.down, at: clocks.now) }
    try kill(startedAfterUsec: usec)
  }

  /// The daemon is killed, as its service manager sees, and started again `usec` later.
  public func kill(startedAfterUsec usec: Int64) throws(StoreError) {
    let end = clocks.now
    crash()
    clocks.advance(usec: usec)
    try boot(downSince: end)
  }

  /// The machine is shut down and started anew, and `usec` after the daemon ended it runs again.
  ///
  /// - Parameter errorUsec: by how much the wall clock comes back wrong. Nobody vouches for a clock that
  ///   is wrong until `synchronize()`.
  public func reboot(takingUsec usec: Int64, errorUsec: Int64 = 0) throws(StoreError) {
    try pass { $0.background.enter(.down, at: clocks.now) }
    crash()
    let uptimeUsec = min(usec, Self.usualUptimeUsec)
    clocks.reboot(offUsec: usec - uptimeUsec, uptimeUsec: uptimeUsec, errorUsec: errorUsec)
    isVouched = clocks.wallErrorUsec == 0
    try boot()
  }

  /// Nothing on the machine runs for `usec`, and nobody says so.
  public func freeze(usec: Int64) throws(StoreError) {
    clocks.advance(usec: usec)
    try pass()
  }

  /// The screen is locked or unlocked, or logind says nothing any more.
  public func note(_ presence: Presence) throws(StoreError) {
    self.presence = presence
    try pass { $0.background.note(presence: presence, at: clocks.now) }
  }

  /// Somebody sets the wall clock.
  public func setClock(byUsec usec: Int64) throws(StoreError) {
    clocks.step(usec: usec)
    isVouched = false
    try pass()
  }

  /// The network sets the wall clock right, and vouches for it.
  public func synchronize() throws(StoreError) {
    if clocks.wallErrorUsec != 0 { try setClock(byUsec: -clocks.wallErrorUsec) }
    isVouched = true
    try pass { $0.background.note(synchronized: true, at: clocks.now) }
  }

  /// The machine is taken to another zone, by whose rules the calendar goes from now on.
  public func move(toZone name: String) throws(StoreError) {
    zoneName = name
    zone += 1
    try pass { $0.note(zone: (name, zone), at: clocks.now) }
  }
}
