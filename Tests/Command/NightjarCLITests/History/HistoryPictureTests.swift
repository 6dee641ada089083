import Foundation
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

private let minute = 60 * second

extension LedgerScript {
  /// The picture of the period to which a date belongs.
  func picture(
    _ period: HistoryPicture.Period, _ date: String, zone: String = "UTC"
  ) throws -> HistoryPicture {
    let rules = try #require(ZoneDatabase.zone(named: zone))
    let days = period.days(around: try #require(CivilDate(iso: date)).daysSinceEpoch)
    let range = LocalDays(zone: rules, days: days).range
    var hidden = HiddenTime()
    for event in events where event["type"] == "will_enter_foreground" {
      if let span = event["span"] { hidden.add(try Wire.Span(span)) }
    }
    return HistoryPicture(
      period, days, try runs(zone: zone, range: range), hidden,
      days: LocalDays(zone: rules, range: range))
  }

  /// A day with all that a picture shows: the machine sleeps until 7:00, tea runs from 8:00 to
  /// 10:00, is paused to 12:00, runs to 14:00, sleeps and is late from 16:00 to 18:00.
  static func fullDay() throws -> LedgerScript {
    try LedgerScript(
      on: time("2026-11-24"),
      """
      23:00-1d..07:00 sleep
      08:00 tea started for=6h
      10:00 tea paused counted=2h
      12:00 tea resumed counted=2h paused=2h
      14:00..18:00 sleep
      18:00 tea rang counted=6h paused=2h late=2h cause=sleep span_id=2
      """)
  }
}

/// What a day, a week and a year show, without a terminal and without a browser.
@Suite(.blocking) struct HistoryPictureTests {
  /// Below what happens are the events, and what is drawn of them, in order. If no start is among
  /// them, tea is started at 8:00 for 30 minutes.
  static let days = PlayedScript.table(
    """
    it runs and rings
      08:30 tea rang counted=30min late=0
      > running 08:00:00 08:30:00
      > ring 08:30:00
    it is paused, and extended meanwhile
      08:10 tea paused counted=10min
      08:15 tea extended by=1min
      08:20 tea resumed counted=10min paused=10min
      08:41 tea rang counted=31min paused=10min late=0
      > paused 08:10:00 08:20:00
      > running 08:20:00 08:41:00
      > running 08:00:00 08:10:00
      > ring 08:41:00
    it is cancelled while it is paused
      08:10 tea paused counted=10min
      08:20 tea cancelled counted=10min paused=10min
      > paused 08:10:00 08:20:00
      > running 08:00:00 08:10:00
    the machine sleeps until after the deadline
      08:10..09:30 sleep
      09:30 tea rang counted=30min late=1h cause=sleep
      > running 08:00:00 08:10:00
      > asleep 08:10:00 08:30:00
      > late 08:30:00 09:30:00
      > ring 09:30:00 1 h late: the machine slept
    a sleep is no part of its time on the clock awake
      08:00 tea started for=30min clock=awake
      08:10..09:30 sleep
      09:50 tea rang counted=30min late=0
      > running 09:30:00 09:50:00
      > running 08:00:00 08:10:00
      > ring 09:50:00
    the daemon is down, and the machine is not asleep
      08:10..08:20 down
      08:30 tea rang counted=30min late=0
      > running 08:00:00 08:30:00
      > ring 08:30:00
    half a second late is on time
      08:30:00.5 tea rang counted=30min late=500ms
      > running 08:00:00 08:30:00
      > ring 08:30:00
    the part after midnight is not of this day
      01:00+1d tea rang counted=17h late=0
      > running 08:00:00 00:00:00
    an undone pause is no pause
      08:10 tea paused counted=10min
      08:10:09 tea undone counted=609s undone_seq=2 undone_type=paused
      08:30 tea rang counted=30min late=0
      > running 08:10:09 08:30:00
      > running 08:00:00 08:10:09
      > ring 08:30:00
    the clock was an hour ahead after a reboot, and times since then move
      08:01..09:02 reboot elapsed=1min
      09:10 tea paused counted=10min
      09:20 tea resumed counted=10min
      09:40 tea rang counted=30min late=0
      08:41 - clock_stepped offset=-1h
      08:41 - corrected from=08:01 to=08:02 by=0
      > paused 08:10:00 08:20:00
      > running 08:20:00 08:40:00
      > running 08:00:00 08:01:00
      > running 08:02:00 08:10:00
      > asleep 08:01:00 08:02:00
      > ring 08:40:00
    """)

  @Test(arguments: days) func `A line of a day: what the timer did, and when it rang`(
    _ day: PlayedScript
  ) throws {
    let isStarted = day.lines.contains { $0.contains(" started ") }
    let start = isStarted ? "" : "08:00 tea started for=30min clock=elapsed\n"
    let ledger = try LedgerScript(
      on: LedgerScript.time("2026-11-24"), start + day.lines.joined(separator: "\n"))
    let picture = try ledger.picture(.day, "2026-11-24")
    let row = try #require(picture.rows.first)
    func time(_ usec: Int64) -> String { LocalTime(usec: usec, in: .utc).time }
    let segments = HistoryPicture.Kind.allCases.flatMap { kind in
      row.segments.filter { $0.kind == kind }.map {
        "\(kind.rawValue) \(time($0.range.lowerBound)) \(time($0.range.upperBound))"
      }
    }
    let rings = row.rings.map { "ring \(time($0.usec))\($0.late.map { " \($0)" } ?? "")" }
    #expect(segments + rings == day.events.map(String.init))
    #expect(picture.rows.count == 1 && row.name == "tea")
  }

  @Test(
    arguments: [
      (.day, "2026-11-24", "2026-11-24", 1), (.week, "2026-11-24", "2026-11-23", 7),
      (.week, "2026-11-23", "2026-11-23", 7), (.week, "2026-11-29", "2026-11-23", 7),
      (.week, "2027-01-02", "2026-12-28", 7), (.year, "2026-11-24", "2026-01-01", 365),
      (.year, "2028-02-29", "2028-01-01", 366),
    ] as [(HistoryPicture.Period, String, String, Int)])
  func `A week begins on Monday, a year on 1 January`(
    period: HistoryPicture.Period, date: String, first: String, count: Int
  ) throws {
    let days = period.days(around: try #require(CivilDate(iso: date)).daysSinceEpoch)
    #expect(CivilDate(daysSinceEpoch: days.lowerBound).text == first && days.count == count)
  }

  @Test func `A week and a year have all days, each with what all timers did`() throws {
    var ledger = try LedgerScript.fullDay()
    try ledger.add(
      "23:00 egg started for=3h\n02:00+1d egg rang counted=3h late=0",
      on: LedgerScript.time("2026-11-29"))
    let week = try ledger.picture(.week, "2026-11-24")
    #expect(week.rows.map { $0.workedUsec / hour } == [0, 6, 0, 0, 0, 0, 1])
    #expect(week.rows.map(\.rings.count) == [0, 1, 0, 0, 0, 0, 0])
    #expect(week.rows[1].name == "Tue 24 Nov")
    #expect(week.title == "Mon 23 Nov to Sun 29 Nov 2026, 7 h in all")
    let year = try ledger.picture(.year, "2026-11-24")
    #expect(year.rows.filter { year.level($0) > 0 }.map { year.level($0) } == [4, 1, 2])
    #expect(year.title == "2026, 9 h in all" && year.rows.count == 365)
    #expect(try ledger.picture(.year, "2025-11-24").isEmpty && !year.isEmpty)
  }

  @Test(
    arguments: [
      ("Europe/Berlin", "2026-03-29 03:00", 3.0), ("Europe/Berlin", "2026-10-25 03:00", 3.0),
      ("Europe/Berlin", "2026-10-25 12:00", 12.0), ("America/Santiago", "2026-09-06 01:00", 1.0),
    ]) func `Hours are those that the clock showed, also on days when it is changed`(
      zone: String, time: String, hours: Double
    ) throws
  {
    let usec = try LedgerScript.time(time, in: zone)
    let picture = try LedgerScript().picture(.day, String(time.prefix(10)), zone: zone)
    #expect(picture.place(usec) == hours / 24)
    let whole = picture.place(picture.days.range)
    #expect(whole.upperBound > 0.999, "\(whole)")
    // An hour that the clock showed twice.
    let back = picture.place(usec - 45 * minute..<usec)
    #expect(back.lowerBound <= back.upperBound)
  }

  @Test func `On a terminal each column is an hour if there is no more room`() throws {
    let picture = try LedgerScript.fullDay().picture(.day, "2026-11-24")
    func lines(_ isUnicode: Bool) -> [String] {
      PictureText(picture: picture, isUnicode: isUnicode, width: 10).lines.map(\.text)
    }
    #expect(
      lines(true) == [
        "Tue 24 Nov 2026, 6 h in all", "",
        "     00:00 06:00 12:00 18:00",
        "tea  ░░░░░░░ ██▒▒██▓▓━━●       6 h", "",
        "▒ paused   █ ran   ▓ ran while asleep   ━ late   ░ asleep   ● rang",
      ])
    #expect(lines(false)[3] == "tea  ::::::: ##==##++--*       6 h")
  }

  @Test func `A year is a calendar of weeks, also without Unicode`() throws {
    let picture = try LedgerScript.fullDay().picture(.year, "2026-11-24")
    let lines = PictureText(picture: picture, isUnicode: false, width: 80).lines.map(\.text)
    // 1 January 2026 is a Thursday, and 24 November is in the 48th column.
    #expect(lines[2].hasPrefix("    Jan Feb Mar"))
    #expect(lines[4] == "Tue  " + String(repeating: ".", count: 46) + "#" + ".....")
    #expect(lines[6] == "Thu " + String(repeating: ".", count: 53))
  }
}

/// `nightjar history --day` and its files, in the real program and in a real browser.
@Suite(.blocking) struct HistoryDrawingTests {
  private let clock = Noon()
  private var noon: Int64 { clock.nowUsec }

  /// A timer for each name, all of which rang an hour ago.
  private func fixture(_ names: [String]) throws -> Fixture {
    var ledger = LedgerScript()
    for name in names {
      ledger.start(name, at: noon - 2 * hour, ["duration_usec": .integer(hour)])
      ledger.add("rang", name, at: noon - hour, ["counted_usec": .integer(hour), "late_usec": 0])
    }
    return try ledger.fixture(at: clock)
  }

  @Test func `A picture leaves out what was removed and what has no name of its own`() throws {
    let ledger = try LedgerScript(
      on: clock.midnightUsec,
      """
      11:00 tea started for=4min
      11:00 owl started for=4min
      11:00 gone started for=4min
      11:04 tea rang counted=4min late=0
      11:04 owl rang counted=4min late=0
      11:03 gone removed counted=3min
      """)
    let fixture = try ledger.fixture(at: clock)
    func names(_ arguments: String...) throws -> [String] {
      try fixture.runner.run(["history", "--day"] + arguments).output.split(separator: "\n")
        .dropFirst(2).dropLast().map { String($0.prefix { $0 != " " }) }
    }
    #expect(try names() == ["tea"] && names("--all") == ["tea", "owl", "gone"])
    try fixture.check("$ history --day=-1d")
    // Another form shows the same time.
    let json = try fixture.run("history", "--week", "--json").output
    #expect(json.split(separator: "\n").count == 1 && json.contains("\"tea\""))
    try fixture.check("$ history --day=-1d --json")
  }

  @Test func `A paused timer is paused until now`() throws {
    let ledger = try LedgerScript(
      on: clock.midnightUsec, "09:00 tea started for=2h\n10:00 tea paused counted=1h")
    let entry = FakeTimers.Entry(
      name: "tea", state: "paused", durationUsec: 2 * hour, remainingUsec: hour, id: 1, seq: 2,
      more: ["paused_since_usec": .integer(noon - 2 * hour)])
    let fixture = try ledger.fixture([entry], at: clock)
    var runner = fixture.runner
    runner.environment["LANG"] = "C"
    runner.environment["COLUMNS"] = "20"
    // The last sign is that of the hour that begins at noon.
    let line = "tea           #===             1 h"
    let output = try runner.run("history", "--day").output
    #expect(output.contains("\n\(line)\n"), "\(output)")
  }

  @Test(
    arguments: [
      (["--svg", "x"], "--svg and --html draw what --day, --week or --year shows without"),
      (["--day", "--html", "x", "--json"], "--svg and --html draw what"),
      (["--day", "--week"], "--day, --week and --year stand for --since and --until"),
      (["--year", "--since", "yesterday"], "--day, --week and --year stand for"),
      (["--day", "frumpday"], "cannot read --day: 'frumpday' is not understood"),
    ]) func `Options that exclude each other are refused`(arguments: [String], words: String) throws
  {
    let result = try CommandRunner(socket: "/nowhere/socket").run(["history"] + arguments)
    #expect(result.status == 64 && result.errors.hasPrefix("nightjar: \(words)"), "\(result)")
  }

  @Test func `A file that cannot be written is an error`() throws {
    let fixture = try fixture(["tea"])
    try fixture.check(
      """
      $ history --day --svg /proc/none/day.svg
      1! cannot write '/proc/none/day.svg': No such file or directory
      $ history --day --html /dev/full
      1! cannot write '/dev/full': No space left on device
      """)
  }

  // MARK: In a browser

  /// What a browser makes of the file that the command writes, as the browser writes it.
  private func page(_ fixture: Fixture, _ arguments: String...) throws -> String {
    let rig = try Rig()
    let file = "\(rig.path)/picture.\(arguments.last == "--svg" ? "svg" : "html")"
    #expect(try fixture.runner.run(["history"] + arguments + [file]) == .init(0))
    return try rig.tool(
      [
        "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
        "--user-data-dir=\(rig.path)/browser", "file://\(file)",
      ], environment: ["HOME": rig.path, "PATH": "/usr/bin:/bin"], package: "chromium")
  }

  @Test(arguments: ["--svg", "--html"])
  func `A browser shows each name as it is, and runs nothing`(form: String) throws {
    let names =
      HostileNames.all + [
        "<script>document.title='pwned'</script>", "</text></svg><b>bold</b>", "&lt;&#65;",
        "]]>", String(repeating: "長", count: 85),
      ]
    let given = names.filter { !TimerName.isGiven($0) }
    let page = try page(try fixture(given), "--day", form)
    #expect(!page.contains("<script") && !page.contains("<b>") && !page.contains("parsererror"))
    #expect(page.components("<text class=\"ink\"") == given.count)
    #expect(page.components("<rect class=\"running\"") == given.count + 1, "with the legend")
    #expect(page.components("<circle class=\"ring\"") == given.count)
    for name in given {
      let shown = VisibleText.visible(name)
      let short = TotalsText.shortened(shown)
      for text in [">\(Markup.escaped(short))</text>", ">\(Markup.escaped(shown)): ran, "] {
        let inHTML = text.replacing("\u{A0}", with: "&nbsp;")
        #expect(page.contains(form == "--svg" ? text : inHTML), "\(name)")
      }
    }
  }
}

extension String {
  /// How often the text has another one.
  fileprivate func components(_ other: String) -> Int { ranges(of: other).count }
}
