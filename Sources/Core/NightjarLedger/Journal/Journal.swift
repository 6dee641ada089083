public import NightjarEngine
public import NightjarModel

/// Writes commits to disk, in order. The result of each is reported to the journal with
/// `finish(_:)`.
public protocol Committer: AnyObject {
  /// Starts writing `commit`. Call it only after the previous commit has finished.
  func submit(_ commit: Commit)
}

/// Observes the recorded changes and writes them to disk before clients see them.
///
/// All changes of one loop iteration are in one commit. While a commit is being written, the
/// changes of later iterations are gathered for the next commit. That commit is closed when it has
/// a few thousand events. After every 512 events, the journal writes the next chunk of 512 timers
/// again, in turn. This bounds the data that the daemon has to read when it starts, and the size of
/// the database.
public final class Journal: NotificationObserver {
  /// The error that prevents writing at present; nil: there is none.
  public private(set) var failure: StoreError?
  /// The number of the commit that covers all changes so far.
  public var latestCommit: Int64 { pending.isEmpty ? nextCommit - 1 : nextCommit }
  /// The number of the last commit that is on disk.
  public private(set) var durableCommit: Int64 = 0
  /// The number of the highest commit that clients may be shown. Usually this is `durableCommit`.
  /// While the disk fails, clients are shown events before they are on disk. Then this is
  /// `latestCommit` if clients have been shown all events that are not on disk, and otherwise
  /// `durableCommit`.
  public var publicCommit: Int64 {
    guard failure != nil else { return durableCommit }
    let last = pending.events.last ?? closed.last { !$0.events.isEmpty }?.events.last
    return last?.seq ?? 0 <= publishedSeq ? latestCommit : durableCommit
  }
  /// The number of the last event that is on disk.
  public private(set) var durableSeq: Int64

  private let engine: Engine
  private let bus: NotificationBus
  private let committer: any Committer
  private let eventsPerCommit: Int
  private var nextCommit: Int64 = 1
  // Unchecked, because the runtime check of exclusive access would take as long as handling an
  // event. No method of `Pending` calls back.
  @exclusivity(unchecked) private var pending = Pending()
  /// The commit that is being written, and the closed commits after it.
  private var closed: [ClosedCommit] = []
  /// For each chunk in use, the number of the last event before the chunk was packed.
  private var chunkSeqs: [Int64]
  /// The lowest number in `chunkSeqs`, stored so that a commit need not scan them all; nil: it must
  /// be computed again.
  private var oldestChunkSeq: Int64?
  private var nextChunk: Int
  private var eventsSinceSweep = 0
  /// The number of the last event that clients were shown although it could not be written.
  private var publishedSeq: Int64 = 0
  /// Whether the next commit must have all timers, because the data on disk cannot be used. Until
  /// that commit is on disk, only memory has the timers.
  public private(set) var needsFullCommit = false

  /// The number of events at which a commit is closed, even if the one before is still being
  /// written. This bounds the work of one loop iteration, which packs the chunks of a commit and
  /// notifies clients of it. After a failed commit, pending commits are merged into one, which may
  /// have more events.
  public static let eventsPerCommit = 2048
  /// The most closed commits that wait at a time. If a disk hangs, further changes stay in the open
  /// commit; their chunks are packed when it is closed.
  private static let commitsAtOnce = 8

  /// A closed commit: the state at the end of a loop iteration.
  private struct ClosedCommit {
    let commit: Commit
    let events: [Event]
  }

  /// The changes for the next commit.
  private struct Pending: ~Copyable {
    private(set) var events: [Event] = []
    private var rows: [EventRow] = []
    /// The row that is being filled; nil: it has no event yet.
    private var row: BatchEncoder?
    var spans: [Span] = []
    var actions: [ActionChange] = []
    var requests: [AnsweredRequest] = []
    /// The numbers of the chunks of a failed commit, which must be written again.
    var chunks: [Int] = []
    var isAnchorWanted = false

    var isEmpty: Bool {
      events.isEmpty && spans.isEmpty && actions.isEmpty && requests.isEmpty && !isAnchorWanted
    }

    mutating func append(_ event: Event) {
      events.append(event)
      if row?.count == BatchEncoder.rowEvents { finishRow() }
      if row == nil { row = BatchEncoder() }
      row?.append(event)
    }

    private mutating func finishRow() {
      guard let row = row.take() else { return }
      rows.append(
        EventRow(
          firstSeq: row.firstSeq, lastSeq: row.lastSeq, timeUsec: row.firstTimeUsec,
          bytes: row.finish()))
    }

    mutating func finishedRows() -> [EventRow] {
      finishRow()
      return rows
    }

    mutating func upsert(_ span: Span) {
      if let index = spans.firstIndex(where: { $0.id == span.id }) {
        spans[index] = span
      } else {
        spans.append(span)
      }
    }
  }

  /// A journal for `engine`, whose timers were loaded from disk.
  ///
  /// - Parameters:
  ///   - chunkSeqs: for each chunk read from disk, the number of the last event before the chunk
  ///     was packed.
  ///   - eventsPerCommit: a commit with this many events is closed even if the one before is still
  ///     being written.
  public init(
    engine: Engine, bus: NotificationBus, committer: any Committer, chunkSeqs: [Int64],
    eventsPerCommit: Int = Journal.eventsPerCommit
  ) {
    self.eventsPerCommit = eventsPerCommit
    self.engine = engine
    self.bus = bus
    self.committer = committer
    self.chunkSeqs = chunkSeqs
    durableSeq = engine.lastSeq
    nextChunk = 0
    resume(chunkSeqs: chunkSeqs)
  }

  /// Gathers the changes that must be written.
  public func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .recorded(let event): pending.append(event)
    case .didEnterBackground(let span), .spanExtended(let span), .willEnterForeground(let span),
      .absenceBegan(let span), .absenceEnded(let span):
      pending.upsert(span)
    case .spansCorrected(let corrections):
      for correction in corrections { pending.upsert(correction.span) }
    case .clockStepped, .zoneChanged, .synchronizationChanged: pending.isAnchorWanted = true
    case .presenceChanged, .committed, .actionsCalled, .commitFailed: break
    }
  }

  /// Adds a change of a timer's command, or of a hook, to the open commit: an event called it, it
  /// was started, or it has ended. Add a call right after its event was recorded, so that one
  /// commit has both.
  public func note(_ change: ActionChange) {
    pending.actions.append(change)
  }

  /// Adds the reply to a change to the commit that has the change. The change must have been
  /// recorded in this loop iteration.
  public func note(_ request: AnsweredRequest) {
    pending.requests.append(request)
  }

  /// The reply to a change with this id, if the reply is not on disk yet; nil: there is none.
  /// O(replies that are not on disk yet).
  public func unfinishedRequest(_ id: String) -> AnsweredRequest? {
    // Take the last one, because an id can be used again after a day.
    pending.requests.last { $0.id == id }
      ?? closed.reversed().lazy.compactMap { $0.commit.requests.last { $0.id == id } }.first
  }

  /// Whether any change is not on disk yet.
  public var hasUnfinished: Bool { !closed.isEmpty || !pending.isEmpty }

  /// The event with this number, if it is not on disk yet; nil: it is on disk, or does not exist.
  /// O(closed commits), which are few.
  public func unfinished(_ seq: Int64) -> Event? {
    guard seq > durableSeq else { return nil }
    if let event = Self.find(seq, in: pending.events) { return event }
    for closed in closed {
      if let event = Self.find(seq, in: closed.events) { return event }
    }
    return nil
  }

  /// The background spans with changes that are not on disk yet. Each span includes these changes.
  /// O(closed commits and their spans), which are few.
  public var unfinishedSpans: [Span] {
    var spans = Pending()
    for closed in closed {
      for span in closed.commit.spans { spans.upsert(span) }
    }
    for span in pending.spans { spans.upsert(span) }
    return spans.spans
  }

  /// The event with this number in a list of consecutive events.
  private static func find(_ seq: Int64, in events: [Event]) -> Event? {
    guard let first = events.first?.seq, seq >= first, seq < first + Int64(events.count) else {
      return nil
    }
    return events[Int(seq - first)]
  }

  /// Makes the next commit write the anchor, even if nothing else changes.
  public func requestAnchor() {
    pending.isAnchorWanted = true
  }

  /// Closes the commit and passes it to the committer. While the committer is busy, this gathers
  /// more changes instead, until there are `eventsPerCommit` events. Call it at the end of each
  /// loop iteration. O(events of the iteration); in addition, one chunk for each 512 events.
  public func commitPending(at moment: Moment) {
    guard failure == nil, !pending.isEmpty,
      closed.isEmpty
        || pending.events.count >= eventsPerCommit && closed.count < Self.commitsAtOnce
    else { return }
    close(at: moment)
  }

  /// Tries to write again after a failure.
  public func retry(at moment: Moment) {
    guard closed.isEmpty, failure != nil else { return }
    close(at: moment)
  }

  private func close(at moment: Moment) {
    if needsFullCommit { gatherEverything(at: moment) }
    let commit = Commit(
      number: nextCommit,
      rows: pending.finishedRows(),
      chunks: sweep(), chunkCount: chunkSeqs.count, spans: pending.spans, actions: pending.actions,
      requests: pending.requests, state: engine.background.state(at: moment),
      lastSeq: engine.lastSeq, neededFromSeq: neededFromSeq(), timeUsec: moment.realtimeUsec,
      isFull: needsFullCommit)
    needsFullCommit = false
    closed.append(ClosedCommit(commit: commit, events: pending.events))
    pending = Pending()
    nextCommit += 1
    if closed.count == 1 { committer.submit(commit) }
  }

  /// Adds all chunks to the commit, and the spans that the state refers to.
  private func gatherEverything(at moment: Moment) {
    pending.chunks = []
    resume(chunkSeqs: [])
    let state = engine.background.state(at: moment)
    for span in state.clock.reboots.map(\.span)
      + [state.last, state.open, state.openAbsence].compactMap(\.self)
    {
      pending.upsert(span)
    }
  }

  /// Packs the chunks for this commit: those that came into use, and the next ones in turn.
  private func sweep() -> [ChunkRow] {
    var indices = pending.chunks
    for index in indices { renew(index) }
    let inUse = (engine.slotEnd + TimerTable.chunkSlots - 1) / TimerTable.chunkSlots
    while chunkSeqs.count < inUse {
      indices.append(chunkSeqs.count)
      chunkSeqs.append(engine.lastSeq)
    }
    eventsSinceSweep += pending.events.count
    let chunksToSweep = min(eventsSinceSweep / TimerTable.chunkSlots, chunkSeqs.count)
    eventsSinceSweep %= TimerTable.chunkSlots
    for _ in 0..<chunksToSweep {
      nextChunk %= chunkSeqs.count
      if !indices.contains(nextChunk) { indices.append(nextChunk) }
      renew(nextChunk)
      nextChunk += 1
    }
    return indices.map { index in
      ChunkRow(
        index: index, validAtSeq: engine.lastSeq, bytes: ChunkCodec.encode(index, of: engine))
    }
  }

  /// Notes that this commit has the chunk.
  private func renew(_ index: Int) {
    if chunkSeqs[index] == oldestChunkSeq { oldestChunkSeq = nil }
    chunkSeqs[index] = engine.lastSeq
  }

  /// The number of the first event that a start of the daemon needs. Usually O(1). O(chunks) if the
  /// commit writes the oldest chunk, about once per 512 events.
  private func neededFromSeq() -> Int64 {
    // Chunks are written in turn, by index. A new chunk is also written when it comes into use,
    // which is not its turn, and its turn may follow soon. So the chunk whose turn is next is not
    // always the oldest.
    oldestChunkSeq = oldestChunkSeq ?? chunkSeqs.min()
    return (oldestChunkSeq ?? engine.lastSeq) + 1
  }
}

// MARK: - Results of commits

extension Journal {
  /// Handles the result of the submitted commit, which is on disk or has failed. Posts the result
  /// on the bus. Closes no further commit.
  ///
  /// - Parameter isTakenBack: whether the caller loads the engine from disk again after the
  ///   failure, which undoes the changes of the failed commit. This is usually impossible if the
  ///   commit had all timers, because then the data on disk cannot be used.
  public func finish(_ error: StoreError?, isTakenBack: Bool = false, at moment: Moment) {
    guard !closed.isEmpty else { return }
    if let error {
      fail(error, isTakenBack: isTakenBack, at: moment)
      return
    }
    let done = closed.removeFirst()
    failure = nil
    durableCommit = done.commit.number
    durableSeq = done.commit.lastSeq
    if let next = closed.first { committer.submit(next.commit) }
    let called = called(done.commit.actions) { $0 > publishedSeq }
    bus.post(.committed(unpublished(done.events), durable: true), at: moment)
    if !called.isEmpty { bus.post(.actionsCalled(called), at: moment) }
  }

  private func unpublished(_ events: [Event]) -> [Event] {
    guard let first = events.first, first.seq <= publishedSeq else { return events }
    return events.filter { $0.seq > publishedSeq }
  }

  /// The calls of commands among `changes` whose events satisfy `isOfInterest`.
  private func called(
    _ changes: [ActionChange], by isOfInterest: (_ seq: Int64) -> Bool
  ) -> [PendingAction] {
    changes.compactMap { change in
      if case .called(let action) = change, isOfInterest(action.key.seq) { action } else { nil }
    }
  }

  /// Merges the failed commit and the closed commits after it with the pending changes. The journal
  /// tries to write them again as one commit.
  private func fail(_ error: StoreError, isTakenBack: Bool, at moment: Moment) {
    failure = error
    mergeIntoPending()
    bus.post(
      .commitFailed(
        reason: error.description, inDoubt: error.isInDoubt || needsFullCommit && !isTakenBack),
      at: moment)
  }

  private func mergeIntoPending() {
    var again = Pending()
    for closed in closed {
      if closed.commit.isFull { needsFullCommit = true }
      for event in closed.events { again.append(event) }
      for span in closed.commit.spans { again.upsert(span) }
      again.actions += closed.commit.actions
      again.requests += closed.commit.requests
      for chunk in closed.commit.chunks where !again.chunks.contains(chunk.index) {
        again.chunks.append(chunk.index)
      }
    }
    for event in pending.events { again.append(event) }
    for span in pending.spans { again.upsert(span) }
    again.actions += pending.actions
    again.requests += pending.requests
    again.isAnchorWanted = true
    closed = []
    pending = again
  }

  /// Whether the submitted commit has all timers.
  public var isWritingFullCommit: Bool { closed.first?.commit.isFull ?? false }

  /// Notes that the data on disk cannot be used any more. The next commit must have all timers.
  public func requireFullCommit() {
    needsFullCommit = true
    pending.isAnchorWanted = true
  }

  /// Handles the failure of the submitted commit after the database was lost. Immediately submits a
  /// commit with all timers, from memory.
  public func startOver(at moment: Moment) {
    mergeIntoPending()
    requireFullCommit()
    close(at: moment)
  }

  /// Whether a change that a client requested is not on disk. After a failed commit, such a change
  /// must be undone, because the client cannot be told that it was made.
  public var hasUndurableRequests: Bool {
    !pending.requests.isEmpty || pending.events.contains { $0.isRequested }
      || closed.contains { closed in
        !closed.commit.requests.isEmpty || closed.events.contains { $0.isRequested }
      }
  }

  /// Forgets the changes that are not on disk, because the engine will be loaded again.
  ///
  /// - Returns: the forgotten events that must be recorded again, because no client requested them:
  ///   events of the machine, and expiries. An expiry is left out if a forgotten request had
  ///   changed its timer before.
  public func forgetPending() -> [Event] {
    precondition(closed.isEmpty)
    var asked: Set<Int64> = []
    var retained: [Event] = []
    for event in pending.events {
      let id = event.subject?.id ?? 0
      if !event.isRequested {
        if !asked.contains(id) { retained.append(event) }
      } else if !event.isUpdate {
        asked.insert(id)
      }
    }
    let spans = pending.spans
    // When an event is recorded again, its commands are called again, so the calls are forgotten.
    // The starts and ends of commands are kept, because they have already taken place.
    let actions = pending.actions.filter { if case .called = $0 { false } else { true } }
    pending = Pending()
    (pending.spans, pending.actions) = (spans, actions)
    pending.isAnchorWanted = true
    return retained
  }

  /// Continues after the engine was loaded again.
  ///
  /// - Parameter chunkSeqs: as in `init`.
  public func resume(chunkSeqs: [Int64]) {
    self.chunkSeqs = chunkSeqs
    oldestChunkSeq = nil
    nextChunk = chunkSeqs.indices.min { chunkSeqs[$0] < chunkSeqs[$1] } ?? 0
    // Continue the count of the last run. A count from 0 would mean that a daemon that restarts
    // often never writes chunks in turn.
    eventsSinceSweep = Int(engine.lastSeq - (chunkSeqs.max() ?? engine.lastSeq))
  }

  /// Shows clients the events that cannot be written. If a disk is full, timers must still ring,
  /// although they may ring again after a crash.
  public func publishUndurable(at moment: Moment) {
    // While a commit is being written, wait for its result.
    guard failure != nil, closed.isEmpty else { return }
    // Changes that clients requested stay undecided until the next try to write, and the events
    // after them may get other numbers then.
    let unpublished = unpublished(
      Array(pending.events.prefix { needsFullCommit || !$0.isRequested }))
    guard let first = unpublished.first, let last = unpublished.last else { return }
    publishedSeq = last.seq
    let called = called(pending.actions) { (first.seq...last.seq).contains($0) }
    bus.post(.committed(unpublished, durable: false), at: moment)
    if !called.isEmpty { bus.post(.actionsCalled(called), at: moment) }
  }
}
