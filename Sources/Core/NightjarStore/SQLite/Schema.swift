internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// The tables, and how a database is created or migrated.
enum Schema {
  /// The value of `PRAGMA user_version`. Each change of the tables or of the packed forms raises
  /// it.
  static let version = 10
  /// The letters "njar", the value of `PRAGMA application_id`. They mark the file as Nightjar's,
  /// for `file(1)` too.
  static let applicationID = 0x6E6A_6172

  private static let tables = """
    -- The ledger. events: up to 128, packed; firstSeq and lastSeq are the numbers of its ends.
    CREATE TABLE event(
      firstSeq INTEGER PRIMARY KEY, lastSeq INTEGER NOT NULL, timeUsec INTEGER NOT NULL,
      events BLOB NOT NULL);
    -- The timers of 512 neighbouring slots, packed, as after event validAtSeq.
    CREATE TABLE chunk(
      number INTEGER PRIMARY KEY, validAtSeq INTEGER NOT NULL, timers BLOB NOT NULL);
    -- Background spans. leftUsec is NULL while one lasts. Usec: CLOCK_REALTIME unless named otherwise.
    CREATE TABLE span(
      id INTEGER PRIMARY KEY, causes TEXT NOT NULL, estimated INTEGER NOT NULL,
      elapsedUsec INTEGER NOT NULL,
      enteredUsec INTEGER NOT NULL, enteredBoottimeUsec INTEGER NOT NULL,
      enteredMonotonicUsec INTEGER NOT NULL, enteredBoot TEXT NOT NULL,
      leftUsec INTEGER, leftBoottimeUsec INTEGER, leftMonotonicUsec INTEGER, leftBoot TEXT);
    -- One row: the counters of the timelines at one reading of the clocks, and the open span. clock: the
    -- state of the wall clock, packed. chunks: the number of rows in chunk. absentUsec: how far the counter
    -- of present is behind that of awake; absentSinceAwakeUsec: the counter of awake when the user left.
    CREATE TABLE anchor(
      id INTEGER PRIMARY KEY CHECK (id = 1), lastSeq INTEGER NOT NULL,
      realtimeUsec INTEGER NOT NULL, boottimeUsec INTEGER NOT NULL,
      monotonicUsec INTEGER NOT NULL, boot TEXT NOT NULL,
      elapsedUsec INTEGER NOT NULL, awakeUsec INTEGER NOT NULL, synchronized INTEGER NOT NULL,
      enteredAwakeUsec INTEGER, stoppedMonotonicUsec INTEGER, enteredSeq INTEGER, zone INTEGER,
      clock BLOB, chunks INTEGER,
      absentUsec INTEGER, absentSinceAwakeUsec INTEGER, enteredPresentUsec INTEGER);
    """ + actions + ledger + requests

  private static let actions = """
    -- Commands that event seq calls for and that have not ended. number: distinguishes those of one event;
    -- attempt: how often the command was started; command: JSON.
    CREATE TABLE action(
      seq INTEGER NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,
      command TEXT NOT NULL, PRIMARY KEY (seq, number)) WITHOUT ROWID;
    """

  private static let ledger = """
    -- One row: which ledger this is. Numbers begin at 1 in each, and mean nothing in another.
    CREATE TABLE ledger(name TEXT NOT NULL);
    INSERT INTO ledger VALUES (lower(hex(randomblob(8))));
    """

  private static let requests = """
    -- The replies to changes to which clients gave an id. elapsedUsec: the counter of elapsed then.
    -- totalBytes: the total length of the replies up to this one, including some that were pruned.
    CREATE TABLE request(
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, method TEXT NOT NULL,
      reply BLOB NOT NULL, elapsedUsec INTEGER NOT NULL, totalBytes INTEGER NOT NULL);
    """

  /// Creates the tables in a new database, or migrates an older one to the present version. Throws
  /// if the database is newer or belongs to another program.
  static func prepare(_ connection: Connection) throws(StoreError) {
    let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard found <= version else { throw .newerSchema(found, ours: version) }
    let owner = Int(try connection.integer("PRAGMA application_id") ?? 0)
    let tableCount = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if found == 0, tableCount == 0 {
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        PRAGMA application_id = \(applicationID);
        \(tables)
        PRAGMA user_version = \(version);
        COMMIT;
        """)
    } else if owner != applicationID || found == 0 {
      throw .damaged("it is a database, but not one of Nightjar's")
    } else if found < version {
      try migrate(connection, from: found)
    }
  }

  /// Migrates an older database. This version reads the old packed forms as they are; an older
  /// version could not read what this one writes.
  ///
  /// The versions added: 2: timers that wake the machine; 3: alarms, stopwatches, sequences, bands,
  /// repeats; 4: rings of a timer's own, commands; 5: the ledger's name; 6: the state of the wall
  /// clock; 7: the counters at each event; 8: the number of chunks, skips, excepted days; 9: the
  /// clock `present`, and how long the user was away; 10: IDs of changes, with the replies.
  private static func migrate(
    _ connection: Connection, from found: Int
  ) throws(StoreError) {
    let new =
      [
        (since: 8, "chunks"), (since: 9, "absentUsec"), (since: 9, "absentSinceAwakeUsec"),
        (since: 9, "enteredPresentUsec"),
      ].filter { found < $0.since }.map { "ALTER TABLE anchor ADD COLUMN \($0.1) INTEGER;" }
      .joined(separator: "\n") + requests
    guard found < 6 else {
      return try connection.execute(
        "BEGIN IMMEDIATE; \(new) PRAGMA user_version = \(version); COMMIT")
    }
    let columns = """
      ALTER TABLE anchor ADD COLUMN enteredSeq INTEGER;
      ALTER TABLE anchor ADD COLUMN zone INTEGER;
      """
    let provisional = [
      "Span", "RealtimeUsec", "AdvancedUsec", "SteppedUsec", "SteppedBoottimeUsec", "LeftSeq",
    ].map { "ALTER TABLE anchor DROP COLUMN provisional\($0);" }
    let clock = try clockOfVersionFive(connection)
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      \(found < 3 ? columns : "")
      \(found < 4 ? actions : "")
      \(found < 5 ? ledger : "")
      ALTER TABLE anchor ADD COLUMN clock BLOB;
      \(provisional.joined(separator: "\n"))
      """)
    try connection.prepare("UPDATE anchor SET clock = ?").run(.blob(ClockCodec.encode(clock)))
    try connection.execute("\(new) PRAGMA user_version = \(version); COMMIT")
  }

  /// The state of the wall clock as version 5 stored it: whether the clock was synchronised at the
  /// anchor, and the last reboot if it could still be corrected.
  private static func clockOfVersionFive(
    _ connection: Connection
  ) throws(StoreError) -> WallClockState {
    var clock = WallClockState()
    let row = try connection.prepare(
      """
      SELECT realtimeUsec, boottimeUsec, elapsedUsec, synchronized, provisionalSpan,
        provisionalRealtimeUsec, provisionalAdvancedUsec, provisionalSteppedUsec, provisionalLeftSeq
      FROM anchor
      """)
    guard try row.step() else { return clock }
    if row.integer(3) != 0 {
      clock.last = SynchronizedReading(realtimeUsec: row.integer(0), elapsedUsec: row.integer(2))
      clock.hasBeenSynchronized = true
      clock.isRight = true
    } else if let id = row.optionalInteger(4),
      let span = try LedgerReader.spans(connection, "WHERE id = \(id)", limit: 1).last,
      let left = span.left
    {
      let leftElapsedUsec = row.integer(2) - (row.integer(1) - left.boottimeUsec)
      var reboot = UncertainReboot(
        span: span, leftElapsedUsec: leftElapsedUsec,
        wallUsec: left.realtimeUsec - row.integer(5), uptimeUsec: left.boottimeUsec)
      reboot.advancedUsec = row.integer(6)
      reboot.leftSeq = row.integer(8)
      reboot.lastLeftSeq = row.integer(8)
      clock.base = SynchronizedReading(
        realtimeUsec: row.integer(5), elapsedUsec: leftElapsedUsec - reboot.advancedUsec,
        steppedUsec: abs(row.integer(7)))
      clock.last = clock.base
      clock.inDoubtSinceUsec = row.integer(5)
      clock.reboots = [reboot]
    }
    return clock
  }
}
