internal import Glibc
internal import NightjarLedger

/// A database that was opened for a run of the daemon, with what was found out about it before.
struct OpenedLedger {
  let writer: LedgerWriter
  /// What is missing; nil if nothing is.
  let loss: StorageLoss?
  /// The events that were there once and are not in the database.
  let lost: ClosedRange<Int64>?
  /// Why nobody can know whether something is missing, in a sentence; nil: that is known.
  let warning: String?

  /// Looks at the files before SQLite does, opens the database, and holds it against its witness. A
  /// database that is behind is copied before anything is written to it.
  ///
  /// - Parameter stamp: CLOCK_REALTIME in seconds, for the names of files that are kept.
  init(
    _ folder: StateFolder, retention: Retention, stamp: Int64
  ) throws(StoreError) {
    try folder.checkFiles()
    let path = folder.databasePath
    let witness = try Witness.read(Witness.path(of: path))
    let isGarbled = witness == nil && FileIdentity(path: Witness.path(of: path)) != nil
    var loss: StorageLoss?
    if let reason = try Self.emptiness(of: path, witness) {
      // SQLite deletes a log that has no database beside it.
      loss = try folder.setDatabaseAside(stamp: stamp, reason: reason)
    }
    // Before SQLite has it open: closing the file would end its locks.
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
            + "acknowledged: what is in it goes on",
          missing: lost, setAside: copy)
      } else if !isAsItWas {
        loss = StorageLoss(
          reason: "the database was changed while the daemon did not run: timers may be missing, "
            + "or be others than they were",
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

  /// Whether the database is what it was at a clean stop, if that was the end of the last run.
  private static func isAsItWas(
    _ path: String, _ witness: Witness.Record?
  ) throws(StoreError) -> Bool {
    guard let seal = witness?.seal, FileIdentity(path: path) != nil else { return true }
    // What somebody appended is not read.
    return try FileSeal(of: path, upTo: seal.bytes) == seal
  }

  /// Why a database that is not there, or is empty, is a loss; nil if it is not.
  private static func emptiness(
    of path: String, _ witness: Witness.Record?
  ) throws(StoreError) -> String? {
    let size = FileIdentity(path: path)?.size
    guard size ?? 0 == 0 else { return nil }
    let hasLog = try hasFrames(path + "-wal")
    guard hasLog || witness?.lastSeq ?? 0 > 0 else { return nil }
    return size == nil ? "the database was removed" : "the database was emptied"
  }

  /// Whether a log has something: not one that was only grown.
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

  /// The ledger's name and the number of its last event, as they are on disk; nil if there is none yet.
  private static func found(
    at path: String
  ) throws(StoreError) -> (ledger: String, lastSeq: Int64)? {
    guard FileIdentity(path: path) != nil else { return nil }
    let connection = try Connection(path: path)
    // One that is refused is not copied at each try.
    let version = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard version <= Schema.version else {
      throw .newerSchema(version, ours: Schema.version)
    }
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('ledger', 'anchor')")
    guard tables == 2, let name = try connection.text("SELECT name FROM ledger") else { return nil }
    return (name, try connection.integer("SELECT lastSeq FROM anchor") ?? 0)
  }
}
