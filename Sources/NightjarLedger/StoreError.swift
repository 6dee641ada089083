/// What can go wrong with the state folder and the database in it.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder cannot be made, read or written: path, and why.
  case folder(String, String)
  /// A file in the folder cannot be opened, read or written: which, and why.
  case file(String, String)
  /// Another user may decide what is in the folder: a sentence that says of which file, and what to do.
  case untrusted(String)
  /// Another daemon has the folder: path, and its process ID if it could be read.
  case locked(String, pid: Int32?)
  /// The database, or its log, was removed, replaced or cut short while it was open: says which.
  case removed(String)
  /// A new database took the place of one that was lost, and nobody knows whether it lasts; says why.
  case unsettled(String)
  /// The database was written by a newer Nightjar: its schema version, and ours.
  case newerSchema(Int, ours: Int)
  /// What is stored cannot be true; says what.
  case damaged(String)
  /// The database could not be read or written: SQLite's extended result code, and its words.
  case sqlite(code: Int32, message: String)

  /// There are rows around these events, and none that has them or says that they are lost.
  public static func missingEvents(_ numbers: ClosedRange<Int64>) -> StoreError {
    .damaged("events \(numbers.lowerBound) to \(numbers.upperBound) are missing")
  }

  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .folder(let path, let reason):
      "the state folder \(path) cannot be used: \(reason); make it a folder of your own that you "
        + "can write, or name another with --state-dir"
    case .file(let name, let reason):
      "\(name) cannot be used: \(reason); the daemon's user has to be able to read and write it"
    case .untrusted(let sentence): sentence
    case .locked(let path, let pid):
      "the state folder \(path) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
        + "stop that daemon first, or name another folder with --state-dir"
    case .newerSchema(let version, let ours):
      "the database has schema version \(version) and this Nightjar knows \(ours) at the most; "
        + "start the newer Nightjar that wrote it; if none did, the file is damaged: move the state "
        + "folder away, and the daemon begins a new one"
    case .removed(let what):
      "\(what) while the daemon ran; the daemon writes a new database from what it knows"
    case .unsettled(let reason): "a new database was written, and may not last: \(reason)"
    case .damaged(let what): "the database is damaged: \(what)"
    case .sqlite(_, let message): "the database could not be used: \(message)"
    }
  }

  /// In the low byte of the extended code: SQLITE_CORRUPT, SQLITE_NOTADB, and what statements that are
  /// right can only meet in tables that are not: SQLITE_ERROR (a table is missing), SQLITE_CONSTRAINT (a
  /// number is there twice), SQLITE_MISMATCH.
  private static let damageCodes: Set<Int32> = [11, 26, 1, 19, 20]

  /// Whether the file itself is no good, as against a disk that is full or cannot be written.
  public var isDamage: Bool {
    switch self {
    case .damaged: true
    case .sqlite(let code, _): Self.damageCodes.contains(code & 0xFF)
    case .folder, .file, .untrusted, .locked, .removed, .unsettled, .newerSchema: false
    }
  }

  /// Whether nothing more can be written to this file: it is damaged, or it is not in its place.
  public var isLoss: Bool {
    if case .removed = self { true } else { isDamage }
  }

  /// Whether what was to be written may be found after a loss of power. The kernel marks pages clean
  /// after a sync that failed, and may have written some of them; after any other failure the commit was
  /// not complete.
  public var isInDoubt: Bool {
    switch self {
    // SQLITE_IOERR_FSYNC.
    case .sqlite(let code, _): code == 1034
    case .unsettled: true
    case .folder, .file, .untrusted, .locked, .removed, .newerSchema, .damaged: false
    }
  }
}
