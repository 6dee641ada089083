internal import CSQLite
internal import NightjarLedger

/// One connection to the database, used by one thread.
final class Connection {
  private let handle: OpaquePointer
  /// The number of frames in the log after the last commit of this connection.
  private let frames: UnsafeMutablePointer<Int32>

  /// Opens the file at `path`, and creates it if it does not exist.
  ///
  /// - Parameter vfs: the name of the SQLite VFS that reads and writes the files; nil for the
  ///   default.
  init(path: String, vfs: String? = nil) throws(StoreError) {
    var handle: OpaquePointer?
    // NOMUTEX allows "separate threads [to] use separate connections". This program does no more
    // than that.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, vfs)
    guard code == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(handle)
      throw .sqlite(code: code, message: message)
    }
    self.handle = handle
    frames = .allocate(capacity: 1)
    frames.initialize(to: 0)
    sqlite3_extended_result_codes(handle, 1)
    // By default, SQLite writes the log into the database when the last connection is closed. If
    // one of the two files is damaged, both must stay as they are.
    nj_sqlite_keep_log_on_close(handle)
    // This replaces SQLite's own hook, which makes checkpoints.
    sqlite3_wal_hook(
      handle,
      { frames, _, _, count in
        frames?.assumingMemoryBound(to: Int32.self).pointee = count
        return SQLITE_OK
      }, frames)
  }

  deinit {
    sqlite3_close_v2(handle)
    frames.deallocate()
  }

  /// The number of frames in the log after the last commit of this connection.
  var logFrames: Int { Int(frames.pointee) }

  /// Copies the log into the database (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
  ///
  /// - Parameter truncating: whether to empty the log too. This happens only if no other connection
  ///   reads; the call does not wait for one that does.
  /// - Returns: the number of frames in the log, and whether all of them are in the database.
  func checkpoint(
    truncating: Bool = false
  ) throws(StoreError) -> (frames: Int, isComplete: Bool) {
    var (inLog, copied): (Int32, Int32) = (0, 0)
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &inLog, &copied)
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw error }
    // Both numbers are -1 if the connection has not read anything yet, or if another connection
    // makes a checkpoint.
    return (Int(inLog), code == SQLITE_OK && inLog >= 0 && inLog == copied)
  }

  /// The error of the last call on this connection.
  var error: StoreError {
    .sqlite(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }

  /// Runs statements without parameters and results.
  func execute(_ sql: String) throws(StoreError) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error }
  }

  /// Prepares a statement that lives as long as the connection.
  func prepare(_ sql: String) throws(StoreError) -> Statement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error }
    return Statement(statement, of: self)
  }

  /// The single number that a query returns; nil if it returns no row.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The single text that a query returns; nil if it returns no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// How many rows the last statement inserted, changed or deleted.
  var changes: Int64 { sqlite3_changes64(handle) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

/// A prepared statement.
final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  fileprivate init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Advances to the next row.
  ///
  /// - Returns: false at the end.
  func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw connection.error
    }
  }

  /// Makes the statement ready to run again, without parameters.
  func reset() {
    // The result is the error of the last step again, which has been thrown already.
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Runs a statement that returns no rows, with `values` for its parameters.
  func run(_ values: Value...) throws(StoreError) {
    try run(values)
  }

  /// Runs a statement that returns no rows, with `values` for its parameters.
  func run(_ values: [Value]) throws(StoreError) {
    defer { reset() }
    for (index, value) in values.enumerated() { try bind(Int32(index + 1), value) }
    _ = try step()
  }

  /// The value of a parameter.
  enum Value {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null
  }

  func bind(_ index: Int32, _ value: Value) throws(StoreError) {
    // SQLITE_TRANSIENT, which Swift does not import: SQLite makes its own copy.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let code =
      switch value {
      case .integer(let number): sqlite3_bind_int64(handle, index, number)
      case .text(let text): sqlite3_bind_text(handle, index, text, -1, transient)
      case .blob(let bytes):
        bytes.withUnsafeBytes {
          sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), transient)
        }
      case .null: sqlite3_bind_null(handle, index)
      }
    guard code == SQLITE_OK else { throw connection.error }
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
  }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(handle, column).map { String(cString: $0) } ?? ""
  }

  /// The value of a column, to be used as a parameter. A float becomes an integer, because no table
  /// of ours has floats.
  func value(_ column: Int32) -> Value {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(Array(blob(column)))
    default: .integer(integer(column))
    }
  }

  /// The bytes of a column; valid until the next step.
  func blob(_ column: Int32) -> UnsafeRawBufferPointer {
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, column), count: count)
  }
}
