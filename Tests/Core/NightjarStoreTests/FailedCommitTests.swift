import CSQLite
import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// The remains of a failed commit, with files that fail on demand.
@Suite(.blocking) struct FailedCommitTests {
  private let folder: TestFolder
  private let state: StateFolder
  private let files: FaultyFiles

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
    files = FaultyFiles(folder: folder.path)
  }

  private func writer() throws -> LedgerWriter {
    let writer = try LedgerWriter(folder: state, retention: Retention(), vfs: FaultyFiles.name)
    try writer.begin()
    return writer
  }

  /// A commit with an event row of this length.
  private func commit(_ seq: Int64, bytes: Int = 10) -> Commit {
    let row = [UInt8](repeating: 7, count: bytes)
    return .with(seq, rows: [EventRow(firstSeq: seq, lastSeq: seq, timeUsec: 0, bytes: row)])
  }

  /// The last event that a start would find if the process were killed now: in a copy of the files.
  private func lastSeqAfterKill() throws -> Int64? {
    let other = try TestFolder()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: state.databasePath + suffix, toPath: other.path + "/nightjar.db" + suffix)
    }
    return try LedgerReader(folder: StateFolder(path: other.path)).ledgerState()?.lastSeq
  }

  private func expectFailure(
    _ writer: LedgerWriter, _ commit: Commit, inDoubt: Bool,
    _ place: SourceLocation = #_sourceLocation
  ) {
    do throws(StoreError) {
      try writer.write(commit)
      Issue.record("it did not fail", sourceLocation: place)
    } catch {
      #expect(error.isInDoubt == inDoubt, sourceLocation: place)
      #expect(!error.isLoss, sourceLocation: place)
    }
  }

  @Test func `Each commit syncs the log after its last write, before it returns`() throws {
    let writer = try writer()
    try writer.write(commit(1))
    for seq: Int64 in 2...4 {
      _ = files.takeOperations()
      try writer.write(commit(seq))
      let operations = files.takeOperations().filter { $0 != .write("db") && $0 != .sync("db") }
      #expect(operations.contains(.write("wal")))
      #expect(operations.last == .sync("wal"))
    }
  }

  @Test func `If a sync failed and the daemon is killed before it tries again, the change is gone`()
    throws
  {
    let writer = try writer()
    try writer.write(commit(1))
    for _ in 0..<3 {
      files.failNextSync()
      expectFailure(writer, commit(2, bytes: 20_000), inDoubt: true)
      #expect(try lastSeqAfterKill() == 1)
    }
  }

  @Test func `A commit of a single page whose sync failed is not there after a kill`() throws {
    let writer = try writer()
    try writer.write(commit(1))
    var anchorOnly = commit(2)
    anchorOnly.rows = []
    files.failNextSync()
    expectFailure(writer, anchorOnly, inDoubt: true)
    #expect(try lastSeqAfterKill() == 1)
  }

  @Test func `A first commit of a run whose sync failed is not there after a kill`() throws {
    var first: LedgerWriter? = try writer()
    for seq: Int64 in 1...3 { try first?.write(commit(seq)) }
    first = nil
    let second = try writer()
    // The first sync is that of the checkpoint that finds the end of the log.
    files.failNextSync(after: 1)
    expectFailure(second, commit(4), inDoubt: true)
    #expect(try lastSeqAfterKill() == 3)
  }

  @Test(arguments: [0, 1])
  func `A failed commit that begins the log anew is gone after a kill`(syncs: Int) throws {
    let writer = try writer()
    for seq: Int64 in 1...3 { try writer.write(commit(seq)) }
    // The whole log is in the database: the next commit begins at the front of the log.
    #expect(try writer.connection.checkpoint().isComplete)
    files.failNextSync(after: syncs)
    expectFailure(writer, commit(4), inDoubt: true)
    #expect(try lastSeqAfterKill() == 3)
    try writer.write(commit(4))
    #expect(try writer.connection.checkpoint().isComplete)
    _ = files.takeOperations()
    try writer.write(commit(5))
    #expect(try lastSeqAfterKill() == 5)
  }

  @Test func `The next try writes its frames anew before it syncs, and they are there`() throws {
    let writer = try writer()
    try writer.write(commit(1))
    files.failNextSync()
    expectFailure(writer, commit(2), inDoubt: true)
    _ = files.takeOperations()
    try writer.write(commit(2))
    let operations = files.takeOperations()
    let sync = try #require(operations.firstIndex(of: .sync("wal")))
    #expect(operations[..<sync].contains(.write("wal")))
    #expect(try lastSeqAfterKill() == 2)
    try writer.write(commit(3))
    #expect(try lastSeqAfterKill() == 3)
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR | 3 << 8])
  func `A change that could not be written is gone, without doubt`(_ code: Int32) throws {
    let writer = try writer()
    try writer.write(commit(1))
    files.failNextWrite(code)
    expectFailure(writer, commit(2), inDoubt: false)
    #expect(try lastSeqAfterKill() == 1)
    try writer.write(commit(2))
    #expect(try lastSeqAfterKill() == 2)
  }

  @Test func `A commit that fails in its middle leaves no transaction open`() throws {
    let writer = try writer()
    try writer.write(commit(1))
    // The number of its row exists already.
    #expect(throws: StoreError.self) { try writer.write(commit(1)) }
    #expect(!writer.connection.isInTransaction)
  }

  @Test func `Only a sync that failed leaves doubt`() {
    #expect(StoreError.sqlite(code: SQLITE_IOERR | 4 << 8, message: "").isInDoubt)
    for error: StoreError in [
      .sqlite(code: SQLITE_FULL, message: ""), .sqlite(code: SQLITE_IOERR | 3 << 8, message: ""),
      .folder("/x", "it is full"), .removed("the log was removed"), .damaged("it is wet"),
    ] { #expect(!error.isInDoubt) }
  }

  @Test func `A clean end empties the log, and the next run extends it again`() throws {
    var first: LedgerWriter? = try writer()
    for seq: Int64 in 1...3 { try first?.write(commit(seq)) }
    #expect(first?.finish() != nil)
    #expect(first?.takeNotices() == [])
    first = nil
    let log = state.databasePath + "-wal"
    #expect(FileIdentity(path: log)?.size ?? 0 == 0)
    let second = try writer()
    #expect(FileIdentity(path: log)?.size == Int64(LogFile.grownBytes))
    #expect(try LedgerReader(folder: state).ledgerState()?.lastSeq == 3)
    try second.write(commit(4))
    #expect(try lastSeqAfterKill() == 4)
  }

  @Test func `The log is copied into the database, and does not grow without limit`() throws {
    let writer = try writer()
    for seq: Int64 in 1...40 { try writer.write(commit(seq, bytes: 200_000)) }
    #expect(writer.takeNotices() == [])
    #expect(FileIdentity(path: state.databasePath + "-wal")?.size ?? 0 < 6_000_000)
    #expect(FileIdentity(path: state.databasePath)?.size ?? 0 > 4_000_000)
    #expect(try lastSeqAfterKill() == 40)
  }
}
