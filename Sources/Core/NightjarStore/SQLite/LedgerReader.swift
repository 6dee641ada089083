import NightjarEngine
public import NightjarLedger
public import NightjarModel

/// Reads the database on the loop's thread, while the commit thread writes with another connection.
/// Because of the write-ahead log, a reader sees the last commit and never waits.
public final class LedgerReader: LedgerReading {
  private var connection: Connection
  private let path: String

  /// The version of the tables and the packed forms.
  public static var schemaVersion: Int { Schema.version }

  /// Opens the database in `folder`, which must have been prepared.
  public init(folder: StateFolder) throws(StoreError) {
    path = folder.databasePath
    connection = try Self.open(path)
  }

  private static func open(_ path: String) throws(StoreError) -> Connection {
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA cache_size = -256; PRAGMA query_only = 1")
    return connection
  }

  /// Opens the database again after its file was replaced.
  public func reopen() throws(StoreError) {
    connection = try Self.open(path)
  }

  /// The name of the ledger: sixteen hexadecimal digits that were chosen at random when it was
  /// created.
  public func ledgerName() throws(StoreError) -> String {
    let row = try connection.prepare("SELECT name FROM ledger")
    guard try row.step(), !row.text(0).isEmpty else { throw .damaged("the ledger has no name") }
    return row.text(0)
  }

  /// The state after the last commit; nil in a new ledger.
  public func ledgerState() throws(StoreError) -> LedgerState? {
    let row = try connection.prepare(
      """
      SELECT lastSeq, realtimeUsec, boottimeUsec, monotonicUsec, boot, elapsedUsec, awakeUsec,
        synchronized, enteredAwakeUsec, stoppedMonotonicUsec, enteredSeq, zone, clock, chunks,
        absentUsec, absentSinceAwakeUsec, enteredPresentUsec, absenceSeq FROM anchor
      """)
    guard try row.step() else { return nil }
    for column: Int32 in 0...17 where column != 4 && column != 12 {
      try Self.check(row.integer(column))
    }
    let anchor = Anchor(
      moment: try Self.moment(row, 1), elapsedUsec: row.integer(5), awakeUsec: row.integer(6),
      synchronized: row.integer(7) != 0)
    let isAbsence = "causes = '\(Cause.away.name)'"
    var state = BackgroundState(
      anchor: anchor, open: try spans("WHERE leftUsec IS NULL AND NOT \(isAbsence)", limit: 1).last,
      last: try spans("WHERE leftUsec IS NOT NULL AND NOT \(isAbsence)", limit: 1).last,
      enteredAwakeUsec: row.optionalInteger(8), stoppedMonotonicUsec: row.optionalInteger(9),
      clock: try ClockCodec.decode(row.blob(12)), enteredSeq: row.optionalInteger(10),
      zone: row.optionalInteger(11))
    state.absence = Absence(
      usec: row.integer(14), sinceAwakeUsec: row.optionalInteger(15))
    state.enteredPresentUsec = row.optionalInteger(16)
    state.absenceSeq = row.optionalInteger(17)
    state.openAbsence = try spans("WHERE leftUsec IS NULL AND \(isAbsence)", limit: 1).last
    let spanID = try connection.integer("SELECT max(id) FROM span") ?? 0
    try Self.check(spanID)
    guard let chunkCount = Int(exactly: row.integer(13)),
      (0...DeadlineQueue.slotLimit / TimerTable.chunkSlots) ~= chunkCount
    else { throw .damaged("the anchor has \(row.integer(13)) chunks") }
    return LedgerState(
      state: state, nextSpanID: spanID + 1, lastSeq: row.integer(0), chunkCount: chunkCount)
  }

  /// Calls `body` with each chunk.
  public func forEachChunk(
    _ body: (_ index: Int, _ validAtSeq: Int64, _ bytes: UnsafeRawBufferPointer)
      throws(StoreError) -> Void
  ) throws(StoreError) {
    let row = try connection.prepare(
      "SELECT number, validAtSeq, timers FROM chunk ORDER BY number")
    while try row.step() {
      guard let index = Int(exactly: row.integer(0)),
        (0..<DeadlineQueue.slotLimit / TimerTable.chunkSlots) ~= index
      else { throw .damaged("a chunk has the number \(row.integer(0))") }
      try Self.check(row.integer(1))
      try body(index, row.integer(1), row.blob(2))
    }
  }

  /// Calls `body` with each row that has an event after `seq`, in order, until it returns false.
  public func forEachRow(
    after seq: Int64,
    _ body: (_ firstSeq: Int64, _ bytes: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    // Finds the row that contains seq + 1, and the later ones, by the primary key.
    let row = try connection.prepare(
      """
      SELECT firstSeq, events FROM event WHERE firstSeq >= coalesce(
        (SELECT max(firstSeq) FROM event WHERE firstSeq <= ?1), 0) AND lastSeq > ?1 - 1
      ORDER BY firstSeq
      """)
    try row.bind(1, .integer(seq + 1))
    while try row.step() {
      try Self.check(row.integer(0))
      guard try body(row.integer(0), row.blob(1)) else { return }
    }
  }

  /// The number of the oldest stored event; nil if there is none.
  public func oldestSeq() throws(StoreError) -> Int64? {
    let row = try connection.prepare("SELECT min(firstSeq) FROM event")
    return try row.step() ? row.optionalInteger(0) : nil
  }

  /// The stored reply to the change with this ID; nil if there is none. O(log of the stored
  /// replies).
  public func request(
    _ id: String, since atElapsed: Int64
  ) throws(StoreError) -> AnsweredRequest? {
    let row = try connection.prepare(
      "SELECT method, reply, elapsedUsec FROM request WHERE id = ? AND elapsedUsec >= ?")
    try row.bind(1, .text(id))
    try row.bind(2, .integer(atElapsed))
    guard try row.step() else { return nil }
    return AnsweredRequest(
      id: id, method: row.text(0), reply: Array(row.blob(1)), atElapsed: row.integer(2))
  }

  /// All spans from the first one that is open, or that began or ended at or after `timeUsec`. The
  /// oldest comes first; at most the last `limit`. All later spans are included, because their
  /// times may come from a wrong clock: after a reboot, a clock may show 1970.
  public func spans(since timeUsec: Int64, limit: Int) throws(StoreError) -> [Span] {
    let first = """
      SELECT min(id) FROM span
      WHERE leftUsec IS NULL OR leftUsec >= \(timeUsec) OR enteredUsec >= \(timeUsec)
      """
    return try spans("WHERE id >= (\(first))", limit: limit)
  }

  /// The commands that the daemon started and whose end it did not see, in the order of their
  /// events.
  public func begunActions() throws(StoreError) -> [PendingAction] {
    try actions("attempt > 0", limit: .max)
  }

  /// The first `limit` commands after `key` that were never started and whose event is at most
  /// `seq`, in the order of their events. O(limit).
  public func waitingActions(
    after key: PendingAction.Key?, through seq: Int64, limit: Int
  ) throws(StoreError) -> [PendingAction] {
    let behind = key.map { " AND \(Self.isBehind($0))" } ?? ""
    return try actions("attempt <= 0 AND seq <= \(seq)\(behind)", limit: Int64(limit))
  }

  /// The number of commands after `key` that were never started. O(result).
  public func waitingActionCount(after key: PendingAction.Key) throws(StoreError) -> Int {
    let sql = "SELECT count(*) FROM action WHERE attempt <= 0 AND \(Self.isBehind(key))"
    return Int(try connection.integer(sql) ?? 0)
  }

  private static func isBehind(_ key: PendingAction.Key) -> String {
    "(seq, number) > (\(key.seq), \(key.number))"
  }

  private func actions(_ condition: String, limit: Int64) throws(StoreError) -> [PendingAction] {
    var actions: [PendingAction] = []
    try forEachAction("WHERE \(condition) ORDER BY seq, number LIMIT \(limit)") {
      actions.append($0)
    }
    return actions
  }

  /// Reads all commands, and throws if one cannot be read. The daemon calls this when it starts,
  /// because only then can it set the database aside. O(commands).
  public func checkActions() throws(StoreError) {
    try forEachAction("") { _ in }
  }

  private func forEachAction(
    _ condition: String, _ body: (PendingAction) -> Void
  ) throws(StoreError) {
    let row = try connection.prepare(
      "SELECT seq, number, attempt, command FROM action \(condition)")
    while try row.step() {
      for column: Int32 in 0...2 {
        try Self.check(row.integer(column))
        guard row.integer(column) >= 0 else { throw .damaged("a command has a negative number") }
      }
      body(
        PendingAction(
          key: .init(seq: row.integer(0), number: row.integer(1)), attempt: row.integer(2),
          command: Array(row.text(3).utf8)))
    }
  }

  private func spans(_ condition: String, limit: Int) throws(StoreError) -> [Span] {
    try Self.spans(connection, condition, limit: limit)
  }

  /// The last `limit` background spans for which a condition holds, oldest first.
  static func spans(
    _ connection: Connection, _ condition: String, limit: Int
  ) throws(StoreError) -> [Span] {
    let row = try connection.prepare(
      """
      SELECT id, causes, estimated, elapsedUsec, enteredUsec, enteredBoottimeUsec,
        enteredMonotonicUsec, enteredBoot, leftUsec, leftBoottimeUsec, leftMonotonicUsec, leftBoot
      FROM span \(condition) ORDER BY id DESC LIMIT \(limit)
      """)
    var spans: [Span] = []
    while try row.step() {
      let causes = row.text(1).split(separator: " ").compactMap { word in
        Cause.allCases.first { String(describing: $0.name) == word }
      }
      guard !causes.isEmpty else { throw .damaged("span \(row.integer(0)) has no cause") }
      var span = Span(
        id: row.integer(0), causes: causes, entered: try Self.moment(row, 4),
        estimated: row.integer(2) != 0)
      try Self.check(span.id)
      try Self.check(row.integer(3))
      span.elapsedUsec = max(0, row.integer(3))
      if row.optionalInteger(8) != nil { span.left = try Self.moment(row, 8) }
      spans.append(span)
    }
    return spans.reversed()
  }

  /// Throws if a stored number is not plausible. Sums of plausible numbers cannot overflow.
  private static func check(_ value: Int64) throws(StoreError) {
    guard value.magnitude < 1 << 60 else { throw .damaged("the number \(value) cannot be true") }
  }

  private static func moment(_ row: Statement, _ first: Int32) throws(StoreError) -> Moment {
    guard let boot = BootID(text: row.text(first + 3)) else {
      throw .damaged("a boot ID is not 32 hexadecimal digits")
    }
    for column in first..<first + 3 { try check(row.integer(column)) }
    return Moment(
      realtimeUsec: row.integer(first), boottimeUsec: row.integer(first + 1),
      monotonicUsec: row.integer(first + 2), bootID: boot)
  }
}
