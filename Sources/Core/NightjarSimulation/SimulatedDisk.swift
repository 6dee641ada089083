import NightjarEngine
public import NightjarLedger
public import NightjarModel

/// A disk in memory. It stores commits in the packed form that the database uses.
public final class SimulatedDisk: LedgerReading, Committer {
  public enum Fate: Sendable {
    case durable
    case failed
  }

  /// The commit that was submitted and is not finished yet.
  public private(set) var underway: Commit?
  /// The number of the last event on the disk.
  public private(set) var lastSeq: Int64 = 0
  private var chunkCount = 0
  /// The rows of the ledger. Tests can damage them.
  public var rows: [EventRow] = []
  /// The chunks of timers. Tests can damage them.
  public var chunks: [Int: ChunkRow] = [:]
  /// The spans, by number.
  public private(set) var spans: [Int64: Span] = [:]
  /// The replies to changes with a request id, by that id.
  private var requests: [String: AnsweredRequest] = [:]
  private var state: BackgroundState?
  private let name = String(UInt64.random(in: .min ... .max), radix: 16)
  /// The last commit, if the disk `lies`. It is only in the disk's cache.
  private var cached: Commit?
  /// Whether the disk reports a commit as durable before it is. A crash then loses the last commit.
  public var lies = false

  public init() {}

  /// Accepts a commit. It is on the disk after `settle(.durable)`.
  public func submit(_ commit: Commit) {
    precondition(underway == nil)
    underway = commit
  }

  /// Finishes the submitted commit, if there is one.
  ///
  /// - Returns: nil: there was no commit. Otherwise an optional error to pass to the core; an inner
  ///   nil: the commit succeeded.
  public func settle(_ fate: Fate) -> StoreError?? {
    guard let commit = underway else { return nil }
    underway = nil
    switch fate {
    case .durable:
      if let before = cached { store(before) }
      cached = lies ? commit : nil
      if !lies { store(commit) }
      return .some(nil)
    case .failed:
      return .some(.sqlite(code: 13, message: "database or disk is full"))
    }
  }

  /// Simulates a crash of the daemon. The submitted commit is on the disk as a whole or not at all.
  public func crash(underwayIsDurable: Bool) {
    if underwayIsDurable, cached == nil, let commit = underway { store(commit) }
    underway = nil
    cached = nil
  }

  private func store(_ commit: Commit) {
    rows += commit.rows
    for chunk in commit.chunks { chunks[chunk.index] = chunk }
    for span in commit.spans { spans[span.id] = span }
    for request in commit.requests { requests[request.id] = request }
    state = commit.state
    lastSeq = commit.lastSeq
    chunkCount = commit.chunkCount
    // The database keeps more rows than the daemon needs when it starts. Deleting the other rows
    // here shows that the daemon can start without them.
    guard keepsNeededRowsOnly else { return }
    let needed = rows.firstIndex { $0.lastSeq >= commit.neededFromSeq } ?? rows.endIndex
    rows.removeSubrange(..<needed)
  }

  /// Whether rows are deleted when the daemon no longer needs them to start.
  public var keepsNeededRowsOnly = false

  /// A random name for each disk.
  public func ledgerName() throws(StoreError) -> String { name }

  /// The state that the last commit stored.
  public func ledgerState() throws(StoreError) -> LedgerState? {
    guard var state else { return nil }
    state.open = spans.values.first { $0.left == nil && !$0.isAbsence }
    state.openAbsence = spans.values.first { $0.left == nil && $0.isAbsence }
    state.last = spans.values.filter { $0.left != nil && !$0.isAbsence }.max { $0.id < $1.id }
    return LedgerState(
      state: state, nextSpanID: (spans.keys.max() ?? 0) + 1, lastSeq: lastSeq,
      chunkCount: chunkCount)
  }

  /// Calls `body` with each chunk, in order.
  public func forEachChunk(
    _ body: (_ index: Int, _ validAtSeq: Int64, _ bytes: UnsafeRawBufferPointer)
      throws(StoreError) -> Void
  ) throws(StoreError) {
    for chunk in chunks.values.sorted(by: { $0.index < $1.index }) {
      try chunk.bytes.withBytes { bytes throws(StoreError) in
        try body(chunk.index, chunk.validAtSeq, bytes)
      }
    }
  }

  /// Calls `body` with each row that has an event after `seq`, until it returns false.
  public func forEachRow(
    after seq: Int64,
    _ body: (_ firstSeq: Int64, _ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    for row in rows where row.lastSeq > seq {
      let wantsMore = try row.bytes.withBytes { bytes throws(StoreError) in
        try body(row.firstSeq, bytes)
      }
      if !wantsMore { return }
    }
  }

  /// The number of the oldest event on the disk.
  public func oldestSeq() throws(StoreError) -> Int64? { rows.first?.firstSeq }

  /// The stored reply to a change with this id.
  public func request(
    _ id: String, since atElapsed: Int64
  ) throws(StoreError) -> AnsweredRequest? {
    requests[id].flatMap { $0.atElapsed >= atElapsed ? $0 : nil }
  }

  /// Finds the first span that is open, or that began or ended at or after `timeUsec`. Returns this
  /// span and all later ones, at most the last `limit`.
  public func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span] {
    let found = spans.values.sorted { $0.id < $1.id }.drop { span in
      max(span.left?.realtimeUsec ?? .max, span.entered.realtimeUsec) < timeUsec
    }
    return Array(found.suffix(limit))
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` with a typed error.
  fileprivate func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let outcome = withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}
