internal import NightjarLedger

/// The tables, and how a database is created.
enum Schema {
  /// The value of `PRAGMA user_version`. A change that an older Nightjar cannot read raises it.
  static let version = 1
  /// The letters "nija", the value of `PRAGMA application_id`. They mark the file as Nightjar's,
  /// for `file(1)` too.
  static let applicationID = 0x6E69_6A61
  /// The letters "njar": the application id of every Nightjar from before the first release.
  private static let unreleasedApplicationID = 0x6E6A_6172

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
      clock BLOB NOT NULL, chunks INTEGER NOT NULL,
      absentUsec INTEGER NOT NULL, absentSinceAwakeUsec INTEGER, enteredPresentUsec INTEGER,
      absenceSeq INTEGER);
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

  /// Creates the tables in a new database. Throws if the database is newer, or was not written by a
  /// released Nightjar.
  static func prepare(_ connection: Connection) throws(StoreError) {
    let tableCount = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    guard tableCount == 0 else { return try check(connection) }
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      PRAGMA application_id = \(applicationID);
      \(tables)
      PRAGMA user_version = \(version);
      COMMIT;
      """)
  }

  /// Throws if this version cannot read the database.
  static func check(_ connection: Connection) throws(StoreError) {
    let owner = Int(try connection.integer("PRAGMA application_id") ?? 0)
    if owner == unreleasedApplicationID {
      throw .damaged("it was written by a Nightjar from before the first release")
    }
    let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard owner == applicationID, found > 0 else {
      throw .damaged("it is a database, but not one of Nightjar's")
    }
    guard found <= version else { throw .newerSchema(found, ours: version) }
  }
}
