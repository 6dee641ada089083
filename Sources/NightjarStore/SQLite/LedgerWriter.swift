internal import Glibc
internal import NightjarCore
internal import NightjarLedger

/// Writes commits, on a thread of its own: one transaction each, synced before it returns.
final class LedgerWriter {
  private let connection: Connection
  private let insertRow, upsertChunk, upsertSpan, upsertAnchor, pruneRows, pruneSpans: Statement
  private let insertAction, beginAction, deleteAction: Statement
  private var retention: Retention
  /// What the next commit is to find out.
  private var backlog: Backlog? = .byCount
  /// Up to where the ledger is to be pruned at once; nil: it is not behind.
  private var horizon: Horizon?
  private let folder: StateFolder
  /// Which file was opened.
  private let identity: FileIdentity?

  /// So many rows go with a commit: a few at a time, as they come one by one.
  private static let rowsPerCommit: Int64 = 4
  /// So many go at once between commits, which wait for it: some milliseconds.
  private static let rowsAtOnce: Int64 = 256

  /// What is to be pruned at once, not a few rows with each commit.
  private enum Backlog {
    /// After a start. Not by age: on a machine that boots with a clock that is ahead, all would go.
    case byCount
    /// After somebody has changed what is kept.
    case all
  }

  /// What may go: rows that end before `neededFromSeq`, and that end at `lastSeq` or before, or are
  /// older than `oldestUsec`.
  private struct Horizon {
    var neededFromSeq: Int64
    var lastSeq: Int64
    var oldestUsec: Int64
  }

  /// Opens the database in `folder`, and makes the tables if it is new.
  init(folder: StateFolder, retention: Retention) throws(StoreError) {
    try folder.checkFiles()
    connection = try Connection(path: folder.databasePath)
    self.retention = retention
    self.folder = folder
    identity = folder.databaseIdentity
    // FULL: a commit is on the disk when it returns
    // (https://sqlite.org/pragma.html#pragma_synchronous).
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw .sqlite(code: 0, message: "the file system does not allow a write-ahead log")
    }
    try connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -512")
    try Schema.prepare(connection)
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
    // Only the oldest are looked at, up to the first that stays: the search for others would read
    // the whole table, and after a step of the wall clock tear holes into the ledger.
    pruneRows = try connection.prepare(
      """
      WITH oldest AS (SELECT firstSeq, lastSeq, timeUsec FROM event ORDER BY firstSeq LIMIT ?4)
      DELETE FROM event WHERE firstSeq IN (SELECT firstSeq FROM oldest)
        AND firstSeq < coalesce((SELECT min(firstSeq) FROM oldest
          WHERE NOT (lastSeq < ?1 AND (lastSeq <= ?2 OR timeUsec < ?3))), 9223372036854775807)
      """)
    pruneSpans = try connection.prepare(
      """
      DELETE FROM span WHERE id IN (SELECT id FROM span
        WHERE leftUsec < ?1 AND id < (SELECT max(id) FROM span) - 1 ORDER BY id LIMIT ?2)
      """)
  }

  /// Makes the log as long as it will be, once: a commit that lengthens the file also syncs its new
  /// length, which costs a third more.
  func growLog() throws(StoreError) {
    guard try connection.integer("SELECT count(*) FROM anchor") == 0 else { return }
    try connection.execute(
      """
      BEGIN; CREATE TABLE filler(bytes BLOB); INSERT INTO filler VALUES (zeroblob(1048576));
      DROP TABLE filler; COMMIT; PRAGMA wal_checkpoint(RESTART)
      """)
  }

  /// Makes a commit durable, all of it or nothing.
  func write(_ commit: Commit) throws(StoreError) {
    // SQLite writes on into a file that nobody will ever find again.
    guard folder.databaseIdentity == identity else { throw .removed(folder.path) }
    // fdatasync(2) says that all is well on a file system that has turned read-only
    // (ext4_sync_file).
    if folder.isReadOnly { throw .folder(folder.path, String(cString: strerror(EROFS))) }
    do {
      try connection.execute("BEGIN IMMEDIATE")
      try writeRows(of: commit)
      try connection.execute("COMMIT")
      reckon(with: commit)
    } catch {
      // A failed COMMIT may have rolled back already.
      if connection.isInTransaction {
        // If that fails too, the next BEGIN says so; what is told is why the commit failed.
        try? connection.execute("ROLLBACK")
      }
      throw error
    }
  }

  private func writeRows(of commit: Commit) throws(StoreError) {
    for row in commit.rows {
      try insertRow.run(
        .integer(row.firstSeq), .integer(row.lastSeq), .integer(row.timeUsec), .blob(row.bytes))
    }
    for chunk in commit.chunks {
      try upsertChunk.run(
        .integer(Int64(chunk.index)), .integer(chunk.validAtSeq), .blob(chunk.bytes))
    }
    for span in commit.spans { try write(span) }
    for change in commit.actions { try write(change) }
    try write(commit.state, lastSeq: commit.lastSeq)
    guard !commit.rows.isEmpty else { return }
    try prune(horizon(of: commit), limit: Self.rowsPerCommit)
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

  private func write(_ state: BackgroundState, lastSeq: Int64) throws(StoreError) {
    let anchor = state.anchor
    let provisional = state.provisional
    try upsertAnchor.run(
      .integer(lastSeq), .integer(anchor.moment.realtimeUsec),
      .integer(anchor.moment.boottimeUsec), .integer(anchor.moment.monotonicUsec),
      .text(anchor.moment.bootID.description), .integer(anchor.elapsedUsec),
      .integer(anchor.awakeUsec), .integer(anchor.synchronized ? 1 : 0),
      state.enteredAwakeUsec.map { .integer($0) } ?? .null,
      state.stoppedMonotonicUsec.map { .integer($0) } ?? .null,
      provisional.map { .integer($0.span.id) } ?? .null,
      provisional.map { .integer($0.anchorRealtimeUsec) } ?? .null,
      provisional.map { .integer($0.advancedUsec) } ?? .null,
      provisional.map { .integer($0.steppedUsec) } ?? .null,
      provisional?.steppedBoottimeUsec.map { .integer($0) } ?? .null,
      provisional.map { .integer($0.leftSeq) } ?? .null,
      state.enteredSeq.map { .integer($0) } ?? .null, state.zone.map { .integer($0) } ?? .null)
  }
}

// MARK: - Pruning

extension LedgerWriter {
  /// Keeps the ledger for another time from the next commit on.
  func keep(_ retention: Retention) {
    self.retention = retention
    backlog = .all
  }

  /// Whether `prune()` has something to do.
  var isBehind: Bool { horizon != nil }

  /// Prunes some rows of what a changed retention leaves over, in a transaction of their own.
  func prune() {
    guard let horizon else { return }
    do {
      try prune(horizon, limit: Self.rowsAtOnce)
      if connection.changes < Self.rowsAtOnce { self.horizon = nil }
    } catch {
      // The next commit meets whatever it is, and says so; what is left goes with the commits.
      self.horizon = nil
    }
  }

  private func reckon(with commit: Commit) {
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

/// How long the ledger is kept.
public struct Retention: Equatable, Sendable {
  /// In microseconds of CLOCK_REALTIME: 90 days.
  public var ageUsec: Int64 = 90 * 86_400_000_000
  /// So many events.
  public var events: Int64 = 1_000_000

  /// What the design asks for.
  public init() {}
}
