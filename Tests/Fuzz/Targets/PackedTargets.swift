import NightjarModel
import NightjarTime

@testable import NightjarEngine
@testable import NightjarLedger

/// Rows of events whose checksum is right and whose content is anything: what is read is packed,
/// and read again as the same; the engine does it again, or refuses it, and can be written down.
enum RowTarget {
  static func run(_ input: Input) {
    var input = input
    let firstSeq: Int64 = input.choose(from: [1, 1_000, 1 << 40, 1 << 59])
    _ = outcome { () throws(StoreError) in try events(input.rest, firstSeq: firstSeq) }
    run(input.rest, firstSeq: firstSeq)
  }

  private static func run(_ body: UnsafeRawBufferPointer, firstSeq: Int64) {
    let row = PackedTarget.withChecksum(body)
    guard let events = row.withUnsafeBytes({ try? events($0, firstSeq: firstSeq) }) else { return }
    var encoder = BatchEncoder()
    for (index, event) in events.enumerated() {
      require(event.seq == firstSeq + Int64(index), "event \(event.seq) comes as number \(index)")
      encoder.append(event)
    }
    // A row without events stands for lost ones, which no encoder packs.
    if !events.isEmpty {
      let again = encoder.finish().withUnsafeBytes { try? self.events($0, firstSeq: firstSeq) }
      require(again == events, "\(events) are packed as others")
    }
    // Two chunks without timers.
    let empty = PackedTarget.withChecksum([0x80])
    let ledger = DamagedLedger(
      chunks: [0: empty, 1: empty], rows: [firstSeq: row],
      validAtSeq: firstSeq - 1, lastSeq: firstSeq - 1 + Int64(events.count))
    PackedTarget.load(ledger)
  }

  private static func events(
    _ row: UnsafeRawBufferPointer, firstSeq: Int64
  ) throws(StoreError) -> [Event] {
    var events: [Event] = []
    try BatchDecoder.decode(row, firstSeq: firstSeq) { events.append($0) }
    return events
  }
}

/// Chunks of timers: the same.
enum ChunkTarget {
  static func run(_ input: Input) {
    var input = input
    let index = input.choose(from: [0, 1, 3])
    for bytes in [Array(input.rest), PackedTarget.withChecksum(input.rest)] {
      PackedTarget.load(DamagedLedger(chunks: [index: bytes], rows: [:], lastSeq: 1 << 41))
    }
  }
}

/// What was found on a disk.
final class DamagedLedger: LedgerReading {
  func request(_ id: String, since atElapsed: Int64) throws(StoreError) -> AnsweredRequest? { nil }
  private let chunks: [Int: [UInt8]]
  private let rows: [Int64: [UInt8]]
  private let validAtSeq: Int64
  private let lastSeq: Int64

  /// - Parameters:
  ///   - rows: by the number of the first event.
  ///   - validAtSeq: the event after which the chunks stand; the last one unless it is given.
  init(chunks: [Int: [UInt8]], rows: [Int64: [UInt8]], validAtSeq: Int64? = nil, lastSeq: Int64) {
    (self.chunks, self.rows) = (chunks, rows)
    (self.validAtSeq, self.lastSeq) = (validAtSeq ?? lastSeq, lastSeq)
  }

  func ledgerName() throws(StoreError) -> String { "damaged" }
  func ledgerState() throws(StoreError) -> LedgerState? {
    LedgerState(
      state: BackgroundState(anchor: Anchor(moment: PackedTarget.moment)), nextSpanID: 1,
      lastSeq: lastSeq, chunkCount: chunks.count)
  }

  func forEachChunk(
    _ body: (_ index: Int, _ validAtSeq: Int64, _ bytes: UnsafeRawBufferPointer)
      throws(StoreError) -> Void
  ) throws(StoreError) {
    for (index, bytes) in chunks.sorted(by: { $0.key < $1.key }) {
      try bytes.withBytes { bytes throws(StoreError) in try body(index, validAtSeq, bytes) }
    }
  }

  func forEachRow(
    after seq: Int64,
    _ body: (_ firstSeq: Int64, _ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let first = rows.keys.filter { $0 <= seq + 1 }.max() ?? 0
    for (firstSeq, bytes) in rows.sorted(by: { $0.key < $1.key }) where firstSeq >= first {
      let goesOn = try bytes.withBytes { bytes throws(StoreError) in try body(firstSeq, bytes) }
      guard goesOn else { return }
    }
  }

  func oldestSeq() throws(StoreError) -> Int64? { rows.keys.min() }

  func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span] { [] }
}

/// Comes round every hour, or never.
final class Hourly: Calendar {
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    let hourUsec: Int64 = 3_600_000_000
    return schedule.expression.isEmpty ? nil : (afterUsec / hourUsec + 1) * hourUsec
  }
}

/// Remembers what enters the ledger, for the next row.
final class Recorder: NotificationObserver {
  private var events: [Event] = []

  func observe(_ notification: Notification, at moment: Moment) {
    if case .recorded(let event) = notification { events.append(event) }
  }

  /// The row can be read.
  func check() {
    let events = events.prefix(BatchEncoder.rowEvents)
    guard let first = events.first else { return }
    var encoder = BatchEncoder()
    for event in events { encoder.append(event) }
    var again: [Event] = []
    let error = encoder.finish().withUnsafeBytes { row in
      outcome { () throws(StoreError) in
        try BatchDecoder.decode(row, firstSeq: first.seq) { again.append($0) }
      }
    }
    require(again == Array(events), "\(events) are packed as others: \(error)")
  }
}

enum PackedTarget {
  static let moment = Moment(
    realtimeUsec: 1_795_262_400_000_000, boottimeUsec: 1_000_000, monotonicUsec: 1_000_000,
    bootID: BootID(high: 1, low: 2))

  /// The bytes with their checksum, which a fuzzer does not find.
  static func withChecksum(_ body: some Sequence<UInt8>) -> [UInt8] {
    let sum = Array(body).withUnsafeBytes { Checksum.crc32($0) }
    return Array(body) + withUnsafeBytes(of: sum.bigEndian, Array.init)
  }

  /// Starts from a ledger, and from what that start would write; they are the same.
  static func load(_ ledger: DamagedLedger) {
    guard let (engine, recorder) = engine(of: ledger) else { return }
    let chunks = packed(engine)
    let again = self.engine(of: chunks, lastSeq: engine.lastSeq)
    require(packed(again) == chunks, "what was read is written in another way")
    goOn(engine)
    recorder.check()
    _ = self.engine(of: packed(engine), lastSeq: engine.lastSeq)
  }

  /// What a daemon does a day later with the timers that it found: what is due, a look at each, and
  /// what its owner may ask for.
  private static func goOn(_ engine: Engine) {
    let now = moment.earlier(byUsec: -CivilTime.dayUsec)
    for _ in 0..<4 where engine.fireDue(at: now) {}
    _ = (engine.wake, engine.alarms, engine.next(at: now))
    for slot in 0..<engine.slotEnd where engine.isOccupied(slot) {
      let view = engine.view(slot, at: now)
      _ = (view.progress, view.band)
      try? engine.lap(slot, at: now)
      try? engine.advance(slot, at: now)
      try? engine.pause(slot, at: now)
      try? engine.extend(slot, byUsec: 1_000_000, at: now)
      try? engine.resume(slot, at: now)
      try? engine.snooze(slot, byUsec: 1_000_000, at: now)
      try? engine.restart(slot, at: now)
      try? engine.cancel(slot, at: now)
    }
    if let violation = engine.violatedInvariant() { fatalError(violation) }
  }

  /// The engine that starts from what another has written.
  private static func engine(of chunks: [Int: [UInt8]], lastSeq: Int64) -> Engine {
    let ledger = DamagedLedger(chunks: chunks, rows: [:], lastSeq: lastSeq)
    guard let (engine, _) = engine(of: ledger) else {
      fatalError("what was written cannot be read")
    }
    return engine
  }

  private static func engine(of ledger: DamagedLedger) -> (Engine, Recorder)? {
    let bus = NotificationBus()
    let recorder = Recorder()
    bus.register(recorder)
    let background = Background(at: moment, bus: bus)
    let engine = Engine(
      background: background, bus: bus, calendar: Hourly(), maximumTimers: 4_096, loading: true)
    guard (try? ledger.load(into: engine)) != nil else { return nil }
    return (engine, recorder)
  }

  private static func packed(_ engine: Engine) -> [Int: [UInt8]] {
    Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, ChunkCodec.encode($0, of: engine)) })
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with a typed error.
  fileprivate func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try withUnsafeBytes { bytes in
      outcome { () throws(StoreError) in try body(bytes) }
    }.get()
  }
}
