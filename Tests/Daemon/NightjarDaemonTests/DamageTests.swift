import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A damaged database is set aside and reported, never deleted; a database of a newer Nightjar is
/// left alone.
@Suite(.blocking) struct DamageTests {
  private let rig: Rig
  private let database: String

  init() throws {
    rig = try Rig()
    database = "\(rig.path)/nightjar/nightjar.db"
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Runs a daemon with three timers and enough changes, and ends it cleanly.
  private func makeHistory() throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    for name in ["tea", "egg", "needle"] { try client.start(name, usec: hour) }
    let extensions = (0..<600).map { _ in Call.extend(name: "tea", byUsec: second) }
    for result in try client.callAll(extensions) { _ = try result.get() }
    #expect(try daemon.terminate() == .exited(0))
    // Everything in one file, so that the log cannot replace the damaged part.
    try rig.tool(["sqlite3", database, "PRAGMA wal_checkpoint(TRUNCATE)"], package: "sqlite3")
    try #require(try bytes(database).count > 8192)
    #expect(!FileManager.default.fileExists(atPath: database + "-wal"))
  }

  /// Expects that the daemon begins anew, with the damaged file beside the new one.
  private func expectSetAside(_ check: (_ path: String) throws -> Void) throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let status = try client.status()
    let name = try #require(status.storage.setAside)
    #expect(name.hasPrefix("nightjar.db.damaged-"))
    #expect(status.storage.ok)
    try check("\(rig.path)/nightjar/\(name)")
    try daemon.process.lines.next("what it says of it") { $0.contains("set aside as \(name)") }
    #expect(try client.names() == [])
    // From then on everything works.
    try client.start("new", usec: hour)
    #expect(try daemon.terminate() == .exited(0))
    let next = try rig.daemon()
    #expect(try next.connect().names() == ["new"])
    #expect(try next.status().storage.setAside == nil)
    try check("\(rig.path)/nightjar/\(name)")
  }

  /// The same, and the file is unchanged, byte for byte.
  private func expectSetAside(unchanged damaged: Data) throws {
    try expectSetAside { path in
      let stored = try bytes(path)
      #expect(stored == damaged)
    }
  }

  @Test func `A database with an overwritten header is set aside`() throws {
    try makeHistory()
    var damaged = try bytes(database)
    damaged.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
    try damaged.write(to: URL(fileURLWithPath: database))
    try expectSetAside(unchanged: damaged)
  }

  @Test func `A database that was cut off is set aside`() throws {
    try makeHistory()
    let whole = try bytes(database)
    let damaged = whole.prefix(whole.count / 2)
    try Data(damaged).write(to: URL(fileURLWithPath: database))
    try expectSetAside(unchanged: Data(damaged))
  }

  @Test func `A file that is no database is set aside`() throws {
    try makeHistory()
    let damaged = Data("It was a dark and stormy night.\n".utf8)
    try damaged.write(to: URL(fileURLWithPath: database))
    try expectSetAside(unchanged: damaged)
  }

  @Test func `A database of another program is set aside`() throws {
    try makeHistory()
    try FileManager.default.removeItem(atPath: database)
    let sql = "CREATE TABLE spec(text TEXT); INSERT INTO spec VALUES('Kaiserschmarrn')"
    try rig.tool(["sqlite3", database, sql])
    try expectSetAside { path in
      let text = try rig.query("SELECT text FROM spec", on: path)
      #expect(text == "Kaiserschmarrn")
    }
  }

  @Test(arguments: ["event", "chunk", "span", "anchor", "action", "ledger"])
  func `A page of zeros in any table is noticed when the daemon starts`(table: String) throws {
    try makeHistory()
    let root = try rig.query(
      "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", on: database)
    let page = try #require(Int(root))
    var damaged = try bytes(database)
    damaged.resetBytes(in: (page - 1) * 4096..<page * 4096)
    try damaged.write(to: URL(fileURLWithPath: database))
    try expectSetAside(unchanged: damaged)
  }

  /// Flips the low bit of a byte in the middle of a packed row.
  private func flipBit(in column: String, of table: String, order: String) throws {
    let hex = try rig.query(
      "SELECT hex(\(column)) FROM \(table) ORDER BY rowid \(order) LIMIT 1", on: database)
    var digits = Array(hex.utf8)
    let at = digits.count / 4 * 2 + 1
    let digit = try #require(Int(String(decoding: [digits[at]], as: UTF8.self), radix: 16))
    digits[at] = Array(String(digit ^ 1, radix: 16).utf8)[0]
    let flipped = String(decoding: digits, as: UTF8.self)
    try rig.tool([
      "sqlite3", database,
      "UPDATE \(table) SET \(column) = x'\(flipped)' WHERE hex(\(column)) = '\(hex)'",
    ])
  }

  @Test(arguments: [("chunk", "timers"), ("event", "events")])
  func `One flipped bit in the rows that a start reads is found`(table: String, column: String)
    throws
  {
    try makeHistory()
    try flipBit(in: column, of: table, order: "DESC")
    try expectSetAside(unchanged: try bytes(database))
  }

  @Test func `One flipped bit in old events is reported to their reader, and the timers continue`()
    throws
  {
    try makeHistory()
    try flipBit(in: "events", of: "event", order: "ASC")
    let daemon = try rig.daemon()
    #expect(try daemon.status().storage.setAside == nil)
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Events", #"{"after":0}"#, #","more":true"#))
    let reply = try #require(try socket.reply())
    #expect(reply.error == "org.nightjar.Timers.StorageFailed")
    #expect(reply.parameters["reason"]?.stringValue?.contains("damaged") == true)
    // The connection still works, and so does everything else.
    #expect(try socket.call("Get", #"{"name":"tea"}"#).error == nil)
    try daemon.connect().start("new", usec: hour)
    #expect(try daemon.connect().names().count == 4)
  }

  @Test(arguments: [
    "DELETE FROM anchor", "DELETE FROM event WHERE firstSeq = (SELECT max(firstSeq) FROM event)",
    "UPDATE anchor SET boot = 'x'", "UPDATE anchor SET lastSeq = lastSeq + 1",
    "UPDATE anchor SET elapsedUsec = 9223372036854775807", "UPDATE chunk SET timers = x''",
    "DELETE FROM chunk", "UPDATE anchor SET chunks = chunks + 1",
    "UPDATE chunk SET number = -1", "UPDATE chunk SET number = 9999999999",
    "UPDATE event SET lastSeq = 0", "UPDATE span SET causes = 'boredom'",
  ])
  func `Rows with impossible values are found`(statement: String) throws {
    try makeHistory()
    // A second run has ended, so that there is a span.
    #expect(try rig.daemon().terminate() == .exited(0))
    try rig.tool(["sqlite3", database, statement])
    let sql = "SELECT count(*), sum(length(events)) FROM event"
    let stored = try rig.query(sql, on: database)
    try expectSetAside { path in
      let left = try rig.query(sql, on: path)
      #expect(left == stored)
    }
  }

  @Test func `A database from before the first release is set aside, and the log says so`() throws {
    try makeHistory()
    try rig.tool([
      "sqlite3", database, "PRAGMA application_id = 0x6E6A6172; PRAGMA user_version = 10",
    ])
    let unreleased = try bytes(database)
    let daemon = try rig.daemon()
    try daemon.process.lines.next("which it is") { $0.contains("before the first release") }
    #expect(try daemon.status().storage.setAside?.hasPrefix("nightjar.db.damaged-") == true)
    #expect(try daemon.connect().names() == [])
    let name = try #require(try daemon.status().storage.setAside)
    #expect(try bytes("\(rig.path)/nightjar/\(name)") == unreleased)
    #expect(try daemon.terminate() == .exited(0))
  }

  @Test func `A database of a newer version is refused and left as it is`() throws {
    try makeHistory()
    try rig.tool(["sqlite3", database, "PRAGMA user_version = 99"])
    let before = try bytes(database)
    let (end, said) = try rig.refusedDaemon()
    #expect(end == .exited(1))
    #expect(said.contains("schema version 99") && said.split(separator: "\n").count == 1, "\(said)")
    #expect(try bytes(database) == before)
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(rig.path)/nightjar")
    #expect(files.filter { $0.contains("damaged") } == [])
  }
}
