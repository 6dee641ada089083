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

  /// The damage, as a script, and what the log says beside the new name. The page of zeros is one
  /// of those that StartDamageTests of the store make.
  @Test(arguments: [
    (#"head -c 100 /dev/zero | tr '\0' '\245' | dd of="$0" conv=notrunc"#, "set aside"),
    (#"truncate -s $(($(stat -c %s "$0") / 2)) "$0""#, "set aside"),
    (#"echo 'It was a dark and stormy night.' >"$0""#, "set aside"),
    (
      #"rm "$0"; sqlite3 "$0" 'PRAGMA journal_mode = wal; CREATE TABLE spec(text TEXT)'"#,
      "not one of Nightjar's"
    ),
    (
      """
      page=$(sqlite3 "$0" "SELECT rootpage FROM sqlite_schema WHERE name = 'action'")
      dd if=/dev/zero of="$0" bs=4096 seek=$((page - 1)) count=1 conv=notrunc
      """, "set aside"
    ),
    (
      #"sqlite3 "$0" 'PRAGMA application_id = 0x6E6A6172; PRAGMA user_version = 10'"#,
      "before the first release"
    ),
  ])
  func `A database that cannot be read is set aside unchanged, and a new one begun`(
    damage: String, words: String
  ) throws {
    try makeHistory()
    try rig.tool(["/bin/sh", "-ec", damage, database])
    let damaged = try bytes(database)
    let daemon = try rig.daemon()
    let client = try daemon.connect()
    let storage = try client.status().storage
    let name = try #require(storage.setAside)
    #expect(name.hasPrefix("nightjar.db.damaged-") && storage.ok)
    let path = "\(rig.path)/nightjar/\(name)"
    #expect(try bytes(path) == damaged)
    try daemon.process.lines.next("what it says of it") {
      $0.contains("set aside as \(name)") && $0.contains(words)
    }
    #expect(try client.names() == [])
    // From then on everything works.
    try client.start("new", usec: hour)
    #expect(try daemon.terminate() == .exited(0))
    let next = try rig.daemon()
    #expect(try next.connect().names() == ["new"] && next.status().storage.setAside == nil)
    #expect(try bytes(path) == damaged)
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
