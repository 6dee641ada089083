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

  private func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : -1
  }

  private func write(_ bytes: [UInt8], to path: String, at offset: Int) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
  }

  private func nightjar(_ daemon: DaemonProcess, _ arguments: String...) throws -> (
    end: ChildProcess.Change, output: String
  ) {
    try rig.run([try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
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
    let loss = try #require(storage.loss)
    #expect(loss.missing == 1...20)
    #expect(storage.ok && storage.lastSeq >= 20)
    let copy = try #require(loss.keptAs)
    #expect(FileManager.default.fileExists(atPath: "\(rig.path)/nightjar/\(copy)-wal"))

    let popup = try mock.nextNotify { $0.summary.contains("database") }
    #expect(popup.body.contains("events 1 to 20 are missing"))
    #expect(popup.hint("category") == ["s", "x-nightjar.storage"])
    let status = try nightjar(daemon, "status")
    #expect(status.end == .exited(0) && status.output.contains("events 1 to 20 are missing"))
    let doctor = try nightjar(daemon, "doctor")
    #expect(doctor.end == .exited(1) && doctor.output.contains("events 1 to 20 are missing"))
    // New numbers follow those that were already used.
    try daemon.connect().start("new", usec: hour)
    #expect(try daemon.ledger().allSatisfy { $0.seq > 20 })
  }

  @Test func `A database in which a read finds damage is replaced by the next change`() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let data = JSONValue.object([
      JSONValue.Member("filling", .string(String(repeating: "x", count: 3000)))
    ])
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
    let loss = try #require(try client.status().storage.loss)
    #expect(loss.keptAs != nil)
    try daemon.crash()
    let next = try rig.daemon()
    #expect(try next.connect().names().count == 21)
    #expect(try next.status().storage.loss == nil)
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
    let names = Set(try next.connect().names())
    #expect(names.isSuperset(of: (1...20).map { "t\($0)" }))
    #expect(size != nil || names.contains("new"))
    #expect(try next.status().storage.loss == nil)
    try next.connect().start("newer", usec: hour)
  }
}
