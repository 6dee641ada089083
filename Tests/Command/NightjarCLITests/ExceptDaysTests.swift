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

  @Test(arguments: [
    ("2026-12-20", "24 Dec..1 Jan", "2026-12-24..2027-01-01"),
    ("2026-12-24", "24 Dec..1 Jan", "2026-12-24..2027-01-01"),
    ("2026-12-27", "24 Dec..1 Jan", "2026-12-24..2027-01-01"),
    ("2027-01-01", "24 Dec..1 Jan", "2026-12-24..2027-01-01"),
    ("2027-01-02", "24 Dec..1 Jan", "2027-12-24..2028-01-01"),
    ("2026-12-09", "10 Dec..20 Dec", "2026-12-10..2026-12-20"),
    ("2026-12-15", "10 Dec..20 Dec", "2026-12-10..2026-12-20"),
    ("2026-12-20", "10.12...20.12.", "2026-12-10..2026-12-20"),
    ("2026-12-21", "10 Dec..20 Dec", "2027-12-10..2027-12-20"),
    ("2027-01-05", "24 Dec 2026..1 Jan", "2026-12-24..2027-01-01"),
    ("2026-12-27", "24 Dec..1 Jan 2027", "2026-12-24..2027-01-01"),
    ("2026-12-27", "24 Dec..1 Jan 2028", "2027-12-24..2028-01-01"),
    ("2026-12-27", "today..1 Jan", "2026-12-27..2027-01-01"),
    ("2028-03-01", "29 Feb..5 Mar", "2028-02-29..2028-03-05"),
  ])
  func `A range without years is the present one, or else the next`(
    today: String, text: String, range: String
  ) throws {
    let date = try #require(CivilDate(iso: today))
    let noon = CivilTime(date: date, usecOfDay: CivilTime.dayUsec / 2).utcUsec
    let wall = WallClock(nowUsec: noon, zone: .utc)
    #expect(try ExceptDays.ranges(text, at: wall).map(\.text) == [range])
  }

  @Test func `A range without years that spans New Year is at most half a year long`() {
    for text in ["24 Dec..20 Dec", "20 Dec..19 Dec", "29 Feb..5 Mar"] {
      #expect(throws: CommandError.self, "\(text)") { try ranges(text) }
    }
  }

  @Test(arguments: [
    "2026-12-32", "2026-13-01", "christmas", "", "2027-01-01..2026-12-24", "9:00", "daily",
    "2026-12-24 9:00", "weekdays", "2300-01-01",
  ])
  func `A text that is no day is refused`(text: String) {
    #expect(throws: CommandError.self) { try ranges(text) }
  }

  @Test(arguments: [
    (
      "sat",
      "'sat' comes every week; write one day, such as 2026-11-28, or leave it out of the alarm's "
        + "calendar, such as 'mon..fri,sun 9:00'"
    ),
    (
      "weekends",
      "'weekends' comes every week; write one day, such as 2026-11-28, or leave it out of the alarm's "
        + "calendar, such as 'mon..fri 9:00'"
    ),
    (
      "mon..fri",
      "'mon..fri' comes every week; write one day, such as 2026-11-25, or leave it out of the alarm's "
        + "calendar, such as 'sat,sun 9:00'"
    ),
    (
      "every wednesday",
      "'every wednesday' comes every week; write one day, such as 2026-11-25, or leave it out of the "
        + "alarm's calendar, such as 'mon,tue,thu..sun 9:00'"
    ),
  ])
  func `A weekday is refused, because it is not a single day`(text: String, sentence: String) {
    do {
      let found = try ranges(text)
      Issue.record("\(text) is taken: \(found)")
    } catch { #expect((error as? CommandError)?.message.description == "--except: \(sentence)") }
  }

  @Test(arguments: [
    ("24.12.-1.1.", "2026-12-24..2027-01-01"), ("24 Dec - 1 Jan", "2026-12-24..2027-01-01"),
    ("2026-12-24-2027-01-01", "2026-12-24..2027-01-01"),
    ("24.12.–26.12.", "2026-12-24..2026-12-26"),
  ])
  func `Days with a dash between them are refused, with the range that was meant`(
    text: String, range: String
  ) {
    do {
      let found = try ranges(text)
      Issue.record("\(text) is taken: \(found)")
    } catch {
      #expect(
        (error as? CommandError)?.message.description
          == "--except: '\(text)' is no day; for a range write \(range)")
    }
  }

  @Test(arguments: ["except = \"christmas\"", "until = \"christmas\""])
  func `The key of a file is named once in an error`(line: String) throws {
    let file = try ConfigFile(
      path: "c", bytes: Array("[presets.up]\nalarm = \"daily\"\n\(line)\n".utf8))
    let presets = file.table(.presets)
    let table = try presets.table(of: #require(presets.entries.first), title: "[presets.up]")
    do {
      _ = try Preset(name: "up", table, at: wall)
      Issue.record("it is taken")
    } catch {
      let key = line.prefix { $0 != " " }
      #expect(
        error.description
          == "c, line 3: '\(key)': 'christmas' is no day; write a date such as 2026-12-24")
    }
  }

  @Test func `A word that is no day gets an error, and so does a past last day`() throws {
    func said(_ body: () throws -> Void) -> String {
      do { try body() } catch { return (error as? CommandError)?.message.description ?? "\(error)" }
      return ""
    }
    let refusal = said { _ = try ranges("christmas") }
    #expect(refusal.hasSuffix("'christmas' is no day; write a date such as 2026-12-24"))
    func until(_ text: String) throws -> JSONValue {
      try Setting.until.notation.value([text], of: "--until", at: wall)
    }
    #expect(
      said { _ = try until("yesterday") }
        == "--until: 'yesterday' is in the past; write today or a later day")
    #expect(try until("today") == "2026-11-25")
  }

  private func file(_ text: String) throws -> [String] {
    let folder = try TestFolder()
    let path = "\(folder.path)/days"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return try withExtendedLifetime(folder) {
      DayRange.merged(try ExceptDays.file(path, at: wall)).map(\.text)
    }
  }

  @Test func `A file has a date or a range on a line, and comments`() throws {
    let text = "# holidays\n\n2026-12-24..2026-12-26 # Christmas\r\n  1.1.2027\n2020-01-01\n"
    #expect(try file(text) == ["2026-12-24..2026-12-26", "2027-01-01"])
  }

  private static func calendar(_ lines: String...) -> String {
    let all =
      ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR"]
    return all.joined(separator: "\r\n") + "\r\n"
  }

  @Test(arguments: [
    // DTEND is the day after the last.
    (
      calendar("DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227"),
      ["2026-12-24..2026-12-26"]
    ),
    (calendar("DTSTART;VALUE=DATE:20261224"), ["2026-12-24"]),
    (calendar("DTSTART;VALUE=DATE:20261224", "DURATION:P1W"), ["2026-12-24..2026-12-30"]),
    // A line that begins with a blank continues the previous one. Quotes may contain a colon. The
    // event contains an alarm.
    (
      calendar(
        "SUMMARY:Fete\\, or\\;", " DTSTART:20261201", "DTSTART;X=\"a:b\";VALUE=DA", "\tTE:20261224",
        "BEGIN:VALARM", "DTSTART:20261212", "END:VALARM"), ["2026-12-24"]
    ),
    (calendar("DTSTART:20261224T090000Z"), []),
    (calendar("DTSTART;VALUE=DATE:20261224", "STATUS:CANCELLED"), []),
    (
      calendar(
        "DTSTART;VALUE=DATE:20241224", "RRULE:FREQ=YEARLY;COUNT=4", "EXDATE;VALUE=DATE:20261224"),
      ["2027-12-24"]
    ),
    (
      calendar("DTSTART;VALUE=DATE:20241224", "RRULE:FREQ=YEARLY;UNTIL=20271231"),
      ["2026-12-24", "2027-12-24"]
    ),
    (calendar("DTSTART;VALUE=DATE:20200229", "RRULE:FREQ=YEARLY"), ["2028-02-29", "2032-02-29"]),
  ])
  func `All-day events of an iCalendar file are days`(text: String, days: [String]) throws {
    #expect(try file(text) == days)
  }

  @Test func `An unsupported rule is refused with its line`() throws {
    let text = Self.calendar("DTSTART;VALUE=DATE:20261224", "SUMMARY:Bins", "RRULE:FREQ=HOURLY")
    do {
      _ = try file(text)
      Issue.record("it was taken")
    } catch let error as CommandError {
      #expect(
        error.message.description.contains("days:6: the event 'Bins' repeats by 'FREQ=HOURLY'"))
    }
  }

  @Test func `A calendar skips days in its own zone, and ends on the last day`() throws {
    let calendar = ZoneCalendar(local: .utc)
    var schedule = try calendar.schedule("*-*-* 00:30", zone: "Europe/Berlin")
    schedule.except = try ExceptDays.ranges("2026-11-26..2026-11-28", at: wall)
    schedule.until = Int32(CivilDate(year: 2026, month: 11, day: 30).daysSinceEpoch)
    // 00:30 in Berlin is 23:30 UTC on the day before.
    var found: [String] = []
    var after = wall.nowUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      found.append(CivilTime.rfc3339(utcUsec: next))
      after = next
    }
    #expect(found == ["2026-11-28T23:30:00Z", "2026-11-29T23:30:00Z"])
  }

  /// Checking each instant separately would take minutes.
  @Test func `A year of excepted days is skipped in one step`() throws {
    let calendar = ZoneCalendar(local: .utc)
    var schedule = try calendar.schedule("*:*:*", zone: nil)
    schedule.except = try ExceptDays.ranges("2026-11-25..2066-11-25", at: wall)
    let next = calendar.next(schedule, afterUsec: wall.nowUsec)
    #expect(next.map { CivilTime.rfc3339(utcUsec: $0) } == "2066-11-26T00:00:00Z")
  }
}
