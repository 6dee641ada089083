import NightjarModel
import NightjarTestSupport
import NightjarTime
import Testing

@testable import nightjar

/// The days of the all-day events of iCalendar files. Today is Wednesday, 2026-11-25.
@Suite struct CalendarFileTests {
  /// The days of a file that are not over, or the line and the sentence of the error.
  private static func read(_ bytes: [UInt8], today: String = "2026-11-25") -> String {
    guard let date = CivilDate(iso: today) else { return "no date" }
    let day = Int32(date.daysSinceEpoch)
    do {
      let ranges = try CalendarFile(bytes).days(from: day).filter { $0.last >= day }
      return DayRange.merged(ranges).map { range in
        let ends = [range.first, range.last].map { CivilDate(daysSinceEpoch: Int($0)).text }
        return ends[0] == ends[1] ? ends[0] : ends.joined(separator: "..")
      }.joined(separator: " ")
    } catch { return "\(error.line): \(error.sentence)" }
  }

  /// A calendar. A stroke is the end of a line.
  private static func calendar(_ lines: String) -> [UInt8] {
    let all = "BEGIN:VCALENDAR|\(lines)|END:VCALENDAR|"
    return Array(
      all.replacing("NEXT", with: "END:VEVENT|BEGIN:VEVENT").replacing("|", with: "\r\n").utf8)
  }

  /// A calendar with an event, which begins in line 2. Its name is in line 3.
  private static func event(_ lines: String) -> [UInt8] {
    calendar("BEGIN:VEVENT|SUMMARY:Bins|\(lines)|END:VEVENT")
  }

  // MARK: Lengths

  @Test(
    arguments: Row.table(
      #"""
      DTSTART;VALUE=DATE:20261224 => 2026-12-24
      DTSTART:20261224 => 2026-12-24
      dtstart;x=1;value=date:20261224 => 2026-12-24
      DTSTART:20261224|DTEND;VALUE=DATE:20261227 => 2026-12-24..2026-12-26
      DTSTART:20261224|DTEND;VALUE=DATE:20261224 => 2026-12-24
      DTSTART:20261224|DTEND:20261225T120000 => 2026-12-24..2026-12-25
      DTSTART:20261224|DURATION:P1W => 2026-12-24..2026-12-30
      DTSTART:20261224|DURATION:P1DT0H0M0S => 2026-12-24
      DTSTART:20261224|DURATION:PT36H => 2026-12-24..2026-12-25
      DTSTART:20261224|DTEND:20261220 => 5: the event 'Bins' ends before it begins
      DTSTART:20261224|DURATION:-P1D => 5: the event 'Bins' ends before it begins
      DTSTART:20261224|DURATION:P1M => 5: the event 'Bins' has no date in DURATION: 'P1M'
      DTSTART:20260230 => 4: the event 'Bins' has no date in DTSTART: '20260230'
      DTSTART;VALUE=DATE 20261224 => 4: the event 'Bins' has no date in DTSTART: \#
      'DTSTART;VALUE=DATE 20261224'
      DESCRIPTION:- => 2: the event 'Bins' has no DTSTART
      DTSTART:20261224|STATUS:Cancelled =>
      DTSTART:20261224T090000Z =>
      DTSTART:20261224T000000|DTEND:20261224T120000 =>
      DTSTART:20261224T000000Z|DTEND:20261225T000000Z =>
      DTSTART;TZID=X:20261224T090000|RRULE:FREQ=HOURLY =>
      DTSTART;TZID=Europe/Berlin:20261224T000000|DTEND;TZID=Europe/Berlin:20261226T000000 => \#
      2026-12-24..2026-12-25
      DTSTART;TZID=Europe/Berlin:20261224T000000|DTEND:20261224T230000Z => 2026-12-24
      DTSTART:20261223T230000Z|DTEND:20261224T230000Z|X-MICROSOFT-CDO-ALLDAYEVENT:TRUE => \#
      2026-12-24
      // As Outlook writes a series: midnight in a zone, and times in UTC.
      DTSTART;TZID=Pacific/Auckland:20261207T000000|DURATION:P1D|EXDATE:20261208T110000Z|\#
      RRULE:FREQ=DAILY;UNTIL=20261210T110000Z => 2026-12-07..2026-12-08 2026-12-10..2026-12-11
      """#))
  func `An event has its days`(row: Row) {
    #expect(Self.read(Self.event(row[0])) == row[1])
  }

  // MARK: Rules

  @Test(
    arguments: Row.table(
      #"""
      20241224 => RRULE:FREQ=YEARLY;COUNT=4|EXDATE:20261224T000000 => 2027-12-24
      20200229 => RRULE:FREQ=YEARLY => 2028-02-29 2032-02-29
      16040229 => RRULE:FREQ=YEARLY => 2028-02-29 2032-02-29
      16041224 => RRULE:FREQ=YEARLY;COUNT=424 => 2026-12-24 2027-12-24
      20261224 => RRULE:FREQ=YEARLY;UNTIL=20271224T000000Z => 2026-12-24 2027-12-24
      20261224 => RRULE:FREQ=YEARLY;UNTIL=20271223T230000Z => 2026-12-24 2027-12-24
      20261224 => RRULE:FREQ=DAILY;UNTIL=20261225T225959Z => 2026-12-24..2026-12-25
      20261224 => RRULE:FREQ=YEARLY;UNTIL=20261223 =>
      20261224 => RRULE: => 2026-12-24
      20261224 => RRULE:FREQ=DAILY;COUNT=-1;UNTIL=20261225 => 2026-12-24..2026-12-25
      20261202 => RRULE:freq=weekly;byday=mo;count=2 => 2026-12-02 2026-12-07
      20261201 => RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO => 2026-12-01 \#
      2026-12-06 2026-12-15 2026-12-20
      20261201 => RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU => 2026-12-01 \#
      2026-12-13 2026-12-15 2026-12-27
      20261130 => RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3 => 2026-11-30 \#
      2026-12-31 2027-01-29
      20261231 => RRULE:FREQ=MONTHLY;COUNT=2;BYHOUR=9 => 2026-12-31 2027-01-31
      20261231 => RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=2;INTERVAL=2 => 2026-12-31 2027-02-28
      20261126 => RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=+4TH;COUNT=2 => 2026-11-26 2027-11-25
      20270518 => RRULE:FREQ=YEARLY;BYWEEKNO=20;COUNT=2 => 2027-05-18 2028-05-16
      20261231 => RRULE:FREQ=YEARLY;BYYEARDAY=-1,100;COUNT=3 => 2026-12-31 2027-04-10 2027-12-31
      20261213 => RRULE:FREQ=DAILY;INTERVAL=10;BYMONTH=12;COUNT=3 => 2026-12-13 2026-12-23 \#
      2027-12-08
      20261224 => RRULE:FREQ=HOURLY => 5: the event 'Bins' repeats by 'FREQ=HOURLY', and \#
      'FREQ=HOURLY' is not understood for whole days; write its days one by one
      20261224 => RRULE:FREQ=DAILY;INTERVAL=0 => 5: the event 'Bins' repeats by \#
      'FREQ=DAILY;INTERVAL=0', and 'INTERVAL=0' is not understood for whole days; write its \#
      days one by one
      20261224 => RRULE:FREQ=YEARLY;BYDAY=0MO => 5: the event 'Bins' repeats by \#
      'FREQ=YEARLY;BYDAY=0MO', and 'BYDAY=0MO' is not understood for whole days; write its days \#
      one by one
      20261224 => RRULE:FREQ=DAILY;UNTIL=soon => 5: the event 'Bins' repeats by \#
      'FREQ=DAILY;UNTIL=soon', and 'UNTIL=SOON' is not understood for whole days; write its \#
      days one by one
      20261224 => EXRULE:FREQ=DAILY => 5: the event 'Bins' has an EXRULE, which is obsolete; \#
      write its days one by one
      """#))
  func `An event repeats`(row: Row) {
    #expect(Self.read(Self.event("DTSTART:\(row[0])|\(row[1])")) == row[2])
  }

  @Test func `Last year's event over the new year is not over on January 1`() {
    let file = Self.event("DTSTART:20231230|DURATION:P4D|RRULE:FREQ=YEARLY;UNTIL=20261231")
    #expect(Self.read(file, today: "2027-01-01") == "2026-12-30..2027-01-02")
  }

  // MARK: Exceptions

  @Test(
    arguments: Row.table(
      #"""
      EXDATE;VALUE=DATE:20261214, 20261221 => 2026-12-07
      EXDATE:20261214T090000|EXDATE:20261220T230000Z => 2026-12-07
      EXDATE:20261207 => 2026-12-14 2026-12-21
      EXDATE: => 2026-12-07 2026-12-14 2026-12-21
      EXDATE;TZID="Europe/Berlin:20261214 => 7: the event 'Bins' has no date in EXDATE: \#
      'EXDATE;TZID="Europe/Berlin:20261214'
      RDATE:20261224T000000|EXDATE:20261214,20261221 => 2026-12-07 2026-12-24
      RDATE;VALUE=PERIOD:20261224T000000/P2D,20270101T000000Z/20270103T000000Z => 2026-12-07 \#
      2026-12-14 2026-12-21 2026-12-24..2026-12-25 2027-01-01..2027-01-02
      NEXT|UID:1|RECURRENCE-ID;VALUE=DATE:20261214|DTSTART:20261216 => 2026-12-07 2026-12-16 \#
      2026-12-21
      NEXT|UID:1|RECURRENCE-ID:20261214|STATUS:CANCELLED|DTSTART:20261214 => 2026-12-07 2026-12-21
      NEXT|UID:1|RECURRENCE-ID:20261214T000000Z|DTSTART:20261214T090000 => 2026-12-07 2026-12-21
      NEXT|UID:2|RECURRENCE-ID:20261214|DTSTART:20261216 => 2026-12-07 2026-12-14 2026-12-16 \#
      2026-12-21
      EXDATE:20261214|NEXT|UID:1|RECURRENCE-ID:20261214|DTSTART:20261216 => 2026-12-07 2026-12-21
      SEQUENCE:2|NEXT|UID:1|RECURRENCE-ID:20261215|DTSTART:20261216 => 2026-12-07 2026-12-14 \#
      2026-12-21
      NEXT|UID:1|SUMMARY:A\, b|RECURRENCE-ID;RANGE=THISANDFUTURE:20261214|DTSTART:20261216 => \#
      11: the event 'A, b' changes other days, too; write its days one by one
      NEXT|UID:1|SEQUENCE:1|DTSTART:20261210 => 2026-12-10
      NEXT|UID:1|SEQUENCE:1|STATUS:CANCELLED =>
      """#))
  func `Single occurrences are added, taken out and moved`(row: Row) {
    let weekly = "DTSTART:20261207|RRULE:FREQ=WEEKLY;COUNT=3|UID:1"
    #expect(Self.read(Self.event("\(weekly)|\(row[0])")) == row[1])
  }

  // MARK: Files

  @Test(arguments: ["\r\n", "\n", "\r"])
  func `A file has any line ends, a mark of its encoding, and blank lines`(end: String) {
    let lines =
      "\u{FEFF}|BEGIN:VCALENDAR|BEGIN:VEVENT|DTSTART:2026|\t1224|END:VEVENT|END:VCALENDAR||"
    let text = lines.replacing("|", with: end)
    #expect(CalendarFile(Array(text.utf8)).isCalendar)
    #expect(!CalendarFile(Array("2026-12-24\(end)".utf8)).isCalendar)
    #expect(Self.read(Array(text.utf8)) == "2026-12-24")
    #expect(Self.read(Array(text.replacing("1224", with: "1324").utf8)).hasPrefix("4: "))
  }

  @Test func `A fold may divide a letter, and a text need not be UTF-8`() throws {
    var bytes = Self.calendar("BEGIN:VEVENT|SUMMARY:Fêt|DTSTART:2|END:VEVENT")
    let letter = try #require(bytes.firstIndex(of: 0xC3))
    bytes.insert(contentsOf: "\r\n ".utf8, at: letter + 1)
    #expect(Self.read(bytes) == "5: the event 'Fêt' has no date in DTSTART: '2'")
    bytes[letter] = 0xFF
    #expect(Self.read(bytes) == "5: the event 'F\u{FFFD}\u{FFFD}t' has no date in DTSTART: '2'")
  }

  @Test(
    arguments: Row.table(
      #"""
      BEGIN:VEVENT|DTSTART:20261224|BEGIN:VALARM|DTSTART:20261212|END:VALARM|END:VEVENT => \#
      2026-12-24
      BEGIN:VTODO|DTSTART:20261224|END:VTODO =>
      BEGIN:VTIMEZONE|BEGIN:STANDARD|DTSTART:19700101|END:STANDARD|END:VTIMEZONE =>
      BEGIN:VEVENT|DTSTART:20261224|END:VEVENT|END:VCALENDAR|BEGIN:VCALENDAR|BEGIN:VEVENT|DTSTART:20261226|END:VEVENT => 2026-12-24 2026-12-26
      METHOD:REFRESH|BEGIN:VEVENT|UID:1|END:VEVENT =>
      BEGIN:VEVENT|DTSTART:22000101|END:VEVENT =>
      END:VALARM => 2: END:VALARM comes before END:VCALENDAR, which line 1 asks for
      BEGIN:VEVENT|DTSTART:20261224 => 4: END:VCALENDAR comes before END:VEVENT, which line 2 \#
      asks for
      END:VCALENDAR|BEGIN:VEVENT|END:VEVENT => 5: END:VCALENDAR has no BEGIN before it
      """#))
  func `Components other than events are left out`(row: Row) {
    #expect(Self.read(Self.calendar(row[0])) == row[1])
  }

  @Test(arguments: [("VEVENT", 2), ("VCALENDAR", 1)])
  func `A file that is cut off is refused`(component: String, line: Int) throws {
    let bytes = Self.event("DTSTART:20261224")
    let cut = try #require(bytes.firstRange(of: Array("END:\(component)".utf8)))
    let refusal = "has no END, because the file is cut off; fetch it again"
    let read = Self.read(Array(bytes[..<cut.lowerBound]))
    #expect(read == "\(line): BEGIN:\(component) \(refusal)")
  }
}
