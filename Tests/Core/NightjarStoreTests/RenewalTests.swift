import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// Files that are removed, cut short or damaged while a daemon runs: the daemon writes a new
/// database from memory, and loses no acknowledged change.
@Suite(.blocking) struct RenewalTests {
  private let folder: TestFolder
  private let run: StoreRun

  init() throws {
    folder = try TestFolder()
    run = try StoreRun(folder)
    try run.start("a", "b", "c")
  }

  /// What happens to the files while the daemon runs.
  struct Damage: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// What the report says.
    var reason = "nightjar.db"
    var isLogLost = false
    var cause: @Sendable (TestFolder) throws -> Void
  }

  static let damages = [
    Damage(testDescription: "The database is removed", reason: "removed") {
      try $0.remove("nightjar.db")
    },
    Damage(testDescription: "The log is replaced by another file", reason: "") {
      try $0.remove("nightjar.db-wal")
      try Data(repeating: 0, count: 2_000_000).write(to: $0.url("nightjar.db-wal"))
    },
    Damage(testDescription: "The log is replaced by a folder", reason: "") {
      try $0.remove("nightjar.db-wal")
      try FileManager.default.createDirectory(
        at: $0.url("nightjar.db-wal"), withIntermediateDirectories: false)
    },
    Damage(testDescription: "The database becomes a symbolic link", reason: "") {
      try FileManager.default.moveItem(at: $0.url("nightjar.db"), to: $0.url("elsewhere"))
      try FileManager.default.createSymbolicLink(
        at: $0.url("nightjar.db"), withDestinationURL: $0.url("elsewhere"))
    },
    Damage(testDescription: "Another user puts a journal beside the database", reason: "") {
      try Data("planted".utf8).write(to: $0.url("nightjar.db-journal"))
      try #require(chmod($0.url("nightjar.db-journal").path, 0o666) == 0)
    },
    Damage(testDescription: "The log is cut short", reason: "cut short", isLogLost: true) {
      try #require(truncate($0.url("nightjar.db-wal").path, 0) == 0)
    },
    Damage(testDescription: "The log is cut within a frame", reason: "", isLogLost: true) {
      try #require(truncate($0.url("nightjar.db-wal").path, 5000) == 0)
    },
  ]

  private static let modes =
    [
      ("", 0o666), ("", 0o620), ("-wal", 0o666), ("-wal", 0o620), ("-shm", 0o666),
      ("-shm", 0o620), ("-witness", 0o666), ("-witness", 0o620),
      // Its owner may not write it any more.
      ("", 0o400), ("-wal", 0o400),
    ].map { (suffix: String, mode: mode_t) in
      Damage(testDescription: "nightjar.db\(suffix) gets the mode \(String(mode, radix: 8))") {
        try #require(chmod($0.url("nightjar.db" + suffix).path, mode) == 0)
      }
    }

  @Test(arguments: damages + modes)
  func `A damaged file gives way to a whole new database`(_ damage: Damage) throws {
    try damage.cause(folder)
    let loss = try expectRenewed(isLogLost: damage.isLogLost)
    #expect(loss.reason.contains(damage.reason) || damage.reason.isEmpty)
    let attributes = try FileManager.default.attributesOfItem(atPath: run.state.databasePath)
    #expect(attributes[.type] as? FileAttributeType == .typeRegular)
    #expect(try !folder.files.contains("nightjar.db-journal"))
  }

  /// Expects that the next change is acknowledged, and that everything is there after a kill.
  private func expectRenewed(
    isLogLost: Bool = false, by place: SourceLocation = #_sourceLocation
  ) throws -> StorageLoss {
    let name = run.core.ledgerName
    try run.start("d")
    #expect(run.published.last == 4, sourceLocation: place)
    let loss = try #require(run.losses.last, sourceLocation: place)
    // Data that SQLite still has in memory can be copied as well.
    #expect(loss.missing == nil || isLogLost, sourceLocation: place)
    #expect(run.failures.isEmpty, sourceLocation: place)
    let next = try StoreRun(try run.copy())
    #expect(next.running == ["a", "b", "c", "d"], sourceLocation: place)
    #expect(next.thread.loss == nil, sourceLocation: place)
    // Clients continue where they were.
    #expect(next.core.ledgerName == name, sourceLocation: place)
    let first = loss.missing.map { $0.upperBound + 1 } ?? 1
    #expect(try run.seqs() == Array(first...4), sourceLocation: place)
    // From then on everything works.
    try run.start("e")
    #expect(run.losses.count == 1, sourceLocation: place)
    #expect(
      try StoreRun(try run.copy()).running == ["a", "b", "c", "d", "e"], sourceLocation: place)
    return loss
  }

  @Test func `A log that is removed while the daemon runs is noticed, and nothing is lost`()
    throws
  {
    try folder.remove("nightjar.db-wal")
    let loss = try expectRenewed()
    #expect(loss.reason.contains("log was removed"))
    #expect(
      loss.setAside == "nightjar.db.damaged-\(EventSamples.moment.realtimeUsec / 1_000_000 + 1)")
  }

  @Test(arguments: ["", "-wal", "-shm", "-witness"])
  func `A file that is given to another user is written anew`(suffix: String) throws {
    guard !Root.isMissing(for: "a database of another user") else { return }
    try #require(chown(run.state.databasePath + suffix, 4242, 4242) == 0)
    _ = try expectRenewed()
  }

  @Test func `A lock that is removed or replaced is created anew with the next commit`() throws {
    for content in [nil, "4711\n"] {
      try folder.remove("lock")
      if let content { try Data(content.utf8).write(to: folder.url("lock")) }
      try run.start("d")
      #expect(run.losses.isEmpty && run.failures.isEmpty)
      #expect(throws: StoreError.locked(folder.path, pid: getpid())) {
        try StateFolder(path: folder.path)
      }
      #expect(try Data(contentsOf: folder.url("lock")) == Data("\(getpid())\n".utf8))
    }
  }

  @Test func `While another process holds the lock, no change is acknowledged`() throws {
    try folder.remove("lock")
    let other = open(folder.url("lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(other >= 0 && flock(other, LOCK_EX | LOCK_NB) == 0)
    try run.start("d")
    #expect(run.failures.map(\.inDoubt) == [false])
    #expect(run.failures.last?.reason.contains("is in use by") == true)
    #expect(run.running == ["a", "b", "c"])
    // Closing it is not enough: a child of another test has a copy between fork and exec.
    flock(other, LOCK_UN)
    close(other)
    try run.retry()
    #expect(run.core.journal.failure == nil && run.losses.isEmpty)
    try run.start("d")
    #expect(run.running == ["a", "b", "c", "d"])
  }

  @Test func `A database that is cut short while the daemon runs is noticed`() throws {
    #expect(try folder.files.contains("nightjar.db"))
    try Connection(path: run.state.databasePath).execute("PRAGMA wal_checkpoint(PASSIVE)")
    // The expected length of the database is known from the next checkpoint or start on.
    let other = try StoreRun(try run.copy())
    #expect(truncate(other.state.databasePath, 4096) == 0)
    try other.start("d")
    #expect(other.losses.last?.reason.contains("cut short") == true)
    #expect(try StoreRun(try other.copy()).running == ["a", "b", "c", "d"])
  }

  @Test func `A log that another program empties by a checkpoint is no loss`() throws {
    let other = try Connection(path: run.state.databasePath)
    _ = try other.integer("SELECT count(*) FROM anchor")
    #expect(try other.checkpoint(truncating: true).isComplete)
    #expect(FileIdentity(path: run.state.databasePath + "-wal")?.size == 0)
    try run.start("d", "e")
    #expect(run.losses.isEmpty && run.failures.isEmpty)
    #expect(try StoreRun(try run.copy()).running == ["a", "b", "c", "d", "e"])
  }

  @Test func `Bytes behind the end of the database, which SQLite cuts off, are no loss`() throws {
    let copy = try run.copy()
    let path = copy.url("nightjar.db").path
    let size = try #require(FileIdentity(path: path)?.size)
    let file = try FileHandle(forWritingTo: copy.url("nightjar.db"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(repeating: 0, count: 5000))
    try file.close()
    let next = try StoreRun(copy)
    #expect(next.thread.loss == nil)
    try next.start("d")
    let other = try Connection(path: path)
    #expect(try other.integer("SELECT lastSeq FROM anchor") ?? 0 > 0)
    let checkpoint = try other.checkpoint()
    try next.start("e")
    #expect(checkpoint.isComplete && FileIdentity(path: path)?.size ?? 0 < size + 5000)
    #expect(next.losses.isEmpty && next.failures.isEmpty)
    #expect(try StoreRun(try next.copy()).running == ["a", "b", "c", "d", "e"])
  }

  @Test func `A state folder that is removed is created anew, with its lock`() throws {
    try FileManager.default.removeItem(atPath: folder.path)
    _ = try expectRenewed()
    #expect(throws: StoreError.locked(folder.path, pid: getpid())) {
      try StateFolder(path: folder.path)
    }
  }

  @Test func `Damage that shows only on writing is set aside, and memory is written`() throws {
    run.end()
    let other = try run.copy()
    // The list of free pages begins beyond the end of the file:
    // https://sqlite.org/fileformat2.html#the_freelist.
    var bytes = try Data(contentsOf: other.url("nightjar.db"))
    bytes.replaceSubrange(32..<40, with: [0, 1, 0, 0, 0, 0, 0, 1])
    try bytes.write(to: other.url("nightjar.db"))
    let next = try StoreRun(other)
    #expect(next.running == ["a", "b", "c"] && next.thread.loss?.missing == nil)
    try next.start("large", "larger", "largest", data: 4000)
    let loss = try #require(next.losses.last)
    #expect(loss.setAside != nil && loss.reason.contains("malformed"), "\(loss)")
    #expect(loss.missing == nil && next.failures.isEmpty)
    let last = try StoreRun(try next.copy())
    #expect(
      last.running == ["a", "b", "c", "large", "larger", "largest"] && last.thread.loss == nil)
  }

  /// The folder as a daemon leaves it that is killed before the new database is in its place.
  private func interruptedRenewal() throws -> TestFolder {
    try folder.remove("nightjar.db")
    try run.start("d")
    run.end()
    let copy = try run.copy()
    for suffix in ["-wal", "-shm", "-witness"] { try? copy.remove("nightjar.db\(suffix)") }
    try FileManager.default.moveItem(
      at: copy.url("nightjar.db"), to: copy.url("nightjar.db.replacement"))
    return copy
  }

  @Test func `After a kill between two renames the next daemon has the new database`() throws {
    let copy = try interruptedRenewal()
    let next = try StoreRun(copy)
    #expect(next.running == ["a", "b", "c", "d"])
    #expect(next.thread.loss?.reason.contains("killed while it replaced") == true)
    try next.start("e")
    let last = try StoreRun(try next.copy())
    #expect(last.running == ["a", "b", "c", "d", "e"] && last.thread.loss == nil)
  }

  @Test func `The replacement wins over a lost database that was not set aside yet`() throws {
    let copy = try interruptedRenewal()
    for suffix in ["", "-wal", "-witness"] {
      try Data("not a database".utf8).write(to: copy.url("nightjar.db\(suffix)"))
    }
    let next = try StoreRun(copy)
    #expect(next.running == ["a", "b", "c", "d"])
    let setAside = try #require(next.thread.loss?.setAside)
    for suffix in ["", "-wal", "-witness"] {
      let data = try Data(contentsOf: copy.url(setAside + suffix))
      #expect(data == Data("not a database".utf8), "\(suffix)")
    }
  }

  @Test func `A replacement that another user may have written is refused`() throws {
    let copy = try interruptedRenewal()
    #expect(chmod(copy.path + "/nightjar.db.replacement", 0o666) == 0)
    #expect(throws: StoreError.self) { try StoreRun(copy) }
  }

  /// Creates a folder whose name is in the way of a new database.
  private func preventRenewal() throws {
    try FileManager.default.createDirectory(
      at: folder.url("nightjar.db.new/x"), withIntermediateDirectories: true)
  }

  @Test func `If no new database can be written, a change has certainly not happened`() throws {
    try folder.remove("nightjar.db")
    try preventRenewal()
    try run.start("d")
    #expect(run.failures.map(\.inDoubt) == [false])
    #expect(run.running == ["a", "b", "c"])
    try run.retry()
    #expect(run.failures.count == 2)
    try folder.remove("nightjar.db.new")
    try run.retry()
    #expect(run.core.journal.failure == nil)
    #expect(run.published.last == 3)
    #expect(run.losses.count == 1)
    #expect(try StoreRun(try run.copy()).running == ["a", "b", "c"])
    try run.start("e")
    #expect(try StoreRun(try run.copy()).running == ["a", "b", "c", "e"])
  }

  @Test func `Events of the machine happen all the same`() throws {
    try folder.remove("nightjar.db")
    try preventRenewal()
    try run.expire(andStart: "d")
    #expect(run.failures.map(\.inDoubt) == [false])
    #expect(run.running == [])
    try folder.remove("nightjar.db.new")
    try run.retry()
    #expect(run.core.journal.failure == nil && run.published == [1, 2, 3, 4, 5, 6])
    #expect(try StoreRun(try run.copy()).running == [])
  }

  @Test func `If the old database cannot be read either, a change is in doubt`() throws {
    // Pages that were read before may be read from memory.
    #expect(truncate("\(folder.path)/nightjar.db-wal", 0) == 0)
    #expect(truncate("\(folder.path)/nightjar.db", 0) == 0)
    try preventRenewal()
    try run.start("d")
    #expect(run.failures.map(\.inDoubt) == [true])
    #expect(run.running == ["a", "b", "c", "d"])
    try run.retry()
    #expect(run.failures.count == 2)
    try folder.remove("nightjar.db.new")
    try run.retry()
    #expect(run.core.journal.failure == nil)
    #expect(run.published.last == 4)
    #expect(run.losses.count == 1)
    #expect(try StoreRun(try run.copy()).running == ["a", "b", "c", "d"])
  }

  @Test func `A commit into a removed log is not acknowledged`() throws {
    let state = run.state
    run.end()
    let writer = try LedgerWriter(folder: state, retention: Retention())
    try writer.begin()
    try writer.write(.with(9))
    #expect(throws: StoreError.removed("the database's log was removed")) {
      try writer.transact { () throws(StoreError) in
        unlink(state.databasePath + "-wal")
      }
    }
    #expect(writer.loss != nil)
  }
}
