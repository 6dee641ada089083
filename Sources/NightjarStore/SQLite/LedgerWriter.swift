internal import Glibc
internal import NightjarCore

/// Writes commits, on a thread of its own: one transaction each, synced before it returns.
final class LedgerWriter {
  private let connection: Connection
  private let insertRow, upsertChunk, upsertSpan, upsertAnchor, pruneRows, pruneSpans: Statement
  private let retention: Retention
  private let folder: StateFolder
  /// Which file was opened.
  private let identity: FileIdentity?

  /// Opens the database in `folder`, and makes the tables if it is new.
  init(folder: StateFolder, retention: Retention) throws(StoreError) {
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
    // A few at a time: as rows come one by one, so they go. Only the oldest are looked at, up to
    // the first that stays: the search for others would read the whole table, and after a step of
    // the wall clock tear holes into the ledger.
    pruneRows = try connection.prepare(
      """
      WITH oldest AS (SELECT firstSeq, lastSeq, timeUsec FROM event ORDER BY firstSeq LIMIT 4)
      DELETE FROM event WHERE firstSeq IN (SELECT firstSeq FROM oldest)
        AND firstSeq < coalesce((SELECT min(firstSeq) FROM oldest
          WHERE NOT (lastSeq < ?1 AND (lastSeq <= ?2 OR timeUsec < ?3))), 9223372036854775807)
      """)
    pruneSpans = try connection.prepare(
      """
      DELETE FROM span WHERE id IN (SELECT id FROM span
        WHERE leftUsec < ?1 AND id < (SELECT max(id) FROM span) - 1 ORDER BY id LIMIT 4)
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
    try write(commit.state, lastSeq: commit.lastSeq)
    guard !commit.rows.isEmpty else { return }
    let oldest = commit.timeUsec - retention.ageUsec
    try pruneRows.run(
      .integer(commit.neededFromSeq), .integer(commit.lastSeq - retention.events),
      .integer(oldest))
    try pruneSpans.run(.integer(oldest))
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

/// How long the ledger is kept.
public struct Retention: Sendable {
  /// In microseconds of CLOCK_REALTIME: 90 days.
  public var ageUsec: Int64 = 90 * 86_400_000_000
  /// So many events.
  public var events: Int64 = 1_000_000

  /// What the design asks for.
  public init() {}
}
