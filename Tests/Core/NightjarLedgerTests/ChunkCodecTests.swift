import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger

/// A calendar with a match every hour.
private final class Hourly: Calendar {
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    (afterUsec / 3_600_000_000 + 1) * 3_600_000_000
  }
}

extension Moment {
  fileprivate func later(byUsec usec: Int64) -> Moment { earlier(byUsec: -usec) }
}

@Suite(.blocking) struct ChunkCodecTests {
  /// An engine with timers and rings in all states, in several chunks.
  static func engine() throws -> Engine {
    let bus = NotificationBus()
    let background = Background(at: EventSamples.moment, bus: bus)
    let engine = Engine(background: background, bus: bus, calendar: Hourly(), maximumTimers: 10_000)
    bus.register(engine)
    engine.usualRing.forUsec = [.countdown: 1_000_000, .sequence: 1_000_000]
    engine.usualRing.insistUsec = 2_500_000
    for index in 0..<1100 {
      let spec = index % 3 == 0 ? EventSamples.specs[index / 3 % EventSamples.specs.count] : nil
      let least: Int64 = spec?.repeats == true ? 200_000 : index % 8 == 1 ? 3_600_000_000 : 0
      let slot = try engine.start(
        "t/\(index)", durationUsec: Int64(1 + index) + least,
        atUsec: EventSamples.moment.realtimeUsec + 1 + Int64(index),
        clock: spec == nil ? Timeline.allCases[index % 3] : .elapsed, spec: spec,
        attachments: index % 5 == 0 ? EventSamples.attachments : ring(of: index),
        wakes: index % 6 == 5,
        at: EventSamples.moment
      ).slot
      if spec?.kind == .stopwatch {
        for _ in 0..<index % 4 { try engine.lap(slot, at: EventSamples.moment) }
      }
      switch index % 7 {
      case 1: try engine.pause(slot, at: EventSamples.moment)
      case 2: try engine.cancel(slot, at: EventSamples.moment)
      case 3 where spec?.kind != .stopwatch && spec?.schedule == nil:
        try engine.extend(slot, byUsec: -5000, at: EventSamples.moment)
      case 4: try engine.remove(slot, at: EventSamples.moment)
      default: break
      }
    }
    var now = EventSamples.moment
    while engine.fireDue(at: now) {}
    // A sleep, of which some expiries are too late to ring. Then some rings are snoozed.
    background.enter(.sleep, at: now)
    now = now.later(byUsec: 500_000)
    background.leave(.sleep, at: now)
    while engine.fireDue(at: now) {}
    for slot in 0..<engine.slotEnd where slot % 5 < 3 {
      try? engine.snooze(slot, byUsec: slot % 2 == 0 ? 2_500_000 : 60_000_000, at: now)
    }
    now = now.later(byUsec: 3_000_000)
    while engine.fireDue(at: now) {}
    return engine
  }

  private static func ring(of index: Int) -> Attachments {
    Attachments(
      ring: index % 4 == 0 ? EventSamples.rings[index / 4 % EventSamples.rings.count] : nil)
  }

  private func decode(_ bytes: [UInt8], index: Int) throws(StoreError) -> [Engine.StoredTimer] {
    var timers: [Engine.StoredTimer] = []
    try bytes.withBytes { bytes throws(StoreError) in
      try ChunkCodec.decode(bytes, index: index) { timers.append($0) }
    }
    return timers
  }

  @Test func `An estimated ring keeps its number, whatever is recorded afterwards`() throws {
    let bus = NotificationBus()
    let background = Background(at: EventSamples.moment, bus: bus)
    var inDoubt = BackgroundState(anchor: Anchor(moment: EventSamples.moment))
    inDoubt.anchor.moment.bootID = BootID(high: 0, low: 1)
    inDoubt.anchor.moment.realtimeUsec -= 3_600_000_000
    let engine = Engine(background: background, bus: bus, calendar: Hourly(), maximumTimers: 9)
    bus.register(engine)
    background.resume(inDoubt, nextSpanID: 1, downSince: nil, at: EventSamples.moment)
    background.clockWaitUsec = 0
    for name in ["plain", "labelled"] {
      _ = try engine.start(name, durationUsec: 200_000, clock: .wall, at: EventSamples.moment)
    }
    func numbers() -> [Int64?] { (0..<2).map { engine.timer(at: $0).ring?.sound.estimate?.seq } }
    while engine.fireDue(at: EventSamples.moment.later(byUsec: 300_000)) {}
    #expect(numbers() == [6, 7])
    let later = EventSamples.moment.later(byUsec: 300_000_000)
    while engine.fireDue(at: later) {}
    try engine.update(1, data: [1], at: later)
    #expect(numbers() == [6, 7] && engine.lastSeq == 10)
    let read = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    #expect(read == (0..<2).map { engine.stored($0) })
    #expect(read.map(\.timer.ring?.sound.estimate?.seq) == [6, 7])
  }

  @Test func `The timers of a chunk are read back in their slots`() throws {
    let engine = try Self.engine()
    let all = (0..<engine.slotEnd).compactMap { engine.stored($0)?.timer }
    #expect(Set(all.map(\.state)) == Set(TimerState.allCases).subtracting([.waiting]))
    #expect(
      Set(all.compactMap(\.expiries.last?.outcome))
        == Set(Expiry.Outcome.allCases))
    #expect(all.contains { $0.ring?.isSounding == true && $0.expiries.last?.outcome == .rang })
    #expect(all.contains { $0.ring?.isSnoozed == true && $0.ring?.joined.count ?? 0 > 1 })
    #expect(all.contains { $0.ring?.isQuiet == true })
    #expect(all.contains { if case .insisting = $0.ring?.state { true } else { false } })
    for index in 0...3 {
      let slots = index * TimerTable.chunkSlots..<(index + 1) * TimerTable.chunkSlots
      let expected = slots.compactMap { $0 < engine.slotEnd ? engine.stored($0) : nil }
      #expect(try decode(ChunkCodec.encode(index, of: engine), index: index) == expected)
      #expect(expected.isEmpty == (index == 3 || slots.lowerBound >= engine.slotEnd))
    }
  }

  @Test func `An alarm whose time passed in a pause is read back as one that was muted`() throws {
    let engine = Engine()
    let slot = try engine.start(
      "a", durationUsec: 0, atUsec: EventSamples.moment.realtimeUsec + 1000, clock: .elapsed,
      spec: try SharedSpec(kind: .alarm), at: EventSamples.moment
    ).slot
    try engine.pause(slot, at: EventSamples.moment)
    try engine.resume(slot, at: EventSamples.moment.later(byUsec: 5000))
    #expect(engine.timer(at: slot).course.wasPausedAtDeadline)
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    #expect(timers == [try #require(engine.stored(slot))])
    #expect(timers.first?.timer.course.wasPausedAtDeadline == true)
  }

  @Test func `A timer that was paused between two uncertain reboots is read back as such`() throws {
    let engine = Engine(loading: true)
    let subject = Event.Subject(slot: 0, id: 1, name: "a", previous: 0)
    let kinds: [Event.Kind] = [
      .started(clock: .elapsed, durationUsec: 5, deadline: 5, attachments: Attachments()),
      .paused(remainingUsec: 3, keepsSetSeq: true), .resumed(deadline: 9, .interrupted),
    ]
    for (index, kind) in kinds.enumerated() {
      let event = Event(seq: Int64(index + 1), timeUsec: 1, subject: subject, kind: kind)
      #expect(engine.replay(event) { _ in false })
    }
    #expect(engine.finishLoading(lastSeq: 3) == nil)
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    #expect(timers.first?.timer.interruption == Interruption(pausedSeq: 2, resumedSeq: 3))
    #expect(timers.first?.timer.countedFrom == 1)
  }

  @Test func `A failed command is read back with its timer, until it is dismissed`() throws {
    let engine = Engine()
    for name in ["plain", "tea"] {
      _ = try engine.start(
        name, durationUsec: 1_000_000, clock: .elapsed, attachments: Attachments(),
        replace: false, at: EventSamples.moment)
    }
    let slot = try engine.require("tea")
    let note = ActionNote(key: .init(seq: 2, number: 0), attempt: 1, command: "cp a b")
    for outcome in EventSamples.outcomes {
      let end = ActionEnd(outcome, lastLines: outcome.isFailure ? ["a", "wärum"] : [])
      engine.recordAction(
        note, end: end, timer: ("tea", engine.timer(at: slot).id), at: EventSamples.moment)
      let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
      #expect(timers == [0, 1].compactMap { engine.stored($0) })
      #expect(timers.first { $0.timer.name == "plain" }?.timer.failure == nil)
      let failure = timers.first { $0.timer.name == "tea" }?.timer.failure
      #expect(failure?.command == (engine.timer(at: slot).failure == nil ? nil : "cp a b"))
      if outcome.isFailure { #expect(failure?.outcome == outcome) }
    }
    try engine.dismiss(slot, at: EventSamples.moment)
    #expect(engine.timer(at: slot).failure == nil && engine.timer(at: slot).state == .running)
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    #expect(timers.allSatisfy { $0.timer.failure == nil } && timers.count == 2)
    #expect(throws: EngineError.self) { try engine.dismiss(slot, at: EventSamples.moment) }
  }

  @Test(arguments: [0, 1, Limits.skips])
  func `The skips and the excepted days of an alarm are read back`(skips: Int) throws {
    let engine = Engine(calendar: Hourly())
    let slot = try engine.start(
      "wake", durationUsec: 0, clock: .wall, spec: EventSamples.alarmWithDays,
      at: EventSamples.moment
    ).slot
    for _ in 0..<skips { try engine.skip(slot, at: EventSamples.moment) }
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    #expect(timers == [engine.stored(0)])
    #expect(timers.first?.timer.passedOver.count == skips)
    #expect(timers.first?.timer.spec.schedule?.except.count == 2)
  }

  @Test func `If a timer has more failures than are stored, the oldest is dropped`() throws {
    let engine = Engine(maximumTimers: Limits.failures + 1)
    var slots: [Int] = []
    for index in 0...Limits.failures {
      let slot = try engine.start(
        "\(index)", durationUsec: 1_000_000, clock: .elapsed, attachments: Attachments(),
        replace: false, at: EventSamples.moment
      ).slot
      slots.append(slot)
      let note = ActionNote(key: .init(seq: Int64(index + 1), number: 0), attempt: 1, command: "x")
      engine.recordAction(
        note, end: ActionEnd(.timedOut), timer: ("\(index)", engine.timer(at: slot).id),
        at: EventSamples.moment)
    }
    #expect(slots.filter { engine.timer(at: $0).failure == nil } == [slots[0]])
    #expect(engine.violatedInvariant() == nil)
  }

  @Test func `Timers share equal rings and specifications when they are read back`() throws {
    let engine = Engine(maximumTimers: 10_000)
    for index in 0..<TimerTable.chunkSlots {
      // Each client creates its own copy.
      let ring = EncodedRing(
        publicJSON: EventSamples.rings[0].publicJSON, secretJSON: EventSamples.rings[0].secretJSON)
      _ = try engine.start(
        "\(index)", durationUsec: 1_000_000, clock: .elapsed,
        spec: SharedSpec(EventSamples.specs[1].content), attachments: Attachments(ring: ring),
        replace: true, at: EventSamples.moment)
    }
    #expect(engine.ringSettingsCount == TimerTable.chunkSlots)
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    let ring = try #require(timers[0].timer.attachments?.ring)
    let spec = timers[0].timer.spec
    #expect(timers.allSatisfy { $0.timer.attachments?.ring === ring && $0.timer.spec === spec })
    for slot in 0..<TimerTable.chunkSlots { try engine.remove(slot, at: EventSamples.moment) }
    #expect(engine.ringSettingsCount == 0)
  }

  @Test func `A chunk that was cut off, or has a wrong byte, is damaged`() throws {
    let bytes = ChunkCodec.encode(1, of: try Self.engine())
    for count in stride(from: 0, to: bytes.count, by: 97) {
      #expect(throws: StoreError.self) { try decode(Array(bytes[..<count]), index: 1) }
    }
    for index in stride(from: 0, to: bytes.count, by: 31) {
      var damaged = bytes
      damaged[index] ^= 0x10
      #expect(throws: StoreError.self) { try decode(damaged, index: 1) }
    }
  }

  @Test func `A chunk with a right checksum and wrong content causes no trap anywhere`() throws {
    let body = ChunkCodec.encode(2, of: try Self.engine()).dropLast(4)
    for index in body.indices.dropFirst().prefix(250) {
      for value: UInt8 in [0, 0x7F, 0x80, 0xFF, body[index] ^ 1] {
        var damaged = body
        damaged[index] = value
        guard let timers = try? decode(EventSamples.withChecksum(damaged), index: 2) else {
          continue
        }
        let engine = Engine(maximumTimers: 10_000, loading: true)
        guard timers.allSatisfy(engine.load), engine.finishLoading(lastSeq: 0) == nil else {
          continue
        }
        _ = engine.fireDue(at: EventSamples.moment.later(byUsec: 4_000_000))
      }
    }
  }
}
