internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// Writes commits, on a thread of its own: one transaction each, synced to disk before `write`
/// returns.
final class LedgerWriter {
  let connection: Connection
  private let insertRow, upsertChunk, upsertSpan, upsertAnchor, pruneRows, pruneSpans: Statement
  private let insertAction, beginAction, deleteAction: Statement
  private let insertRequest, pruneRequests: Statement
  private(set) var retention: Retention
  /// Why old rows must be pruned: the next commit then sets `horizon`. Nil: no reason.
  private var backlog: Backlog? = .byCount
  /// The limit up to which rows must still be pruned between commits; nil: no such rows are left.
  private var horizon: Horizon?
  /// The last state of the wall clock that was packed, and the result.
  private var packedClock: (clock: WallClockState, bytes: [UInt8]) = (WallClockState(), [])
  let folder: StateFolder
  /// The unique name of the ledger.
  let ledgerName: String
  /// The error because of which this database must not be written any more; nil if it may be
  /// written.
  private(set) var loss: StoreError?
  /// Whether a replacement for this database is complete. After that, no commit may go to this
  /// database, because a daemon that starts would continue with the replacement.
  var isReplaced = false
  /// The opened files and their minimum lengths; nil for a draft of a new database, which has no
  /// log.
  private var files: Files?
  /// The end of the valid log after the last commit; nil if not known yet.
  private var good: LogEnd?
  private var isWitnessGood = true
  /// Problems after which the writer could continue, to be logged.
  private var notices: [String] = []

  /// The number of frames in the log at which a checkpoint is made.
  private static let framesOfCheckpoint = 1000

  /// The most rows that a commit prunes. A few rows for each commit are enough, because rows are
  /// added one at a time.
  private static let rowsPerCommit: Int64 = 4
  /// The most rows that are pruned between commits in one transaction, which takes some
  /// milliseconds. A commit may have to wait for this.
  private static let rowsAtOnce: Int64 = 256
  /// The most background spans that are stored, whatever their times.
  private static let mostSpans: Int64 = 100_000
  /// The most stored replies that a commit with a new reply prunes.
  private static let requestsPerCommit: Int64 = 64

  /// The reason for pruning many rows between commits, in addition to the few rows that each commit
  /// prunes.
  private enum Backlog {
    /// The daemon has started. Rows are pruned by their number only: if the machine booted with a
    /// clock that is ahead, pruning by age would delete everything.
    case byCount
    /// The retention was changed. Rows are pruned by number and by age.
    case all
  }

  /// The rows of events that may be pruned. A row may be pruned if its last event is before
  /// `neededFromSeq`, and if one of two things is true: its last event is not after `lastSeq`, or
  /// the row is older than `oldestUsec`.
  private struct Horizon {
    var neededFromSeq: Int64
    var lastSeq: Int64
    var oldestUsec: Int64
  }

  private struct Files {
    let log: LogFile
    let logPath: String
    let witness: Witness
    let database: FileIdentity
    /// The minimum length of the database.
    var databaseBytes: Int64
    var logBytes: Int
  }

  /// The last valid frame of the log.
  private struct LogEnd {
    var frames: Int
    var salt: UInt64
  }

  /// Opens the database in `folder`, and creates the tables if it is new.
  ///
  /// - Parameters:
  ///   - draft: the path of a new database, which is not used until it is renamed; it has no log.
  ///   - vfs: the name of the SQLite VFS that reads and writes the files; nil for the default.
  init(
    folder: StateFolder, retention: Retention, draft: String? = nil, vfs: String? = nil
  ) throws(StoreError) {
    // A draft is made because the present files cannot be used, so these files are not checked.
    if draft == nil { try folder.checkFiles() }
    connection = try Connection(path: draft ?? folder.databasePath, vfs: vfs)
    self.retention = retention
    self.folder = folder
    // FULL: a commit is on disk when COMMIT returns
    // (https://sqlite.org/pragma.html#pragma_synchronous).
    let mode = draft == nil ? "wal" : "delete"
    guard try connection.text("PRAGMA journal_mode = \(mode)") == mode else {
      throw .sqlite(code: 0, message: "the file system does not allow a write-ahead log")
    }
    try connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -512")
    try Schema.prepare(connection)
    ledgerName = try connection.text("SELECT name FROM ledger") ?? ""
    insertRow = try connection.prepare("INSERT INTO event VALUES (?, ?, ?, ?)")
    upsertChunk = try connection.prepare("INSERT OR REPLACE INTO chunk VALUES (?, ?, ?)")
    upsertSpan = try connection.prepare(
      "INSERT OR REPLACE INTO span VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    upsertAnchor = try connection.prepare(
      """
      INSERT OR REPLACE INTO anchor VALUES
        (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insertAction = try connection.prepare("INSERT OR REPLACE INTO action VALUES (?, ?, ?, ?)")
    beginAction = try connection.prepare(
      "UPDATE action SET attempt = ? WHERE seq = ? AND number = ?")
    deleteAction = try connection.prepare("DELETE FROM action WHERE seq = ? AND number = ?")
    insertRequest = try connection.prepare(
      """
      INSERT OR REPLACE INTO request(id, method, reply, elapsedUsec, totalBytes)
      VALUES (?1, ?2, ?3, ?4, length(?3) + coalesce(
        (SELECT totalBytes FROM request ORDER BY number DESC LIMIT 1), 0))
      """)
    // The newest reply is never deleted.
    pruneRequests = try connection.prepare(
      """
      WITH newest AS (SELECT number, totalBytes FROM request ORDER BY number DESC LIMIT 1)
      DELETE FROM request WHERE number IN (SELECT number FROM request ORDER BY number LIMIT ?4)
        AND number < (SELECT number FROM newest)
        AND (number <= (SELECT number FROM newest) - ?1
          OR totalBytes - length(reply) < (SELECT totalBytes FROM newest) - ?2
          OR elapsedUsec < ?3)
      """)
    // Only the oldest rows are examined, up to the first one that stays. A search in all rows would
    // read the whole table, and after a step of the wall clock it would leave gaps in the ledger.
    pruneRows = try connection.prepare(
      """
      WITH oldest AS (SELECT firstSeq, lastSeq, timeUsec FROM event ORDER BY firstSeq LIMIT ?4)
      DELETE FROM event WHERE firstSeq IN (SELECT firstSeq FROM oldest)
        AND firstSeq < coalesce((SELECT min(firstSeq) FROM oldest
          WHERE NOT (lastSeq < ?1 AND (lastSeq <= ?2 OR timeUsec < ?3))), 9223372036854775807)
      """)
    pruneSpans = try connection.prepare(
      """
      WITH oldest AS (SELECT id, leftUsec FROM span ORDER BY id LIMIT ?2)
      DELETE FROM span WHERE id IN (SELECT id FROM oldest)
        AND id < (SELECT max(id) FROM span) - 1
        AND (id < (SELECT max(id) FROM span) - \(Self.mostSpans)
          OR id < coalesce((SELECT min(id) FROM oldest
            WHERE NOT (leftUsec < ?1)), 9223372036854775807))
      """)
  }

  /// Opens the log and the witness, a small file with the number of the last acknowledged event.
  /// Extends the log to its usual length. Call it before the first commit.
  func begin() throws(StoreError) {
    let path = folder.databasePath
    let log = try LogFile(databasePath: path)
    try log.grow()
    guard let database = FileIdentity(path: path) else {
      throw markLost("the database was removed")
    }
    let witness = try Witness(path: Witness.path(of: path), ledger: ledgerName)
    files = Files(
      log: log, logPath: path + "-wal", witness: witness, database: database,
      databaseBytes: try neededBytes(of: database), logBytes: 0)
    testify { () throws(StoreError) in try witness.removeChecksum() }
  }

  /// Makes a commit durable, all of it or nothing.
  func write(_ commit: Commit) throws(StoreError) {
    // fdatasync(2) returns success on a file system that has turned read-only (ext4_sync_file).
    if folder.isReadOnly { throw .folder(folder.path, String(cString: strerror(EROFS))) }
    if isReplaced, let loss { throw loss }
    try folder.claim()
    try transact { () throws(StoreError) in try writeRows(of: commit) }
    planPruning(for: commit)
    testify(commit.lastSeq)
    checkpointIfDue()
  }

  /// Inserts one row that stands for all lost events. Their numbers follow the last event in the
  /// database, and the next event gets a number above them.
  func note(lost: ClosedRange<Int64>, atUsec: Int64) throws(StoreError) {
    let moveAnchor = try connection.prepare("UPDATE anchor SET lastSeq = ?")
    try transact { () throws(StoreError) in
      try insert(EventRow(lost: lost, timeUsec: atUsec))
      try moveAnchor.run(.integer(lost.upperBound))
    }
    testify(lost.upperBound)
  }

  /// Runs `body` in a transaction, after a check that the files in the folder are still the opened
  /// ones.
  func transact(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    if let loss { throw loss }
    let isLogShort = try isLogShort()
    try learnLogEnd()
    do {
      try connection.execute("BEGIN IMMEDIATE")
      try body()
      try connection.execute("COMMIT")
    } catch {
      undo()
      if isLogShort { throw markLost("the database's log was cut short") }
      if error.isDamage { loss = error }
      throw error
    }
    // SQLite does not notice that its files were removed, or that one was cut short. It continues
    // to write to places where the data cannot be found again.
    _ = try self.isLogShort()
    try noteLogEnd(wasShort: isLogShort)
  }

  private func undo() {
    // SQLite may have rolled back when COMMIT failed.
    if connection.isInTransaction {
      // If ROLLBACK fails too, the next BEGIN reports that. The caller throws the error that made
      // the commit fail.
      try? connection.execute("ROLLBACK")
    }
    cutLog()
  }

  func writeRows(of commit: Commit) throws(StoreError) {
    for row in commit.rows { try insert(row) }
    for chunk in commit.chunks {
      try upsertChunk.run(
        .integer(Int64(chunk.index)), .integer(chunk.validAtSeq), .blob(chunk.bytes))
    }
    for span in commit.spans { try write(span) }
    for change in commit.actions { try write(change) }
    try write(commit.requests)
    try write(commit.state, lastSeq: commit.lastSeq, chunkCount: commit.chunkCount)
    guard !commit.rows.isEmpty else { return }
    try prune(horizon(of: commit), limit: Self.rowsPerCommit)
  }

  private func insert(_ row: EventRow) throws(StoreError) {
    try insertRow.run(
      .integer(row.firstSeq), .integer(row.lastSeq), .integer(row.timeUsec), .blob(row.bytes))
  }

  private func write(_ change: ActionChange) throws(StoreError) {
    switch change {
    case .called(let action):
      try insertAction.run(
        .integer(action.key.seq), .integer(action.key.number), .integer(action.attempt),
        .text(String(decoding: action.command, as: UTF8.self)))
    case .begun(let key, let attempt):
      try beginAction.run(.integer(attempt), .integer(key.seq), .integer(key.number))
    case .over(let key): try deleteAction.run(.integer(key.seq), .integer(key.number))
    }
  }

  private func write(_ requests: [AnsweredRequest]) throws(StoreError) {
    guard let newest = requests.last else { return }
    for request in requests {
      try insertRequest.run(
        .text(request.id), .text(request.method), .blob(request.reply),
        .integer(request.atElapsed))
    }
    try pruneRequests.run(
      .integer(Limits.requests), .integer(Limits.requestReplyBytes),
      .integer(newest.atElapsed - Limits.requestUsec),
      .integer(Self.requestsPerCommit + Int64(requests.count)))
  }

  private func write(_ span: Span) throws(StoreError) {
    let left = span.left
    try upsertSpan.run(
      .integer(span.id),
      .text(span.causes.map { String(describing: $0.name) }.joined(separator: " ")),
      .integer(span.estimated ? 1 : 0), .integer(span.elapsedUsec),
      .integer(span.entered.realtimeUsec), .integer(span.entered.boottimeUsec),
      .integer(span.entered.monotonicUsec), .text(span.entered.bootID.description),
      left.map { .integer($0.realtimeUsec) } ?? .null,
      left.map { .integer($0.boottimeUsec) } ?? .null,
      left.map { .integer($0.monotonicUsec) } ?? .null,
      left.map { .text($0.bootID.description) } ?? .null)
  }

  private func write(
    _ state: BackgroundState, lastSeq: Int64, chunkCount: Int
  ) throws(StoreError) {
    let anchor = state.anchor
    // Every commit contains the state of the wall clock, but this state rarely changes. So it is
    // packed again only after a change.
    if packedClock.clock != state.clock || packedClock.bytes.isEmpty {
      packedClock = (state.clock, ClockCodec.encode(state.clock))
    }
    try upsertAnchor.run(
      .integer(lastSeq), .integer(anchor.moment.realtimeUsec),
      .integer(anchor.moment.boottimeUsec), .integer(anchor.moment.monotonicUsec),
      .text(anchor.moment.bootID.description), .integer(anchor.elapsedUsec),
      .integer(anchor.awakeUsec), .integer(anchor.synchronized ? 1 : 0),
      state.enteredAwakeUsec.map { .integer($0) } ?? .null,
      state.stoppedMonotonicUsec.map { .integer($0) } ?? .null,
      state.enteredSeq.map { .integer($0) } ?? .null, state.zone.map { .integer($0) } ?? .null,
      .blob(packedClock.bytes), .integer(Int64(chunkCount)), .integer(state.absence.usec),
      state.absence.sinceAwakeUsec.map { .integer($0) } ?? .null,
      state.enteredPresentUsec.map { .integer($0) } ?? .null,
      state.absenceSeq.map { .integer($0) } ?? .null)
  }
}

// MARK: - Pruning

extension LedgerWriter {
  /// Sets how long the ledger is kept, from the next commit on.
  func setRetention(_ retention: Retention) {
    self.retention = retention
    backlog = .all
  }

  /// Whether `prune()` has rows to delete.
  var isBehind: Bool { horizon != nil }

  /// Deletes some of the rows that a changed retention excludes, in a transaction of its own.
  func prune() {
    guard let horizon else { return }
    do throws(StoreError) {
      try transact { () throws(StoreError) in
        try prune(horizon, limit: Self.rowsAtOnce)
        if connection.changes < Self.rowsAtOnce { self.horizon = nil }
      }
      checkpointIfDue()
    } catch {
      // The next commit meets the same error and reports it. Later commits prune the remaining
      // rows.
      self.horizon = nil
    }
  }

  private func planPruning(for commit: Commit) {
    guard let backlog else { return }
    self.backlog = nil
    var horizon = horizon(of: commit)
    if backlog == .byCount { horizon.oldestUsec = .min }
    self.horizon = horizon
  }

  private func horizon(of commit: Commit) -> Horizon {
    Horizon(
      neededFromSeq: commit.neededFromSeq, lastSeq: commit.lastSeq - retention.events,
      oldestUsec: commit.timeUsec - retention.ageUsec)
  }

  private func prune(_ horizon: Horizon, limit: Int64) throws(StoreError) {
    try pruneSpans.run(.integer(horizon.oldestUsec), .integer(limit))
    try pruneRows.run(
      .integer(horizon.neededFromSeq), .integer(horizon.lastSeq), .integer(horizon.oldestUsec),
      .integer(limit))
  }
}

// MARK: - The files

extension LedgerWriter {
  /// Returns the problems after which the writer could continue, since the last call.
  func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  private func markLost(_ what: String) -> StoreError {
    let error = StoreError.removed(what)
    loss = error
    return error
  }

  /// Stops writing to this database because of `error`.
  func markLost(_ error: StoreError) { loss = loss ?? error }

  /// Compares the files in the folder with the opened ones.
  ///
  /// - Returns: whether the log is shorter than after the last commit. That alone is no error,
  ///   because another program may have emptied the log by a checkpoint. If the log was cut short
  ///   instead, `noteLogEnd` finds this after the next commit.
  /// - Throws: if a file was removed, cut short or made read-only, or if another user may write to
  ///   it.
  private func isLogShort() throws(StoreError) -> Bool {
    guard let files else { return false }
    guard let database = FileIdentity(path: folder.databasePath),
      database.isSameFile(as: files.database)
    else { throw markLost("the database was removed") }
    guard database.size >= files.databaseBytes else { throw markLost("the database was cut short") }
    guard let log = FileIdentity(path: files.logPath), log.isSameFile(as: files.log.identity)
    else { throw markLost("the database's log was removed") }
    if let name = folder.untrustedFile {
      throw markLost("another user got write access to \(name)")
    }
    guard database.isWritable, log.isWritable else {
      throw markLost("nightjar.db was made read-only")
    }
    return log.size < files.logBytes
  }

  /// The minimum length of the database file: that of its pages. SQLite cuts off bytes after the
  /// last page, so they do not count.
  private func neededBytes(of database: FileIdentity) throws(StoreError) -> Int64 {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return min(database.size, pages * Int64(LogFile.pageBytes))
  }

  /// Finds out where the log of the last run ends. Without this, a failed commit could not be
  /// removed from the log. Call it before the first commit.
  private func learnLogEnd() throws(StoreError) {
    guard good == nil, let files else { return }
    let frames = try connection.checkpoint().frames
    // A log without frames may have no header yet. When SQLite writes the header, the log gets
    // another salt.
    if frames >= 0 { good = LogEnd(frames: frames, salt: files.log.salt ?? 0) }
  }

  private func noteLogEnd(wasShort: Bool) throws(StoreError) {
    guard let files, let salt = files.log.salt else { return }
    // If SQLite began the log anew, it has another salt. If the header is a hole in the file, the
    // salt is zero.
    if wasShort, salt == good?.salt || salt == 0 {
      throw markLost("the database's log was cut short")
    }
    let frames = connection.logFrames
    good = LogEnd(frames: frames, salt: salt)
    let needed = LogFile.bytes(frames: frames)
    self.files?.logBytes = wasShort ? needed : max(files.logBytes, needed)
  }

  /// Makes the frames of a failed commit unreadable. Otherwise, if this process is killed before it
  /// tries again, the next process would find these frames. The next attempt writes its frames anew
  /// before it syncs.
  private func cutLog() {
    guard let files, let good, let salt = files.log.salt else { return }
    do throws(StoreError) {
      // If the salt differs, SQLite began the log anew with this commit, so all its frames are of
      // this commit.
      try files.log.cut(behind: salt == good.salt ? good.frames : 0)
    } catch { notices.append("a failed commit could not be taken out of the log: \(error)") }
  }

  /// Writes the number of the last event to the witness.
  func testify(_ lastSeq: Int64) {
    guard let witness = files?.witness else { return }
    testify { () throws(StoreError) in try witness.write(lastSeq: lastSeq) }
  }

  private func testify(_ body: () throws(StoreError) -> Void) {
    do throws(StoreError) {
      try body()
      isWitnessGood = true
    } catch {
      if isWitnessGood { notices.append("the ledger's witness could not be written: \(error)") }
      isWitnessGood = false
    }
  }

  private func checkpointIfDue() {
    guard let frames = good?.frames, frames >= Self.framesOfCheckpoint else { return }
    do throws(StoreError) { try checkpoint() } catch {
      notices.append("no checkpoint could be made: \(error)")
    }
  }

  /// - Returns: whether the database has everything that is in the log.
  @discardableResult
  private func checkpoint(truncating: Bool = false) throws(StoreError) -> Bool {
    let isComplete = try connection.checkpoint(truncating: truncating).isComplete
    if isComplete { try files?.witness.sync() }
    if let database = FileIdentity(path: folder.databasePath) {
      files?.databaseBytes = try neededBytes(of: database)
    }
    return isComplete
  }

  /// Copies the whole log into the database, and empties the log. If the log kept its old frames,
  /// damage to the file could make them valid again (https://sqlite.org/wal.html#the_wal_file).
  ///
  /// - Returns: the witness, which must be written after the database is closed; nil if the log
  ///   could not be emptied.
  func finish() -> Witness? {
    guard loss == nil, let files else { return nil }
    do throws(StoreError) {
      if try checkpoint(truncating: true) { return files.witness }
      notices.append("another program reads the database: its log was not emptied")
    } catch { notices.append("the log could not be emptied: \(error)") }
    return nil
  }
}

/// How long the ledger is kept.
public struct Retention: Equatable, Sendable {
  /// The greatest age, in microseconds of CLOCK_REALTIME: 90 days.
  public var ageUsec: Int64 = 90 * 86_400_000_000
  /// The most events.
  public var events: Int64 = 1_000_000

  /// The default.
  public init() {}
}
