/// Errors of the state folder and of the database in it.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder cannot be created, read or written: its path, and the reason.
  case folder(String, String)
  /// A file in the folder cannot be opened, read or written: its name, and the reason.
  case file(String, String)
  /// Another user can change the folder's contents: a sentence with the file and the remedy.
  case untrusted(String)
  /// Another daemon uses the folder: its path, and the daemon's process ID if it could be read.
  case locked(String, pid: Int32?)
  /// The database or its log was removed, replaced, cut short or made accessible to others while it
  /// was open: a text with its name.
  case removed(String)
  /// A new database replaced a lost one, but may not be on disk permanently: the reason.
  case unsettled(String)
  /// A newer Nightjar wrote the database: its schema version, and the highest that this one knows.
  case newerSchema(Int, ours: Int)
  /// The stored data is not possible: a text that says what is wrong.
  case damaged(String)
  /// The database could not be read or written: SQLite's extended result code and message.
  case sqlite(code: Int32, message: String)

  /// The error for events without a row between other rows.
  public static func missingEvents(_ numbers: ClosedRange<Int64>) -> StoreError {
    .damaged("events \(numbers.lowerBound) to \(numbers.upperBound) are missing")
  }

  /// One sentence for people with the remedy.
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

  /// The low byte of the extended codes that mean damage. SQLITE_CORRUPT and SQLITE_NOTADB mean it
  /// directly. Correct statements get the others only from damaged tables: SQLITE_ERROR (a table is
  /// missing), SQLITE_CONSTRAINT (a number occurs twice), SQLITE_MISMATCH.
  private static let damageCodes: Set<Int32> = [11, 26, 1, 19, 20]

  /// Whether the file itself is damaged, in contrast to a disk that is full or cannot be written.
  public var isDamage: Bool {
    switch self {
    case .damaged: true
    case .sqlite(let code, _): Self.damageCodes.contains(code & 0xFF)
    case .folder, .file, .untrusted, .locked, .removed, .unsettled, .newerSchema: false
    }
  }

  /// Whether nothing more can be written to the database, because it is damaged or not in its place
  /// any more.
  public var isLoss: Bool {
    if case .removed = self { true } else { isDamage }
  }

  /// Whether the data may be on disk in spite of the error. After a failed sync, the kernel marks
  /// the pages clean and may have written some of them. After any other failure, the commit on disk
  /// was not complete.
  public var isInDoubt: Bool {
    switch self {
    // SQLITE_IOERR_FSYNC.
    case .sqlite(let code, _): code == 1034
    case .unsettled: true
    case .folder, .file, .untrusted, .locked, .removed, .newerSchema, .damaged: false
    }
  }
}
