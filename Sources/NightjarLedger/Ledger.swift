public import NightjarEngine
public import NightjarModel

/// A row of the ledger: up to 128 events, packed; up to 1,024 in those of older versions.
public struct EventRow: Equatable, Sendable {
  /// The number of its first event.
  public var firstSeq: Int64
  /// The number of its last event.
  public var lastSeq: Int64
  /// CLOCK_REALTIME of its first event.
  public var timeUsec: Int64
  /// The events, packed.
  public var bytes: [UInt8]
}

/// The timers of 512 neighbouring slots, packed.
public struct ChunkRow: Equatable, Sendable {
  /// The slots' number divided by 512.
  public var index: Int
  /// They stand as after this event.
  public var validAtSeq: Int64
  /// The timers, packed.
  public var bytes: [UInt8]
}

/// Everything that is made durable together.
public struct Commit: Sendable {
  /// Numbers the commits of a run, from 1: what a reply waits for.
  public var ticket: Int64
  /// The new events.
  public var rows: [EventRow]
  /// Chunks that are written anew.
  public var chunks: [ChunkRow]
  /// How many chunks there are with these.
  public var chunkCount: Int
  /// Spans that were entered, extended, left or corrected.
  public var spans: [Span]
  /// What happened to commands, in order.
  public var actions: [ActionChange]
  /// Changes to which clients gave an id, in order.
  public var requests: [AnsweredRequest] = []
  /// The clocks and the open span.
  public var state: BackgroundState
  /// The number of the last event.
  public var lastSeq: Int64
  /// Rows that end before this are no longer needed to start.
  public var neededFromSeq: Int64
  /// CLOCK_REALTIME of the commit: the age of old rows is counted from it.
  public var timeUsec: Int64
  /// Whether it has all timers: a database that has only this commit is complete.
  public var isWhole = false
}

extension EventRow {
  /// Throws if these are not the bytes that were packed. O(bytes).
  public static func check(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    _ = try Frame.open(bytes)
  }
}

/// What is missing of what had been acknowledged, and what the daemon has done about it.
public struct StorageLoss: Equatable, Sendable {
  /// What was found: a sentence without a full stop.
  public var reason: String
  /// The numbers of the events that are missing; nil: none, or nobody knows which.
  public var missing: ClosedRange<Int64>?
  /// The name of the file, in the state folder, that has what was found; nil: nothing was there.
  public var setAside: String?

  /// Makes one.
  public init(reason: String, missing: ClosedRange<Int64>? = nil, setAside: String? = nil) {
    self.reason = reason
    self.missing = missing
    self.setAside = setAside
  }

  /// One sentence for people, without a full stop.
  public var description: String {
    var text = reason
    if let missing {
      text +=
        missing.lowerBound == missing.upperBound
        ? "; event \(missing.lowerBound) is missing"
        : "; events \(missing.lowerBound) to \(missing.upperBound) are missing"
    }
    if let setAside { text += "; what was found was kept as \(setAside)" }
    return text
  }
}

/// What the last run left behind, without the timers.
public struct LedgerState: Equatable, Sendable {
  /// The clocks and the open span.
  public var state: BackgroundState
  /// The number for the next span.
  public var nextSpanID: Int64
  /// The number of the last event.
  public var lastSeq: Int64
  /// How many chunks were stored; nil: an older version stored them, and did not say.
  public var chunkCount: Int?

  /// Makes one.
  public init(state: BackgroundState, nextSpanID: Int64, lastSeq: Int64, chunkCount: Int?) {
    self.state = state
    self.nextSpanID = nextSpanID
    self.lastSeq = lastSeq
    self.chunkCount = chunkCount
  }
}

/// Where commits can be read back: the database, or a simulated disk.
public protocol LedgerReading: AnyObject {
  /// What tells this ledger from every other: events' numbers mean nothing without it. It stays as long
  /// as the ledger does.
  func ledgerName() throws(StoreError) -> String
  /// What the last commit left; nil in a new ledger.
  func ledgerState() throws(StoreError) -> LedgerState?
  /// Calls `body` with each chunk.
  func forEachChunk(
    _ body: (_ index: Int, _ validAtSeq: Int64, _ bytes: UnsafeRawBufferPointer)
      throws(StoreError) -> Void
  ) throws(StoreError)
  /// Calls `body` with each row that has an event after `seq`, in order, until it returns false.
  func forEachRow(
    after seq: Int64,
    _ body: (_ firstSeq: Int64, _ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError)
  /// The number of the oldest event that is kept; nil if there is none.
  func oldestSeq() throws(StoreError) -> Int64?
  /// What a change with this id was answered, if that was at or after `atElapsed` on the counter of `elapsed`.
  func request(_ id: String, since atElapsed: Int64) throws(StoreError) -> AnsweredRequest?
  /// The spans that ended at or after `timeUsec` on CLOCK_REALTIME or are open, oldest first, at
  /// most `limit` of them, the newest.
  func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span]
}

extension LedgerReading {
  /// Calls `body` with each event after `seq`, in order, until it returns false. Reads whole rows. Throws
  /// if there is a row before and behind events of which nothing is known.
  ///
  /// - Returns: the number up to which there are rows; `seq` if there are none.
  @discardableResult
  public func forEachEvent(
    after seq: Int64, _ body: (Event) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int64 {
    let pool = RowPool()
    var last = seq
    try forEachRow(after: seq) { firstSeq, bytes throws(StoreError) in
      if firstSeq > last + 1 {
        // The oldest rows go after a time.
        let oldest = try oldestSeq()
        guard last == seq, oldest == firstSeq else { throw .missingEvents(last + 1...firstSeq - 1) }
      }
      var goOn = true
      let count = try BatchDecoder.decode(
        bytes, firstSeq: firstSeq, pool: pool, omitting: { other, _ in !goOn || other <= seq }
      ) { event throws(StoreError) in
        if goOn, event.seq > seq { goOn = try body(event) }
      }
      last = firstSeq + count - 1
      return goOn
    }
    return last
  }

  /// The events of the row that has this one, in order, without a gap; empty if it is no longer
  /// kept.
  public func row(of seq: Int64) throws(StoreError) -> [Event] {
    var events: [Event] = []
    try forEachRow(after: seq - 1) { firstSeq, bytes throws(StoreError) in
      guard firstSeq <= seq else { return false }
      try BatchDecoder.decode(bytes, firstSeq: firstSeq) { events.append($0) }
      return false
    }
    return events
  }

  /// Puts everything that is stored into `engine`, which must have been made or reset for loading:
  /// the chunks, then what the ledger has beyond them. O(timers + events since the oldest chunk).
  ///
  /// - Returns: what is stored beside the timers (nil in a new ledger), and after which event each
  ///   chunk was written.
  public func load(
    into engine: Engine
  ) throws(StoreError) -> (state: LedgerState?, chunkSeqs: [Int64]) {
    var chunkSeqs: [Int64] = []
    let pool = RowPool()
    let state = try ledgerState()
    try forEachChunk { index, validAtSeq, bytes throws(StoreError) in
      guard validAtSeq <= state?.lastSeq ?? 0 else {
        throw .damaged("chunk \(index) stands as after event \(validAtSeq), which is not there")
      }
      while chunkSeqs.count <= index { chunkSeqs.append(0) }
      chunkSeqs[index] = validAtSeq
      try ChunkCodec.decode(bytes, index: index, pool: pool) { timer, name throws(StoreError) in
        guard timer.record.lastSeq <= validAtSeq, engine.load(timer, named: name) else {
          let name = String(decoding: name, as: UTF8.self)
          throw .damaged("what is stored of '\(name)' cannot be true")
        }
      }
    }
    if let stored = state?.chunkCount, stored != chunkSeqs.count || chunkSeqs.contains(0) {
      let found = chunkSeqs.count { $0 > 0 }
      throw .damaged("of \(stored) chunks of timers that were stored, \(found) are there")
    }
    // Every chunk in use has a row, so the oldest says from where on the ledger is needed; without
    // one no timer was ever there, and nothing is.
    let last = try replay(
      into: engine, after: chunkSeqs.min() ?? state?.lastSeq ?? 0, chunkSeqs: chunkSeqs, pool: pool)
    // Without an anchor there is no event; some may be known to be lost.
    guard state.map({ last == $0.lastSeq }) ?? (engine.lastSeq == 0) else {
      throw .damaged("the ledger ends at event \(last), not at \(state?.lastSeq ?? 0)")
    }
    if let name = engine.finishLoading(lastSeq: last) {
      throw .damaged("two timers are called '\(name)'")
    }
    return (state, chunkSeqs)
  }

  /// Reads everything that `load` would, and looks at the checksums. O(bytes).
  public func checkReadable() throws(StoreError) {
    var oldest = try ledgerState()?.lastSeq ?? 0
    try forEachChunk { _, validAtSeq, bytes throws(StoreError) in
      oldest = min(oldest, validAtSeq)
      _ = try Frame.open(bytes)
    }
    try forEachRow(after: oldest) { _, bytes throws(StoreError) in
      _ = try Frame.open(bytes)
      return true
    }
  }

  /// Returns the number of the last event that there is.
  private func replay(
    into engine: Engine, after seq: Int64, chunkSeqs: [Int64], pool: RowPool
  ) throws(StoreError) -> Int64 {
    var expected = seq + 1
    try forEachRow(after: seq) { firstSeq, bytes throws(StoreError) in
      // The first may begin before them.
      guard firstSeq == expected || firstSeq <= seq && expected == seq + 1 else {
        throw .damaged("the ledger goes from event \(expected - 1) to \(firstSeq)")
      }
      /// A chunk that is not there has nothing yet.
      func isDone(_ event: Int64, _ slot: Int) -> Bool {
        let chunk = slot / TimerTable.chunkSlots
        return chunk < chunkSeqs.count && event <= chunkSeqs[chunk]
      }
      let count = try BatchDecoder.decode(
        bytes, firstSeq: firstSeq, pool: pool, omitting: isDone
      ) { event throws(StoreError) in
        guard event.seq > seq else { return }
        if let slot = event.subject?.slot, slot / TimerTable.chunkSlots >= chunkSeqs.count {
          throw .damaged("event \(event.seq) is about a chunk that is not there")
        }
        guard engine.replay(event, done: { isDone(event.seq, $0) }) else {
          throw .damaged("event \(event.seq) does not fit the timers that are there")
        }
      }
      expected = firstSeq + count
      return true
    }
    return expected - 1
  }
}
