import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// How long rings sound, and what they do without an answer. The scripts of section 10 show more.
@Suite struct UnansweredTests {
  private let stage = Stage(calendar: TestCalendar())

  private func start(
    _ kind: TimerKind, repeats: Bool = false, ring: EncodedRing? = nil
  ) throws -> Int {
    var spec = TimerSpec.plain
    (spec.kind, spec.repeats) = (kind, repeats && kind == .countdown)
    spec.attachments.ring = ring
    switch kind {
    case .alarm where repeats: spec.schedule = Schedule(expression: "\(hour)", zone: "")
    case .alarm: spec.atUsec = stage.now.realtimeUsec + hour
    case .sequence:
      (spec.rounds, spec.steps) = (1, [Step(name: "work", durationUsec: hour)])
    default: spec.durationUsec = hour
    }
    var slot = 0
    try stage.runIteration { slot = try $0.start("tea", spec, at: stage.now).slot }
    stage.advance(hour)
    return slot
  }

  private func ring(forUsec: Int64? = nil, insistUsec: Int64? = nil) -> EncodedRing {
    EncodedRing(publicJSON: Array("{}".utf8), forUsec: forUsec, insistUsec: insistUsec)
  }

  /// The events about the ring after the first, and how long after the expiry they came.
  private var lines: [String] {
    let all = stage.events.filter { $0.subject != nil }.dropFirst(2)
    return all.map { event in
      let usec = event.timeUsec - TestClocks().now.realtimeUsec - hour
      guard case .unanswered(let expiry, let number) = event.kind else {
        return "\(usec / second) \(event.typeName)"
      }
      return "\(usec / second) unanswered \(expiry) \(number)"
    }
  }

  @Test func `What a sound lacked is known until the next sound, and only for that one`() throws {
    let slot = try start(.alarm, ring: ring(forUsec: minute, insistUsec: hour))
    let lack = Unnoticed(unseen: .missing, unheard: .paused, reason: "why")
    func note(_ seq: Int64) {
      stage.runIteration { $0.recordUnnoticed(slot, lack, seq: seq, at: stage.now) }
    }
    let seq = try #require(stage.ring(slot)?.sinceEvent)
    note(seq - 1)
    #expect(stage.ring(slot)?.unnoticed == nil)
    note(seq)
    note(seq)
    #expect(stage.ring(slot)?.unnoticed == lack)
    #expect(stage.events.count { "\($0.typeName)" == "unnoticed" } == 1)
    // The sound goes on, and its end does not change it.
    stage.advance(10 * minute)
    #expect(stage.ring(slot)?.unnoticed == lack)
    stage.advance(hour)
    #expect(stage.ring(slot)?.insisted == 1 && stage.ring(slot)?.unnoticed == nil)
    try stage.runIteration { try $0.dismiss(slot, at: stage.now) }
    note(seq)
    #expect(stage.events.count { "\($0.typeName)" == "unnoticed" } == 1)
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test(
    arguments: [
      (.alarm, false, 600), (.alarm, true, 600), (.countdown, false, 60), (.sequence, false, 60),
      (.countdown, true, nil),
    ] as [(TimerKind, Bool, Int?)])
  func `An alarm sounds ten minutes, other timers a minute, and those that continue once`(
    _ kind: TimerKind, _ repeats: Bool, _ sec: Int?
  ) throws {
    let slot = try start(kind, repeats: repeats)
    #expect(stage.ring(slot)?.isSounding == (sec != nil))
    stage.advance(hour / 2)
    #expect(lines == (sec.map { ["\($0) unanswered 1 1"] } ?? []))
    #expect(stage.ring(slot)?.isQuiet == true)
    #expect(stage.engine.violatedInvariant() == nil)
  }

  @Test func `A timer's own ring counts before what is usual`() throws {
    stage.engine.usualRing.insistUsec = minute
    _ = try start(.countdown, repeats: true, ring: ring(forUsec: 5 * second, insistUsec: 0))
    stage.advance(hour / 2)
    #expect(lines == ["5 unanswered 1 1"])
  }

  @Test func `A ring that sounds once and insists waits ten seconds for an answer`() throws {
    stage.engine.usualRing.insistUsec = minute
    let slot = try start(.alarm, ring: ring(forUsec: 0))
    stage.advance(80 * second)
    #expect(
      lines == ["10 unanswered 1 1", "70 rang_again", "80 unanswered 1 2"])
    // It is still the same expiry, and was heard ten seconds ago.
    #expect(stage.ring(slot)?.number == 1 && stage.ring(slot)?.insisted == 1)
    #expect(stage.engine.view(slot, at: stage.now).ringAgoUsec == 10 * second)
    #expect(stage.engine.view(slot, at: stage.now).ringLeftUsec == minute)
  }

  @Test func `The next expiry, and the end of a snooze, begin with their first sound`() throws {
    let ring = ring(forUsec: minute, insistUsec: 20 * minute)
    let slot = try start(.countdown, repeats: true, ring: ring)
    stage.advance(50 * minute)
    #expect(stage.ring(slot)?.insisted == 2)
    stage.advance(10 * minute)
    #expect(stage.ring(slot)?.number == 2 && stage.ring(slot)?.insisted == 0)
    stage.advance(30 * minute)
    #expect(stage.ring(slot)?.insisted == 1)
    try stage.engine.snooze(slot, byUsec: minute, at: stage.now)
    stage.advance(minute)
    #expect(stage.ring(slot)?.number == 2 && stage.ring(slot)?.insisted == 0)
  }

  @Test func `No sound ends in the background`() throws {
    let slot = try start(.countdown)
    stage.enter(.sleep)
    stage.clocks.sleep(hour)
    #expect(stage.ring(slot)?.isSounding == true)
    stage.leave(.sleep)
    #expect(lines == ["3600 unanswered 1 1"])
  }

  @Test func `A replayed ledger has the same rings`() throws {
    let slot = try start(.countdown, repeats: true, ring: ring(insistUsec: minute))
    var seen: Set<String> = []
    func check() {
      let bus = NotificationBus()
      let engine = Engine(
        background: Background(at: stage.now, bus: bus), bus: bus, calendar: NoCalendar(),
        maximumTimers: 10, loading: true)
      for event in stage.events { #expect(engine.replay(event, done: { _ in false })) }
      #expect(engine.finishLoading(lastSeq: 0) == nil)
      #expect(engine.stored(slot) == stage.engine.stored(slot))
      seen.insert("\(String(describing: engine.timer(at: slot).ring?.state))")
    }
    for _ in 0..<3 {
      stage.advance(minute)
      check()
    }
    try stage.engine.snooze(slot, byUsec: 3 * hour, at: stage.now)
    stage.advance(2 * hour)
    check()
    stage.advance(hour)
    check()
    try stage.engine.stop(slot, at: stage.now)
    check()
    #expect(seen.count == 6)
  }

  @Test func `A snoozed ring remembers the newest of the expiries that joined it`() throws {
    var spec = TimerSpec.plain
    (spec.kind, spec.repeats, spec.durationUsec) = (.countdown, true, second)
    var slot = 0
    try stage.runIteration { slot = try $0.start("tea", spec, at: stage.now).slot }
    stage.run(second)
    try stage.runIteration { try $0.snooze(slot, byUsec: hour, at: stage.now) }
    for _ in 0..<Limits.joined + 10 { stage.run(second) }
    let ring = try #require(stage.ring(slot))
    #expect(ring.isSnoozed && ring.expiries == Limits.joined + 11)
    #expect(ring.joined.map(\.number) == (12..<Int64(Limits.joined) + 12).map { $0 })
  }
}
