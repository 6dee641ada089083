import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// Damage that a start finds in the rows that it reads. The daemon sets such a database aside.
@Suite(.blocking) struct StartDamageTests {
  private let folder: TestFolder
  private let path: String

  /// Two runs have ended cleanly, so that everything is in the database itself, with a span.
  init() throws {
    var last = try TestFolder()
    for _ in 1...2 {
      let run = try StoreRun(last)
      try run.start("tea", "egg", "needle")
      run.end()
      last = try run.copy()
    }
    folder = last
    path = folder.url("nightjar.db").path
  }

  /// Reads the database as a start does, and expects that it is damaged.
  private func expectDamage() throws {
    let state = try StateFolder(path: folder.path)
    do throws(StoreError) {
      let thread = try CommitThread(folder: state, stamp: 1)
      let reader = try LedgerReader(folder: state)
      try reader.checkActions()
      _ = try TimerCore(
        reader: reader, committer: thread, calendar: NoCalendar(), maximumTimers: 100_000,
        at: EventSamples.moment)
      Issue.record("it is believed")
    } catch { #expect(error.isDamage, "\(error)") }
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
    try Connection(path: path).execute(statement)
    try expectDamage()
  }

  @Test(arguments: ["event", "chunk", "span", "anchor", "action", "ledger"])
  func `A page of zeros in any table is found at the start`(table: String) throws {
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"
    let page = Int(try #require(try Connection(path: path).integer(sql)))
    var bytes = try Data(contentsOf: folder.url("nightjar.db"))
    bytes.resetBytes(in: (page - 1) * 4096..<page * 4096)
    try bytes.write(to: folder.url("nightjar.db"))
    try expectDamage()
  }

  @Test(arguments: [("chunk", "timers"), ("event", "events")])
  func `One flipped bit in a packed row is found`(table: String, column: String) throws {
    let last = "WHERE rowid = (SELECT max(rowid) FROM \(table))"
    let hex = try #require(
      try Connection(path: path).text("SELECT hex(\(column)) FROM \(table) \(last)"))
    var digits = Array(hex.utf8)
    let at = digits.count / 4 * 2 + 1
    let digit = try #require(Int(String(decoding: [digits[at]], as: UTF8.self), radix: 16))
    digits[at] = Array(String(digit ^ 1, radix: 16).utf8)[0]
    let flipped = String(decoding: digits, as: UTF8.self)
    try Connection(path: path).execute("UPDATE \(table) SET \(column) = x'\(flipped)' \(last)")
    try expectDamage()
  }
}
