import CDiskRecord
import Glibc
import NightjarTestSupport

extension Round {
  /// Lives of one daemon on one folder in which calls fail, while it starts or while it runs. It
  /// ends with a kill, mostly before it could try again; the next life, on a good disk, has what
  /// was acknowledged.
  func runErrors() throws {
    let load = load("a")
    let fault = try FaultSwitch(path: "\(workshop.path)/fault")
    for life in 1...8 where !tally.isOver || life == 1 {
      let kind = random.pick(FaultSwitch.Kind.all)
      let count: Int32 = random.pick([1, 1, 2, 10, .max])
      let before = (failed: fault.failed, acknowledged: load.story.acknowledged)
      if random.oneIn(3) {
        try failAtStart(fault, kind, count)
      } else {
        try failAtWork(fault, kind, count, load)
      }
      fault.disarm()
      add(.injected, fault.failed - before.failed)
      add(.acknowledged, load.story.acknowledged - before.acknowledged)
      situation = "life \(life), " + situation
      let daemon = try start()
      let found = faults(
        of: try read(daemon), [load.story], isUnreadable: kind.calls == UInt32(NJ_DISK_READ))
      guard found.isEmpty else { return tally.report(found, in: self) }
      if random.oneIn(2) { try kill(daemon) } else { try stop(daemon) }
    }
  }

  /// It may refuse to start then, and say why.
  private func failAtStart(_ fault: FaultSwitch, _ kind: FaultSwitch.Kind, _ count: Int32) throws {
    let skip = Int32(random.below(random.pick([10, 200])))
    situation = "\(kind.name), \(count) times behind \(skip) calls of a start"
    fault.arm(kind, skip: skip, count: count)
    let environment = workshop.tools.environment(workshop, fault: fault.path)
    switch try TorturedDaemon.start(in: workshop, environment: environment) {
    case .ready(let daemon): try kill(daemon)
    case .ended(.exited(1), let said) where !said.isEmpty: add(.refusedStarts)
    case .ended(let end, let said):
      throw Unmet(description: "a start ends with \(end): \(said.suffix(600))")
    }
  }

  private func failAtWork(
    _ fault: FaultSwitch, _ kind: FaultSwitch.Kind, _ count: Int32, _ load: Load
  ) throws {
    let skip = Int32(random.below(random.pick([5, 60])))
    situation = "\(kind.name), \(count) times behind \(skip) calls of a daemon at work"
    let daemon = try start(workshop.tools.environment(workshop, fault: fault.path))
    let wire = try CallSocket(path: daemon.socketPath)
    _ = try load.run(on: wire, changes: random.below(300))
    let first = load.story.changes.count
    let failed = fault.failed
    fault.arm(kind, skip: skip, count: count)
    // Until the disk has refused something: then the kill comes before the next try.
    _ = try load.run(on: wire) {
      $0.failures(since: first) > 0 || $0.changes.count > first + 200
    }
    add(.failed, load.story.failures(since: first))
    if fault.failed > failed, random.oneIn(6) {
      fault.disarm()
      try runUntilWritable(load, wire)
    }
    // Questions are answered whatever the disk does.
    try askStatus(daemon)
    if random.oneIn(4) { try stop(daemon, canFail: true) } else { try kill(daemon) }
  }
}
