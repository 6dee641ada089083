import Glibc
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing

/// Ten years of a daily alarm, in zones with changes of the clocks.
@Suite(.blocking) struct TenYearsTests {
  /// 2020-01-01 and 2030-01-01, 00:00 UTC, in seconds.
  private static let years: Range<Int64> = 1_577_836_800..<1_893_456_000

  @Test(
    arguments: [
      "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca",
      "America/Santiago", "Asia/Tehran", "Europe/Dublin", "Pacific/Chatham", "UTC",
    ], [(2, 30), (9, 0)])
  func `An alarm rings each day at the right local time, in a few seconds for all ten years`(
    _ zone: String, _ time: (hour: Int, minute: Int)
  ) throws {
    let calendar = ZoneCalendar(local: try #require(ZoneDatabase.zone(named: zone)))
    let machine = SimulatedMachine(calendar: calendar)
    machine.clocks = SimulatedClocks(realtimeUsec: Self.years.lowerBound * 1_000_000)
    let text = "*-*-* \(time.hour):\(time.minute):00"
    let spec = try SharedSpec(kind: .alarm, schedule: Schedule(expression: text, zone: zone))

    let begin = threadUsec()
    try machine.boot()
    try machine.runIteration { core in
      _ = try? core.engine.start("wake", clock: .wall, spec: spec, at: machine.clocks.now)
    }
    try machine.advance(usec: Int64(Self.years.count) * 1_000_000)
    let took = threadUsec() - begin

    let published = machine.takePublished()
    let rang = published.filter { "\($0.typeName)" == "rang" }.map(\.timeUsec)
    let right = try WallOracle(zone).days(Self.years, hour: time.hour, minute: time.minute)
    #expect(right.count == 3653)
    #expect(rang == right.map { $0 * 1_000_000 })
    let types = Set(published.map { "\($0.typeName)" })
    #expect(types == ["started", "rang", "unanswered"], "nothing but the start and the rings")
    // The processor time of this thread, because others may keep the machine busy.
    print("ten years of \(text) \(zone) took \(took / 1000) ms")
    #expect(took < 3_000_000)
  }

  @Test func `The oracle knows the gap and the repeated hour of well-known changes`() throws {
    let berlin = try WallOracle("Europe/Berlin")
    // 2024-03-31: from 2:00 to 3:00, at 1:00 UTC. 2024-10-27: 2:30 comes twice, first at 0:30 UTC.
    #expect(berlin.instant(day: 19_813, hour: 2, minute: 30) == 1_711_846_800)
    #expect(berlin.instant(day: 20_023, hour: 2, minute: 30) == 1_729_989_000)
    // Lord Howe puts clocks forward by half an hour: 2:30 is where they land.
    let howe = try WallOracle("Australia/Lord_Howe")
    #expect(howe.instant(day: 20_002, hour: 2, minute: 30) == 1_728_142_200)
  }

  private func threadUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

/// When a local time comes, by Python's zoneinfo: tries the offsets of the days around.
private struct WallOracle {
  private let zone: ZoneOracle

  init(_ name: String) throws { zone = try ZoneOracle(name) }

  func days(_ seconds: Range<Int64>, hour: Int, minute: Int) -> [Int64] {
    (seconds.lowerBound / 86_400 - 1...seconds.upperBound / 86_400).map {
      instant(day: $0, hour: hour, minute: minute)
    }.filter { seconds.contains($0) }
  }

  /// In seconds, on a day counted from 1970: the first of two instants, or where the clocks land if
  /// they skip it.
  func instant(day: Int64, hour: Int, minute: Int) -> Int64 {
    let wall = day * 86_400 + Int64(hour * 3600 + minute * 60)
    let offsets = Set([wall - 86_400, wall + 86_400].map(zone.offset(at:)))
    let fitting = offsets.map { wall - $0 }.filter { zone.offset(at: $0) == wall - $0 }
    if let first = fitting.min() { return first }
    // No clock shows it: the change of the offset is between the two instants that would.
    var (before, after) = (wall - offsets.max()! - 1, wall - offsets.min()!)
    let old = zone.offset(at: before)
    while after - before > 1 {
      let middle = (before + after) / 2
      if zone.offset(at: middle) == old { before = middle } else { after = middle }
    }
    return after
  }
}
