internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSimulation

/// The events of the simulated machine. The daemon runs before and after each event, unless SIGTSTP
/// has stopped it. When a method returns, the messages about its effects have been sent.
extension Desk {
  /// Lets time pass. Each expiry and each tick happens exactly at its time on the simulated clocks.
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

  /// Lets the machine sleep. If a timer wakes the machine, it is awake for the rest of the time.
  ///
  /// - Returns: how long the machine slept, in microseconds.
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

  /// Sets the wall clock by a number of microseconds. A negative number sets it back.
  func step(byUsec usec: Int64) throws(TestDaemonError) {
    try check(passing: 0, setBy: usec)
    guard state == .running else { return machine.clocks.step(usec: usec) }
    try play { machine throws(StoreError) in try machine.setClock(byUsec: usec) }
    try settle()
  }

  /// Freezes the machine. The daemon gets no message about it.
  func freeze(usec: Int64) throws(TestDaemonError) {
    try check(passing: usec)
    try pass(usec) { machine throws(StoreError) in try machine.freeze(usec: usec) }
  }

  /// Stops the daemon, as SIGTSTP does.
  func stop() throws(TestDaemonError) {
    guard state == .running else { return }
    try play { machine throws(StoreError) in
      try machine.runIteration { $0.background.enter(.stop, at: machine.clocks.now) }
    }
    try settle()
    state = .stopped
  }

  /// Continues the daemon, as SIGCONT does.
  func goOn() throws(TestDaemonError) {
    guard state == .stopped else { return }
    state = .running
    try play { machine throws(StoreError) in
      try machine.runIteration { $0.background.leave(.stop, at: machine.clocks.now) }
    }
    try settle()
  }

  /// Kills the daemon as SIGKILL does, and starts it again after `usec`.
  func crash(downForUsec usec: Int64) throws(TestDaemonError) {
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.kill(startedAfterUsec: usec)
    }
  }

  /// Ends the daemon as SIGTERM does, and starts it again after `usec`.
  func restart(downForUsec usec: Int64) throws(TestDaemonError) {
    // A stopped process gets SIGTERM only when it continues.
    try goOn()
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.restart(afterUsec: usec)
    }
  }

  /// Reboots the machine. The daemon runs again after `usec`.
  func reboot(downForUsec usec: Int64) throws(TestDaemonError) {
    try goOn()
    try replace(takingUsec: usec) { machine throws(StoreError) in
      try machine.reboot(takingUsec: usec)
    }
  }

  /// Ends the daemon with `body`, and serves the socket with the daemon that `body` starts.
  private func replace(
    takingUsec usec: Int64, _ body: (SimulatedMachine) throws(StoreError) -> Void
  ) throws(TestDaemonError) {
    try check(passing: usec)
    try play(body)
    // Send the remaining output of the old daemon.
    sendAll()
    disconnect()
    begin()
  }

  /// Lets `usec` pass. If the daemon runs, `body` does it; if the daemon is stopped, only the
  /// clocks advance.
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
