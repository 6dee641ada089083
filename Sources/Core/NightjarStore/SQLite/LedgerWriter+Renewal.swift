internal import CLinux
internal import Glibc
internal import NightjarLedger
internal import NightjarModel

/// Creates a new database in place of one that was removed, cut short or damaged while the daemon
/// ran. The timers come from memory. Everything else is copied from the old database, as far as it
/// can be read.
extension LedgerWriter {
  /// Writes a new database with `commit`, which must have all timers. Then moves the files of this
  /// database to other names, and renames the new database into its place. Before this renaming,
  /// the complete new database has the name of a replacement. A daemon that starts then would find
  /// it under that name.
  func renewed(
    with commit: Commit
  ) throws(StoreError) -> (writer: LedgerWriter, loss: StorageLoss) {
    precondition(commit.isFull)
    try folder.claim()
    let draft = folder.path + "/nightjar.db.new"
    for suffix in ["", "-journal"] { unlink(draft + suffix) }
    let missing = try write(commit, toDraft: draft)
    let reason = loss.map { "\($0)" } ?? "the database was lost"
    guard rename(draft, folder.replacementPath) == 0 else {
      throw .folder(folder.path, String(cString: strerror(errno)))
    }
    isReplaced = true
    do throws(StoreError) {
      try folder.syncNames()
      let stamp = commit.timeUsec / 1_000_000
      var loss = try folder.installReplacement(stamp: stamp, reason: reason)
      loss?.missing = missing
      let writer = try LedgerWriter(folder: folder, retention: retention)
      try writer.begin()
      writer.testify(commit.lastSeq)
      return (writer, loss ?? StorageLoss(reason: reason, missing: missing))
    } catch {
      throw .unsettled(error.description)
    }
  }

  /// - Returns: the numbers of the events that could not be copied.
  private func write(
    _ commit: Commit, toDraft path: String
  ) throws(StoreError) -> ClosedRange<Int64>? {
    let draft = try LedgerWriter(folder: folder, retention: retention, draft: path)
    let name = try draft.connection.prepare("UPDATE ledger SET name = ?")
    try name.run([.text(ledgerName)])
    let first = commit.rows.first?.firstSeq ?? commit.lastSeq + 1
    var oldest = first
    try draft.transact { () throws(StoreError) in
      oldest = try copyEvents(before: first, to: draft.connection)
      try copy("span", columns: 12, to: draft.connection)
      try copy("action", columns: 4, to: draft.connection)
      try copy("request", columns: 6, to: draft.connection)
      try draft.writeRows(of: commit)
    }
    let begin = readable { () throws(StoreError) in
      try connection.integer("SELECT min(firstSeq) FROM event")
    }
    let lowest = (begin ?? nil) ?? 1
    return oldest > lowest ? lowest...oldest - 1 : nil
  }

  /// Copies the events below the number `seq`, from the newest to the oldest, until one cannot be
  /// read.
  ///
  /// - Returns: the first event in the new database; `seq` if it has none.
  private func copyEvents(before seq: Int64, to draft: Connection) throws(StoreError) -> Int64 {
    let insert = try draft.prepare("INSERT INTO event VALUES (?, ?, ?, ?)")
    var next = seq
    let sql = """
      SELECT firstSeq, lastSeq, timeUsec, events FROM event WHERE lastSeq < \(seq)
      ORDER BY firstSeq DESC
      """
    try forEachReadable(sql) { row throws(StoreError) in
      let isIntact = readable { () throws(StoreError) in try EventRow.check(row.blob(3)) } != nil
      guard isIntact, row.integer(0) < next else { return false }
      try insert.run((0..<4).map { row.value($0) })
      next = row.integer(0)
      return true
    }
    return next
  }

  /// Copies the rows of a small table, as far as they can be read.
  private func copy(_ table: String, columns: Int32, to draft: Connection) throws(StoreError) {
    let places = Array(repeating: "?", count: Int(columns)).joined(separator: ", ")
    let insert = try draft.prepare("INSERT OR IGNORE INTO \(table) VALUES (\(places))")
    try forEachReadable("SELECT * FROM \(table)") { row throws(StoreError) in
      try insert.run((0..<columns).map { row.value($0) })
      return true
    }
  }

  /// Calls `body` with each row of a query on the old database, until a row cannot be read or
  /// `body` returns false.
  private func forEachReadable(
    _ sql: String, _ body: (Statement) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let row = readable { () throws(StoreError) in try connection.prepare(sql) }
    guard let row else { return }
    while readable({ () throws(StoreError) in try row.step() }) == true {
      guard try body(row) else { return }
    }
  }

  /// The result of `body`; nil if the old database cannot be read, which is no error here.
  private func readable<Result>(_ body: () throws(StoreError) -> Result) -> Result? {
    do throws(StoreError) { return try body() } catch { return nil }
  }
}
