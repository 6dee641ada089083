import Foundation
import NightjarEngine
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// The database, with real files.
@Suite(.blocking) struct LedgerTests {
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
  }

  /// Writes to the database and to a simulated disk, which must then have the same contents.
  private final class Both: Committer {
    let writer: LedgerWriter
    let disk = SimulatedDisk()

    init(_ folder: StateFolder) throws(StoreError) {
      writer = try LedgerWriter(folder: folder, retention: Retention())
    }

    func submit(_ commit: Commit) {
      disk.submit(commit)
      do throws(StoreError) { try writer.write(commit) } catch { Issue.record(error) }
    }
  }

  private struct Packed: Equatable {
    var numbers: [Int64]
    var bytes: [UInt8]
  }

  private func rows(_ reader: any LedgerReading, after seq: Int64) throws -> [Packed] {
    var rows: [Packed] = []
    try reader.forEachRow(after: seq) { firstSeq, bytes throws(StoreError) in
      rows.append(Packed(numbers: [firstSeq], bytes: Array(bytes)))
      return true
    }
    return rows
  }

  private func chunks(_ reader: any LedgerReading) throws -> [Packed] {
    var chunks: [Packed] = []
    try reader.forEachChunk { index, seq, bytes throws(StoreError) in
      chunks.append(Packed(numbers: [Int64(index), seq], bytes: Array(bytes)))
    }
    return chunks
  }

  private func expectSame(_ a: any LedgerReading, _ b: any LedgerReading) throws {
    #expect(try a.ledgerState() == b.ledgerState())
    #expect(try chunks(a) == chunks(b))
    #expect(try a.oldestSeq() == b.oldestSeq())
    let last = try b.ledgerState()?.lastSeq ?? 0
    for seq in [0, 1, last / 2, last - 1, last, last + 1] where seq >= 0 {
      #expect(try rows(a, after: seq) == rows(b, after: seq))
      #expect(try a.event(seq) == b.event(seq))
    }
    for time in [Int64.min, EventSamples.moment.realtimeUsec, .max] {
      for limit in [1, 3, 1000] {
        #expect(try a.spans(since: time, limit: limit) == b.spans(since: time, limit: limit))
      }
    }
  }

  @Test func `Commits are read back from the database as from a simulated disk`() throws {
    let both = try Both(state)
    var clocks = SimulatedClocks()
    for run in 0..<4 {
      let reader = try LedgerReader(folder: state)
      try expectSame(reader, both.disk)
      let core = try TimerCore(
        reader: reader, committer: both, calendar: NoCalendar(), maximumTimers: 10_000,
        at: clocks.now)
      core.start(at: clocks.now, downSince: nil, synchronized: run % 2 == 0, zone: ("UTC", 1))
      try play(core, &clocks, both.disk, run: run)
      try expectSame(reader, both.disk)
      if run == 1 { clocks.reboot(offUsec: 5_000_000, uptimeUsec: 1_000_000) }
    }
  }

  /// Timers, all kinds of spans, and the state at the end of each iteration.
  private func play(
    _ core: TimerCore, _ clocks: inout SimulatedClocks, _ disk: SimulatedDisk, run: Int
  ) throws {
    func runIteration(_ body: (Moment) throws -> Void) throws {
      core.beginIteration(at: clocks.now)
      try body(clocks.now)
      while core.endIteration(at: clocks.now).isMoreDue {}
      while let error = disk.settle(.durable) {
        try core.commitFinished(error, at: clocks.now)
        core.journal.commitPending(at: clocks.now)
      }
    }
    for round in 0..<6 {
      try runIteration { now in
        for index in 0..<90 {
          _ = try core.engine.start(
            "t/\(run)/\(round)/\(index)", durationUsec: Int64(index + 1) * 100_000,
            clock: Timeline.allCases[index % 3],
            attachments: index % 9 == 0 ? EventSamples.attachments : Attachments(), replace: true,
            at: now)
        }
        if round % 4 == 1 { core.background.enter(.stop, at: now) }
        if round % 4 == 2 { core.background.enter(.sleep, at: now) }
      }
      clocks.sleep(usec: 3_000_000)
      clocks.advance(usec: 2_000_000)
      clocks.step(usec: Int64(round) * 9_000)
      try runIteration { now in
        core.background.leave(.stop, at: now)
        if round % 4 == 3 { core.background.leave(.sleep, at: now) }
        core.background.note(synchronized: round % 5 == 0, at: now)
      }
    }
    if run % 2 == 0 { try runIteration { core.background.enter(.down, at: $0) } }
  }

  @Test func `A reboot into 1970 is among the spans since the time before it`() throws {
    let writer = try LedgerWriter(folder: state, retention: Retention())
    let reader = try LedgerReader(folder: state)
    var reboot = EventSamples.left
    let enteredUsec: Int64 = 1_700_000_000_000_000
    reboot.entered.realtimeUsec = enteredUsec
    reboot.left?.realtimeUsec = 20_000_000
    reboot.elapsedUsec = 20_000_000
    try writer.write(.with(8, spans: [reboot]))
    #expect(try reader.spans(since: enteredUsec - 1, limit: 9) == [reboot])
    #expect(try reader.spans(since: enteredUsec + 1, limit: 9) == [])
    // Once it is corrected, it ends after its beginning.
    reboot.left?.realtimeUsec = enteredUsec + 60_000_000
    reboot.elapsedUsec = 60_000_000
    try writer.write(.with(8, spans: [reboot]))
    #expect(try reader.spans(since: enteredUsec - 1, limit: 9) == [reboot])
  }

  @Test func `The clocks, an open stop and the state of the wall clock are read back`() throws {
    let writer = try LedgerWriter(folder: state, retention: Retention())
    let reader = try LedgerReader(folder: state)
    #expect(try reader.ledgerState() == nil)
    #expect(try reader.oldestSeq() == nil)
    #expect(try reader.event(1) == nil)
    var reboot = UncertainReboot(
      span: EventSamples.left, leftElapsedUsec: 99, wallUsec: -7, uptimeUsec: 5)
    reboot.leftSeq = 4
    reboot.lastLeftSeq = 5
    reboot.surplusUsec = 6
    var clock = WallClockState()
    clock.base = SynchronizedReading(realtimeUsec: -3, elapsedUsec: 12, steppedUsec: 77)
    clock.last = SynchronizedReading(realtimeUsec: 1 << 50, elapsedUsec: 13)
    clock.inDoubtSinceUsec = -1
    clock.hasBeenSynchronized = true
    clock.reboots = [reboot, reboot]
    clock.undecided = [
      UndecidedSpan(
        id: 9, elapsedUsec: 8, enteredSeq: 7,
        entered: Counters(elapsedUsec: 6, awakeUsec: -5), enteredPresentUsec: -7)
    ]
    clock.answered = [true, false].map { isOnWall in
      let estimate = Estimate(
        seq: 4, countedFrom: 3,
        interruption: isOnWall ? nil : Interruption(pausedSeq: 5, resumedSeq: 6),
        isOnWall: isOnWall)
      let sound = Reached(atUsec: 9, lateUsec: -77, cause: .reboot, span: 8, estimate: estimate)
      return AnsweredRing(sound, answeredSeq: 5)
    }
    var open = EventSamples.open
    open.id = 10
    var stored = BackgroundState(
      anchor: Anchor(
        moment: EventSamples.moment, elapsedUsec: 5, awakeUsec: -6, synchronized: true), open: open,
      last: EventSamples.left, enteredAwakeUsec: -9, stoppedMonotonicUsec: 3, clock: clock)
    let away = Span(id: 11, causes: [.away], entered: EventSamples.moment)
    var wasAway = away
    (wasAway.id, wasAway.left) = (12, EventSamples.moment)
    stored.absence = Absence(usec: 70, sinceAwakeUsec: -71)
    stored.enteredPresentUsec = -72
    stored.openAbsence = away
    let spans = [EventSamples.left, open, away, wasAway]
    try writer.write(.with(8, spans: spans, state: stored))
    // An absence counts neither as the open span nor as the last one left.
    #expect(
      try reader.ledgerState()
        == LedgerState(state: stored, nextSpanID: 13, lastSeq: 8, chunkCount: 0))
    #expect(try reader.spans(since: 0, limit: 10) == spans)
    #expect(
      try reader.spans(since: EventSamples.moment.realtimeUsec + 1, limit: 10)
        == [open, away, wasAway])
  }

  @Test func `Each ledger has a name of its own, and one without a name is damaged`() throws {
    let (one, other) = (try TestFolder(), try TestFolder())
    let state = try StateFolder(path: one.path)
    _ = try DirectCommitter(state)
    let name = try LedgerReader(folder: state).ledgerName()
    #expect(try LedgerReader(folder: state).ledgerName() == name)
    let elsewhere = try StateFolder(path: other.path)
    _ = try DirectCommitter(elsewhere)
    #expect(try LedgerReader(folder: elsewhere).ledgerName() != name)
    try Connection(path: state.databasePath).execute("DELETE FROM ledger")
    #expect(throws: StoreError.damaged("the ledger has no name")) {
      try LedgerReader(folder: state).ledgerName()
    }
  }

  @Test func `A newer schema is refused, with both versions`() throws {
    _ = try LedgerWriter(folder: state, retention: Retention())
    try Connection(path: state.databasePath).execute("PRAGMA user_version = \(Schema.version + 1)")
    #expect(throws: StoreError.newerSchema(Schema.version + 1, ours: Schema.version)) {
      try LedgerWriter(folder: state, retention: Retention())
    }
  }

  @Test func `A database of another program is refused and left as it is`() throws {
    try Connection(path: state.databasePath).execute(
      "CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)")
    #expect(throws: StoreError.self) { try LedgerWriter(folder: state, retention: Retention()) }
    let theirs = try Connection(path: state.databasePath)
    #expect(try theirs.integer("SELECT x FROM theirs") == 1)
    #expect(try theirs.integer("SELECT count(*) FROM sqlite_schema") == 1)
  }

  @Test func `A file that is not a database is refused with SQLite's message`() throws {
    try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: state.databasePath))
    #expect {
      try LedgerWriter(folder: state, retention: Retention())
    } throws: { error in
      if case StoreError.sqlite(26, _) = error { true } else { false }
    }
  }

  @Test func `A database has our application ID, is synced, and has an extended log`() throws {
    let writer = try LedgerWriter(folder: state, retention: Retention())
    try writer.begin()
    let log = try FileManager.default.attributesOfItem(atPath: state.databasePath + "-wal")
    #expect((log[.size] as? NSNumber)?.intValue ?? 0 > 1_000_000)
    let other = try Connection(path: state.databasePath)
    #expect(try other.integer("PRAGMA application_id") == Int64(Schema.applicationID))
    #expect(try other.integer("PRAGMA user_version") == Int64(Schema.version))
    #expect(try other.text("PRAGMA journal_mode") == "wal")
    #expect(try other.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 7)
  }

  @Test(arguments: [
    "UPDATE event SET firstSeq = 9223372036854775807 WHERE firstSeq = (SELECT max(firstSeq) FROM event)",
    "UPDATE event SET firstSeq = -9223372036854775808 WHERE firstSeq = (SELECT max(firstSeq) FROM event)",
    "UPDATE event SET events = x'00'", "UPDATE event SET events = 'text'",
    "UPDATE chunk SET number = -1 WHERE number = (SELECT max(number) FROM chunk)",
    "UPDATE chunk SET number = 9223372036854775807 WHERE number = (SELECT max(number) FROM chunk)",
    "UPDATE chunk SET validAtSeq = 9223372036854775807",
    "UPDATE chunk SET validAtSeq = -9223372036854775808", "UPDATE chunk SET timers = x''",
    "UPDATE anchor SET boot = 'x'", "UPDATE anchor SET lastSeq = 9223372036854775807",
    "UPDATE anchor SET lastSeq = -9223372036854775808",
    "UPDATE anchor SET elapsedUsec = 9223372036854775807",
    "UPDATE anchor SET awakeUsec = -9223372036854775808",
    "UPDATE anchor SET boottimeUsec = 9223372036854775807",
    "UPDATE anchor SET realtimeUsec = -9223372036854775808",
    "UPDATE span SET causes = 'boredom'",
    "UPDATE span SET id = 9223372036854775807 WHERE id = (SELECT max(id) FROM span)",
    "UPDATE span SET enteredBoot = ''", "UPDATE span SET elapsedUsec = -1",
    "UPDATE span SET enteredBoottimeUsec = -9223372036854775808, leftUsec = NULL",
    "DELETE FROM anchor", "DELETE FROM event", "DELETE FROM chunk", "DELETE FROM span",
  ])
  func `Impossible numbers in the tables are damage, and cause no trap`(_ sql: String) throws {
    let both = try Both(state)
    var clocks = SimulatedClocks()
    let core = try TimerCore(
      reader: try LedgerReader(folder: state), committer: both, calendar: NoCalendar(),
      maximumTimers: 10_000, at: clocks.now)
    core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    try play(core, &clocks, both.disk, run: 0)
    try Connection(path: state.databasePath).execute("PRAGMA ignore_check_constraints = 1; \(sql)")
    do throws(StoreError) {
      let next = try TimerCore(
        reader: try LedgerReader(folder: state), committer: SimulatedDisk(),
        calendar: NoCalendar(), maximumTimers: 10_000, at: clocks.now)
      next.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
      next.beginIteration(at: clocks.now)
      _ = next.endIteration(at: clocks.now)
    } catch {
      #expect("\(error)".contains("damaged") || "\(error)".contains("database"))
    }
  }

  @Test(.enabled(if: Mount.isPossible))
  func `On a full disk commits fail, earlier ones stay, and with room it works again`() throws {
    let mount = try Mount(options: "size=512k")
    let state = try StateFolder(path: mount.path)
    let committer = try DirectCommitter(state)
    let reader = try LedgerReader(folder: state)
    let clocks = EventSamples.Clocks()
    let core = try TimerCore(
      reader: reader, committer: committer, calendar: NoCalendar(), maximumTimers: 100_000,
      at: clocks.now)
    core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    var acknowledged = 0
    var failure: StoreError?
    while failure == nil, acknowledged < 10_000 {
      _ = try core.engine.start(
        "t\(acknowledged)", durationUsec: 1000, clock: .elapsed,
        attachments: Attachments(data: [UInt8](repeating: 0x20, count: 4000)), at: clocks.now)
      _ = core.endIteration(at: clocks.now)
      failure = try #require(committer.takeOutcome())
      try core.commitFinished(failure, at: clocks.now)
      if failure == nil { acknowledged += 1 }
    }
    // 13 is SQLITE_FULL; memory mapped for the log reports the same as an I/O error.
    guard case .sqlite(let code, _) = failure, code & 0xFF == 13 || code & 0xFF == 10 else {
      Issue.record("it was \(String(describing: failure))")
      return
    }
    #expect(acknowledged > 10)
    #expect(core.journal.failure != nil)
    #expect(core.engine.counts == [acknowledged, 0, 0, 0, 0])
    #expect(try reader.ledgerState()?.lastSeq == Int64(acknowledged))

    try mount.grow()
    _ = try core.engine.start("tea", durationUsec: 1000, clock: .elapsed, at: clocks.now)
    core.journal.retry(at: clocks.now)
    #expect(try #require(committer.takeOutcome()) == nil)
    try core.commitFinished(nil, at: clocks.now)
    #expect(core.journal.failure == nil)
    #expect(try reader.event(Int64(acknowledged + 1))?.subject?.name == "tea")
  }
}

extension LedgerReading {
  /// The event with this number; nil if it is not stored any more.
  fileprivate func event(_ seq: Int64) throws(StoreError) -> Event? {
    try row(of: seq).first { $0.seq == seq }
  }
}
