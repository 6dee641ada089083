import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The requests, answers and errors of the commands for alarms, stopwatches and sequences.
@Suite(.blocking) struct KindCommandTests {
  /// The parameters of `Start` that a command sends.
  private func sent(_ arguments: [String], in zone: String? = nil) throws -> JSONValue {
    var fixture = try Fixture()
    if let zone { fixture.runner.environment["TZ"] = zone }
    let result = try fixture.runner.run(arguments)
    #expect(result.status == 0, "\(arguments): \(result)")
    return try #require(fixture.daemon.requests.first { $0.method == "Start" }).parameters
  }

  private static let sendings: [([String], String)] = [
    (
      ["start", "tea", "10min", "--repeat", "--rounds", "3"],
      #"{"name":"tea","duration_usec":600000000,"repeat":{"rounds":3}}"#
    ),
    (
      ["start", "tea", "1h", "--late", "skip", "--missed", "each"],
      #"{"name":"tea","duration_usec":3600000000,"late":"skip","missed":"each"}"#
    ),
    (
      ["start", "tea", "1h", "--late", "10min"],
      #"{"name":"tea","duration_usec":3600000000,"fire_within_usec":600000000}"#
    ),
    (
      ["start", "tea", "1h", "--late", "0"],
      #"{"name":"tea","duration_usec":3600000000,"fire_within_usec":0}"#
    ),
    (
      ["start", "talk", "1h", "--warn", "10min=soon,5min"],
      #"""
      {"name":"talk","duration_usec":3600000000,"bands":[{"name":"soon",\#
      "remaining_usec":600000000},{"name":"warn",\#
      "remaining_usec":300000000,"text":"5 min left"}]}
      """#
    ),
    (
      ["start", "tea", "1h", "--band", "60s=warn,10s=urgent:red:0.9..1:Hurry, now: go"],
      #"""
      {"name":"tea","duration_usec":3600000000,"bands":[{"name":"warn",\#
      "remaining_usec":60000000},{"name":"urgent","remaining_usec":10000000,\#
      "color":"red","text":"Hurry, now: go","progress":{"from":0.9,"to":1.0}}]}
      """#
    ),
    (
      ["alarm", "standup", "Mon..Fri", "9:30"],
      #"{"name":"standup","alarm":{"calendar":"Mon..Fri *-*-* 09:30:00"}}"#
    ),
    (
      ["alarm", "ny", "9:30", "--repeat", "--zone", "America/New_York", "--rounds", "2"],
      #"""
      {"name":"ny","alarm":{"calendar":"*-*-* 09:30:00","zone":"America/New_York",\#
      "rounds":2}}
      """#
    ),
    (["alarm", "x", "Mon", "9:30"], #"{"name":"x","alarm":{"calendar":"Mon *-*-* 09:30:00"}}"#),
    (
      ["alarm", "weekdays", "at", "7", "up"],
      #"{"name":"up","alarm":{"calendar":"Mon..Fri *-*-* 07:00:00"}}"#
    ),
    (
      ["alarm", "x", "weekdays", "6:45", "in", "the", "morning"],
      #"{"name":"x","alarm":{"calendar":"Mon..Fri *-*-* 06:45:00"}}"#
    ),
    (
      ["alarm", "x", "daily", "9", "in", "the", "evening"],
      #"{"name":"x","alarm":{"calendar":"*-*-* 21:00:00"}}"#
    ),
    (
      ["alarm", "--name", "noon", "daily"],
      #"{"name":"noon","alarm":{"calendar":"*-*-* 00:00:00"}}"#
    ),
    (
      ["alarm", "*-*-01 12:00 Europe/Berlin"],
      #"{"alarm":{"calendar":"*-*-01 12:00:00 Europe/Berlin"}}"#
    ),
    (["stopwatch"], #"{"stopwatch":true}"#),
    (
      ["stopwatch", "run", "--clock", "awake"], #"{"name":"run","stopwatch":true,"clock":"awake"}"#
    ),
    (
      ["sequence", "pomodoro", "work=25min", "rest=5min", "--loop", "4"],
      #"""
      {"name":"pomodoro","sequence":{"steps":[{"name":"work",\#
      "duration_usec":1500000000},{"name":"rest","duration_usec":300000000,\#
      "break":true}],"rounds":4}}
      """#
    ),
    (
      [
        "sequence", "a=1min", "b=2min", "--loop", "forever", "--wait-after", "a", "--break", "b",
        "--long", "b=20min", "--long-every", "4", "--after-sleep", "restart",
      ],
      #"""
      {"sequence":{"steps":[{"name":"a","duration_usec":60000000,"waits":true},\#
      {"name":"b","duration_usec":120000000,"break":true,"long_usec":1200000000}],\#
      "long_every":4,"rounds":0,"after_sleep":"restart"}}
      """#
    ),
  ]

  @Test(arguments: sendings) func `Each command sends what the user typed, and nothing else`(
    arguments: [String], expected: String
  ) throws {
    #expect(try sent(arguments) == JSONValue.parse(expected))
  }

  @Test(
    arguments: [
      (["alarm", "12:30"], 30 * 60), (["alarm", "tea", "11:59"], 24 * 3600 - 60),
      (["alarm", "tea", "1pm"], 3600), (["alarm", "tea", "tomorrow", "12:00"], 24 * 3600),
      (["alarm", "+90min"], 90 * 60),
    ] as [([String], Int64)])
  func `An alarm's instant is the next matching one, in the given zone`(
    arguments: [String], after seconds: Int64
  ) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(arguments).status == 0)
    let alarm = try #require(fixture.daemon.requests.first).parameters["alarm"]
    let at = try #require(alarm?["at_usec"]?.integerValue)
    // The fixture's noon is a whole second before now, and some time has passed since.
    let off = at - fixture.noon.nowUsec - seconds * 1_000_000
    #expect(abs(off) < 60_000_000, "\(off)")
  }

  @Test(
    arguments: [
      (
        "alarm next 9am",
        "'next 9am' is no day; write one such as next monday; for a timer called 'next' write nightjar "
          + "alarm --name next 9am"
      ),
      (
        "alarm noon 14:00",
        "'noon 14:00' has two times; start one alarm for each; for a timer called 'noon' write "
          + "nightjar alarm --name noon 14:00"
      ),
      (
        "alarm tomorow 9am",
        "did you mean tomorrow? for a timer called 'tomorow' write nightjar alarm --name tomorow 9am"
      ),
      (
        "alarm x in 5M",
        "'in 5M' has two readings; write nightjar alarm x in 5min (minutes), or nightjar alarm x in "
          + "5month (months)"
      ),
      (
        "alarm x in 8:00",
        "'in 8:00' has three readings; write nightjar alarm x in 8min (minutes), or nightjar alarm x in "
          + "8h (hours), or nightjar alarm x 8:00 (a time of day)"
      ),
      ("alarm x weekdays 25:00", "'25:00' is not a time of day; the hour is from 0 to 23"),
      ("alarm weekdays 25:00", "'25:00' is not a time of day; the hour is from 0 to 23"),
      (
        "alarm x 12 in the evening",
        "12:00 is not in the evening; write a time alone, such as 21:00"
      ),
      (
        "alarm x +5M",
        "'+5M' has two readings; write nightjar alarm x +5min (minutes), or nightjar alarm x +5month "
          + "(months)"
      ),
      (
        "alarm x 24.12 18:00",
        "'24.12' is not a time of day; write nightjar alarm x 24.12. 18:00 (a date)"
      ),
      (
        "alarm for 9:00",
        "'for' is a word of time; for a timer called 'for' write nightjar alarm --name for 9:00"
      ),
      (
        "alarm until 9:00",
        "'until' is a word of time; for a timer called 'until' write nightjar alarm --name until 9:00"
      ),
      (
        "alarm once 9:00",
        "'once' is a word of time; for a timer called 'once' write nightjar alarm --name once 9:00"
      ),
      (
        "alarm morning 7:00",
        "'morning' may be part of the time or the name; write nightjar alarm 7:00 in the morning, or for "
          + "a timer called 'morning' nightjar alarm --name morning 7:00"
      ),
      (
        "alarm Evening daily 9",
        "'Evening' may be part of the time or the name; write nightjar alarm daily 9 in the evening, or "
          + "for a timer called 'Evening' nightjar alarm --name Evening daily 9"
      ),
      (
        "alarm the 9:00",
        "'the' may stand only in front of a date, such as the 24th of December; for a timer called 'the' write "
          + "nightjar alarm --name the 9:00"
      ),
      ("alarm m9 nightly 22:00", "'nightly' is not supported; write nightjar alarm m9 daily 22:00"),
      (
        "alarm m,t,w 8:00",
        "'m,t,w' is no list of days; write three letters of each, such as mon,tue,wed; for a timer called "
          + "'m,t,w' write nightjar alarm --name m,t,w 8:00"
      ),
      (
        "alarm x m,t,w 8:00",
        "'m,t,w' is no list of days; write three letters of each, such as mon,tue,wed"
      ),
      (
        "alarm seven thirty",
        "'thirty' is not a time of day; the hour is from 0 to 23; for a timer called 'thirty' write nightjar "
          + "alarm --name thirty seven"
      ),
      (
        "alarm eight fifteen",
        "'eight fifteen' has two times; start one alarm for each; for a timer called 'eight' write "
          + "nightjar alarm --name eight fifteen"
      ),
      (
        "alarm first monday 9",
        "'first' is a word of time; for a timer called 'first' write nightjar alarm --name first "
          + "monday 9"
      ),
      (
        "alarm 7 tommorrow",
        "did you mean tomorrow? for a timer called 'tommorrow' write nightjar alarm --name tommorrow 7"
      ),
      (
        "alarm wake me up 9am",
        "a name of several words stands in quotes: nightjar alarm 'wake me up' 9am"
      ),
      ("alarm tea tomorow 9am", "'tomorow' is not understood; did you mean tomorrow?"),
      ("alarm tea tomorow", "'tomorow' is not understood; did you mean tomorrow?"),
      (
        "alarm tea 9h",
        "'9h' has two readings; write nightjar alarm tea 9:00 (a time of day), or nightjar alarm tea "
          + "in 9h (from now)"
      ),
      (
        "alarm 90min tea",
        "'90min' is a time span, not a time; write nightjar alarm tea in 90min, or nightjar start tea 90min"
      ),
      (
        "alarm x 5/6 18:00",
        "'5/6 18:00' has two readings; write nightjar alarm x 5 Jun 18:00 (day first), or nightjar "
          + "alarm x 6 May 18:00 (month first)"
      ),
      (
        "alarm nap 1h30",
        "'1h30' has two readings; write nightjar alarm nap 1:30 (a time of day), or nightjar alarm "
          + "nap in 1h30 (from now)"
      ),
      (
        "alarm 0H45",
        "'0H45' has two readings; write nightjar alarm 0:45 (a time of day), or nightjar alarm in "
          + "0H45 (from now)"
      ),
      (
        "alarm x 9:00 UTC --zone Asia/Tokyo",
        "'9:00 UTC' names a zone; leave out --zone, or the zone in it"
      ),
    ] as [(Words, String)])
  func `No word of a time is read as a name: the error has whole commands to type`(
    arguments: Words, sentence: String
  ) throws {
    var fixture = try Fixture()
    fixture.runner.environment["LC_ALL"] = "C.UTF-8"
    #expect(try fixture.runner.run(arguments.list) == .sentence(64, sentence))
    #expect(fixture.methods.isEmpty)
  }

  @Test func `A list of times of day is refused with both readings, and not by analyze`() throws {
    let fixture = try Fixture()
    #expect(
      try fixture.run("alarm", "pill", "9:30,17:30")
        == .init(
          64,
          errors: "nightjar: '9:30,17:30' has two readings; write nightjar alarm pill 9,17:30 "
            + "(9:30 and 17:30), or nightjar alarm pill '*-*-* 9:30,17:30' (9:17:30 and 9:30:30)\n"
            + "See nightjar.time(7): nightjar help time\n"))
    #expect(fixture.methods.isEmpty)
    for time in ["9,17:30", "*-*-* 9:30,17:30"] {
      #expect(try fixture.run("alarm", "--name", time, time).status == 0)
    }
    let read = try fixture.run("analyze", "calendar", "9:30,17:30")
    #expect(read.output.contains("means  *-*-* 09:17,30:30\n"), "\(read)")
  }

  @Test func `On a terminal, the user is asked which of two readings is meant`() throws {
    let fixture = try Fixture()
    func lastStart() throws -> JSONValue {
      try #require(fixture.daemon.requests.last { $0.method == "Start" }).parameters
    }
    let result = try fixture.runner.runOnTerminal(["alarm", "tea", "9h"], typing: "2\n")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.contains("'9h' has two readings; which?\n  1  9:00 (a time of day)\n"))
    let start = try #require(fixture.daemon.requests.first).parameters
    let at = try #require(start["alarm"]?["at_usec"]?.integerValue)
    #expect(abs(at - fixture.noon.nowUsec - 9 * 3_600_000_000) < 60_000_000)
    let nap = try fixture.runner.runOnTerminal(["alarm", "nap", "1h30"], typing: "2\n")
    #expect(nap.output.contains("2  in 1h30 (from now)\n"), "\(nap)")
    let later = try lastStart()["alarm"]?["at_usec"]
    #expect(abs((later?.integerValue ?? 0) - fixture.noon.nowUsec - 5_400 * 1_000_000) < 60_000_000)
    let both = try fixture.runner.runOnTerminal(["alarm", "pill", "8:00,20:00"], typing: "2\n")
    #expect(both.output.contains("which?\n  1  8,20:00 (8:00 and 20:00)\n"), "\(both)")
    #expect(try lastStart()["alarm"]?["calendar"] == "*-*-* 08:00,20:00")
    let three = try fixture.runner.runOnTerminal(["alarm", "wake", "in", "8:00"], typing: "2\n")
    #expect(
      three.output.contains(
        "'in 8:00' has three readings; which?\n  1  in 8min (minutes)\n  2  in 8h (hours)\n  3  8:00"
      ),
      "\(three)")
    let eight = try lastStart()["alarm"]?["at_usec"]
    #expect(abs((eight?.integerValue ?? 0) - fixture.noon.nowUsec - 8 * 3_600_000_000) < 60_000_000)
    // These have one reading.
    for words in ["9h30", "01h30", "6h00", "tomorrow 1h30", "1:30", "in 1h30"] {
      let one = try fixture.runner.runOnTerminal(["alarm", "--replace", "x", words], typing: "")
      #expect(one.status == 0 && !one.output.contains("readings"), "\(words) \(one)")
    }
    let daily = try fixture.runner.runOnTerminal(
      ["alarm", "--replace", "x", "1h30", "--repeat"], typing: "")
    #expect(daily.status == 0 && !daily.output.contains("readings"), "\(daily)")
    let before = fixture.methods.count
    let other = try fixture.runner.runOnTerminal(["alarm", "egg", "9h"], typing: "\n")
    #expect(other.status == 64 && fixture.methods.count == before)
  }

  @Test func `A calendar uses the user's zone if it differs from the machine's`() throws {
    let sent = try sent(["alarm", "daily"], in: "Asia/Tokyo")
    #expect(sent == ["alarm": ["calendar": "*-*-* 00:00:00", "zone": "Asia/Tokyo"]])
    let named = try self.sent(["alarm", "daily UTC"], in: "Asia/Tokyo")
    #expect(named == ["alarm": ["calendar": "*-*-* 00:00:00 UTC"]])
  }

  @Test(
    arguments: [
      ("start tea 1h --rounds 3", "--rounds is for --repeat; add --repeat, or leave out --rounds"),
      ("start tea 1h --repeat --rounds 0", "--rounds is from 1 to 1000000"),
      ("start tea 1h --late never", "--late is fire, skip or a time span"),
      ("start tea 1h --band warn", "a band is written span or span=name"),
      ("start tea 1h --band 10s=", "has no name; write 10s=warn"),
      ("start tea 1h --band 10s=a,60s=b", "the most time remaining first"),
      ("start tea 1h --band 10s=a::0..2", "within 0 and 1"),
      ("alarm", "say when: nightjar alarm tea 17:30"),
      ("alarm tea", "'tea' is no time"),
      ("alarm tea 2020-01-01", "'2020-01-01' is in the past"),
      ("alarm tea 2026-02-30", "never comes again"),
      ("alarm tea 9:30 --zone Mars/Olympus", "there is no zone 'Mars/Olympus'"),
      ("alarm tea +1h --rounds 2", "rings only once"),
      ("alarm tea 17:30 --once --repeat", "give --once or --repeat, not both"),
      (["alarm", "x", "daily UTC", "--zone", "Asia/Tokyo"], "names a zone; leave out --zone"),
      ("alarm x *:*:0/0.05", "comes too often"),
      ("alarm wk Mon 9:30 --save", "--save is for start: it writes a preset"),
      ("sequence p a=1min b=2min --save", "--save is for start: it writes a preset"),
      ("stopwatch run --save", "--save is for start: it writes a preset"),
      (
        "start tea 1h --wake --clock awake",
        "the clock awake stands still while the machine sleeps; leave out 'wake' or 'clock'"
      ),
      ("sequence p w=5min --loop 0", "or write forever"),
      ("stopwatch 5min", "to count down write nightjar start 5min"),
      ("stopwatch run --clock wall", "must measure elapsed, awake or present"),
      ("sequence", "at least one step"), ("sequence pomodoro", "at least one step"),
      ("sequence p work", "a step is written name=span"),
      ("sequence p work=5", ""), ("sequence p work=x", "a number"),
      ("sequence p w=5min --break x", "no step is called 'x'; there are w"),
      ("sequence p w=5min --long w=9min", "belong together"),
      ("sequence p w=5min --loop often", "a number or forever, not 'often'"),
      ("update tea --band 5s=a --without bands", "not both"),
    ] as [(Words, String)])
  func `A command that makes no sense gets one sentence, and nothing is sent to the daemon`(
    arguments: Words, sentence: String
  ) throws {
    let fixture = try Fixture()
    let result = try fixture.runner.run(arguments.list)
    guard !sentence.isEmpty else {
      #expect(result.status == 0)
      return
    }
    #expect(result.status == 64 && result.output.isEmpty, "\(result)")
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(fixture.methods.isEmpty)
  }

  @Test(
    arguments: [
      ("sequence p work=25 rest=5min", "work=25: 25 is seconds; for minutes write 25min"),
      ("start tea 4min --insist 5", "--insist: 5 is seconds; for minutes write 5min"),
      ("start tea 4min --ring-for 20", "--ring-for: 20 is seconds; for minutes write 20min"),
      ("start tea 4min --rising 3", "--rising: 3 is seconds; for minutes write 3min"),
      ("start tea 4min --late 10", "--late: 10 is seconds; for minutes write 10min"),
      ("start tea 4min --band 60=warn", "--band 60=warn: 60 is seconds; for minutes write 60min"),
      (
        "start tea 4min --exec ls --exec-timeout 5",
        "--exec-timeout: 5 is seconds; for minutes write 5min"
      ),
      ("start tea 4min --ring-for 0 --insist 5min --late 0", nil),
    ] as [(Words, String?)])
  func
    `If a number has no unit, and the answer does not show that, a remark says that it is seconds`(
      arguments: Words, remark: String?
    ) throws
  {
    let fixture = try Fixture()
    let result = try fixture.runner.run(arguments.list)
    #expect(result.status == 0 && fixture.methods == ["Start"], "\(result)")
    #expect(result.errors == remark.map { "nightjar: \($0)\n" } ?? "", "\(result)")
  }

  @Test(arguments: ["", "# none\n", "2001-12-24\n", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"])
  func `A file without a future day gets a remark, and the alarm is started`(text: String) throws {
    let fixture = try Fixture()
    let path = fixture.runner.folder.path + "/days"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let result = try fixture.run("alarm", "up", "daily 7:00", "--except-file", path)
    #expect(result.status == 0 && fixture.methods == ["Start"], "\(result)")
    #expect(
      result.errors
        == "nightjar: no day to come was found in \(path); a line has a date such as 2026-12-24, and of "
        + "an iCalendar file the all-day events count\n")
  }

  @Test func `unskip is not corrected to skip, which would skip one more ring`() throws {
    let cases: [([String], String)] = [
      (["y7"], "y7"), (["my alarm", "b"], "'my alarm' b"), ([], "NAME"),
    ]
    for (names, typed) in cases {
      let result = try Fixture().runner.run(["unskip"] + names)
      #expect(
        result
          == .sentence(64, "no command is called 'unskip'; write nightjar skip \(typed) --undo"))
    }
  }

  @Test func `A skipped ring that is still to come is not counted as a finished round`() throws {
    let noon = Noon()
    let fixture = try Fixture(
      [
        .init(
          name: "up", clock: "wall", kind: "alarm",
          more: [
            "calendar": "*-*-* 13:00:00", "repeat": ["rung": 3, "snoozed": false],
            "skipped_usec": [.integer(noon.nowUsec + hour)],
          ])
      ], at: noon)
    let shown = try fixture.run("show", "up").output
    #expect(shown.contains("Repeats:   daily 13:00; 2 rounds over\n"))
  }

  @Test func `The answer to a sequence says how long its present step takes`() throws {
    let step: JSONValue = [
      "number": 1, "name": "work", "break": false, "waits": false, "index": 1, "steps": 2,
      "round": 1, "rounds": 1, "next_name": "rest", "next_duration_usec": 300_000_000,
    ]
    let fixture = try Fixture { request, nowUsec in
      let timers = FakeTimers(nowUsec: nowUsec)
      let entry = FakeTimers.Entry(
        name: "p", durationUsec: 1_500_000_000, remainingUsec: 1_500_000_000, kind: "sequence",
        more: ["step": step])
      return [.reply(["timer": timers.json(entry), "created": true])]
    }
    #expect(
      try fixture.run("sequence", "p", "work=25min", "rest=5min").output
        == "p: work, step 1 of 2, 25 min, rings at 12:25:00\n")
  }

  private static let entries: [FakeTimers.Entry] = [
    .init(
      name: "stretch", durationUsec: 2_700_000_000, remainingUsec: 60_000_000,
      rangAgoUsec: 120_000_000, ringing: "ringing", kind: "countdown",
      more: [
        "repeat": ["rung": 3]
      ]),
    .init(
      name: "pomodoro", state: "waiting", durationUsec: 1_500_000_000, remainingUsec: 0,
      kind: "sequence",
      more: [
        "after_sleep": "restart",
        "step": [
          "number": 3, "name": "work", "break": false, "waits": true, "index": 1, "steps": 2,
          "round": 2, "rounds": 4, "next_name": "rest", "next_duration_usec": 300_000_000,
        ],
      ]),
    .init(
      name: "run", durationUsec: 0, remainingUsec: -83_450_000, kind: "stopwatch",
      more: ["laps": [41_000_000, 83_000_000]]),
    .init(
      name: "tea", durationUsec: 240_000_000, remainingUsec: 9_500_000,
      more: [
        "band": ["name": "urgent", "remaining_usec": 10_000_000, "text": "Hurry"],
        "bands": [
          ["name": "warn", "remaining_usec": 60_000_000, "color": "yellow"],
          ["name": "urgent", "remaining_usec": 10_000_000, "text": "Hurry"],
        ], "late": "skip", "missed": "each",
      ]),
  ]

  @Test func `A list shows steps, rhythm, laps and bands`() throws {
    let fixture = try Fixture(Self.entries)
    #expect(
      try fixture.run("list")
        == .init(
          0,
          """
          stretch\trunning\t01:00\t12:01:00\tringing, due 11:58\tevery 45 min
          tea\trunning\t00:10\t12:00:09\t\tHurry
          pomodoro\twaiting\t00:00\t\t\twork, step 1 of 2, round 2 of 4
          run\trunning\t01:23.45\t\t\t2 laps

          """))
  }

  @Test func `Show prints the laps of a stopwatch, the step of a sequence, the bands and policies`()
    throws
  {
    let fixture = try Fixture(Self.entries)
    let run = try fixture.run("show", "run").output
    #expect(run.contains("Shows:   01:23.45\n"))
    #expect(run.contains("Lap 2:   00:42.00, in all 01:23.00\n"))
    let pomodoro = try fixture.run("show", "pomodoro").output
    #expect(pomodoro.contains("Step:      work, step 1 of 2, round 2 of 4\n"))
    #expect(pomodoro.contains("Next:      rest, 5 min\n"))
    let tea = try fixture.run("show", "tea").output
    #expect(tea.contains("warn from 1 min left (yellow)\n"))
    #expect(tea.contains("urgent from 10 s left (Hurry), now\n"))
    #expect(tea.contains("does not ring\n"))
  }

  @Test func `A name that is not UTF-8 is refused, not repaired`() throws {
    let fixture = try Fixture()
    var runner = fixture.runner
    runner.executable = "/bin/bash"
    let result = try runner.run([
      "-c", "\(try Binaries.nightjar()) --socket \(fixture.daemon.path) start $'z\\xff' 1h",
    ])
    #expect(result.status == 64 && result.errors.contains("not UTF-8"), "\(result)")
    #expect(fixture.methods.isEmpty)
  }

  @Test(arguments: [
    (
      ["--until", "2099-01-01"],
      "no such time is left up to its last day, 2099-01-01; give a later day with --until"
    ),
    (["--except", "2099-01-01"], "all such days are left out; leave out fewer with --except"),
  ])
  func `If an alarm would never ring, the error names the option that causes it`(
    options: [String], sentence: String
  ) throws {
    let fixture = try Fixture { request, _ in
      request.method == "Start" ? [.error("NeverElapses", ["name": "a6"])] : nil
    }
    #expect(
      try fixture.runner.run(["alarm", "a6", "mon", "9"] + options)
        == .sentence(1, "it would never ring: \(sentence)"))
  }

  @Test func `A repeating alarm cannot be extended, but can get another time`() throws {
    let fixture = try Fixture { request, _ in
      guard request.method == "Extend" else { return nil }
      return [.error("NotForKind", ["name": "up", "kind": "alarm", "operation": "extend"])]
    }
    #expect(
      try fixture.run("extend", "up", "5min")
        == .sentence(
          1,
          "cannot extend 'up': it rings by the calendar; give it another time with "
            + "nightjar edit up TIME"))
  }

  @Test func `An operation that a kind lacks is refused, with the kind`() throws {
    let fixture = try Fixture([.init(name: "tea")]) { request, _ in
      guard request.method != "Get" else { return nil }
      return [.error("NotForKind", ["name": "tea", "kind": "countdown", "operation": "advance"])]
    }
    #expect(
      try fixture.run("advance", "tea")
        == .sentence(1, "cannot advance 'tea': only a sequence has steps, and it is a countdown"))
  }
}
