import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Rings without an answer, as the caller that plays them reports them.
@Suite struct UnansweredTests {
  /// A timer that has just rung.
  private func rung(_ spec: SharedSpec? = nil) throws -> (stage: Stage, slot: Int) {
    let stage = Stage()
    let slot = try stage.start("tea", spec, usec: 10 * second)
    stage.run(10 * second)
    return (stage, slot)
  }

  private func ring(_ stage: Stage, _ slot: Int) -> LastRing? {
    stage.engine.timer(at: slot).lastRing
  }

  /// Reports that the ring ended or starts again.
  private func report(
    _ stage: Stage, _ slot: Int, isOver: Bool = true, firedUsec: Int64? = nil
  ) -> Bool {
    let firedUsec = firedUsec ?? ring(stage, slot)?.firedUsec ?? 0
    let engine = stage.engine
    return isOver
      ? engine.recordUnanswered(slot, firedUsec: firedUsec, at: stage.now)
      : engine.recordRangAgain(slot, firedUsec: firedUsec, at: stage.now)
  }

  @Test func `A ring ends once, and starts again only after that`() throws {
    let (stage, slot) = try rung()
    #expect(ring(stage, slot)?.hasEnded == false && ring(stage, slot)?.number == 1)
    #expect(!report(stage, slot, isOver: false))
    stage.run(minute)
    #expect(report(stage, slot) && !report(stage, slot))
    #expect(ring(stage, slot)?.hasEnded == true && ring(stage, slot)?.number == 1)
    #expect(report(stage, slot, isOver: false) && !report(stage, slot, isOver: false))
    #expect(ring(stage, slot)?.hasEnded == false && ring(stage, slot)?.number == 2)
    #expect(stage.ledger == ["10.000000 fired", "70.000000 unanswered", "70.000000 rang_again"])
    // It is still the same expiry: its age and the end of its retention stay.
    #expect(stage.engine.view(slot, at: stage.now).firedAgoUsec == minute)
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `A timer rings a limited number of times for one expiry`() throws {
    let (stage, slot) = try rung()
    var rings: Int64 = 1
    while report(stage, slot), report(stage, slot, isOver: false) { rings += 1 }
    #expect(rings == Limits.ringsOfExpiry && ring(stage, slot)?.hasEnded == true)
  }

  @Test func `A ring that was answered, or of another expiry, does not end`() throws {
    let spec = try SharedSpec(kind: .countdown, repeats: true)
    let (stage, slot) = try rung(spec)
    let first = ring(stage, slot)?.firedUsec
    stage.run(10 * second)
    #expect(!report(stage, slot, firedUsec: first))
    #expect(report(stage, slot))
    try stage.engine.dismiss(slot, at: stage.now)
    #expect(ring(stage, slot) == nil && !report(stage, slot))
    stage.run(10 * second)
    #expect(report(stage, slot))
    try stage.engine.pause(slot, at: stage.now)
    #expect(!report(stage, slot, isOver: false))
  }

  @Test func `The next expiry begins with its first ring`() throws {
    let (stage, slot) = try rung(try SharedSpec(kind: .countdown, repeats: true))
    #expect(report(stage, slot) && report(stage, slot, isOver: false))
    stage.run(10 * second)
    #expect(ring(stage, slot)?.number == 1 && ring(stage, slot)?.hasEnded == false)
    let (other, fired) = try rung()
    #expect(report(other, fired))
    try other.engine.snooze(fired, byUsec: minute, at: other.now)
    other.run(minute)
    #expect(ring(other, fired)?.number == 1 && ring(other, fired)?.hasEnded == false)
  }

  @Test func `No ring ends in the background`() throws {
    let (stage, slot) = try rung()
    stage.enter(.sleep)
    #expect(!report(stage, slot))
    stage.clocks.sleep(hour)
    stage.leave(.sleep)
    #expect(report(stage, slot))
  }

  @Test func `A replayed ledger has the same rings`() throws {
    let (stage, slot) = try rung()
    #expect(report(stage, slot) && report(stage, slot, isOver: false) && report(stage, slot))
    let bus = NotificationBus()
    let engine = Engine(
      background: Background(at: stage.now, bus: bus), bus: bus, calendar: NoCalendar(),
      maximumTimers: 10, loading: true)
    for event in stage.events { #expect(engine.replay(event, done: { _ in false })) }
    #expect(engine.finishLoading(lastSeq: 0) == nil)
    let read = engine.timer(at: slot)
    #expect(read.lastRing?.number == 2 && read.lastRing?.hasEnded == true)
    #expect(read.lastEvent == stage.engine.timer(at: slot).lastEvent)
  }
}
