public import NightjarEngine
internal import NightjarModel

/// A packed value of the database: values in CBOR, one after the other, and a checksum.
enum Frame {
  /// The values with their checksum.
  static func seal(_ coder: borrowing Coder) -> [UInt8] {
    var bytes = coder.bytes
    let sum = bytes.withUnsafeBytes { Checksum.crc32($0) }
    withUnsafeBytes(of: sum.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Checks the checksum, and returns a coder for the values.
  static func open(
    _ bytes: UnsafeRawBufferPointer, pool: Pool = Pool()
  ) throws(StoreError) -> Coder {
    let count = bytes.count - 4
    guard count >= 0 else { throw .damaged("a packed value is too short") }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    let sum = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: count, as: UInt32.self))
    guard Checksum.crc32(body) == sum else {
      throw .damaged("the checksum of a packed value is wrong")
    }
    return Coder(reading: body, pool: pool)
  }
}

/// The state of the wall clock, packed.
public enum ClockCodec {
  /// O(reboots), at most 16.
  public static func encode(_ clock: WallClockState) -> [UInt8] {
    var (coder, clock) = (Coder(), clock)
    written { () throws(StoreError) in try clock.code(&coder) }
    return Frame.seal(coder)
  }

  public static func decode(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> WallClockState {
    var (coder, clock) = (try Frame.open(bytes), WallClockState())
    try clock.code(&coder)
    guard coder.isAtEnd else { throw .damaged("the clock has more than its fields") }
    return clock
  }
}

/// The timers of 512 neighbouring slots, packed into one row.
enum ChunkCodec {
  /// Packs the timers of chunk `index` in their present state.
  static func encode(_ index: Int, of engine: Engine) -> [UInt8] {
    let first = index * TimerTable.chunkSlots
    let end = min(first + TimerTable.chunkSlots, max(first, engine.slotEnd))
    let slots = (first..<end).filter { engine.isOccupied($0) }
    var coder = Coder(reserving: slots.count * 160)
    written { () throws(StoreError) in
      _ = try coder.array(slots.count)
      for slot in slots {
        var stored = engine.stored(at: slot)
        try stored.code(&coder)
      }
    }
    return Frame.seal(coder)
  }

  /// Calls `body` with each timer of chunk `index`.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, index: Int, pool: Pool = Pool(),
    _ body: (Engine.StoredTimer) throws(StoreError) -> Void
  ) throws(StoreError) {
    var coder = try Frame.open(bytes, pool: pool)
    for _ in 0..<(try coder.array(0)) {
      var stored = Engine.StoredTimer()
      try stored.code(&coder)
      guard stored.slot / TimerTable.chunkSlots == index else {
        throw .damaged("a timer of another chunk is in chunk \(index)")
      }
      try body(stored)
    }
    guard coder.isAtEnd else { throw .damaged("a chunk has more than its timers") }
  }
}

/// Packs events into a row of the ledger.
struct BatchEncoder {
  /// The most events in a row. A row is always read and unpacked as a whole, even for a client that
  /// needs only one of its events.
  static let rowEvents = 128

  private var coder = Coder(reserving: 4096)
  private var before = StoredEvent.Before()
  private(set) var count = 0
  private(set) var firstSeq: Int64 = 0
  private(set) var lastSeq: Int64 = 0
  private(set) var firstTimeUsec: Int64 = 0

  mutating func append(_ event: Event) {
    if count == 0 { (firstSeq, firstTimeUsec) = (event.seq, event.timeUsec) }
    precondition(event.seq == firstSeq + Int64(count))
    var stored = StoredEvent(event)
    written { () throws(StoreError) in
      _ = try stored.code(&coder, after: &before, omitting: { _ in false })
    }
    lastSeq = event.seq
    count += 1
  }

  /// The packed row.
  func finish() -> [UInt8] {
    var row = Coder(reserving: coder.bytes.count + 16)
    row.list(count, coder)
    return Frame.seal(row)
  }
}

extension EventRow {
  /// Makes a row in place of lost events, which has only their number. It explains the gap in the
  /// numbers of the events.
  ///
  /// - Parameter timeUsec: CLOCK_REALTIME when the loss was found.
  public init(lost: ClosedRange<Int64>, timeUsec: Int64) {
    var (coder, count) = (Coder(), Int64(lost.count))
    written { () throws(StoreError) in try coder.integer(&count) }
    self.init(
      firstSeq: lost.lowerBound, lastSeq: lost.upperBound, timeUsec: timeUsec,
      bytes: Frame.seal(coder))
  }
}

/// Unpacks rows of the ledger.
enum BatchDecoder {
  /// Calls `body` with each event of the row that begins with `firstSeq`.
  ///
  /// - Parameter isOmitted: whether to leave out an event about the timer in this slot, which costs
  ///   less than making the event.
  /// - Returns: the number of events in the row. For a row in place of lost events, their number.
  @discardableResult
  static func decode(
    _ bytes: UnsafeRawBufferPointer, firstSeq: Int64, pool: Pool = Pool(),
    omitting isOmitted: (_ seq: Int64, _ slot: Int) -> Bool = { _, _ in false },
    _ body: (Event) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    var coder = try Frame.open(bytes, pool: pool)
    var count: Int64 = 0
    if !coder.isAtList {
      try coder.integer(&count)
      guard count >= 0, coder.isAtEnd else { throw .damaged("a row for lost events is wrong") }
      return count
    }
    var before = StoredEvent.Before()
    for _ in 0..<(try coder.array(0)) {
      let seq = firstSeq + count
      var stored = StoredEvent()
      if try stored.code(&coder, after: &before, omitting: { isOmitted(seq, $0) }) {
        try body(try stored.event(seq))
      }
      count += 1
    }
    guard coder.isAtEnd else { throw .damaged("a row has more than its events") }
    return count
  }
}

/// An event on disk.
private struct StoredEvent {
  /// What an event has in common with the one before it in its row, or nearly so: the time, and the
  /// differences between the counters and the time. They change only with a background span or if
  /// the clock is set.
  struct Before {
    var timeUsec: Int64 = 0
    var elapsedUsec: Int64 = 0
    var awakeUsec: Int64 = 0
  }

  var timeUsec: Int64 = 0
  var counters = Counters()
  var subject: Event.Subject?
  var request: String?
  var sums: Event.Sums?
  var kind = Event.Kind()

  init() {}

  init(_ event: Event) {
    timeUsec = event.timeUsec
    counters = event.counters
    subject = event.subject
    request = event.request
    sums = event.sums
    kind = event.kind
  }

  /// - Returns: false if the event is omitted, and only read in part.
  mutating func code(
    _ c: inout Coder, after before: inout Before, omitting isOmitted: (_ slot: Int) -> Bool
  ) throws(StoreError) -> Bool {
    try c.beginObject()
    try clocks(&c, after: &before)
    var slot = subject?.slot
    try c.field(4, &slot)
    guard (0..<DeadlineQueue.slotLimit).contains(slot ?? 0) else {
      throw .damaged("an event is about an impossible slot")
    }
    if c.isReading, let slot, isOmitted(slot) {
      try c.endObject()
      return false
    }
    var subject = subject ?? Event.Subject(slot: slot ?? 0, id: 0, name: "", previous: 0)
    try c.field(5, &subject.id)
    try c.field(6, &subject.previous)
    try c.field(7, &subject.name)
    try c.field(8, &request)
    try c.field(9, &kind)
    try c.field(10, &sums)
    try c.endObject()
    if slot != nil { self.subject = subject }
    return true
  }

  /// Codes the time and the counters as differences.
  private mutating func clocks(_ c: inout Coder, after before: inout Before) throws(StoreError) {
    var time = timeUsec - before.timeUsec
    var elapsed = counters.elapsedUsec - timeUsec - before.elapsedUsec
    var awake = counters.awakeUsec - counters.elapsedUsec - before.awakeUsec
    if c.isReading { (time, elapsed, awake) = (0, 0, 0) }
    try c.field(1, &time)
    try c.field(2, &elapsed)
    try c.field(3, &awake)
    before.timeUsec += time
    before.elapsedUsec += elapsed
    before.awakeUsec += awake
    guard c.isReading else { return }
    let all = [before.timeUsec, before.elapsedUsec, before.awakeUsec]
    guard all.allSatisfy({ $0.magnitude < Coder.limit }) else {
      throw .damaged("a time is out of range")
    }
    timeUsec = before.timeUsec
    counters.elapsedUsec = timeUsec + before.elapsedUsec
    counters.awakeUsec = counters.elapsedUsec + before.awakeUsec
  }

  func event(_ seq: Int64) throws(StoreError) -> Event {
    if let subject {
      guard subject.id > 0, subject.id <= seq, subject.previous >= 0, subject.previous < seq
      else { throw .damaged("event \(seq) is about an impossible timer") }
      try checkName(subject.name)
    }
    guard kind.action != nil || (subject == nil) == kind.traits.contains(.isOfMachine) else {
      throw .damaged("event \(seq) has a timer and needs none, or needs one")
    }
    switch kind {
    case .renamedTo(let name), .renamedFrom(let name): try checkName(name)
    case .cameDue(_, let names, _):
      for name in names { try checkName(name) }
    case .enteredBackground(let span), .leftBackground(let span),
      .spanCorrected(let span, _, _, _, _):
      guard !span.causes.isEmpty else { throw .damaged("a span has no cause") }
    default: break
    }
    return Event(
      seq: seq, timeUsec: timeUsec, counters: counters, subject: subject, request: request,
      sums: sums, kind: kind)
  }
}

/// Throws if no timer can have this name.
func checkName(_ name: String) throws(StoreError) {
  guard (1...Limits.nameBytes).contains(name.utf8.count) else {
    throw .damaged("a name has \(name.utf8.count) bytes")
  }
}

/// Runs `body`, which only writes: writing throws nothing.
private func written(_ body: () throws(StoreError) -> Void) {
  do { try body() } catch { preconditionFailure("\(error)") }
}
