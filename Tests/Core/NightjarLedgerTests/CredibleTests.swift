import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger

/// Stored data with a right checksum and impossible contents: it is damage and causes no trap,
/// neither when it is read nor when it is written again.
@Suite(.blocking) struct CredibleTests {
  /// One chunk, valid after an event, and the rows after it.
  private final class Found: LedgerReading {
    func request(_ id: String, since atElapsed: Int64) throws(StoreError) -> AnsweredRequest? {
      nil
    }
    var chunk = EventSamples.withChecksum([0x80])
    var validAtSeq: Int64 = 999
    var events: [Event] = []
    /// Which events each row contains; nil: one row has all of them.
    var rows: [Range<Int>]?
    /// A row in place of all events.
    var bytes: [UInt8]?

    func ledgerName() throws(StoreError) -> String { "found" }
    func ledgerState() throws(StoreError) -> LedgerState? {
      LedgerState(
        state: BackgroundState(anchor: Anchor(moment: EventSamples.moment)), nextSpanID: 1,
        lastSeq: events.last?.seq ?? 999, chunkCount: 1)
    }

    func forEachChunk(
      _ body: (_ index: Int, _ validAtSeq: Int64, _ bytes: UnsafeRawBufferPointer)
        throws(StoreError) -> Void
    ) throws(StoreError) {
      try chunk.withBytes { bytes throws(StoreError) in try body(0, validAtSeq, bytes) }
    }

    func forEachRow(
      after seq: Int64,
      _ body: (_ firstSeq: Int64, _ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
      if let bytes {
        _ = try bytes.withBytes { bytes throws(StoreError) in try body(1000, bytes) }
        return
      }
      for row in rows ?? (events.isEmpty ? [] : [0..<events.count]) {
        var encoder = BatchEncoder()
        for event in events[row] { encoder.append(event) }
        _ = try encoder.finish().withBytes { bytes throws(StoreError) in
          try body(events[row.lowerBound].seq, bytes)
        }
      }
    }

    func oldestSeq() throws(StoreError) -> Int64? { events.first?.seq }
    func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span] { [] }
  }

  /// Starts from the stored data, and writes it again.
  @discardableResult private func start(from found: Found) throws -> Engine {
    let engine = Engine(loading: true)
    _ = try found.load(into: engine)
    _ = engine.fireDue(at: EventSamples.moment.earlier(byUsec: -3_600_000_000))
    _ = ChunkCodec.encode(0, of: engine)
    return engine
  }

  /// The events that start a timer `tea`, followed by events of `kinds`.
  private func events(
    _ kinds: [Event.Kind], id: Int64 = 1000, deadline: Int64 = 5,
    timeUsec: Int64 = EventSamples.moment.realtimeUsec, spec: SharedSpec? = nil,
    durationUsec: Int64 = 5
  ) -> [Event] {
    let start = Event.Kind.started(
      clock: .elapsed, durationUsec: durationUsec, deadline: deadline, attachments: Attachments(),
      spec: spec)
    return ([start] + kinds).enumerated().map { index, kind in
      let seq = 1000 + Int64(index)
      var isMachine = false
      if case .spanCorrected = kind { isMachine = true }
      let subject = Event.Subject(slot: 0, id: id, name: "tea", previous: index == 0 ? 0 : seq - 1)
      return Event(seq: seq, timeUsec: timeUsec, subject: isMachine ? nil : subject, kind: kind)
    }
  }

  private let onTime = Lateness(usec: 0, cause: nil, span: 0)
  private let sounding = Sounding(
    expiry: 1, expiries: 1, firstDueUsec: 5, forUsec: 7, insistUsec: 9)
  private let passing = Passing(number: 1, position: 0, next: Recurrence(.ends))
  private var rang: Event.Kind { .rang(onTime, sounding, passing) }

  @Test func `Possible contents are accepted`() throws {
    let found = Found()
    found.events = events([
      .paused(remainingUsec: 3), .extended(byUsec: 1 << 56, deadline: 1 << 56),
      .resumed(deadline: 1 << 57), .spanCorrected(EventSamples.left, byUsec: -5, sinceSeq: 4),
    ])
    try start(from: found)
    found.events = []
    found.chunk = timer()
    try start(from: found)
  }

  @Test func `Rows with a missing or a repeated event are damage`() throws {
    let found = Found()
    found.events = events((1...5).map { .extended(byUsec: $0, deadline: $0) })
    found.rows = [0..<3, 3..<6]
    try start(from: found)
    for rows in [[0..<3, 4..<6], [0..<3, 2..<6], [1..<6], [0..<5]] {
      found.rows = rows
      #expect(throws: StoreError.self, "\(rows)") { try start(from: found) }
    }
    // A row that begins with an event which the chunk already contains.
    found.chunk = timer(id: 1000, lastSeq: 1001)
    found.validAtSeq = 1001
    for rows in [[0..<6], [0..<3, 3..<6], [2..<6]] {
      found.rows = rows
      // The events in the chunk are not applied a second time.
      #expect(try start(from: found).timer(at: 0).runLengthUsec == 5 + 2 + 3 + 4 + 5)
    }
    found.rows = [3..<6]
    #expect(throws: StoreError.self) { try start(from: found) }
  }

  @Test func `Durations that add up beyond all time are damage`() {
    let found = Found()
    found.events = events((0..<20).map { _ in .extended(byUsec: EventSamples.most, deadline: 1) })
    #expect(throws: StoreError.self) { try start(from: found) }
    found.events = events(
      (0..<20).map { _ in .spanCorrected(EventSamples.left, byUsec: EventSamples.most, sinceSeq: 0)
      })
    #expect(throws: StoreError.self) { try start(from: found) }
  }

  @Test func `An impossible time, deadline or number is damage`() {
    let found = Found()
    for events in [
      events([], timeUsec: 1 << 60), events([], deadline: -EventSamples.most), events([], id: 0),
      events([.rang(Lateness(usec: EventSamples.most, cause: nil, span: 0), sounding, passing)]),
      events([rang, .snoozed(byUsec: 1, deadline: EventSamples.most, ring: 1)]),
      events([rang, .rangAgain(onTime, sounding, insisted: Limits.ringsOfExpiry)]),
      // Without an open ring.
      events([.rang(onTime, sounding, nil)]), events([.unanswered(expiry: 1, number: 1)]),
      events([.joined([], count: 0, next: passing.next, expiries: 0)]),
      events([rang, .stopped(ring: 1, removes: false), .stopped(ring: 1, removes: false)]),
    ] {
      found.events = events
      #expect(throws: StoreError.self) { try start(from: found) }
    }
  }

  @Test func `Rings with a right checksum and wrong contents cause no trap in the engine`() throws {
    let next = Recurrence(
      position: 2, handledInstant: 5, .runs(deadline: 900_000, durationUsec: 200_000))
    let late = Lateness(usec: 7, cause: .sleep, span: 3, isEstimated: true)
    func passing(_ number: Int64) -> Passing {
      Passing(number: number, missed: 2, position: 1, next: next)
    }
    func joined(_ numbers: ClosedRange<Int64>) -> Event.Kind {
      let all = numbers.map { JoinedExpiry(number: $0, late: late, position: $0) }
      return .joined(all, count: 2, next: next, expiries: 3)
    }
    let snoozed = Event.Kind.snoozed(byUsec: 5, deadline: 6, ring: 1)
    let found = Found()
    found.events = events(
      [
        .rang(onTime, sounding, passing(1)), .dismissed(ring: 1, miss: 0, removes: false),
        .skipped(.init(key: 3, usec: 4, byUsec: 5, deadline: 6), expiry: 2),
        .rang(onTime, sounding, passing(3)), .unanswered(expiry: 3, number: 1),
        .rangAgain(late, sounding, insisted: 1), snoozed, joined(4...5),
        .leftRing(expiry: 4, left: 1, expiries: 2), .rang(late, sounding, nil), snoozed,
        .stayedQuiet(late, expiry: 4, isSnooze: true),
        .didNotRing(late, passing(6), quietsRing: true), snoozed, joined(7...8),
      ],
      spec: try SharedSpec(kind: .countdown, repeats: true, rounds: 9), durationUsec: 200_000)
    try start(from: found)
    let body = EventSamples.row(of: found.events).dropLast(4)
    for index in body.indices.dropFirst() {
      for value in [0x7F, 0xFF, body[index] ^ 1, body[index] ^ 0x20] {
        var damaged = body
        damaged[index] = value
        found.bytes = EventSamples.withChecksum(damaged)
        _ = try? start(from: found)
      }
    }
  }

  @Test func `Contents that no timer of its kind can have are damage`() throws {
    let found = Found()
    let repeating = try SharedSpec(kind: .countdown, repeats: true)
    found.events = events([], spec: repeating, durationUsec: Limits.shortestRoundUsec)
    try start(from: found)
    found.events = events([], spec: repeating, durationUsec: 0)
    #expect(throws: StoreError.self) { try start(from: found) }

    let steps = [
      Step(name: "work", durationUsec: 1_000_000), Step(name: "rest", durationUsec: 200_000),
    ]
    let sequence = try SharedSpec(kind: .sequence, rounds: 2, steps: steps)
    for (position, isPossible) in [(3, true), (4, false)] as [(Int64, Bool)] {
      let next = Recurrence(
        position: position, step: "rest", .runs(deadline: 9, durationUsec: 4))
      found.events = events([.advanced(next: next, ring: 0)], spec: sequence)
      if isPossible {
        try start(from: found)
      } else {
        #expect(throws: StoreError.self) { try start(from: found) }
      }
    }

    let stopwatch = try SharedSpec(kind: .stopwatch)
    found.events = events(
      (0...Limits.laps).map { .lapped(elapsedUsec: Int64($0)) }, spec: stopwatch)
    #expect(throws: StoreError.self) { try start(from: found) }
  }

  @Test func `Times that add up beyond all numbers are damage`() {
    // Each difference to the one before is possible by itself.
    var (event, difference) = (Coder(), EventSamples.most)
    #expect(throws: Never.self) {
      try event.beginObject()
      try event.field(1, &difference)
      var kind = Event.Kind.clockStepped(byUsec: 1)
      try event.field(9, &kind)
      try event.endObject()
    }
    // A list of 20.
    let row = EventSamples.withChecksum(
      [0x94] + [[UInt8]](repeating: event.bytes, count: 20).joined())
    #expect(throws: StoreError.self) { try EventSamples.decode(row) }
  }

  @Test func `A timer or a chunk that refers to events that never existed is damage`() {
    let found = Found()
    for chunk in [
      timer(id: 0), timer(lastSeq: 1000), timer(.running(deadline: 1 << 58)),
      timer(.paused(remainingUsec: -1 << 58, ranUpTo: nil)),
      timer(.cancelled(atElapsed: 1, remainingUsec: 1 << 58)), timer(.waiting(atElapsed: 1)),
      timer(.pausedAlarm(deadline: 5)), timer(.runningStopwatch(since: 5)),
    ] {
      found.chunk = chunk
      #expect(throws: StoreError.self) { try start(from: found) }
    }
    found.chunk = timer(lastSeq: 1000)
    found.validAtSeq = 1000
    #expect(throws: StoreError.self) { try start(from: found) }
  }

  /// A chunk with one timer, as `ChunkCodec` writes it.
  private func timer(
    _ phase: Timer.Phase = .running(deadline: 5), id: Int64 = 7, lastSeq: Int64 = 999
  ) -> [UInt8] {
    var (chunk, stored) = (Coder(), Engine.StoredTimer())
    stored.order = id
    stored.timer = Timer(
      id: id, name: "tea", clock: .elapsed, fullLengthUsec: 5, runLengthUsec: 5,
      startedUsec: EventSamples.moment.realtimeUsec, phase: phase)
    stored.timer.lastEvent = lastSeq
    #expect(throws: Never.self) { try stored.code(&chunk) }
    return EventSamples.withChecksum([0x81] + chunk.bytes)
  }
}
