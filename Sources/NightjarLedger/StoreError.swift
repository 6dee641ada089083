/// What can go wrong with the state folder and the database in it.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder cannot be made, read or written: path, and why.
  case folder(String, String)
  /// Another user may decide what is in the folder: a sentence that says of which file, and what to do.
  case untrusted(String)
  /// Another daemon has the folder: path, and its process ID if it could be read.
  case locked(String, pid: Int32?)
  /// The database was taken from the folder, a path, while it was open.
  case removed(String)
  /// The database was written by a newer Nightjar: its schema version, and ours.
  case newerSchema(Int, ours: Int)
  /// What is stored cannot be true; says what.
  case damaged(String)
  /// The database could not be read or written: SQLite's extended result code, and its words.
  case sqlite(code: Int32, message: String)

  /// One sentence that says what to do.
  public var description: String {
    switch self {
    case .folder(let path, let reason):
      "the state folder \(path) cannot be used: \(reason); make it a folder of your own that you "
        + "can write, or name another with --state-dir"
    case .untrusted(let sentence): sentence
    case .locked(let path, let pid):
      "the state folder \(path) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
        + "stop that daemon first, or name another folder with --state-dir"
    case .newerSchema(let version, let ours):
      "the database has schema version \(version) and this Nightjar knows \(ours) at the most; "
        + "start the newer Nightjar that wrote it"
    case .removed(let path):
      "the database was removed from \(path) while the daemon ran; put it back, or restart the daemon "
        + "to begin anew"
    case .damaged(let what): "the database is damaged: \(what)"
    case .sqlite(_, let message): "the database could not be used: \(message)"
    }
  }

  /// Whether the file itself is no good, as against a disk that is full or cannot be written.
  public var isDamage: Bool {
    switch self {
    case .damaged: true
    // SQLITE_CORRUPT and SQLITE_NOTADB, in the low byte of the extended code.
    case .sqlite(let code, _): code & 0xFF == 11 || code & 0xFF == 26
    case .folder, .untrusted, .locked, .removed, .newerSchema: false
    }
  }
}
