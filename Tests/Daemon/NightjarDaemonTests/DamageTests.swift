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
  private func expectSetAside(
    saying words: String = "set aside", _ check: (_ path: String) throws -> Void
  ) throws {
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let status = try client.status()
    let name = try #require(status.storage.setAside)
    #expect(name.hasPrefix("nightjar.db.damaged-"))
    #expect(status.storage.ok)
    try check("\(rig.path)/nightjar/\(name)")
    try daemon.process.lines.next("what it says of it") {
      $0.contains("set aside as \(name)") && $0.contains(words)
    }
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
  private func expectSetAside(unchanged damaged: Data, saying words: String = "set aside") throws {
    try expectSetAside(saying: words) { path in
      let stored = try bytes(path)
      #expect(stored == damaged)
    }
  }

  @Test(arguments: ["header", "cut", "text"])
  func `A database that is none any more is set aside`(how: String) throws {
    try makeHistory()
    var damaged = try bytes(database)
    switch how {
    case "header": damaged.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
    case "cut": damaged = Data(damaged.prefix(damaged.count / 2))
    default: damaged = Data("It was a dark and stormy night.\n".utf8)
    }
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

  /// StartDamageTests of the store find it in each table, in impossible values and in flipped bits.
  @Test func `A page of zeros is noticed when the daemon starts`() throws {
    try makeHistory()
    let root = try rig.query(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'action'", on: database)
    let page = try #require(Int(root))
    var damaged = try bytes(database)
    damaged.resetBytes(in: (page - 1) * 4096..<page * 4096)
    try damaged.write(to: URL(fileURLWithPath: database))
    try expectSetAside(unchanged: damaged)
  }

  @Test func `A wrong byte in old events is reported to their reader, and the timers continue`()
    throws
  {
    try makeHistory()
    let first = "WHERE rowid = (SELECT min(rowid) FROM event)"
    let hex = try rig.query("SELECT hex(events) FROM event \(first)", on: database)
    var digits = Array(hex.utf8)
    let middle = digits.count / 2
    digits[middle] = digits[middle] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    let flipped = String(decoding: digits, as: UTF8.self)
    try rig.tool(["sqlite3", database, "UPDATE event SET events = x'\(flipped)' \(first)"])
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

  @Test func `A database from before the first release is set aside, and the log says so`() throws {
    try makeHistory()
    try rig.tool([
      "sqlite3", database, "PRAGMA application_id = 0x6E6A6172; PRAGMA user_version = 10",
    ])
    try expectSetAside(unchanged: try bytes(database), saying: "before the first release")
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
