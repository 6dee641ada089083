import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

/// A repetition keeps its period, though the daemon is interrupted.
@Suite(.blocking) struct RepetitionTests {
  private static let second: Int64 = 1_000_000

  @Test
  func `The Nth ring is at the start plus N periods, through a crash, a stop and a reboot`() throws
  {
    let machine = SimulatedMachine()
    let begin = machine.clocks.now.realtimeUsec
    try machine.boot()
    try machine.runIteration { core in
      guard let spec = try? SharedSpec(kind: .countdown, repeats: true) else { return }
      _ = try? core.engine.start(
        "tick", durationUsec: 10 * Self.second, clock: .elapsed, spec: spec, at: machine.clocks.now)
    }
    try machine.advance(usec: 14 * Self.second)
    machine.crash()
    machine.clocks.advance(usec: 100 * Self.second + 1)
    try machine.boot()
    try machine.advance(usec: 10 * Self.second)
    try machine.runIteration { $0.background.enter(.down, at: machine.clocks.now) }
    machine.crash()
    machine.clocks.reboot(offUsec: 1000 * Self.second, uptimeUsec: 7 * Self.second)
    try machine.boot()
    try machine.advance(usec: 10 * Self.second)
    let rings = machine.takePublished().compactMap { event -> String? in
      guard case .rang(let late, _, let passing?) = event.kind else { return nil }
      // The expiry for which it rang, in periods since the start, and how many before it were
      // missed.
      let due = event.timeUsec - begin - late.usec
      #expect(due % (10 * Self.second) == 0)
      return "\(due / (10 * Self.second)) \(passing.missed) "
        + (late.cause.map { "\($0.name)" } ?? "on-time")
    }
    #expect(
      rings == ["1 0 on-time", "11 9 down", "12 0 on-time", "113 100 reboot", "114 0 on-time"])
  }
}
