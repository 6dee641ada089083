internal import NightjarEngine
internal import NightjarModel

/// Packs events into rows of the ledger: `version, count, event…, CRC-32`.
///
/// An event has a tag, the difference between its time and the time of the event before, the
/// counters, a subject and a payload. If it belongs to a change with a request id,
/// `EventTag.requested` and the id come first.
struct BatchEncoder: ~Copyable {
  /// The most events in a row. A row is always read and unpacked as a whole, even for a client that
  /// needs only one of its events.
  static let rowEvents = 128
  /// The most events in a row of older versions.
  static let mostRowEvents = 1024

  private var body = ByteWriter(reserving: 4096)
  private(set) var count = 0
  private(set) var firstSeq: Int64 = 0
  private(set) var lastSeq: Int64 = 0
  private(set) var firstTimeUsec: Int64 = 0
  private var previousTimeUsec: Int64 = 0
  private var previousCounters = CounterOffsets()
  private var shared = RowWriter()

  mutating func append(_ event: Event) {
    if count == 0 {
      (firstSeq, firstTimeUsec) = (event.seq, event.timeUsec)
    }
    precondition(event.seq == firstSeq + Int64(count))
    if let request = event.request {
      body.byte(EventTag.requested.rawValue)
      body.string(request)
    }
    let tagPlace = body.count
    body.byte(0)
    body.signed(event.timeUsec &- previousTimeUsec)
    previousTimeUsec = event.timeUsec
    body.counters(event, since: &previousCounters)
    if let subject = event.subject {
      body.natural(subject.slot)
      body.natural(event.seq - subject.id)
      body.natural(event.seq - subject.previous)
      body.string(subject.name)
    }
    let tag = body.kind(event.kind, shared: &shared)
    body.replace(at: tagPlace, by: tag.rawValue)
    lastSeq = event.seq
    count += 1
  }

  /// The packed row.
  func finish() -> [UInt8] {
    var frame = ByteWriter(reserving: body.count + 16)
    frame.byte(Frame.version)
    frame.natural(count)
    frame.raw(UnsafeRawBufferPointer(body.written))
    return Frame.withChecksum(frame)
  }
}

extension EventRow {
  /// Makes a row in place of lost events. It explains the gap in the numbers of the events.
  ///
  /// - Parameter timeUsec: CLOCK_REALTIME when the loss was found.
  public init(lost: ClosedRange<Int64>, timeUsec: Int64) {
    var frame = ByteWriter(reserving: 32)
    frame.byte(Frame.version)
    frame.natural(0)
    frame.natural(lost.count)
    self.init(
      firstSeq: lost.lowerBound, lastSeq: lost.upperBound, timeUsec: timeUsec,
      bytes: Frame.withChecksum(frame))
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
    _ bytes: UnsafeRawBufferPointer, firstSeq: Int64, pool: RowPool = RowPool(),
    omitting isOmitted: (_ seq: Int64, _ slot: Int) -> Bool = { _, _ in false },
    _ body: (Event) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    var reader = try Frame.open(bytes)
    let count = try reader.natural(upTo: BatchEncoder.mostRowEvents)
    guard count > 0 else { return Int64(try reader.natural(upTo: 1 << 60)) }
    var timeUsec: Int64 = 0
    var counterOffsets = CounterOffsets()
    var shared = RowReader(pool: pool)
    for index in 0..<count {
      let seq = firstSeq + Int64(index)
      var tag = try reader.tag()
      var request: String?
      if tag == .requested {
        request = try reader.string()
        tag = try reader.tag()
      }
      timeUsec += try reader.signed()
      guard timeUsec.magnitude < ByteReader.limit else { throw .damaged("a time is out of range") }
      let counters = try reader.counters(at: timeUsec, since: &counterOffsets)
      var subject: Event.Subject?
      if tag.hasSubject {
        let slot = try reader.natural(upTo: DeadlineQueue.slotLimit - 1)
        let id = seq - (try reader.natural())
        let previous = seq - (try reader.natural())
        guard id > 0, previous >= 0 else { throw .damaged("an event is before the first") }
        if isOmitted(seq, slot) {
          _ = try reader.name()
          _ = try reader.kind(tag, shared: &shared)
          continue
        }
        subject = Event.Subject(slot: slot, id: id, name: try reader.name(), previous: previous)
      }
      try body(
        Event(
          seq: seq, timeUsec: timeUsec, counters: counters, subject: subject, request: request,
          kind: try reader.kind(tag, shared: &shared)))
    }
    guard reader.isAtEnd else { throw .damaged("a row has more than its events") }
    return Int64(count)
  }
}

// MARK: - Counters

/// The differences between the counters and the wall clock. From one event to the next, they change
/// only after a sleep, a stop or a reboot, or if the clock was set.
private struct CounterOffsets {
  var elapsedUsec: Int64 = 0
  var awakeUsec: Int64 = 0
}

extension ByteWriter {
  /// Appends the change of each offset. The first change is written in zigzag order plus 1, because
  /// 0 means an event without counters.
  @inline(__always)
  fileprivate mutating func counters(_ event: Event, since previous: inout CounterOffsets) {
    guard let counters = event.counters else { return byte(0) }
    let elapsed = counters.elapsedUsec &- event.timeUsec
    let awake = counters.awakeUsec &- counters.elapsedUsec
    let change = elapsed &- previous.elapsedUsec
    unsigned(UInt64(bitPattern: change << 1 ^ change >> 63) + 1)
    signed(awake &- previous.awakeUsec)
    previous = CounterOffsets(elapsedUsec: elapsed, awakeUsec: awake)
  }
}

extension ByteReader {
  fileprivate mutating func counters(
    at timeUsec: Int64, since offsets: inout CounterOffsets
  ) throws(StoreError) -> Counters? {
    guard version >= Frame.versionWithCounters else { return nil }
    let word = try unsigned()
    guard word > 0 else { return nil }
    let change = word - 1
    guard change >> 1 < Self.limit else { throw .damaged("a counter is out of range") }
    offsets.elapsedUsec += Int64(bitPattern: change >> 1) ^ -Int64(bitPattern: change & 1)
    offsets.awakeUsec += try signed()
    guard offsets.elapsedUsec.magnitude < Self.limit, offsets.awakeUsec.magnitude < Self.limit
    else { throw .damaged("a counter is out of range") }
    let elapsed = timeUsec + offsets.elapsedUsec
    return Counters(elapsedUsec: elapsed, awakeUsec: elapsed + offsets.awakeUsec)
  }
}
