import ArgumentParser
import Foundation
import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// Excepted days, as users type them and as files list them, and their effect on a calendar.
@Suite struct ExceptDaysTests {
  // Wednesday, 2026-11-25, 12:00.
  private let wall = WallClock(nowUsec: 1_795_608_000_000_000, zone: .utc)

  private func ranges(_ text: String) throws -> [String] {
    DayRange.merged(try ExceptDays.ranges(text, at: wall)).map(\.text)
  }

  @Test(arguments: [
    ("2026-12-24", ["2026-12-24"]), ("24.12.2026", ["2026-12-24"]), ("24 Dec", ["2026-12-24"]),
    ("1 Nov", ["2027-11-01"]), ("tomorrow", ["2026-11-26"]), ("today", ["2026-11-25"]),
    ("2026-12-24..2027-01-01", ["2026-12-24..2027-01-01"]),
    ("24.12.2026..1.1.2027", ["2026-12-24..2027-01-01"]),
    ("2026-12-25, 2026-12-24,2026-12-28", ["2026-12-24..2026-12-25", "2026-12-28"]),
    ("this friday", ["2026-11-27"]), ("next wednesday", ["2026-12-02"]),
    ("29 Feb", ["2028-02-29"]), ("24.12...26.12.", ["2026-12-24..2026-12-26"]),
    ("24.12. .. 1.1.", ["2026-12-24..2027-01-01"]),
    ("24.12.2026..1.1.", ["2026-12-24..2027-01-01"]), ("24 Dec 2026", ["2026-12-24"]),
    ("24.12...26.12., 31.12.", ["2026-12-24..2026-12-26", "2026-12-31"]),
  ])
  func `Days are read as people write them`(text: String, days: [String]) throws {
    #expect(try ranges(text) == days)
  }

  @Test(
    arguments: Row.table(
      #"""
      2026-12-20 => 24 Dec..1 Jan => 2026-12-24..2027-01-01
      2026-12-24 => 24 Dec..1 Jan => 2026-12-24..2027-01-01
      2026-12-27 => 24 Dec..1 Jan => 2026-12-24..2027-01-01
      2027-01-01 => 24 Dec..1 Jan => 2026-12-24..2027-01-01
      2027-01-02 => 24 Dec..1 Jan => 2027-12-24..2028-01-01
      2026-12-09 => 10 Dec..20 Dec => 2026-12-10..2026-12-20
      2026-12-15 => 10 Dec..20 Dec => 2026-12-10..2026-12-20
      2026-12-20 => 10.12...20.12. => 2026-12-10..2026-12-20
      2026-12-21 => 10 Dec..20 Dec => 2027-12-10..2027-12-20
      2027-01-05 => 24 Dec 2026..1 Jan => 2026-12-24..2027-01-01
      2026-12-27 => 24 Dec..1 Jan 2027 => 2026-12-24..2027-01-01
      2026-12-27 => 24 Dec..1 Jan 2028 => 2027-12-24..2028-01-01
      2026-12-27 => today..1 Jan => 2026-12-27..2027-01-01
      2028-03-01 => 29 Feb..5 Mar => 2028-02-29..2028-03-05
      """#))
  func `A range without years is the present one, or else the next`(row: Row) throws {
    let date = try #require(CivilDate(iso: row[0]))
    let noon = CivilTime(date: date, usecOfDay: CivilTime.dayUsec / 2).utcUsec
    let wall = WallClock(nowUsec: noon, zone: .utc)
    #expect(try ExceptDays.ranges(row[1], at: wall).map(\.text) == [row[2]])
  }

  @Test func `A text that is no day is refused, and so is a range that is too long`() {
    for text in [
      "2026-12-32", "2026-13-01", "", "2027-01-01..2026-12-24", "9:00", "daily", "2026-12-24 9:00",
      "weekdays", "2300-01-01",
      // A range without years that spans New Year is at most half a year long.
      "24 Dec..20 Dec", "20 Dec..19 Dec", "29 Feb..5 Mar",
    ] {
      #expect(throws: CommandError.self, "\(text)") { try ranges(text) }
    }
  }

  @Test(
    arguments: Row.table(
      #"""
      christmas => 'christmas' is no day; write a date such as 2026-12-24
      24.12.-1.1. => '24.12.-1.1.' is no day; for a range write 2026-12-24..2027-01-01
      24 Dec - 1 Jan => '24 Dec - 1 Jan' is no day; for a range write 2026-12-24..2027-01-01
      2026-12-24-2027-01-01 => '2026-12-24-2027-01-01' is no day; for a range write \#
      2026-12-24..2027-01-01
      24.12.–26.12. => '24.12.–26.12.' is no day; for a range write 2026-12-24..2026-12-26
      sat => 'sat' comes every week; write one day, such as 2026-11-28, or leave it out of the \#
      alarm's calendar, such as 'mon..fri,sun 9:00'
      weekends => 'weekends' comes every week; write one day, such as 2026-11-28, or leave it \#
      out of the alarm's calendar, such as 'mon..fri 9:00'
      mon..fri => 'mon..fri' comes every week; write one day, such as 2026-11-25, or leave it \#
      out of the alarm's calendar, such as 'sat,sun 9:00'
      every wednesday => 'every wednesday' comes every week; write one day, such as 2026-11-25, \#
      or leave it out of the alarm's calendar, such as 'mon,tue,thu..sun 9:00'
      """#))
  func `A word, a dash between days and a weekday are refused, with what was meant`(row: Row) {
    let error = #expect(throws: CommandError.self) { try ranges(row[0]) }
    #expect(error?.message.description == "--except: \(row[1])")
  }

  @Test(arguments: ["except = \"christmas\"", "until = \"christmas\""])
  func `The key of a file is named once in an error`(line: String) throws {
    let file = try ConfigFile(
      path: "c", bytes: Array("[presets.up]\nalarm = \"daily\"\n\(line)\n".utf8))
    let presets = file.table(.presets)
    let table = try presets.table(of: #require(presets.entries.first), title: "[presets.up]")
    let error = #expect(throws: ConfigError.self) { try Preset(name: "up", table, at: wall) }
    let key = line.prefix { $0 != " " }
    let sentence = "'christmas' is no day; write a date such as 2026-12-24"
    #expect(error?.description == "c, line 3: '\(key)': \(sentence)")
  }

  @Test func `A last day in the past is refused`() throws {
    func until(_ text: String) throws -> JSONValue {
      try Setting.until.notation.value([text], of: "--until", at: wall)
    }
    let error = #expect(throws: CommandError.self) { try until("yesterday") }
    let sentence = "--until: 'yesterday' is in the past; write today or a later day"
    #expect(try error?.message.description == sentence && until("today") == "2026-11-25")
  }

  @Test func `A file has a date or a range on a line, and comments`() throws {
    let folder = try TestFolder()
    defer { withExtendedLifetime(folder) {} }
    func file(_ text: String) throws -> [String] {
      let path = "\(folder.path)/days"
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      return DayRange.merged(try ExceptDays.file(path, at: wall)).map(\.text)
    }
    let text = "# holidays\n\n2026-12-24..2026-12-26 # Christmas\r\n  1.1.2027\n2020-01-01\n"
    #expect(try file(text) == ["2026-12-24..2026-12-26", "2027-01-01"])
    let calendar =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Bins\nDTSTART:20261224\nEND:VEVENT\nEND:VCALENDAR\n"
    #expect(try file(calendar) == ["2026-12-24"])
    let wrong = calendar.replacing("END:VEVENT", with: "RRULE:FREQ=HOURLY\nEND:VEVENT")
    let error = #expect(throws: CommandError.self) { try file(wrong) }
    #expect(error?.message.description.contains("days:5: the event 'Bins' repeats by") == true)
  }
}
