import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// A database that lost something while no daemon had it open: the loss is detected and reported,
/// and the rest is used.
@Suite(.blocking) struct LossTests {
  private static let names = (1...50).map { "t\($0)" }

  /// The folder that 50 starts and a cancellation leave when the daemon is killed.
  private func killed() throws -> TestFolder { try left { _ in } }

  /// The same after a clean end.
  private func ended() throws -> TestFolder { try left { $0.end() } }

  private func left(by end: (StoreRun) -> Void) throws -> TestFolder {
    let folder = try TestFolder()
    let run = try StoreRun(folder)
    for name in Self.names { try run.start(name) }
    try run.cancel("t50")
    end(run)
    return try run.copy()
  }

  /// Everything is there, or the loss is reported; a timer that was cancelled never runs again
  /// without a report.
  private func expectHonest(_ folder: TestFolder, _ comment: Comment) throws {
    do throws(StoreError) {
      let state = try StateFolder(path: folder.path)
      let thread = try CommitThread(folder: state, stamp: 1)
      let reader = try LedgerReader(folder: state)
      let core = try TimerCore(
        reader: reader, committer: thread, calendar: NoCalendar(), maximumTimers: 100_000,
        at: EventSamples.moment)
      guard thread.loss == nil else { return }
      #expect(core.engine.counts == [49, 0, 0, 1, 0], comment)
      #expect(core.engine.lastSeq == 51, comment)
    } catch { #expect(error.isDamage, comment) }
  }

  @Test func `An intact database is no loss, after a kill and after a clean end`() throws {
    for folder in [try killed(), try ended()] {
      let run = try StoreRun(folder)
      #expect(run.thread.loss == nil)
      #expect(run.running == Set(Self.names.dropLast()))
      #expect(try run.seqs().prefix(51) == Array(1...51)[...])
    }
  }

  @Test func `A clean end leaves everything in the database: the log may be removed`() throws {
    let folder = try ended()
    #expect(try Data(contentsOf: folder.url("nightjar.db-wal")).isEmpty)
    #expect(try Data(contentsOf: folder.url("nightjar.db-witness")).count == 128)
    try folder.remove("nightjar.db-wal")
    let run = try StoreRun(folder)
    #expect(run.thread.loss == nil)
    #expect(run.running == Set(Self.names.dropLast()))
  }

  @Test func `A removed log is a loss with its numbers, and the rest is used and copied`() throws {
    let folder = try killed()
    let before = try Data(contentsOf: folder.url("nightjar.db"))
    try folder.remove("nightjar.db-wal")
    let run = try StoreRun(folder)
    let loss = try #require(run.thread.loss)
    #expect(loss.missing == 1...51)
    #expect(loss.setAside == "nightjar.db.damaged-1")
    #expect(try Data(contentsOf: folder.url("nightjar.db.damaged-1")) == before)
    // Numbers that were used are not used again.
    try run.start("new")
    #expect(run.core.engine.lastSeq > 51)
    #expect(run.running == ["new"])
    run.end()
    let next = try StoreRun(try run.copy())
    #expect(next.thread.loss == nil)
    #expect(next.running == ["new"])
  }

  @Test func `A restored backup is used, reported as older, and copied`() throws {
    let folder = try TestFolder()
    let run = try StoreRun(folder)
    try run.start("a", "b")
    let backup = try run.copy()
    try run.start("c")
    try run.cancel("a")
    run.end()
    let latest = try run.copy()
    for suffix in ["", "-wal"] {
      try? latest.remove("nightjar.db" + suffix)
      try FileManager.default.copyItem(
        at: backup.url("nightjar.db" + suffix), to: latest.url("nightjar.db" + suffix))
    }
    let next = try StoreRun(latest)
    #expect(next.thread.loss?.missing == 3...4)
    #expect(next.running == ["a", "b"])
    #expect(try next.seqs().prefix(2) == [1, 2])
    // The next number follows all that were ever acknowledged; those in between are recorded as
    // lost.
    #expect(try next.seqs().dropFirst(2).first == 5)
    next.end()
    let last = try StoreRun(try next.copy())
    #expect(last.thread.loss == nil)
    #expect(last.running == ["a", "b"])
  }

  @Test func `Events that are missing without a row that says so are reported as missing`() throws {
    let folder = try ended()
    let connection = try Connection(path: folder.url("nightjar.db").path)
    let row = "(SELECT firstSeq FROM event ORDER BY firstSeq LIMIT 1 OFFSET 1)"
    let numbers = try connection.prepare(
      "SELECT firstSeq, lastSeq FROM event WHERE firstSeq = \(row)")
    _ = try numbers.step()
    let missing = "events \(numbers.integer(0)) to \(numbers.integer(1)) are missing"
    try connection.execute("DELETE FROM event WHERE firstSeq = \(row)")
    let reader = try LedgerReader(folder: try StateFolder(path: folder.path))
    #expect(throws: StoreError.damaged(missing)) {
      try reader.forEachEvent(after: 0) { _ in true }
    }
    // The oldest rows may be missing.
    try connection.execute("DELETE FROM event WHERE firstSeq < \(row)")
    #expect(throws: Never.self) { try reader.forEachEvent(after: 0) { _ in true } }
  }

  @Test func `Without a witness no loss is reported`() throws {
    let folder = try killed()
    try folder.remove("nightjar.db-wal")
    try folder.remove("nightjar.db-witness")
    #expect(try StoreRun(folder).thread.loss == nil)
  }

  @Test func `A database of another ledger than the witness's is reported and used`() throws {
    let (folder, other) = (try ended(), try ended())
    try folder.remove("nightjar.db")
    try FileManager.default.copyItem(at: other.url("nightjar.db"), to: folder.url("nightjar.db"))
    let run = try StoreRun(folder)
    #expect(run.thread.loss?.reason.contains("ledger") == true)
    #expect(run.running == Set(Self.names.dropLast()))
    #expect(try StoreRun(try run.copy()).thread.loss == nil)
  }

  @Test(arguments: [true, false])
  func
    `If a database was emptied or removed beside its log, the log is set aside before SQLite deletes it`(
      isRemoved: Bool
    ) throws
  {
    let folder = try killed()
    let log = try Data(contentsOf: folder.url("nightjar.db-wal"))
    if isRemoved {
      try folder.remove("nightjar.db")
    } else {
      try folder.truncate("nightjar.db", to: 0)
    }
    let run = try StoreRun(folder)
    let loss = try #require(run.thread.loss)
    #expect(loss.missing == 1...51)
    #expect(try Data(contentsOf: folder.url("nightjar.db.damaged-1-wal")) == log)
    #expect(run.running == [])
    try run.start("new")
    run.end()
    #expect(try StoreRun(try run.copy()).running == ["new"])
  }

  @Test func `The checksum goes when another run begins, which may change the database`() throws {
    let folder = try ended()
    let path = Witness.path(of: folder.url("nightjar.db").path)
    #expect(try Witness.read(path)?.databaseChecksum != nil)
    let writer = try LedgerWriter(folder: StateFolder(path: folder.path), retention: Retention())
    try writer.begin()
    #expect(try Witness.read(path)?.databaseChecksum == nil)
  }

  @Test func `A log beside an empty database shows that there was one`() throws {
    let folder = try killed()
    try folder.remove("nightjar.db-witness")
    try folder.truncate("nightjar.db", to: 0)
    let run = try StoreRun(folder)
    let loss = try #require(run.thread.loss)
    #expect(loss.missing == nil && loss.setAside == "nightjar.db.damaged-1")
  }

  @Test(arguments: [
    [], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 5000),
    Array("It was a dark night.".utf8),
  ])
  func `A witness without content is reported`(bytes: [UInt8]) throws {
    for folder in [try killed(), try ended()] {
      try Data(bytes).write(to: folder.url("nightjar.db-witness"))
      let run = try StoreRun(folder)
      #expect(run.thread.loss == nil)
      #expect(run.thread.warning?.contains("nightjar.db-witness") == true)
      // This run has written a new witness.
      run.end()
      #expect(try StoreRun(try run.copy()).thread.warning == nil)
    }
  }

  @Test func `A missing witness does not count as unreadable`() throws {
    let folder = try killed()
    try folder.remove("nightjar.db-witness")
    #expect(try StoreRun(folder).thread.warning == nil)
    #expect(try StoreRun(try TestFolder()).thread.warning == nil)
  }

  @Test func `A database that was removed after a clean end is a loss`() throws {
    let folder = try ended()
    try folder.remove("nightjar.db")
    let run = try StoreRun(folder)
    #expect(run.thread.loss?.missing == 1...51)
  }

  @Test func `No bit that is flipped in the database after a clean end goes unnoticed`() throws {
    let folder = try ended()
    let whole = try Data(contentsOf: folder.url("nightjar.db"))
    // The headers of the file and of its tables, bit by bit, and then samples.
    var bits: Set<Int> = Set(stride(from: 0, to: 960, by: 7))
    for page in 1..<min(9, whole.count / 4096) {
      let first: Int = page * 32_768
      bits.formUnion(stride(from: first, to: first + 96, by: 5))
    }
    bits.formUnion(stride(from: 0, to: whole.count * 8, by: 16_007))
    for bit in bits {
      try folder.flip(bit: bit, of: "nightjar.db")
      let copy = try folder.duplicate()
      var isNoticed = false
      do throws(StoreError) {
        let state = try StateFolder(path: copy.path)
        isNoticed = try OpenedLedger(state, retention: Retention(), stamp: 1).loss != nil
      } catch { isNoticed = true }
      #expect(isNoticed, "bit \(bit)")
      try whole.write(to: folder.url("nightjar.db"))
    }
  }

  @Test func `A database that was changed between two runs is reported and used`() throws {
    let folder = try ended()
    try Connection(path: folder.url("nightjar.db").path).execute(
      "CREATE TABLE other(x); DROP TABLE other; VACUUM")
    try Connection(path: folder.url("nightjar.db").path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let run = try StoreRun(folder)
    #expect(run.thread.loss?.reason.contains("changed") == true)
    #expect(run.running == Set(Self.names.dropLast()))
    run.end()
    #expect(try StoreRun(try run.copy()).thread.loss == nil)
  }

  @Test func `A folder that was never used has lost nothing`() throws {
    let folder = try TestFolder()
    #expect(try StoreRun(folder).thread.loss == nil)
    // Killed before its first commit, with a log that was only extended.
    let other = try TestFolder()
    let state = try StateFolder(path: other.path)
    _ = try CommitThread(folder: state)
    #expect(try CommitThread(folder: state).loss == nil)
  }

  @Test func `If a bit of the log flips, a timer that is lost or comes back is reported`() throws {
    let folder = try killed()
    let whole = try Data(contentsOf: folder.url("nightjar.db-wal"))
    let frames = LogFile.bytes(frames: 60) * 8
    let header = Array(stride(from: 0, to: 32 * 8, by: 5))
    for bit in header + Array(stride(from: 32 * 8, to: frames, by: 40_009)) {
      try folder.flip(bit: bit, of: "nightjar.db-wal")
      try expectHonest(try folder.duplicate(), "bit \(bit)")
      try whole.write(to: folder.url("nightjar.db-wal"))
    }
  }

  @Test func `Wherever a log is cut, it is reported if a timer is lost, or runs again`() throws {
    let folder = try killed()
    let whole = try Data(contentsOf: folder.url("nightjar.db-wal"))
    for count in stride(from: 0, to: LogFile.bytes(frames: 60), by: 10_007) {
      try whole.prefix(count).write(to: folder.url("nightjar.db-wal"))
      try expectHonest(try folder.duplicate(), "\(count) bytes")
    }
  }
}

extension TestFolder {
  /// A folder with the same files.
  func duplicate() throws -> TestFolder {
    let other = try TestFolder()
    for file in try files.filter({ $0 != "lock" }) {
      try FileManager.default.copyItem(at: url(file), to: other.url(file))
    }
    return other
  }
}
