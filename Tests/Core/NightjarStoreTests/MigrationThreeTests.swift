import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// Data of schema version 3, from before timers had rings of their own, is read unchanged.
@Suite(.blocking) struct MigrationThreeTests {
  private let now = Moment(
    realtimeUsec: 1_700_000_070_000_000, boottimeUsec: 130_000_000, monotonicUsec: 100_000_000,
    bootID: BootID(high: 0x6E_6A, low: 1))
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
    try Connection(path: state.databasePath).execute(VersionThree.dump)
  }

  private func service(_ committer: any Committer) throws -> TimerCore {
    try TimerCore(
      reader: try LedgerReader(folder: state), committer: committer, calendar: NoCalendar(),
      maximumTimers: 100, at: now)
  }

  private func stored(_ engine: Engine) -> [NamedTimer] {
    (0..<engine.slotEnd).compactMap { engine.stored($0) }
  }

  @Test func `Timers of all kinds are read unchanged from a ledger of version 3`() throws {
    let engine = try service(try DirectCommitter(state)).engine
    #expect(
      stored(engine).map(\.summary) == [
        "0 tea running elapsed/elapsed 1 20 1 20 240000000 270000000 270000000 0 0 on-time",
        "1 card running awake/awake 2 21 2 2 30000000 30000000 30000000 0 0 on-time",
        "2 stretch fired elapsed/elapsed 3 27 27 27 10000000 3000000 52500000 29000000 "
          + "1700000052500000 sleep",
        "3 hourly running wall/wall 4 4 4 4 0 2800000000 1700002800000000 0 0 on-time wakes",
        "4 run running elapsed/elapsed 5 11 5 0 0 0 0 0 0 on-time",
        "5 pomodoro running elapsed/elapsed 6 28 28 28 15000000 15000000 68500000 0 0 on-time",
        "6 egg paused elapsed/elapsed 7 13 13 0 60000000 60000000 0 49500000 0 on-time wakes",
        "7 new running elapsed/elapsed 30 30 30 30 5000000 5000000 58500000 0 0 on-time",
      ])
    try expectTheRest(of: engine)
    #expect(engine.laps(at: 4) == [10_500_000])
  }

  @Test func `Timers of all kinds are read unchanged from a chunk of version 3`() throws {
    try Connection(path: state.databasePath).execute(VersionThree.later)
    let engine = try service(try DirectCommitter(state)).engine
    #expect(
      stored(engine).map(\.summary) == [
        "0 tea running elapsed/elapsed 1 20 1 20 240000000 270000000 270000000 0 0 on-time",
        "1 card running awake/awake 2 21 2 2 30000000 30000000 30000000 0 0 on-time",
        "2 stretch fired elapsed/elapsed 3 27 27 27 10000000 3000000 52500000 29000000 "
          + "1700000052500000 sleep",
        "3 hourly running wall/wall 4 4 4 4 0 2800000000 1700002800000000 0 0 on-time wakes",
        "4 run running elapsed/elapsed 5 544 5 0 0 0 0 0 0 on-time",
        "5 pomodoro running elapsed/elapsed 6 28 28 28 15000000 15000000 68500000 0 0 on-time",
        "6 egg running elapsed/elapsed 7 543 543 543 60000000 60000000 104000000 0 0 on-time wakes",
        "7 new fired elapsed/elapsed 30 548 548 548 5000000 5000000 60500000 2000000 "
          + "1700000060500000 freeze",
      ])
    try expectTheRest(of: engine)
    #expect(engine.laps(at: 4) == [10_500_000, 54_500_000])
    #expect(engine.attachments(at: 4)?.data == Array("{1".utf8))
  }

  /// The specifications and attachments, which ledger and chunk have alike.
  private func expectTheRest(of engine: Engine) throws {
    let red = Attachments(
      labels: [Label(key: "team", value: "red")], data: Array(#"{"cups":2}"#.utf8))
    #expect(engine.attachments(at: 0) == red && engine.attachments(at: 5) == red)
    #expect(
      engine.attachments(at: 1)
        == Attachments(labels: [Label(key: "n", value: "1")], data: Array("{}".utf8)))
    #expect(engine.ringCount == 0)
    #expect(engine.spec(at: 1).bands == [Band(name: "last", remainingUsec: 3_000_000)])
    let stretch = engine.spec(at: 2)
    #expect(stretch.repeats && stretch.rounds == 4 && stretch.missed == .each)
    #expect(stretch.late == .fireWithin(usec: 7))
    #expect(engine.spec(at: 3).schedule == Schedule(expression: "hourly", zone: "Europe/Berlin"))
    let steps = engine.spec(at: 5).steps
    #expect(steps.map(\.name) == ["work", "rest"] && steps[1].longUsec == 9_000_000)
    #expect(engine.violatedInvariant() == nil)
  }

  @Test
  func `Timers of version 3 can get rings, and both coexist in ledger and chunk`() throws {
    let committer = try DirectCommitter(state)
    #expect(
      try Connection(path: state.databasePath).integer("PRAGMA user_version")
        == Int64(Schema.version))
    #expect(try LedgerReader(folder: state).pendingActions().isEmpty)
    let core = try service(committer)
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    func runIteration(_ body: () throws -> Void) throws {
      core.beginIteration(at: now)
      try body()
      _ = core.endIteration(at: now)
      while let outcome = committer.takeOutcome() {
        try core.commitFinished(outcome, at: now)
        core.journal.commitPending(at: now)
      }
    }
    let ring = EncodedRing(publicJSON: Array(#"{"exec":["a"]}"#.utf8), secretJSON: Array("[]".utf8))
    try runIteration {
      try core.engine.update(core.engine.require("tea"), ring: .some(ring), at: now)
      try core.engine.update(core.engine.require("card"), ring: .some(ring), at: now)
    }
    #expect(try stored(self.service(committer).engine) == stored(core.engine))
    try runIteration {
      for _ in 0..<TimerTable.chunkSlots {
        try core.engine.update(core.engine.require("run"), data: [0x7B, 0x7D], at: now)
      }
      try core.engine.update(core.engine.require("card"), ring: .some(nil), at: now)
    }
    #expect(committer.commits.last?.chunks.first?.index == 0)
    let again = try self.service(committer).engine
    #expect(stored(again) == stored(core.engine))
    #expect(again.attachments(at: 0)?.ring == ring && again.attachments(at: 1)?.ring == nil)
  }

  @Test
  func `Version 4 had no name for its ledger: the ledger gets one, and keeps its contents`() throws
  {
    let other = try TestFolder()
    let state = try StateFolder(path: other.path)
    try Connection(path: state.databasePath).execute(VersionThree.dump + Self.actions)
    _ = try DirectCommitter(state)
    let name = try LedgerReader(folder: state).ledgerName()
    #expect(name.utf8.count == 16)
    _ = try DirectCommitter(state)
    #expect(try LedgerReader(folder: state).ledgerName() == name)
    let connection = try Connection(path: state.databasePath)
    #expect(try connection.integer("SELECT count(*) FROM action") == 1)
    #expect(try connection.integer("SELECT count(*) FROM ledger") == 1)
  }

  /// The tables that version 4 added to those of version 3.
  private static let actions = """
    CREATE TABLE action(
      seq INTEGER NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,
      command TEXT NOT NULL, PRIMARY KEY (seq, number)) WITHOUT ROWID;
    INSERT INTO action VALUES (1, 0, 0, '{}');
    PRAGMA user_version = 4;
    """

  @Test func `Version 5 could correct its last reboot: its data for that is kept`() throws {
    let other = try TestFolder()
    let state = try StateFolder(path: other.path)
    try Connection(path: state.databasePath).execute(
      VersionThree.dump + Self.actions + """
        CREATE TABLE ledger(name TEXT NOT NULL);
        INSERT INTO ledger VALUES ('0123456789abcdef');
        INSERT OR REPLACE INTO span VALUES (900, 'reboot', 1, 7200000000, 1000, 5, 5,
          '00000000000000000000000000000001', 7200001000, 30000000, 30000000,
          '00000000000000000000000000000002');
        UPDATE anchor SET synchronized = 0, boottimeUsec = 40000000, elapsedUsec = 9000000000,
          provisionalSpan = 900, provisionalRealtimeUsec = 1000, provisionalAdvancedUsec = 7200000000,
          provisionalSteppedUsec = -7, provisionalLeftSeq = 3;
        PRAGMA user_version = 5;
        """)
    _ = try DirectCommitter(state)
    let found = try #require(try LedgerReader(folder: state).ledgerState())
    let clock = found.state.clock
    #expect(clock.isOpen && !clock.hasBeenSynchronized && clock.reboots.count == 1)
    #expect(
      clock.base
        == SynchronizedReading(realtimeUsec: 1000, elapsedUsec: 1_790_000_000, steppedUsec: 7))
    #expect(clock.reboots[0].advancedUsec == 7_200_000_000 && clock.reboots[0].leftSeq == 3)
    #expect(clock.reboots[0].span.id == 900 && clock.reboots[0].uptimeUsec == 30_000_000)
  }

  @Test func `A database of version 2 gets everything that was added since, in one migration`()
    throws
  {
    let other = try TestFolder()
    let state = try StateFolder(path: other.path)
    try Connection(path: state.databasePath).execute(VersionTwo.dump)
    _ = try DirectCommitter(state)
    let connection = try Connection(path: state.databasePath)
    #expect(try connection.integer("SELECT count(*) FROM anchor WHERE zone IS NULL") == 1)
    #expect(try connection.integer("SELECT count(*) FROM action") == 0)
    #expect(try LedgerReader(folder: state).ledgerName().utf8.count == 16)
    #expect(try connection.integer("PRAGMA user_version") == Int64(Schema.version))
  }
}
