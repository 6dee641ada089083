public import NightjarEngine
public import NightjarModel

/// Makes commits durable, in order, and reports each to the journal by `finish(_:)`.
public protocol Committer: AnyObject {
  /// Starts writing `commit`. Call it only after the previous commit has finished.
  func submit(_ commit: Commit)
}

/// Observes what is recorded and makes it durable before anyone is told.
///
/// All that one pass of the loop changes is in one commit; while one is being written, the passes
/// after it make up the next, and another when that has a few thousand events. Behind every 512 events
/// the next chunk of 512 timers is written anew, round and round, which bounds both what a start has
/// to read and what the database keeps.
public final class Journal: NotificationObserver {
  /// Why nothing can be made durable at present; nil if it can.
  public private(set) var failure: StoreError?
  /// The commit that covers everything that has been changed up to now.
  public var ticket: Int64 { pending.isEmpty ? nextTicket - 1 : nextTicket }
  /// The last commit that is on disk.
  public private(set) var durableTicket: Int64 = 0
  /// The commit up to which what is there may be told as a fact: the last on disk. While nothing can be
  /// made durable, all of it, if what waits happened by itself and people have been told, or is nothing.
  public var tellableTicket: Int64 {
    guard failure != nil else { return durableTicket }
    let last = pending.events.last ?? sealed.last { !$0.events.isEmpty }?.events.last
    return last?.seq ?? 0 <= toldSeq ? ticket : durableTicket
  }
  /// The last event that is on disk.
  public private(set) var durableSeq: Int64

  private let engine: Engine
  private let bus: NotificationBus
  private let committer: any Committer
  private let eventsPerCommit: Int
  private var nextTicket: Int64 = 1
  // A check of exclusive access for each event would take as long as what it does; nothing that is done
  // to it calls back.
  @exclusivity(unchecked) private var pending = Pending()
  /// The one that is being written, and those behind it.
  private var sealed: [Sealed] = []
  /// After which event each chunk was written; an entry for each chunk in use.
  private var chunkSeqs: [Int64]
  /// The lowest of them, so that not every commit looks through all; nil: it is to be looked for.
  private var oldestChunkSeq: Int64?
  private var nextChunk: Int
  private var eventsSinceSweep = 0
  /// Up to here people were told although it could not be made durable.
  private var toldSeq: Int64 = 0
  /// Whether the next commit has to have everything, because what is on disk is of no use. Until then
  /// only memory has the timers.
  public private(set) var isWholeWanted = false

  /// With so many events a commit is closed though the one before is still being written: the chunks
  /// that go with them, and the telling of them, are the work of one pass. After a failure all is one.
  public static let eventsPerCommit = 2048
  /// So many are on their way at a time: of a disk that hangs, the rest waits as packed events, and its
  /// chunks are packed when its turn comes.
  private static let commitsAtOnce = 8

  /// What is on its way to the disk, as it was at the end of a pass.
  private struct Sealed {
    let commit: Commit
    let events: [Event]
  }

  /// What waits for the next commit.
  private struct Pending: ~Copyable {
    private(set) var events: [Event] = []
    private var rows: [EventRow] = []
    /// The one that is being filled; nil before the first event.
    private var row: BatchEncoder?
    var spans: [Span] = []
    var actions: [ActionChange] = []
    var requests: [AnsweredRequest] = []
    /// Chunks that a failed commit did not get to the disk.
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

    /// The events, as rows.
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

  /// A journal for `engine`, whose timers were read back with `chunkSeqs`.
  ///
  /// - Parameter eventsPerCommit: with so many a commit is closed though the one before is still being
  ///   written.
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

  /// Takes down what is to be made durable.
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

  /// Has what happened to a command made durable: with the event that was recorded last, if that calls
  /// for it.
  public func note(_ change: ActionChange) {
    pending.actions.append(change)
  }

  /// Has the answer to a change made durable together with the change, which was recorded in this loop
  /// iteration.
  public func note(_ request: AnsweredRequest) {
    pending.requests.append(request)
  }

  /// The answer to a change that is not on disk yet; nil if there is none with this id. O(such answers).
  public func unfinishedRequest(_ id: String) -> AnsweredRequest? {
    // The last: after a day an id can be given again.
    pending.requests.last { $0.id == id }
      ?? sealed.reversed().lazy.compactMap { $0.commit.requests.last { $0.id == id } }.first
  }

  /// Whether something is not on disk yet.
  public var hasUnfinished: Bool { !sealed.isEmpty || !pending.isEmpty }

  /// An event that is not on disk yet; nil if it is, or never was. O(commits under way), which are few.
  public func unfinished(_ seq: Int64) -> Event? {
    guard seq > durableSeq else { return nil }
    if let event = Self.find(seq, in: pending.events) { return event }
    for sealed in sealed {
      if let event = Self.find(seq, in: sealed.events) { return event }
    }
    return nil
  }

  /// Among events whose numbers follow each other.
  private static func find(_ seq: Int64, in events: [Event]) -> Event? {
    guard let first = events.first?.seq, seq >= first, seq < first + Int64(events.count) else {
      return nil
    }
    return events[Int(seq - first)]
  }

  /// Has the anchor written with the next commit, if nothing else was changed.
  public func requestAnchor() {
    pending.isAnchorWanted = true
  }

  /// Hands what has gathered to the committer, unless that is busy; if it is, and much has gathered,
  /// that is the commit after it. To be called at the end of each pass. O(events of the pass), and one
  /// chunk for each 512 of them.
  public func seal(at moment: Moment) {
    guard failure == nil, !pending.isEmpty,
      sealed.isEmpty
        || pending.events.count >= eventsPerCommit && sealed.count < Self.commitsAtOnce
    else { return }
    close(at: moment)
  }

  /// Tries again after a failure.
  public func retry(at moment: Moment) {
    guard sealed.isEmpty, failure != nil else { return }
    close(at: moment)
  }

  private func close(at moment: Moment) {
    if isWholeWanted { gatherEverything(at: moment) }
    let commit = Commit(
      ticket: nextTicket,
      rows: pending.finishedRows(),
      chunks: sweep(), chunkCount: chunkSeqs.count, spans: pending.spans, actions: pending.actions,
      requests: pending.requests, state: engine.background.state(at: moment),
      lastSeq: engine.lastSeq, neededFromSeq: neededFromSeq(), timeUsec: moment.realtimeUsec,
      isWhole: isWholeWanted)
    isWholeWanted = false
    sealed.append(Sealed(commit: commit, events: pending.events))
    pending = Pending()
    nextTicket += 1
    if sealed.count == 1 { committer.submit(commit) }
  }

  /// Has all chunks written with this commit, and the spans that the anchor names.
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

  /// The chunks to be written with this commit: those that came into use, and the next in turn.
  private func sweep() -> [ChunkRow] {
    var indices = pending.chunks
    for index in indices { renew(index) }
    let inUse = (engine.slotEnd + TimerTable.chunkSlots - 1) / TimerTable.chunkSlots
    while chunkSeqs.count < inUse {
      indices.append(chunkSeqs.count)
      chunkSeqs.append(engine.lastSeq)
    }
    eventsSinceSweep += pending.events.count
    let inTurn = min(eventsSinceSweep / TimerTable.chunkSlots, chunkSeqs.count)
    eventsSinceSweep %= TimerTable.chunkSlots
    for _ in 0..<inTurn {
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

  /// Notes that a chunk is written with this commit.
  private func renew(_ index: Int) {
    if chunkSeqs[index] == oldestChunkSeq { oldestChunkSeq = nil }
    chunkSeqs[index] = engine.lastSeq
  }

  /// O(1), but for the commits that renew the oldest chunk, one in 512 events: O(chunks).
  private func neededFromSeq() -> Int64 {
    // Not simply the next in turn: a chunk that came into use meanwhile stands behind older ones.
    oldestChunkSeq = oldestChunkSeq ?? chunkSeqs.min()
    return (oldestChunkSeq ?? engine.lastSeq) + 1
  }
}

// MARK: - What became of a commit

extension Journal {
  /// The commit under way is on disk, or failed. Tells the bus; seals nothing by itself.
  ///
  /// - Parameter isTakenBack: the engine is about to be read back from what is on disk, though only a commit
  ///   with everything can follow.
  public func finish(_ error: StoreError?, isTakenBack: Bool = false, at moment: Moment) {
    guard !sealed.isEmpty else { return }
    if let error {
      fail(error, isTakenBack: isTakenBack, at: moment)
      return
    }
    let done = sealed.removeFirst()
    failure = nil
    durableTicket = done.commit.ticket
    durableSeq = done.commit.lastSeq
    if let next = sealed.first { committer.submit(next.commit) }
    let called = called(done.commit.actions) { $0 > toldSeq }
    bus.post(.committed(untold(done.events), durable: true), at: moment)
    if !called.isEmpty { bus.post(.actionsCalled(called), at: moment) }
  }

  private func untold(_ events: [Event]) -> [Event] {
    guard let first = events.first, first.seq <= toldSeq else { return events }
    return events.filter { $0.seq > toldSeq }
  }

  /// The commands that events of some numbers call for.
  private func called(
    _ changes: [ActionChange], by isOfInterest: (_ seq: Int64) -> Bool
  ) -> [PendingAction] {
    changes.compactMap { change in
      if case .called(let action) = change, isOfInterest(action.key.seq) { action } else { nil }
    }
  }

  /// Puts what a failed commit held, and those behind it, back in front of what has gathered since, to
  /// be tried again as one.
  private func fail(_ error: StoreError, isTakenBack: Bool, at moment: Moment) {
    failure = error
    putBack()
    bus.post(
      .commitFailed(
        reason: error.description, inDoubt: error.isInDoubt || isWholeWanted && !isTakenBack),
      at: moment)
  }

  private func putBack() {
    var again = Pending()
    for sealed in sealed {
      if sealed.commit.isWhole { isWholeWanted = true }
      for event in sealed.events { again.append(event) }
      for span in sealed.commit.spans { again.upsert(span) }
      again.actions += sealed.commit.actions
      again.requests += sealed.commit.requests
      for chunk in sealed.commit.chunks where !again.chunks.contains(chunk.index) {
        again.chunks.append(chunk.index)
      }
    }
    for event in pending.events { again.append(event) }
    for span in pending.spans { again.upsert(span) }
    again.actions += pending.actions
    again.requests += pending.requests
    again.isAnchorWanted = true
    sealed = []
    pending = again
  }

  /// Whether the commit under way has everything.
  public var isWritingWhole: Bool { sealed.first?.commit.isWhole ?? false }

  /// What is on disk is of no use any more: the next commit has everything.
  public func wantWhole() {
    isWholeWanted = true
    pending.isAnchorWanted = true
  }

  /// The commit under way failed because the database was lost: submits everything at once, from memory.
  public func startOver(at moment: Moment) {
    putBack()
    wantWhole()
    close(at: moment)
  }

  /// Whether somebody asked for a change that is not on disk: it must be taken back, since it
  /// cannot be acknowledged.
  public var holdsRequestedChanges: Bool {
    !pending.requests.isEmpty || pending.events.contains { $0.isRequested }
      || sealed.contains { sealed in
        !sealed.commit.requests.isEmpty || sealed.events.contains { $0.isRequested }
      }
  }

  /// Forgets what is not on disk, because the engine is about to be read back from it.
  ///
  /// - Returns: the events among them that happen all the same, to be recorded again: the machine's
  ///   own, and the end of timers of which nothing had been asked before.
  public func forgetPending() -> [Event] {
    precondition(sealed.isEmpty)
    var asked: Set<Int64> = []
    var kept: [Event] = []
    for event in pending.events {
      let id = event.subject?.id ?? 0
      if !event.isRequested {
        if !asked.contains(id) { kept.append(event) }
      } else if !event.isUpdate {
        asked.insert(id)
      }
    }
    let spans = pending.spans
    // What an event calls for is called for again when that is recorded again; what became of commands
    // has happened all the same.
    let actions = pending.actions.filter { if case .called = $0 { false } else { true } }
    pending = Pending()
    (pending.spans, pending.actions) = (spans, actions)
    pending.isAnchorWanted = true
    return kept
  }

  /// Goes on with an engine that was read back with `chunkSeqs`.
  public func resume(chunkSeqs: [Int64]) {
    self.chunkSeqs = chunkSeqs
    oldestChunkSeq = nil
    nextChunk = chunkSeqs.indices.min { chunkSeqs[$0] < chunkSeqs[$1] } ?? 0
    // Counted on from the last run, or one that is restarted often would never sweep.
    eventsSinceSweep = Int(engine.lastSeq - (chunkSeqs.max() ?? engine.lastSeq))
  }

  /// Tells people what has happened although it cannot be made durable: a timer that rings silently
  /// because a disk is full is worth less than one that may ring again after a crash.
  public func tellUndurable(at moment: Moment) {
    // While a try is under way, what it covers comes first.
    guard failure != nil, sealed.isEmpty else { return }
    // What people asked for stays undecided until the next try; what comes behind it might get
    // another number then.
    let untold = untold(Array(pending.events.prefix { isWholeWanted || !$0.isRequested }))
    guard let first = untold.first, let last = untold.last else { return }
    toldSeq = last.seq
    let called = called(pending.actions) { (first.seq...last.seq).contains($0) }
    bus.post(.committed(untold, durable: false), at: moment)
    if !called.isEmpty { bus.post(.actionsCalled(called), at: moment) }
  }
}
