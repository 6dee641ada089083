import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing

/// The events in the life of a simulated machine.
@Suite(.blocking) struct LifecycleTests {
  private static let minute = 60 * second
  private let calendar = ZoneCalendar(local: .utc)
  private let machine: SimulatedMachine

  init() { machine = SimulatedMachine(calendar: calendar) }

  private func start(
    _ name: String, _ usec: Int64 = 0, spec: SharedSpec? = nil, wakes: Bool = false
  ) throws {
    try machine.runIteration { core in
      _ = try? core.engine.start(
        name, durationUsec: usec, clock: .elapsed, spec: spec, wakes: wakes, at: machine.clocks.now)
    }
  }

  /// Lets the machine sleep for an hour. Returns the time that it slept if a timer ended the sleep.
  private func sleepForAnHour() throws -> [Int64] {
    var woken: [Int64] = []
    let slept = try machine.sleep(usec: hour) { woken.append($0) }
    #expect(slept == woken.first ?? hour)
    return woken
  }

  /// The types of the events that clients were shown, of rings with the name and the lateness.
  private func published() -> [String] {
    machine.takePublished().map { event in
      guard case .rang(let late, _, _) = event.kind else { return "\(event.typeName)" }
      return "rang \(event.subject?.name ?? "") \(late.usec)"
    }
  }

  @Test func `A ring after a rename that the disk did not write rings once and on time`() throws {
    machine.commitsAtOnce = false
    try machine.boot()
    try start("tea", Self.minute)
    try machine.settle(.durable)
    _ = published()
    // The rename and the ring are in commits that are not finished.
    machine.clocks.advance(usec: Self.minute - 1)
    try machine.runIteration { core in
      try? core.engine.rename(core.engine.require("tea"), to: "soup", at: machine.clocks.now)
    }
    machine.clocks.advance(usec: 1)
    try machine.runIteration()
    // The disk works again while the timer still rings.
    machine.clocks.advance(usec: Self.minute / 2)
    try machine.settle(.failed)
    try machine.runIteration { $0.journal.retry(at: machine.clocks.now) }
    try machine.settle(.durable)
    #expect(published() == ["rang tea 0"])
  }

  @Test func `While the daemon waits for the clock, no timer that is over is forgotten`() throws {
    try machine.boot(synchronized: true)
    try start("tea", Self.minute)
    try machine.advance(usec: 2 * Self.minute)
    try machine.reboot(takingUsec: Self.minute, errorUsec: 48 * hour)
    try machine.advance(usec: Self.minute - 1)
    #expect(!published().contains("forgotten"))
    try machine.advance(usec: 1)
    #expect(published() == ["forgotten"])
  }

  @Test func `Zone rules that changed while the daemon was down are noticed`() throws {
    try machine.boot()
    for isOther in [false, true] {
      if isOther { machine.zone += 1 }
      try machine.restart(afterUsec: Self.minute)
      #expect(published().contains("zone_changed") == isOther)
    }
  }

  @Test func `A timer with wake ends a sleep exactly when due, if it can`() throws {
    try machine.boot()
    try start("up", 10 * Self.minute, wakes: true)
    #expect(try sleepForAnHour() == [10 * Self.minute])
    #expect(published().last == "rang up 0")
    machine.wakeObstacle = .noClock
    try machine.kill(startedAfterUsec: 1)
    #expect(machine.core?.engine.wakeObstacle == .noClock)
    try start("again", 10 * Self.minute, wakes: true)
    #expect(try sleepForAnHour() == [])
    #expect(published().last == "rang again \(50 * Self.minute)")
  }

  @Test func `What waits for the clock wakes the machine once, at the end of the wait`() throws {
    try machine.boot()
    try machine.synchronize()
    try start("tea", hour, wakes: true)
    // By the clock, an hour too much has passed.
    try machine.reboot(takingUsec: 5 * Self.minute, errorUsec: 2 * hour)
    #expect(try sleepForAnHour() == [Self.minute])
  }

  @Test func `Time stops passing when a caller says so`() throws {
    try machine.boot()
    try start("tick", Self.minute, spec: SharedSpec(kind: .countdown, repeats: true))
    var left = 3
    try machine.advance(usec: 1_000 * Self.minute) {
      left -= 1
      return left >= 0
    }
    #expect(machine.clocks.passedUsec == 3 * Self.minute)
  }

  @Test func `A machine that moves to another zone follows the calendar there`() throws {
    calendar.local = try #require(ZoneDatabase.zone(named: "Europe/Berlin"))
    // 2023-11-14, 22:13:20 UTC.
    try machine.boot()
    for (name, zone) in [("here", ""), ("there", "Asia/Tokyo"), ("inside", "")] {
      let expression = name == "inside" ? "*-*-* 09:00:00 Asia/Tokyo" : "*-*-* 09:00:00"
      let schedule = Schedule(expression: expression, zone: zone)
      try start(name, spec: SharedSpec(kind: .alarm, schedule: schedule))
    }
    calendar.local = try #require(ZoneDatabase.zone(named: "America/New_York"))
    try machine.move(toZone: "America/New_York")
    try machine.advance(usec: 24 * hour)
    let rings = machine.takePublished().compactMap { event -> String? in
      guard case .rang = event.kind, let name = event.subject?.name else { return nil }
      return "\(name) \(event.timeUsec / hour % 24)"
    }
    #expect(rings == ["there 0", "inside 0", "here 14"])
  }
}
