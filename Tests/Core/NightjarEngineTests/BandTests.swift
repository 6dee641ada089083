import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Crossings of bands, and their events.
@Suite struct BandTests {
  private let stage = Stage()

  private func band(
    _ name: String, _ seconds: Int64, _ from: Int64? = nil, _ to: Int64 = 1_000_000
  ) -> Band {
    Band(
      name: name, remainingUsec: seconds * second,
      progress: from.map { ProgressRange(from: $0, to: to) })
  }

  private func start(
    _ seconds: Int64, _ bands: [Band], _ clock: Timeline = .elapsed
  ) throws -> Int {
    try stage.start(
      "tea", SharedSpec(kind: .countdown, bands: bands), usec: seconds * second, clock)
  }

  private func name(_ slot: Int) -> String? { stage.engine.view(slot, at: stage.now).band?.name }

  @Test(arguments: Timeline.allCases)
  func `A band is crossed at exactly its threshold on each clock`(_ clock: Timeline) throws {
    let slot = try start(60, [band("warn", 10)], clock)
    stage.run(50 * second - 1)
    #expect(name(slot) == nil)
    #expect(stage.ledger == [])
    stage.run(1)
    #expect(name(slot) == "warn")
    #expect(stage.ledger == ["50.000000 band_crossed warn 10.000000"])
    stage.run(10 * second)
    #expect(stage.ledger.last == "60.000000 rang")
  }

  @Test func `The loop is armed for the next band, and then for the deadline`() throws {
    _ = try start(60, [band("warn", 30), band("urgent", 10)])
    let begin = stage.now.boottimeUsec
    #expect(stage.engine.wake.boottimeUsec == begin + 30 * second)
    stage.run(30 * second)
    #expect(stage.engine.wake.boottimeUsec == begin + 50 * second)
    stage.run(20 * second)
    #expect(stage.engine.wake.boottimeUsec == begin + 60 * second)
  }

  @Test func `Each band is crossed when it is due`() throws {
    _ = try start(60, [band("calm", 40), band("warn", 30), band("urgent", 10)])
    stage.advance(60 * second)
    #expect(
      stage.ledger == [
        "20.000000 band_crossed calm 40.000000", "30.000000 band_crossed warn 30.000000",
        "50.000000 band_crossed urgent 10.000000", "60.000000 rang",
      ])
  }

  @Test func `The band at the start is in force without an event`() throws {
    let slot = try start(60, [band("all", 60), band("warn", 10)])
    #expect(name(slot) == "all")
    let other = try stage.start(
      "short", SharedSpec(kind: .countdown, bands: [band("long", 90)]), usec: 60 * second)
    #expect(name(other) == "long")
    #expect(stage.ledger == [])
  }

  @Test func `A timer paused on a threshold crosses it once and stays in the band`() throws {
    let slot = try start(60, [band("warn", 10)])
    stage.run(50 * second)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(hour)
    #expect(name(slot) == "warn")
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.run(10 * second)
    #expect(
      stage.ledger == [
        "50.000000 band_crossed warn 10.000000", "50.000000 paused 10.000000",
        "3650.000000 resumed", "3660.000000 rang",
      ])
  }

  @Test
  func `A timer paused a microsecond before a threshold crosses it a microsecond after it resumes`()
    throws
  {
    let slot = try start(60, [band("warn", 10)])
    stage.run(50 * second - 1)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    stage.run(hour)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    #expect(name(slot) == nil)
    stage.run(1)
    #expect(stage.ledger.last == "3650.000000 band_crossed warn 10.000000")
  }

  @Test
  func `A timer extended back over a threshold leaves the band and crosses the threshold again`()
    throws
  {
    let slot = try start(60, [band("calm", 40), band("warn", 10)])
    stage.advance(55 * second)
    try stage.runIteration { try $0.extend(slot, byUsec: 20 * second, at: stage.now) }
    #expect(name(slot) == "calm")
    try stage.runIteration { try $0.extend(slot, byUsec: 60 * second, at: stage.now) }
    #expect(name(slot) == nil)
    stage.advance(85 * second)
    #expect(
      stage.ledger == [
        "20.000000 band_crossed calm 40.000000", "50.000000 band_crossed warn 10.000000",
        "55.000000 extended", "55.000000 band_crossed calm 25.000000", "55.000000 extended",
        "55.000000 band_crossed none 85.000000", "100.000000 band_crossed calm 40.000000",
        "130.000000 band_crossed warn 10.000000", "140.000000 rang",
      ])
  }

  @Test
  func `A timer shortened to a threshold crosses it at once, whether it is paused or running`()
    throws
  {
    for isPaused in [false, true] {
      let stage = Stage()
      let spec = try SharedSpec(kind: .countdown, bands: [band("warn", 10)])
      let slot = try stage.start("tea", spec, usec: 60 * second)
      if isPaused { try stage.engine.pause(slot, at: stage.now) }
      try stage.runIteration { try $0.extend(slot, byUsec: -50 * second, at: stage.now) }
      #expect(
        stage.ledger.suffix(2) == ["0.000000 extended", "0.000000 band_crossed warn 10.000000"])
    }
  }

  @Test
  func `A restarted timer is outside its bands without an event and crosses them again`() throws {
    let slot = try start(60, [band("warn", 10)])
    stage.run(50 * second)
    try stage.runIteration { try $0.restart(slot, at: stage.now) }
    #expect(name(slot) == nil)
    stage.run(50 * second)
    #expect(
      stage.ledger == [
        "50.000000 band_crossed warn 10.000000", "50.000000 restarted",
        "100.000000 band_crossed warn 10.000000",
      ])
  }

  @Test func `After an update of the bands the present one is announced and later ones are armed`()
    throws
  {
    let slot = try start(60, [band("warn", 10)])
    stage.run(20 * second)
    try stage.runIteration {
      try $0.update(slot, bands: [band("calm", 50), band("urgent", 5)], at: stage.now)
    }
    #expect(name(slot) == "calm")
    #expect(stage.engine.wake.boottimeUsec == stage.now.boottimeUsec + 35 * second)
    stage.advance(35 * second)
    try stage.runIteration { try $0.update(slot, bands: [], at: stage.now) }
    #expect(name(slot) == nil)
    #expect(
      stage.ledger == [
        "20.000000 updated", "20.000000 band_crossed calm 40.000000",
        "55.000000 band_crossed urgent 5.000000", "55.000000 updated",
      ])
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `An update of something else leaves the present band without an event`() throws {
    let slot = try start(60, [band("calm", 40), band("warn", 10)])
    stage.run(20 * second)
    stage.run(30 * second)
    var spec = stage.engine.timerSpec(at: slot)
    spec.late = .skip
    try stage.runIteration { try $0.update(slot, to: spec, at: stage.now) }
    #expect(name(slot) == "warn")
    #expect(stage.engine.timerSpec(at: slot).late == .skip)
    #expect(
      stage.ledger == [
        "20.000000 band_crossed calm 40.000000", "50.000000 band_crossed warn 10.000000",
        "50.000000 updated",
      ])
  }

  @Test func `A countdown that gets or loses bands keeps its place among equal deadlines`() throws {
    let slot = try stage.start("first", 10 * second)
    _ = try stage.start("second", 10 * second)
    try stage.runIteration { try $0.update(slot, bands: [band("warn", 5)], at: stage.now) }
    try stage.runIteration { try $0.update(slot, bands: [], at: stage.now) }
    stage.run(10 * second)
    #expect(stage.rings.map(\.name) == ["first", "second"])
  }

  @Test func `Only the last of the bands passed in a span is announced`() throws {
    let slot = try start(100, [band("calm", 80), band("warn", 50), band("urgent", 10)])
    stage.sleep(70 * second)
    #expect(name(slot) == "warn")
    #expect(stage.ledger == ["70.000000 band_crossed warn 30.000000"])
  }

  @Test func `A pause in an announced sleep announces the band that was crossed in the sleep`()
    throws
  {
    let slot = try start(60, [band("warn", 30), band("urgent", 10)])
    stage.enter(.sleep)
    stage.clocks.run(55 * second)
    try stage.runIteration { try $0.pause(slot, at: stage.now) }
    #expect(name(slot) == "urgent")
    #expect(
      stage.ledger == ["55.000000 paused 5.000000", "55.000000 band_crossed urgent 5.000000"])
    // It is not announced again, neither when the timer resumes nor at the end of the sleep.
    stage.clocks.run(hour)
    try stage.runIteration { try $0.resume(slot, at: stage.now) }
    stage.leave(.sleep)
    stage.run(5 * second)
    #expect(stage.ledger.dropFirst(2) == ["3655.000000 resumed", "3660.000000 rang"])
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `No band is announced for a timer that expired in a span`() throws {
    _ = try start(100, [band("warn", 50)])
    stage.sleep(101 * second)
    #expect(stage.ledger == ["101.000000 rang late 1.000000 sleep"])
  }

  @Test func `A wall clock set back over a threshold takes a wall timer out of the band`() throws {
    let slot = try start(100, [band("warn", 50)], .wall)
    stage.run(60 * second)
    stage.clocks.step(-20 * second)
    stage.runIteration()
    #expect(name(slot) == nil)
    stage.advance(60 * second)
    #expect(
      stage.ledger == [
        "60.000000 band_crossed warn 40.000000", "40.000000 band_crossed none 60.000000",
        "50.000000 band_crossed warn 50.000000", "100.000000 rang",
      ])
  }

  @Test func `A wall clock set back leaves bands on other clocks alone`() throws {
    _ = try start(100, [band("warn", 50)])
    stage.run(60 * second)
    stage.clocks.step(-20 * second)
    stage.runIteration()
    #expect(stage.ledger.count == 1)
  }

  @Test func `Progress runs through the range of the band, or through the whole without one`()
    throws
  {
    let slot = try start(100, [band("ring", 60, 0), band("full", 20, 1_000_000), band("bare", 10)])
    var seen: [Double] = []
    for _ in 0...10 {
      seen.append(stage.engine.view(slot, at: stage.now).progress)
      stage.advance(10 * second)
    }
    // Progress from 0 to 0.3 of the whole, the band's ranges, and the whole again.
    #expect(seen == [0, 0.1, 0.2, 0.3, 0, 0.25, 0.5, 0.75, 1, 0.9, 1])
  }

  @Test func `A range may fall, and a band longer than the timer begins with it`() throws {
    let slot = try start(10, [band("all", 90, 1_000_000, 500_000)])
    #expect(stage.engine.view(slot, at: stage.now).progress == 1)
    stage.run(5 * second)
    #expect(stage.engine.view(slot, at: stage.now).progress == 0.75)
    stage.run(5 * second)
    #expect(stage.engine.view(slot, at: stage.now).progress == 0.5)
  }
}
