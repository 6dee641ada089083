import NightjarCore
import Testing

@testable import NightjarLedger

@Suite struct BytesTests {
  private static let numbers: [Int64] = [
    0, 1, -1, 63, 64, -64, -65, 127, 128, 16_383, 16_384, 1 << 32, -(1 << 32), most, -most,
  ]
  /// The largest number that is believed.
  static let most: Int64 = 1 << 60 - 1

  @Test("numbers come back as they were written")
  func numbers() throws {
    var writer = ByteWriter()
    for number in Self.numbers {
      writer.signed(number)
      writer.natural(abs(number))
      writer.fixed64(UInt64(bitPattern: number))
    }
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for number in Self.numbers {
        let read = (try reader.signed(), try reader.natural(), try reader.fixed64())
        #expect(read == (number, abs(number), UInt64(bitPattern: number)))
      }
      #expect(reader.isAtEnd)
    }
  }

  @Test("small numbers take few bytes")
  func small() {
    for (number, count) in [(63, 1), (-64, 1), (64, 2), (8191, 2), (.max, 10), (.min, 10)]
      as [(Int64, Int)]
    {
      var writer = ByteWriter()
      writer.signed(number)
      #expect(writer.count == count)
    }
  }

  @Test(
    "what is no number is damaged",
    arguments: [
      [], [0x80], [UInt8](repeating: 0x80, count: 10), [UInt8](repeating: 0xFF, count: 10),
      [UInt8](repeating: 0x80, count: 9) + [2], [UInt8](repeating: 0x80, count: 9) + [1],
    ] as [[UInt8]])
  func noNumber(_ bytes: [UInt8]) {
    #expect(throws: StoreError.self) {
      try bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.natural()
      }
    }
  }

  @Test("a number of 2^60 or more cannot be true", arguments: [most + 1, .max, .min, -most - 2])
  func tooLarge(_ number: Int64) {
    var writer = ByteWriter()
    writer.signed(number)
    #expect(throws: StoreError.self) {
      try writer.bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.signed()
      }
    }
  }

  @Test("strings and blobs of every length come back, and one that ends too soon is damaged")
  func strings() throws {
    var writer = ByteWriter()
    let texts = ["", "tea", "Tee für zwei", "🫖", String(repeating: "x", count: 300)]
    for text in texts {
      writer.string(text)
      writer.blob(Array(text.utf8))
    }
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for text in texts {
        let read = (try reader.string(), try reader.blob())
        #expect(read == (text, Array(text.utf8)))
      }
    }
    for bytes: [UInt8] in [[5, 0x61], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x61], [1]] {
      #expect(throws: StoreError.self) {
        try bytes.withUnsafeBytes { bytes in
          var reader = ByteReader(bytes)
          _ = try reader.string()
        }
      }
    }
  }
}

@Suite struct ChecksumTests {
  /// Values as gzip and PNG have them: the check value of CRC-32 and those of RFC 3720's kin.
  @Test(
    "the checksum is CRC-32",
    arguments: [
      ("123456789", 0xCBF4_3926), ("", 0), ("a", 0xE8B7_BE43), ("abc", 0x3524_41C2),
      ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
    ] as [(String, UInt32)])
  func known(_ text: String, _ expected: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes { Checksum.crc32($0) } == expected)
  }

  @Test("the checksum of any slice is that of the bytes one at a time")
  func slices() {
    let bytes = (0..<67).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for start in 0..<8 {
      for end in start...bytes.count {
        let fast = bytes[start..<end].withUnsafeBytes { Checksum.crc32($0) }
        #expect(fast == Self.slow(bytes[start..<end]))
      }
    }
  }

  private static func slow(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}

/// Every kind of event there is, with payloads at the edges.
enum Samples {
  static let moment = Moment(
    realtimeUsec: 1_700_000_000_000_000, boottimeUsec: 12_345, monotonicUsec: 0,
    bootID: BootID(high: .max, low: 7))

  static var open: Span { Span(id: 1, causes: [.sleep], entered: moment) }

  static var left: Span {
    var span = Span(id: 9, causes: Cause.allCases, entered: moment, estimated: true)
    span.left = Moment(
      realtimeUsec: -5, boottimeUsec: BytesTests.most, monotonicUsec: 3,
      bootID: BootID(high: 0, low: 0))
    span.elapsedUsec = BytesTests.most
    return span
  }

  static let attachments = Attachments(
    labels: [Label(key: "team", value: "rød"), Label(key: "", value: "")],
    data: Array(#"{"a":1}"#.utf8))

  static let rings = [
    SealedRing(told: Array(#"{"exec":["paplay","glöckchen.oga"],"on":["paused"]}"#.utf8)),
    SealedRing(
      told: Array(#"{"exec":["a"],"environment":["A"]}"#.utf8), kept: Array(#"["é"]"#.utf8)),
  ]

  static let notes = [
    ActionNote(
      owner: .subject, key: .init(seq: 1, number: 0), attempt: 1, command: "paplay glöckchen.oga"),
    ActionNote(
      owner: .former(name: "run/4711/mäte", id: 7), key: .init(seq: BytesTests.most, number: 3),
      attempt: 0, command: ""),
    ActionNote(
      owner: .machine, key: .init(seq: 9, number: BytesTests.most), attempt: 3, command: "x"),
  ]

  static let outcomes: [ActionOutcome] = [
    .exited(status: 0), .exited(status: 255), .signalled(9), .timedOut, .notStarted("wärum"),
    .givenUp, .dropped, .unseen,
  ]

  static let recipes: [Recipe] = {
    let bands = [
      Band(name: "wärm", remainingUsec: BytesTests.most >> 10, color: "#ff0", text: "soon"),
      Band(name: "hot", remainingUsec: 1, progress: ProgressRange(from: 1_000_000, to: 0)),
    ]
    let steps = [
      Step(name: "work", durationUsec: 1_500_000_000),
      Step(
        name: "rest", durationUsec: 300_000_000, waits: true, isBreak: true,
        longUsec: 900_000_000),
    ]
    return [
      try? Recipe(kind: .countdown, bands: bands, late: .fireWithin(usec: 7), missed: .skip),
      try? Recipe(kind: .countdown, missed: .each, repeats: true, rounds: 1_000_000),
      try? Recipe(kind: .alarm, late: .skip),
      try? Recipe(
        kind: .alarm, rounds: 3,
        schedule: Schedule(expression: "*-*-* 09:00:00", zone: "Europe/Berlin")),
      try? Recipe(kind: .stopwatch),
      try? Recipe(
        kind: .sequence, bands: bands, rounds: 4, steps: steps, longEvery: 4, afterSleep: .restart),
    ].compactMap { $0 }
  }()

  static var kinds: [Event.Kind] {
    var kinds = plainKinds
    for going in goings {
      let next = Recurrence(
        position: 7, missed: BytesTests.most, mark: -3, step: "räst", going: going)
      let ring = Ring(atElapsed: -1, lateUsec: 2, cause: .paused, span: 3, next: next)
      kinds += [.fired(ring), .skipped(ring), .stepped(ring), .stepEnded(ring)]
      kinds += [.advanced(atElapsed: 5, next: next), .restartedAfterSleep(next, span: 4)]
    }
    for recipe in recipes {
      kinds.append(
        .started(
          clock: .wall, durationUsec: 0, deadline: -1, attachments: attachments,
          wakes: recipe.kind == .alarm, recipe: recipe))
      kinds.append(.updated(attachments, recipe: recipe))
    }
    for (index, ring) in rings.enumerated() {
      var attached = attachments
      attached.ring = ring
      if index > 0 { (attached.labels, attached.data) = ([], []) }
      for recipe in [recipes[0], nil] {
        kinds.append(
          .started(
            clock: .elapsed, durationUsec: 5, deadline: 6, attachments: attached, recipe: recipe))
        kinds.append(.updated(attached, recipe: recipe))
      }
      kinds.append(.updated(Attachments(ring: rings[0])))
    }
    for note in notes {
      kinds.append(.actionStarted(note))
      for outcome in outcomes {
        let end = ActionEnd(
          outcome, durationUsec: BytesTests.most, printedBytes: 1_000_000_000, droppedBytes: 5)
        kinds.append(.actionEnded(note, end))
      }
    }
    kinds += [
      .skipped(Ring(atElapsed: 5, lateUsec: 0, cause: .sleep, span: 1)), .acknowledged,
      .bandCrossed(begun: 0, nil, remainingUsec: 3),
      .bandCrossed(begun: 2, recipes[0].bands[1], remainingUsec: 0), .lapped(elapsedUsec: 9),
      .rescheduled(deadline: -4, durationUsec: 4), .pausedAfterSleep(remainingUsec: 5, span: 6),

      .cameDue(span: 4, names: ["a", "run/4711/mäte"], count: 1_000_000),
      .cameDue(span: 4, names: [], count: 0), .zoneChanged("Europe/Berlin"), .zoneChanged(""),
    ]
    return kinds
  }

  static let goings: [Recurrence.Going] = [
    .ends, .waits, .on(deadline: -BytesTests.most, durationUsec: BytesTests.most),
  ]

  private static var plainKinds: [Event.Kind] {
    Timeline.allCases.map {
      .started(clock: $0, durationUsec: 1, deadline: -1, attachments: Attachments())
    } + [
      .started(
        clock: .wall, durationUsec: BytesTests.most, deadline: BytesTests.most,
        attachments: attachments),
      .started(
        clock: .elapsed, durationUsec: 3, deadline: 4, attachments: attachments, wakes: true),
      .paused(remainingUsec: 0), .paused(remainingUsec: 1, isUp: true),
      .paused(remainingUsec: BytesTests.most),
      .resumed(deadline: -BytesTests.most),
      .extended(byUsec: -5, point: 5), .restarted(deadline: 1), .snoozed(byUsec: 1, deadline: 2),
      .updated(attachments), .updated(Attachments()),
      .fired(Ring(atElapsed: 5, lateUsec: 0, cause: nil, span: 0)),
      .cancelled(atElapsed: -1, remainingUsec: 3),
      .cancelled(atElapsed: -1, remainingUsec: 3, isUp: true),
      .dismissed, .removed, .expired, .enteredBackground(open), .leftBackground(left),
      .spanCorrected(left, byUsec: -3, sinceSeq: 4), .clockStepped(byUsec: -BytesTests.most),
    ]
      + LateCause.allCases.map {
        .fired(
          Ring(
            atElapsed: -BytesTests.most, lateUsec: BytesTests.most, cause: $0, span: BytesTests.most
          ))
      }
  }

  /// Events in a row with these kinds; times go back and forth.
  static var events: [Event] {
    kinds.enumerated().map { index, kind in
      let seq = Int64(1000 + index)
      let isMachine: Bool
      switch kind {
      case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue,
        .zoneChanged:
        isMachine = true
      case .actionStarted(let note), .actionEnded(let note, _): isMachine = note.owner != .subject
      case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .fired,
        .skipped, .stepped, .stepEnded, .advanced, .acknowledged, .bandCrossed, .lapped,
        .rescheduled, .pausedAfterSleep, .restartedAfterSleep, .cancelled, .dismissed, .removed,
        .expired:
        isMachine = false
      }
      let subject = Event.Subject(
        slot: index * 700, id: seq - Int64(index), name: "run/\(index)/mäte",
        previous: index % 2 == 0 ? 0 : seq - 1)
      return Event(
        seq: seq, timeUsec: moment.realtimeUsec + (index % 2 == 0 ? 1 : -1) * Int64(index) * 999,
        subject: isMachine ? nil : subject, kind: kind)
    }
  }

  static var row: [UInt8] {
    var encoder = BatchEncoder()
    for event in events { encoder.append(event) }
    return encoder.finish()
  }

  static func decode(_ bytes: [UInt8], firstSeq: Int64 = 1000) throws(StoreError) -> [Event] {
    var events: [Event] = []
    try bytes.withBytes { bytes throws(StoreError) in
      try BatchDecoder.decode(bytes, firstSeq: firstSeq) { events.append($0) }
    }
    return events
  }

  /// The same bytes with a checksum that is right.
  static func sealed(_ body: some Collection<UInt8>) -> [UInt8] {
    var writer = ByteWriter()
    for byte in body { writer.byte(byte) }
    return Frame.seal(writer)
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with a typed error.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outcome = withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}

@Suite struct EventCodecTests {
  @Test("every kind of event comes back as it was written")
  func roundTrip() throws {
    #expect(try Samples.decode(Samples.row) == Samples.events)
  }

  @Test("the numbers of the kinds are for ever, and tell timers' events from the machine's")
  func codes() {
    let codes = Samples.kinds.map(\.code)
    #expect(Set(codes) == Set((1...31).map { $0 } + (64...71)))
    for event in Samples.events {
      #expect((event.kind.code < Event.Kind.machineCodes) == (event.subject != nil))
    }
  }

  @Test("a row that was cut off anywhere is damaged")
  func truncated() {
    let row = Samples.row
    for count in 0..<row.count {
      #expect(throws: StoreError.self) { try Samples.decode(Array(row[..<count])) }
      // And also if the checksum were right.
      if count < row.count - 4 {
        #expect(throws: StoreError.self) { try Samples.decode(Samples.sealed(row[..<count])) }
      }
    }
  }

  @Test("a row with one wrong byte anywhere is damaged")
  func oneByte() {
    let row = Samples.row
    for index in row.indices {
      for bit in [0, 4, 7] {
        var damaged = row
        damaged[index] ^= 1 << bit
        #expect(throws: StoreError.self) { try Samples.decode(damaged) }
      }
    }
  }

  @Test("a row whose checksum is right and whose content is not traps nobody")
  func wrongContent() {
    let body = Samples.row.dropLast(4)
    var accepted = 0
    for index in body.indices.dropFirst() {
      for value: UInt8 in [0, 0x7F, 0xFF, body[index] ^ 1, body[index] ^ 0x80] {
        var damaged = body
        damaged[index] = value
        for firstSeq: Int64 in [0, BytesTests.most] {
          if (try? Samples.decode(Samples.sealed(damaged), firstSeq: firstSeq)) != nil {
            accepted += 1
          }
        }
      }
    }
    // Most changes give another event that could be; that is what the checksum is for.
    #expect(accepted > 0)
  }

  @Test("a packed form of another version is refused, and says which")
  func version() {
    let body = [Frame.version + 1] + Samples.row.dropFirst().dropLast(4)
    #expect {
      try Samples.decode(Samples.sealed(body))
    } throws: { error in
      "\(error)".contains("version \(Frame.version + 1)")
    }
  }

  @Test("an unknown type of event is damage")
  func unknownType() {
    var body = Samples.row.dropLast(4)
    let start = body.startIndex + 2
    for code: UInt8 in [0, 32, 63, 72, 255] {
      body[start] = code
      #expect(throws: StoreError.self) { try Samples.decode(Samples.sealed(body)) }
    }
  }
}

/// A calendar that comes round every hour.
private final class Hourly: Calendar {
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    (afterUsec / 3_600_000_000 + 1) * 3_600_000_000
  }
}

@Suite struct ChunkCodecTests {
  /// An engine with timers in all states, in several chunks.
  static func engine() throws -> Engine {
    let bus = NotificationBus()
    let background = Background(at: Samples.moment, bus: bus)
    let engine = Engine(
      background: background, bus: bus, calendar: Hourly(), maximumTimers: 10_000)
    bus.register(engine)
    for index in 0..<1100 {
      let recipe = index % 3 == 0 ? Samples.recipes[index / 3 % Samples.recipes.count] : nil
      let slot = try engine.start(
        "t/\(index)", durationUsec: Int64(1 + index) * (recipe?.repeats == true ? 200_000 : 1),
        atUsec: Samples.moment.realtimeUsec + 1 + Int64(index),
        clock: recipe == nil ? Timeline.allCases[index % 3] : .elapsed, recipe: recipe,
        attachments: index % 5 == 0 ? Samples.attachments : ring(of: index), at: Samples.moment
      ).slot
      if recipe?.kind == .stopwatch {
        for _ in 0..<index % 4 { try engine.lap(slot, at: Samples.moment) }
      }
      switch index % 7 {
      case 1: try engine.pause(slot, at: Samples.moment)
      case 2: try engine.cancel(slot, at: Samples.moment)
      case 3 where recipe?.kind != .stopwatch && recipe?.schedule == nil:
        try engine.extend(slot, byUsec: -5000, at: Samples.moment)
      case 4: try engine.remove(slot, at: Samples.moment)
      default: break
      }
    }
    while engine.fireDue(at: Samples.moment) {}
    return engine
  }

  private static func ring(of index: Int) -> Attachments {
    Attachments(ring: index % 4 == 0 ? Samples.rings[index / 4 % Samples.rings.count] : nil)
  }

  private func decode(_ bytes: [UInt8], index: Int) throws(StoreError) -> [Engine.StoredTimer] {
    var timers: [Engine.StoredTimer] = []
    try bytes.withBytes { bytes throws(StoreError) in
      try ChunkCodec.decode(bytes, index: index) { timers.append($0) }
    }
    return timers
  }

  @Test("the timers of a chunk come back as they are, in their slots")
  func roundTrip() throws {
    let engine = try Self.engine()
    for index in 0...3 {
      let slots = index * TimerTable.chunkSlots..<(index + 1) * TimerTable.chunkSlots
      let expected = slots.compactMap { $0 < engine.slotEnd ? engine.stored($0) : nil }
      #expect(try decode(ChunkCodec.encode(index, of: engine), index: index) == expected)
      #expect(expected.isEmpty == (index == 3 || slots.lowerBound >= engine.slotEnd))
    }
  }

  @Test("a crowd with the same ring takes the room of one, and shares it when it is read back")
  func shared() throws {
    let bus = NotificationBus()
    let background = Background(at: Samples.moment, bus: bus)
    let engine = Engine(
      background: background, bus: bus, calendar: NoCalendar(), maximumTimers: 10_000)
    var sizes: [Int] = []
    for attachments in [Attachments(), Attachments(ring: Samples.rings[0])] {
      for index in 0..<TimerTable.chunkSlots {
        // Each client makes its own.
        let ring = attachments.ring.map { SealedRing(told: $0.told, kept: $0.kept) }
        _ = try engine.start(
          "\(index)", durationUsec: 1_000_000, clock: .elapsed,
          attachments: Attachments(ring: ring), replace: true, at: Samples.moment)
      }
      sizes.append(ChunkCodec.encode(0, of: engine).count)
    }
    #expect(engine.ringCount == 1)
    // A number each, and a count of labels and of data, which are none.
    #expect(sizes[1] - sizes[0] < 4 * TimerTable.chunkSlots + 100)
    let timers = try decode(ChunkCodec.encode(0, of: engine), index: 0)
    let first = try #require(timers[0].attachments?.ring)
    #expect(timers.allSatisfy { $0.attachments?.ring === first })
    for slot in 0..<TimerTable.chunkSlots { try engine.remove(slot, at: Samples.moment) }
    #expect(engine.ringCount == 0)
  }

  @Test("a chunk that was cut off, or has a wrong byte, is damaged")
  func damage() throws {
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

  @Test(
    "a chunk whose checksum is right and whose content is not traps nobody, nor does the engine")
  func wrongContent() throws {
    let body = ChunkCodec.encode(2, of: try Self.engine()).dropLast(4)
    for index in body.indices.dropFirst().prefix(250) {
      for value: UInt8 in [0, 0x7F, 0x80, 0xFF, body[index] ^ 1] {
        var damaged = body
        damaged[index] = value
        guard let timers = try? decode(Samples.sealed(damaged), index: 2) else { continue }
        let bus = NotificationBus()
        let engine = Engine(
          background: Background(at: Samples.moment, bus: bus), bus: bus, calendar: NoCalendar(),
          maximumTimers: 10_000, loading: true)
        for timer in timers where !engine.load(timer) { break }
        _ = engine.finishLoading(lastSeq: 0)
      }
    }
  }
}
