import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

private let minute = 60 * second

/// `nightjar history`: its selection and its output. It is noon, in a zone made for the test.
@Suite(.blocking) struct HistoryCommandTests {
  private let clock = Noon()
  private var noon: Int64 { clock.nowUsec }

  /// Three days: work over midnight, tea that rang late, a pomodoro, a call that is paused. The
  /// call is so long ago that the run time of the test is not visible in the output.
  private func fixture(_ entries: [FakeTimers.Entry] = []) throws -> Fixture {
    try LedgerScript(
      on: clock.midnightUsec,
      """
      22:00-2d work started for=4h labels.project=site
      02:00-1d work rang counted=4h late=0
      13:00-1d tea started for=4min labels.kind=drink
      13:00-1d..15:00-1d sleep
      15:00-1d tea rang counted=4min late=116min cause=sleep
      08:50 run/call started kind=stopwatch labels.project=site
      09:00 run/call paused counted=10min elapsed=10min
      11:00 run/pomodoro started kind=sequence for=25min labels.project=api \
      steps=work:25min,rest:5min sequence.rounds=1
      11:25 run/pomodoro rang counted=25min late=0 missed=0 step_number=2 step_name=rest for=5min
      11:30 run/pomodoro rang counted=30min late=0 missed=0 step_number=2 step_name=rest
      """
    ).fixture(entries, at: clock)
  }

  /// The timer that still exists.
  private var call: FakeTimers.Entry {
    FakeTimers.Entry(
      name: "run/call", state: "paused", durationUsec: 10 * minute, remainingUsec: 0, id: 7, seq: 8,
      kind: "stopwatch", more: ["paused_since_usec": .integer(noon - 180 * minute)])
  }

  private func run(_ arguments: String...) throws -> CommandRunner.Result {
    // Keeps the stand-in alive until here.
    let fixture = try fixture([call])
    return try fixture.runner.run(["history"] + arguments)
  }

  /// The date this many days ago, as the command writes it.
  private func date(_ daysAgo: Int64) -> (day: String, iso: String) {
    (clock.date(daysLater: -daysAgo), clock.isoDate(daysLater: -daysAgo))
  }

  @Test func `A row for each run: when, how long, how it ended, how late`() throws {
    let (two, one) = (date(2).day, date(1).day)
    // An end has its year if the run began in another one.
    let end = clock.date(daysLater: -1, seenFrom: -2)
    try fixture([call]).check(
      """
      $ history
      work\tover\t\(two) 22:00:00\t\(end) 02:00:00\t4 h\t\tproject=site
      tea\tover\t\(one) 13:00:00\t15:00:00\t4 min\t\tkind=drink, 1 h 56 min late: the machine slept
      run/call\tpaused\t08:50:00\t\t10 min\t3 h\tproject=site
      run/pomodoro\tover\t11:00:00\t11:30:00\t30 min\t\tproject=api, rang 2 times, breaks 5 min
      """)
  }

  @Test func `On a terminal it is a table, without columns that would be empty`() throws {
    let fixture = try fixture([call])
    var plain = fixture.runner
    plain.environment["NO_COLOR"] = "1"
    #expect(
      try plain.runOnTerminal(["history", "run/…"])
        == .init(
          0,
          """
          NAME          STATE   STARTED   ENDED     RAN     PAUSED  WHAT
          run/call      paused  08:50:00            10 min  3 h     project=site
          run/pomodoro  over    11:00:00  11:30:00  30 min          project=api, rang 2
                                                                    times, breaks 5 min

          """))
    let colored = try fixture.runner.runOnTerminal(["history", "run/pomodoro"]).output
    #expect(!colored.contains("PAUSED") && colored.contains("\u{1B}[1mRAN\u{1B}[0m"))
    #expect(
      try fixture.runner.runOnTerminal(["history", "none"]) == .init(0, "nothing in that time\n"))
    try fixture.check("$ history none")
  }

  @Test(
    arguments: Row.table(
      """
      tea => tea
      run/… => run/call run/pomodoro
      run =>
      --since today => run/call run/pomodoro
      --since yesterday => work tea run/call run/pomodoro
      --since -1d --until=-15min => tea run/call run/pomodoro
      --until 'yesterday 13:30' => work tea
      --until 'yesterday 13:00' => work
      --label project => work run/call run/pomodoro
      --label project=site => work run/call
      --label project= =>
      --label project --label kind =>
      --state paused => run/call
      --state paused --state running run/… => run/call
      --kind sequence --kind stopwatch => run/call run/pomodoro
      """))
  func `Runs can be selected by name, path, time, label, state and kind`(row: Row) throws {
    let fixture = try fixture()
    let result = try fixture.runner.run(["history"] + ScriptLine(row[0]).words)
    #expect(result.status == 0, "\(result)")
    let names = result.output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(names.joined(separator: " ") == row[1])
  }

  @Test func `Timers without a name, and removed ones, are left out unless they are asked for`()
    throws
  {
    let given = ["owl", "heron-2", "heron-house", "gone", "tea"]
    let ends = given.map { "11:04 \($0) \($0 == "gone" ? "removed" : "rang") counted=4min\n" }
    let starts = given.map { "11:00 \($0) started for=4min\n" }
    let ledger = try LedgerScript(
      on: clock.midnightUsec, (starts + ends).joined() + "11:59 wren started for=4min")
    let fixture = try ledger.fixture(at: clock)
    func names(_ arguments: String...) throws -> [String] {
      try fixture.runner.run(["history"] + arguments).output.split(separator: "\n")
        .map { String($0.prefix { $0 != "\t" }) }
    }
    // A timer that runs is shown whatever its name is.
    #expect(try names() == ["heron-house", "tea", "wren"])
    #expect(try names("--all") == ["owl", "heron-2", "heron-house", "gone", "tea", "wren"])
    #expect(try names("owl") == ["owl"] && names("--state", "removed") == ["gone"])
    #expect(try names("--totals").count == 2)
    #expect(
      try fixture.runner.runOnTerminal(["history", "--until=-1d"])
        == .init(0, "nothing in that time; --all also shows timers without a name\n"))
  }

  @Test func `As JSON, it prints one object per run, in microseconds`() throws {
    // More lines are no JSON.
    let printed = try JSONValue.parse(try run("--json", "--label", "project=api").output)
    #expect(
      printed == [
        "name": "run/pomodoro", "id": 9, "kind": "sequence", "clock": "elapsed", "state": "over",
        "started_usec": .integer(noon - hour), "ended_usec": .integer(noon - 30 * minute),
        "counted_usec": .integer(30 * minute), "paused_usec": 0, "extended_usec": 0, "rings": 2,
        "missed": 0, "unnoticed": 0, "late_usec": 0, "break_usec": .integer(5 * minute),
        "steps": [
          ["name": "work", "break": false, "counted_usec": .integer(25 * minute)],
          ["name": "rest", "break": true, "counted_usec": .integer(5 * minute)],
        ],
        "labels": ["project": "api"],
      ])
    let late = try JSONValue.parse(try run("--json", "tea").output)
    #expect(late["late_usec"] == .integer(2 * hour - 4 * minute) && late["late_cause"] == "sleep")
  }

  @Test func `Totals: a day's time by name, over midnight on both days, without breaks`() throws {
    let (two, one, today) = (date(2).iso, date(1).iso, date(0).iso)
    // The last one is a part of the day, and of the run.
    try fixture([call]).check(
      """
      $ history --totals
      \(two)\twork\t2:00:00
      \(one)\twork\t2:00:00
      \(one)\ttea\t0:04:00
      \(today)\trun/pomodoro\t0:25:00
      \(today)\trun/call\t0:10:00
      $ history run/… --totals --steps
      \(today)\trun/pomodoro: work\t0:25:00
      \(today)\trun/call\t0:10:00
      \(today)\trun/pomodoro: rest\t0:05:00
      $ history --totals --since 'yesterday 01:00' --until 'yesterday 13:01'
      \(one)\twork\t1:00:00
      \(one)\ttea\t0:01:00
      """)
    let json = try run("--totals", "--json", "tea").output
    #expect(
      try JSONValue.parse(json)
        == ["day": .string(one), "name": "tea", "counted_usec": .integer(4 * minute)])
  }

  @Test
  func `On a terminal totals are a table of days and names, with sums, as wide as there is room`()
    throws
  {
    let (two, one, today) = (date(2).day, date(1).day, date(0).day)
    let fixture = try fixture()
    var runner = fixture.runner
    defer { fixture.daemon.stop() }
    runner.environment["NO_COLOR"] = "1"
    let width = max(two.count, one.count, today.count, 5)
    func padded(_ text: String) -> String {
      text + String(repeating: " ", count: width - text.count)
    }
    runner.environment["COLUMNS"] = "200"
    let printed = try runner.runOnTerminal(["history", "--totals", "project"]).output
    #expect(
      printed == """
        \(padded("DAY"))        site     api  (no project)         ALL
        \(padded(two))         2 h                               2 h
        \(padded(one))         2 h                 4 min   2 h 4 min
        \(padded(today))      10 min  25 min                    35 min
        \(padded("Total"))  4 h 10 min  25 min         4 min  4 h 39 min

        """)
    // If the terminal does not know its width, COLUMNS counts.
    runner.environment["COLUMNS"] = "25"
    let narrow = try runner.runOnTerminal(["history", "--totals"]).output
    #expect(narrow.split(separator: "\n").first == "\(padded("DAY"))    4 OTHERS")
    runner.environment["COLUMNS"] = "40"
    let wider = try runner.runOnTerminal(["history", "--totals"]).output
    #expect(wider.split(separator: "\n").first?.hasSuffix("  3 OTHERS         ALL") == true)
  }

  @Test
  func `Bars are as long as their time, in eighths, scaled to the width; empty days are shown`()
    throws
  {
    let days = (0...2).map { date($0).day }
    func head(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: width - text.count + 2)
    }
    let fixture = try fixture()
    var runner = fixture.runner
    defer { fixture.daemon.stop() }
    runner.environment["LANG"] = "C.UTF-8"
    // 16 columns for the longest bar, with names and without.
    let today = days[0].count
    runner.environment["COLUMNS"] = "\(today + 2 + 14 + 16 + 1 + 6)"
    let printed = try runner.run("history", "--chart", "run/…").output
    #expect(
      printed == """
        \(days[0])  run/pomodoro  ████████████████ 25 min
        \(head("35 min", today))run/call      ██████▍ 10 min

        """)
    let width = max(days[1].count, days[2].count)
    runner.environment["COLUMNS"] = "\(width + 2 + 16 + 1 + 3)"
    let long = String(repeating: "█", count: 16)
    let single = try runner.run("history", "--chart", "work").output
    #expect(
      single == """
        \(head(days[2], width))\(long) 2 h
        \(head(days[1], width))\(long) 2 h

        \(head("Total", width))4 h

        """)
  }

  @Test(
    arguments: Row.table(
      """
      --since foo => cannot read --since: 'foo' is not understood; write one such as yesterday, -7d \
      or '2026-03-01 9:00'
      --until=2026-02-30 => cannot read --until: there is no 30 Feb 2026
      --since 2026-03-02 --until 2026-03-01 => --since, Mon 2026-03-02 00:00:00 UTC, is after \
      --until, Sun 2026-03-01 00:00:00 UTC; exchange them
      --since 2026-03-02 --until 2026-03-02 => --since and --until are the same, Mon 2026-03-02 \
      00:00:00 UTC, and nothing lies between them
      --label =site => --label takes key or key=value, such as project=site, not '=site'
      --chart --json => give --chart or --json, not both
      --state rang => the value 'rang' is invalid for '--state <state>'; please provide one of the \
      following: running, paused, waiting, over, cancelled, missed, finished, removed, restarted, \
      replaced
      --totals '' => --totals is by name, or takes the key of a label, such as --totals project
      --since 2999-03-01 => --since is in the future, Fri 2999-03-01 00:00:00 UTC; write a time in \
      the past
      """))
  func `Options that exclude each other get one sentence with its remedy`(row: Row) throws {
    var fixture = try fixture()
    fixture.runner.environment["TZ"] = "UTC"
    try fixture.check("$ history \(row[0])\n64! \(row[1])")
  }
}
