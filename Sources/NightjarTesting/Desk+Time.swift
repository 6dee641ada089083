internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSimulation

/// What happens to the machine. The daemon is up before and after, but for SIGTSTP; what is brought about
/// has been sent when one of these returns.
extension Desk {
  /// Time passes: all that comes due does at its own reading of the clocks, ticks among it.
  func advance(usec: Int64) throws(TestDaemonError) {
    try check(passing: usec)
    var restUsec = usec
    while state == .running {
      let next = [machine.untilWake(), untilTickUsec].compactMap { $0 }.min()
      guard let next, next <= restUsec else { break }
      try play { machine throws(StoreError) in try machine.advance(usec: next) }
      restUsec -= next
      tick()
      try settle()
    }
    try pass(restUsec) { machine throws(StoreError) in try machine.advance(usec: restUsec) }
  }

  /// The machine sleeps; if a timer wakes it, the rest passes awake.
  ///
  /// - Returns: how long it slept.
  func sleep(usec: Int64) throws(TestDaemonError) -> Int64 {
    try check(passing: usec)
    guard state == .running else {
      machine.clocks.sleep(usec: usec)
      return usec
    }
    var slept = usec
    try play { machine throws(StoreError) in slept = try machine.sleep(usec: usec) }
    try settle()
    if slept < usec { try advance(usec: usec - slept) }
    return slept
  }

  /// Somebody sets the wall clock.
  func step(byUsec usec: Int64) throws(TestDaemonError) {
    try check(passing: 0, setBy: usec)
    guard state == .running else { return machine.clocks.step(usec: usec) }
    try play { machine throws(StoreError) in try machine.setClock(byUsec: usec) }
    try settle()
  }

  /// Nothing on the machine runs, and nobody says so.
  func freeze(usec: Int64) throws(TestDaemonError) {
    try check(passing: usec)
    try pass(usec) { machine throws(StoreError) in try machine.freeze(usec: usec) }
  }

  /// SIGTSTP.
  func stop() throws(TestDaemonError) {
    guard state == .running else { return }
    try play { machine throws(StoreError) in
      try machine.pass { $0.background.enter(.stop, at: machine.clocks.now) }
    }
    try settle()
    state = .stopped
  }

  /// SIGCONT.
  func goOn() throws(TestDaemonError) {
    guard state == .stopped else { return }
    state = .running
    try play { machine throws(StoreError) in
      try machine.pass { $0.background.leave(.stop, at: machine.clocks.now) }
    }
    try settle()
  }

  /// The process is killed, and started again later.
  func crash(downForUsec usec: Int64) throws(TestDaemonError) {
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.kill(startedAfterUsec: usec)
    }
  }

  /// SIGTERM, and a start later.
  func restart(downForUsec usec: Int64) throws(TestDaemonError) {
    // It stays pending while the process is stopped.
    try goOn()
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.restart(afterUsec: usec)
    }
  }

  /// The machine is shut down and started anew.
  func reboot(downForUsec usec: Int64) throws(TestDaemonError) {
    try goOn()
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.reboot(takingUsec: usec)
    }
  }

  /// The daemon ends, and another takes its place.
  private func replace(
    takingUsec usec: Int64, _ body: (SimulatedMachine) throws(StoreError) -> Void
  ) throws(TestDaemonError) {
    try check(passing: usec)
    try play(body)
    // What it still had to say.
    sendAll()
    disconnect()
    begin()
  }

  /// What happens in `usec`, if the daemon is there to see it; if it is stopped, the clocks go on.
  private func pass(
    _ usec: Int64, _ body: (SimulatedMachine) throws(StoreError) -> Void
  ) throws(TestDaemonError) {
    guard state == .running else { return machine.clocks.advance(usec: usec) }
    try play(body)
    try settle()
  }

  private func check(passing usec: Int64, setBy stepUsec: Int64 = 0) throws(TestDaemonError) {
    guard usec >= 0, machine.clocks.canShow(passing: usec, setBy: stepUsec) else {
      throw .impossibleTime
    }
  }
}
