import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A database that was removed, cut short or damaged: no loss goes unreported.
@Suite(.blocking) struct LossTests {
  private let rig: Rig
  private let database: String
  private static let all = Set((1...20).map { "t\($0)" } + ["new"])

  init() throws {
    rig = try Rig()
    database = "\(rig.path)/nightjar/nightjar.db"
  }

  private func makeTimers(_ count: Int = 20) throws -> DaemonProcess {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    for number in 1...count { try client.start("t\(number)", usec: hour) }
    return daemon
  }

  private func write(_ bytes: [UInt8], to path: String, at offset: Int) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
  }

  private func nightjar(_ daemon: DaemonProcess, _ arguments: [String]) throws -> (
    end: ChildProcess.Change, output: String
  ) {
    try rig.run([try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
  }

  /// Kills the daemon, and expects that the next has all 21 timers, and reports no loss.
  private func expectWhole(after daemon: DaemonProcess) throws {
    try daemon.crash()
    let next = try rig.daemon()
    #expect(Set(try next.connect().names()) == Self.all)
    #expect(try next.status().storage.loss == nil)
  }

  @Test func `A bit flipped in the log after a kill is reported by status, doctor and a popup`()
    throws
  {
    try makeTimers().crash()
    let header = try Data(contentsOf: URL(filePath: database + "-wal"))
    try write([header[20] ^ 1], to: database + "-wal", at: 20)
    let mock = try NotificationMock.running(of: rig, capabilities: "body body-markup")
    let daemon = try rig.ringingDaemon(on: mock)
    let storage = try daemon.status().storage
    #expect(storage.loss?.missing == 1...20 && storage.ok && storage.lastSeq >= 20)
    let copy = try #require(storage.loss?.keptAs)
    #expect(FileManager.default.fileExists(atPath: "\(rig.path)/nightjar/\(copy)-wal"))

    let missing = "events 1 to 20 are missing"
    let popup = try mock.nextNotify { $0.summary.contains("database") }
    #expect(popup.body.contains(missing) && popup.hint("category") == ["s", "x-nightjar.storage"])
    for (command, code) in [("status", 0), ("doctor", 1)] as [(String, Int32)] {
      let (end, output) = try nightjar(daemon, [command])
      #expect(end == .exited(code) && output.contains(missing))
    }
    // New numbers follow those that were already used.
    try daemon.connect().start("new", usec: hour)
    #expect(try daemon.ledger().allSatisfy { $0.seq > 20 })
  }

  @Test
  func
    `A database that is damaged while the daemon runs is replaced from memory once the damage is read`()
    throws
  {
    let daemon = try makeTimers()
    let client = try daemon.connect()
    try rig.tool(["sqlite3", database, "PRAGMA wal_checkpoint(FULL)"], package: "sqlite3")
    try write([UInt8](repeating: 0xA5, count: 7 * 4096), to: database, at: 0)
    // The question finds the damage; the next change is written to a new database.
    _ = try client.status()
    try client.start("new", usec: hour)
    let storage = try client.status().storage
    #expect(storage.ok && storage.loss?.keptAs != nil)
    #expect(try daemon.terminate() == .exited(0))
    #expect(try Set(rig.daemon().connect().names()) == Self.all)
  }

  @Test func `A database in which a read finds damage is replaced by the next change`() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let data: JSONValue = ["filling": .string(String(repeating: "x", count: 3000))]
    for number in 1...20 {
      _ = try client.timer(.start(name: "t\(number)", durationUsec: hour, data: data))
    }
    try rig.tool(["sqlite3", database, "PRAGMA wal_checkpoint(FULL)"], package: "sqlite3")
    // A page that is read only for old events.
    let pages = try rig.query(
      "SELECT pageno FROM dbstat WHERE name = 'event' AND pagetype = 'leaf' ORDER BY path",
      on: database
    ).split(separator: "\n").map { try #require(Int($0)) }
    try #require(pages.count > 5)
    try write([UInt8](repeating: 0xA5, count: 4096), to: database, at: (pages[1] - 1) * 4096)
    #expect(throws: ClientError.self) { try daemon.ledger() }
    #expect(try client.status().storage.loss == nil)

    try client.start("new", usec: hour)
    #expect(try client.status().storage.loss?.keptAs != nil)
    try expectWhole(after: daemon)
  }

  @Test func `Events before and after a gap in the ledger can still be read`() throws {
    let daemon = try makeTimers(3)
    // The backup is the state that a kill at this moment would leave.
    let backup = "\(rig.path)/backup"
    try rig.tool(["cp", "-a", "\(rig.path)/nightjar", backup])
    try daemon.connect().start("t4", usec: hour)
    try daemon.connect().start("t5", usec: hour)
    #expect(try daemon.terminate() == .exited(0))
    try rig.tool(["cp", "\(rig.path)/nightjar/nightjar.db-witness", backup])
    try rig.tool(["rm", "-f", "\(backup)/lock"])
    let next = try rig.daemon { $0.stateFolder = backup }
    let last = try #require(try next.status().storage.loss?.missing?.upperBound)
    #expect(try next.connect().names() == ["t1", "t2", "t3"])
    #expect(try next.settledLedger().map(\.seq).prefix(4) == [1, 2, 3, last + 1])
    let stream = try next.events(after: 2)
    #expect(try [stream.event().seq, stream.event().seq] == [3, last + 1])
    for arguments in [["events"], ["why", "t1"]] {
      #expect(try nightjar(next, arguments).end == .exited(0))
    }
  }

  @Test func `Status answers about a database that the next change repairs`() throws {
    let daemon = try makeTimers()
    try rig.tool(["sqlite3", database, "DROP TABLE event"], package: "sqlite3")
    let client = try daemon.connect()
    let broken = try client.status().storage
    #expect(!broken.ok && broken.lastSeq == 20)
    #expect(broken.reason?.contains("no such table") == true, "\(broken)")
    try client.start("new", usec: hour)
    let repaired = try client.status().storage
    #expect(repaired.ok && repaired.loss?.missing == 1...20)
    try expectWhole(after: daemon)
  }

  @Test(arguments: [0, 4096, nil] as [off_t?])
  func `Losing the log's index costs no acknowledged change, though a cut index ends the daemon`(
    cutTo size: off_t?
  ) throws {
    let daemon = try makeTimers()
    let client = try daemon.connect()
    if let size {
      try #require(truncate(database + "-shm", size) == 0)
      #expect(throws: (any Error).self) { try client.start("new", usec: hour) }
      // Beyond the end of a mapped file, a read raises SIGBUS: mmap(2).
      #expect(try daemon.process.awaitEnd() == .killed(SIGBUS))
    } else {
      try #require(unlink(database + "-shm") == 0)
      try client.start("new", usec: hour)
      try daemon.crash()
    }
    let next = try rig.daemon()
    // A change without an acknowledgement may have happened.
    let lost = Self.all.subtracting(try next.connect().names())
    #expect(lost.isEmpty || size != nil && lost == ["new"])
    #expect(try next.status().storage.loss == nil)
    try next.connect().start("newer", usec: hour)
  }

  @Test func `A witness without content is reported by status and doctor`() throws {
    try makeTimers().crash()
    try Data(repeating: 0, count: 128).write(to: URL(filePath: database + "-witness"))
    let daemon = try rig.daemon()
    let status = try daemon.status()
    #expect(status.storage.loss == nil)
    #expect(status.warning?.contains("nightjar.db-witness") == true)
    for command in ["status", "doctor"] {
      #expect(try nightjar(daemon, [command]).output.contains("could not be checked"))
    }
    try daemon.terminate()
    #expect(try rig.daemon().status().warning == nil)
  }

  @Test(arguments: [true, false])
  func `A start on a disk that cannot be read sets nothing aside, and the next has every timer`(
    afterStop: Bool
  ) throws {
    let first = try rig.daemon()
    let names: Set<String> = ["tea", "egg", "needle"]
    for name in names { try first.connect().start(name, usec: hour) }
    if afterStop { try first.terminate() } else { try first.crash() }
    var refused = 0
    for skip: Int32 in 0..<40 {
      let daemon = try rig.daemon(awaitingReady: false) {
        try $0.useFaultyDisk().arm(.readFails, skip: skip, count: .max)
      }
      if (try? daemon.awaitReady()) == nil {
        #expect(try daemon.process.awaitEnd() == .exited(1))
        refused += 1
      } else {
        try daemon.crash()
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(rig.path)/nightjar")
      #expect(files.filter { $0.contains("damaged") } == [], "behind \(skip) reads")
    }
    #expect(refused > 5)
    let next = try rig.daemon()
    #expect(Set(try next.connect().names()) == names)
  }
}
