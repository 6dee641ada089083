public import NightjarEngine
public import NightjarModel

/// A row of the ledger: up to 128 packed events.
public struct EventRow: Equatable, Sendable {
  public var firstSeq: Int64
  public var lastSeq: Int64
  /// CLOCK_REALTIME of its first event.
  public var timeUsec: Int64
  /// The packed events.
  public var bytes: [UInt8]
}

/// The packed timers of 512 neighbouring slots.
public struct ChunkRow: Equatable, Sendable {
  /// The number of the first slot divided by 512.
  public var index: Int
  /// The number of an event. The timers have their state after it.
  public var validAtSeq: Int64
  /// The packed timers.
  public var bytes: [UInt8]
}

/// Everything that is written in one transaction.
public struct Commit: Sendable {
  /// The number of the commit in this run, from 1. Replies wait for it.
  public var number: Int64
  /// The new events.
  public var rows: [EventRow]
  /// Chunks that are written again.
  public var chunks: [ChunkRow]
  /// The number of chunks, including these.
  public var chunkCount: Int
  /// Spans that began, got another cause, ended or were corrected.
  public var spans: [Span]
  /// Changes of commands, in order.
  public var actions: [ActionChange]
  /// Replies to changes with request ids, in order.
  public var requests: [AnsweredRequest] = []
  /// The clocks and the open span.
  public var state: BackgroundState
  /// The number of the last event.
  public var lastSeq: Int64
  /// The number of an event. A start of the daemon does not need the rows that end before it.
  public var neededFromSeq: Int64
  /// CLOCK_REALTIME of the commit. Retention computes the age of old rows from it.
  public var timeUsec: Int64
  /// Whether the commit has all timers, so that a database with only this commit is complete.
  public var isFull = false
}

extension EventRow {
  /// Throws if the bytes are damaged. O(bytes).
  public static func check(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    _ = try Frame.open(bytes)
  }
}

/// A loss of acknowledged data, and what the daemon did about it.
public struct StorageLoss: Equatable, Sendable {
  /// A sentence about the damage, without a full stop.
  public var reason: String
  /// The numbers of the missing events; nil: none are missing, or the numbers are not known.
  public var missing: ClosedRange<Int64>?
  /// The name of the file in the state folder to which the damaged database was moved; nil: no
  /// database was moved.
  public var setAside: String?

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

/// The data that the last run stored, without the timers.
public struct LedgerState: Equatable, Sendable {
  /// The clocks and the open span.
  public var state: BackgroundState
  /// The number for the next span.
  public var nextSpanID: Int64
  /// The number of the last event.
  public var lastSeq: Int64
  /// The number of stored chunks.
  public var chunkCount: Int

  public init(state: BackgroundState, nextSpanID: Int64, lastSeq: Int64, chunkCount: Int) {
    self.state = state
    self.nextSpanID = nextSpanID
    self.lastSeq = lastSeq
    self.chunkCount = chunkCount
  }
}

/// Reads commits back: from the database, or from a simulated disk.
public protocol LedgerReading: AnyObject {
  /// The name of the ledger, which no other ledger has and which never changes. The number of an
  /// event is valid only together with it.
  func ledgerName() throws(StoreError) -> String
  /// The state of the last commit; nil: the ledger is new.
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
  /// The number of the oldest event in the ledger; nil: there is none.
  func oldestSeq() throws(StoreError) -> Int64?
  /// The reply to a change with this id, if the reply was made when the reading of `elapsed` was
  /// `atElapsed` or higher.
  func request(_ id: String, since atElapsed: Int64) throws(StoreError) -> AnsweredRequest?
  /// All spans from the first one that is open, or that began or ended at or after `timeUsec` on
  /// CLOCK_REALTIME. The oldest comes first; at most the last `limit`.
  func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span]
}

extension LedgerReading {
  /// Calls `body` with each event after `seq`, in order, until it returns false. Reads whole rows.
  /// Throws if events are missing between two rows and no row in their place explains the gap.
  ///
  /// - Returns: the number of the last event for which there is a row; `seq` if there is none.
  @discardableResult
  public func forEachEvent(
    after seq: Int64, _ body: (Event) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int64 {
    let pool = Pool()
    var last = seq
    try forEachRow(after: seq) { firstSeq, bytes throws(StoreError) in
      if firstSeq > last + 1 {
        // The oldest rows may have been removed, because the ledger is kept for a limited time.
        let oldest = try oldestSeq()
        guard last == seq, oldest == firstSeq else { throw .missingEvents(last + 1...firstSeq - 1) }
      }
      var wantsMore = true
      let count = try BatchDecoder.decode(
        bytes, firstSeq: firstSeq, pool: pool, omitting: { other, _ in !wantsMore || other <= seq }
      ) { event throws(StoreError) in
        if wantsMore, event.seq > seq { wantsMore = try body(event) }
      }
      last = firstSeq + count - 1
      return wantsMore
    }
    return last
  }

  /// The events of the row that has this event, in order, without a gap; empty: the row was
  /// removed.
  public func row(of seq: Int64) throws(StoreError) -> [Event] {
    var events: [Event] = []
    try forEachRow(after: seq - 1) { firstSeq, bytes throws(StoreError) in
      guard firstSeq <= seq else { return false }
      try BatchDecoder.decode(bytes, firstSeq: firstSeq) { events.append($0) }
      return false
    }
    return events
  }

  /// Loads everything that is stored into `engine`, which must be new or reset: first the chunks,
  /// then the later events of the ledger. O(timers + events since the oldest chunk).
  ///
  /// - Returns: the state without the timers (nil in a new ledger), and for each chunk the number
  ///   of the last event that it includes.
  public func load(
    into engine: Engine
  ) throws(StoreError) -> (state: LedgerState?, chunkSeqs: [Int64]) {
    var chunkSeqs: [Int64] = []
    let pool = Pool()
    let state = try ledgerState()
    try forEachChunk { index, validAtSeq, bytes throws(StoreError) in
      guard validAtSeq <= state?.lastSeq ?? 0 else {
        throw .damaged("chunk \(index) stands as after event \(validAtSeq), which is not there")
      }
      while chunkSeqs.count <= index { chunkSeqs.append(0) }
      chunkSeqs[index] = validAtSeq
      try ChunkCodec.decode(bytes, index: index, pool: pool) { stored throws(StoreError) in
        guard stored.timer.lastEvent <= validAtSeq, engine.load(stored) else {
          throw .damaged("what is stored of '\(stored.timer.name)' cannot be true")
        }
      }
    }
    if let stored = state?.chunkCount, stored != chunkSeqs.count || chunkSeqs.contains(0) {
      let found = chunkSeqs.count { $0 > 0 }
      throw .damaged("of \(stored) chunks of timers that were stored, \(found) are there")
    }
    // Every chunk in use has a row, so the oldest chunk says from which event on the ledger is
    // needed. Without chunks there never was a timer, so no event is needed.
    let last = try replay(
      into: engine, after: chunkSeqs.min() ?? state?.lastSeq ?? 0, chunkSeqs: chunkSeqs, pool: pool)
    // Without a state there is no event, except that a row may be in place of lost ones.
    guard state.map({ last == $0.lastSeq }) ?? (engine.lastSeq == 0) else {
      throw .damaged("the ledger ends at event \(last), not at \(state?.lastSeq ?? 0)")
    }
    if let name = engine.finishLoading(lastSeq: last) {
      throw .damaged("two timers are called '\(name)'")
    }
    return (state, chunkSeqs)
  }

  /// Reads everything that `load` would read, and checks the checksums. O(bytes).
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

  /// Applies the events after `seq` to the engine. Returns the number of the last event.
  private func replay(
    into engine: Engine, after seq: Int64, chunkSeqs: [Int64], pool: Pool
  ) throws(StoreError) -> Int64 {
    var expected = seq + 1
    try forEachRow(after: seq) { firstSeq, bytes throws(StoreError) in
      // The first row may begin before `seq`.
      guard firstSeq == expected || firstSeq <= seq && expected == seq + 1 else {
        throw .damaged("the ledger goes from event \(expected - 1) to \(firstSeq)")
      }
      /// Whether the chunk of `slot` includes the event. A chunk without a row has no timers yet.
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
