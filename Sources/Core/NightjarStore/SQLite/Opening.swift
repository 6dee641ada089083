internal import Glibc
internal import NightjarLedger

/// A database that was opened for a run of the daemon, and the results of the checks before.
struct OpenedLedger {
  let writer: LedgerWriter
  /// The data that is missing from the database; nil if no data is.
  let loss: StorageLoss?
  /// The events that were acknowledged and are not in the database.
  let lost: ClosedRange<Int64>?
  /// A sentence that says why the daemon could not check for missing data; nil if it checked.
  let warning: String?

  /// Checks the files before SQLite opens them, opens the database, and compares it with its
  /// witness. If the database lacks events that its witness has counted, the database is copied
  /// before anything is written to it.
  ///
  /// - Parameter stamp: CLOCK_REALTIME in seconds. A damaged database is kept under a name with
  ///   this time.
  init(
    _ folder: StateFolder, retention: Retention, stamp: Int64
  ) throws(StoreError) {
    try folder.checkFiles()
    let path = folder.databasePath
    var loss = try folder.installReplacement(
      stamp: stamp,
      reason: "the daemon was killed while it replaced a database that was lost: it continues with "
        + "the replacement, which is complete")
    let witness = try Witness.read(Witness.path(of: path))
    let isGarbled = witness == nil && FileIdentity(path: Witness.path(of: path)) != nil
    if let reason = try Self.emptiness(of: path, witness) {
      // SQLite would delete the log of a missing database, so the log is set aside.
      loss = try folder.setDatabaseAside(stamp: stamp, reason: reason)
    }
    // This check comes before SQLite opens the file, because closing a descriptor of the file ends
    // SQLite's locks.
    let isAsItWas = loss != nil ? true : try Self.isAsItWas(path, witness)
    let found = try Self.found(at: path)
    var lost: ClosedRange<Int64>?
    if loss == nil, found == nil, witness?.lastSeq ?? 0 > 0 {
      throw .damaged("it has no ledger, though it had one")
    }
    if loss == nil, let witness, let found {
      if witness.ledger != found.ledger {
        loss = StorageLoss(
          reason: "the database is of ledger \(found.ledger), and the one that was here is "
            + "\(witness.ledger)")
      } else if found.lastSeq < witness.lastSeq {
        let copy = try folder.copyDatabase(stamp: stamp)
        lost = found.lastSeq + 1...witness.lastSeq
        loss = StorageLoss(
          reason: "the database ends at event \(found.lastSeq), and \(witness.lastSeq) was "
            + "acknowledged: the daemon continues with what is left",
          missing: lost, setAside: copy)
      } else if !isAsItWas {
        loss = StorageLoss(
          reason: "the database was changed while the daemon did not run: timers may be missing, "
            + "or different",
          setAside: try folder.copyDatabase(stamp: stamp))
      }
    }
    writer = try LedgerWriter(folder: folder, retention: retention)
    self.loss = loss
    self.lost = lost
    warning =
      isGarbled
      ? "nightjar.db-witness could not be read: whether something is missing could not be checked"
      : nil
  }

  /// Whether the database is unchanged since a clean stop. True also if the last run did not end
  /// with a clean stop.
  private static func isAsItWas(
    _ path: String, _ witness: Witness.Record?
  ) throws(StoreError) -> Bool {
    guard let checksum = witness?.databaseChecksum, FileIdentity(path: path) != nil else {
      return true
    }
    // Bytes that were added after the end are ignored, as SQLite ignores them.
    return try FileChecksum(of: path, upTo: checksum.bytes) == checksum
  }

  /// Why a missing or empty database is a loss; nil if it is no loss.
  private static func emptiness(
    of path: String, _ witness: Witness.Record?
  ) throws(StoreError) -> String? {
    let size = FileIdentity(path: path)?.size
    guard size ?? 0 == 0 else { return nil }
    let hasLog = try hasFrames(path + "-wal")
    guard hasLog || witness?.lastSeq ?? 0 > 0 else { return nil }
    return size == nil ? "the database was removed" : "the database was emptied"
  }

  /// Whether a log has frames. A log that was only extended to its usual length has none.
  private static func hasFrames(_ path: String) throws(StoreError) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return false }
      throw .file(path, String(cString: strerror(errno)))
    }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 64)
    let count = pread(file, &head, head.count, 0)
    guard count >= 0 else { throw .file(path, String(cString: strerror(errno))) }
    return head.contains { $0 != 0 }
  }

  /// The name of the ledger and the number of its last event on disk; nil if the database has none
  /// yet.
  private static func found(
    at path: String
  ) throws(StoreError) -> (ledger: String, lastSeq: Int64)? {
    guard FileIdentity(path: path) != nil else { return nil }
    let connection = try Connection(path: path)
    // A database that this version cannot read is refused here. Otherwise the daemon would copy it
    // at each attempt to start.
    guard try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else { return nil }
    try Schema.check(connection)
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('ledger', 'anchor')")
    guard tables == 2, let name = try connection.text("SELECT name FROM ledger") else { return nil }
    return (name, try connection.integer("SELECT lastSeq FROM anchor") ?? 0)
  }
}
