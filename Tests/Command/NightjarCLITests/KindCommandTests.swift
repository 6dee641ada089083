import Foundation
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

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

  @Test(
    arguments: Row.table(
      #"""
      start tea 10min --repeat --rounds 3 => "duration_usec":600000000,"repeat":{"rounds":3}
      start tea 1h --late skip --missed each => "duration_usec":3600000000,"late":"skip","missed":"each"
      start tea 1h --late 10min => "duration_usec":3600000000,"fire_within_usec":600000000
      start tea 1h --warn 10min=soon,5min => "duration_usec":3600000000,"bands":[{"name":"soon",\#
      "remaining_usec":600000000},{"name":"warn","remaining_usec":300000000,"text":"5 min left"}]
      start tea 1h --band "60s=warn,10s=urgent:red:0.9..1:Hurry, now: go" => \#
      "duration_usec":3600000000,"bands":[{"name":"warn","remaining_usec":60000000},\#
      {"name":"urgent","remaining_usec":10000000,"color":"red","text":"Hurry, now: go",\#
      "progress":{"from":0.9,"to":1.0}}]
      alarm tea Mon..Fri 9:30 => "alarm":{"calendar":"Mon..Fri *-*-* 09:30:00"}
      alarm tea 9:30 --repeat --zone America/New_York --rounds 2 => \#
      "alarm":{"calendar":"*-*-* 09:30:00","zone":"America/New_York","rounds":2}
      alarm --name tea daily => "alarm":{"calendar":"*-*-* 00:00:00"}
      alarm tea "*-*-01 12:00 Europe/Berlin" => "alarm":{"calendar":"*-*-01 12:00:00 Europe/Berlin"}
      stopwatch tea --clock awake => "stopwatch":true,"clock":"awake"
      sequence tea work=25min rest=5min --loop 4 => "sequence":{"steps":[{"name":"work",\#
      "duration_usec":1500000000},{"name":"rest","duration_usec":300000000,"break":true}],"rounds":4}
      sequence tea a=1min b=2min --loop forever --wait-after a --break b --long b=20min \#
      --long-every 4 --after-sleep restart => "sequence":{"steps":[{"name":"a",\#
      "duration_usec":60000000,"waits":true},{"name":"b","duration_usec":120000000,"break":true,\#
      "long_usec":1200000000}],"long_every":4,"rounds":0,"after_sleep":"restart"}
      """#))
  func `Each command sends what the user typed, and nothing else`(row: Row) throws {
    #expect(
      try sent(ScriptLine(row[0]).words) == JSONValue.parse("{\"name\":\"tea\",\(row[1])}"))
  }

  @Test(arguments: [
    ("12:30", 30), ("tea 11:59", 24 * 60 - 1), ("tea 1pm", 60), ("tea tomorrow 12:00", 24 * 60),
    ("+90min", 90),
  ])
  func `An alarm's instant is the next matching one, in the given zone`(
    words: String, after minutes: Int64
  ) throws {
    let fixture = try Fixture()
    #expect(try fixture.runner.run(ScriptLine("alarm \(words)").words).status == 0)
    let at = try #require(fixture.sent("Start")["alarm"]?["at_usec"]?.integerValue)
    // The fixture's noon is a whole second before now, and some time has passed since.
    let off = at - fixture.noon.nowUsec - minutes * 60 * second
    #expect(abs(off) < 60 * second, "\(off)")
  }

  @Test func `On a terminal, the user is asked which of several readings is meant`() throws {
    let fixture = try Fixture()
    for (words, question, hours) in [
      ("alarm tea 9h", "'9h' has two readings; which?\n  1  9:00 (a time of day)\n", 9),
      ("alarm wake in 8:00", "'in 8:00' has three readings; which?\n  1  in 8min (minutes)\n", 8),
    ] as [(String, String, Int64)] {
      let result = try fixture.runner.runOnTerminal(ScriptLine(words).words, typing: "2\n")
      #expect(result.status == 0 && result.output.contains(question), "\(result)")
      let at = try #require(fixture.sent("Start")["alarm"]?["at_usec"]?.integerValue)
      #expect(abs(at - fixture.noon.nowUsec - hours * 3_600_000_000) < 60_000_000)
    }
    let one = try fixture.runner.runOnTerminal(["alarm", "x", "9h30"], typing: "")
    #expect(one.status == 0 && !one.output.contains("readings"), "\(one)")
    let before = fixture.methods.count
    let none = try fixture.runner.runOnTerminal(["alarm", "egg", "9h"], typing: "\n")
    #expect(none.status == 64 && fixture.methods.count == before)
  }

  @Test func `A calendar uses the user's zone if it differs from the machine's`() throws {
    for (words, alarm) in [
      ("daily", ["calendar": "*-*-* 00:00:00", "zone": "Asia/Tokyo"]),
      ("daily UTC", ["calendar": "*-*-* 00:00:00 UTC"]),
    ] as [(String, JSONValue)] {
      #expect(try sent(["alarm", words], in: "Asia/Tokyo") == ["alarm": alarm])
    }
  }

  @Test(
    arguments: Row.table(
      #"""
      start tea 1h --rounds 3 => --rounds is for --repeat; add --repeat, or leave out --rounds
      start tea 1h --repeat --rounds 0 => --rounds is from 1 to 1000000
      start tea 1h --band 10s= => has no name; write 10s=warn
      start tea 1h --band 10s=a::0..2 => within 0 and 1
      alarm tea => 'tea' is no time
      alarm tea 2026-02-30 => never comes again
      alarm tea 9:30 --zone Mars/Olympus => there is no zone 'Mars/Olympus'
      alarm tea +1h --rounds 2 => rings only once
      alarm tea 17:30 --once --repeat => give --once or --repeat, not both
      alarm x "daily UTC" --zone Asia/Tokyo => names a zone; leave out --zone
      alarm x *:*:0/0.05 => comes too often
      alarm wk Mon 9:30 --save => --save is for start: it writes a preset
      sequence p a=1min b=2min --save => --save is for start: it writes a preset
      stopwatch run --save => --save is for start: it writes a preset
      start tea 1h --wake --clock awake => sleeps; leave out 'wake' or 'clock'
      sequence p w=5min --loop 0 => or write forever
      stopwatch 5min => to count down write nightjar start 5min
      stopwatch run --clock wall => must measure elapsed, awake or present
      sequence => at least one step
      sequence pomodoro => at least one step
      sequence p work => a step is written name=span
      sequence p work=x => a number
      sequence p w=5min --break x => no step is called 'x'; there are w
      sequence p w=5min --long w=9min => belong together
      sequence p w=5min --loop often => a number or forever, not 'often'
      update tea --band 5s=a --without bands => not both
      start tea 4min --exec a --shell b => give --exec or --shell, not both
      start tea 4min --exec a --exec-on action_ended => 'action_ended' is no event of a timer
      start tea 4min --exec a --exec-timeout 25h => goes up to 1 d, not to 25h
      start tea 4min --exec a --exec-timeout infinity => such as 20s or 5min, not 'infinity'
      start tea 4min --exec a --env NOSUCHTHING => NOSUCHTHING is not set here
      start tea 4min --exec-on paused => are settings of a command; add --exec or --shell
      start tea 4min --env A=b => are settings of a command; add --exec or --shell
      start tea 4min --sound /no/such.oga => /no/such.oga cannot be read: No such file or directory
      start tea 4min --sound /dev/null --silent => give --sound or --silent, not both
      start tea 4min --shell "" => --shell has no command in it; write one such as
      start tea 4min --exec "" => --exec has no program in it; write one such as
      start tea 4min --exec /tmp => /tmp is a folder; begin --exec with a program's name
      start tea 4min --exec "rm *.txt" => which '*.txt' would be for; use --shell, or quote it
      start tea 4min --exec a --exec-on "" => there is no event in ''; write some, such as rang
      start tea 4min --exec a --exec-on , => there is no event in ','; write some, such as rang
      start tea 4min --exec a --exec-timeout "" => takes a time span such as 20s or 5min, not ''
      start tea 4min --exec a --exec-timeout 0 => goes up to 1 d, not to 0
      start tea 4min --exec a --env "" => --env needs a name; write --env NAME=VALUE
      start tea 4min --exec a --env =b => --env needs a name; write --env NAME=VALUE
      start tea 4min --sound "" => --sound needs a file or a name; for no sound write --silent
      start tea 4min --sound /tmp => /tmp is not a file; give a sound file, or write --silent
      start tea 4min --volume 0 => --volume goes from 1 to 100, not 0; for no sound write --silent
      start tea 4min --volume 50% => --volume takes a number from 1 to 100, such as 50, not '50%'
      start tea 4min --ring-for 2h => --ring-for goes up to 1 h
      start tea 4min --rising soon => --rising takes a time span such as 20s or 5min, not 'soon'
      start tea 4min --insist 2d => --insist goes up to 1 d
      start tea 4min --sound gong => sounds without a file are chime, marimba, pulse
      start tea 4min --late never => --late is fire, skip or a time span such as 10min, not 'never'
      start tea 4min --volume 300 => --volume goes from 1 to 100, not 300; for no sound
      start tea 4min --insist 5M => --insist: 5M is months; for minutes write 5min, for months \#
      5month
      start tea 4min --data [1] => --data must be a JSON object, such as '{"distance_m": 1840}'
      start tea 4min --exec-on rong => 'rong' is no event of a timer; did you mean rang?
      start tea 4min --env 1=x => '1' is no variable for a command: its name has letters, \#
      digits and underscores, and does not begin with a digit, NIGHTJAR_ or LISTEN_
      update tea --without volum => no setting is called 'volum'; did you mean volume?
      update tea --without volume --volume 3 => not both
      stopwatch w --exec ls => a stopwatch does not ring; say when to run it: --exec-on lapped,paused
      start tea 4min --band 1min=x:notacolor => no colour is called 'notacolor'; write one such as red, #f80
      update tea --band 1min=x:Orage => no colour is called 'Orage'; did you mean 'orange'?
      """#))
  func `A command that makes no sense gets one sentence, and nothing is sent to the daemon`(
    row: Row
  ) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(ScriptLine(row[0]).words)
    #expect(result.status == 64 && result.output.isEmpty && fixture.methods.isEmpty, "\(result)")
    #expect(result.errors.contains(row[1]), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
  }

  @Test(
    arguments: Row.table(
      """
      sequence p work=25 rest=5min => work=25: 25 is seconds; for minutes write 25min
      start tea 4min --insist 5 => --insist: 5 is seconds; for minutes write 5min
      start tea 4min --ring-for 20 => --ring-for: 20 is seconds; for minutes write 20min
      start tea 4min --rising 3 => --rising: 3 is seconds; for minutes write 3min
      start tea 4min --late 10 => --late: 10 is seconds; for minutes write 10min
      start tea 4min --band 60=warn => --band 60=warn: 60 is seconds; for minutes write 60min
      start tea 4min --exec ls --exec-timeout 5 => --exec-timeout: 5 is seconds; for minutes write 5min
      start tea 4min --ring-for 0 --insist 5min --late 0 =>
      """))
  func
    `If a number has no unit, and the answer does not show that, a remark says that it is seconds`(
      row: Row
    ) throws
  {
    let fixture = try Fixture()
    let result = try fixture.runner.run(row.words())
    #expect(result.status == 0 && fixture.methods == ["Start"], "\(result)")
    #expect(result.errors == (row[1].isEmpty ? "" : "nightjar: \(row[1])\n"), "\(result)")
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
    try Fixture().check(
      """
      $ unskip y7
      64! no command is called 'unskip'; write nightjar skip y7 --undo
      $ unskip 'my alarm' b
      64! no command is called 'unskip'; write nightjar skip 'my alarm' b --undo
      $ unskip
      64! no command is called 'unskip'; write nightjar skip NAME --undo
      """)
  }

  private static let entries: [FakeTimers.Entry] = [
    .init(
      name: "stretch", durationUsec: 2_700_000_000, remainingUsec: 60_000_000,
      rangAgoUsec: 120_000_000, ringing: "ringing", more: ["repeat": ["rung": 3]]),
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

  @Test func `List and show print laps, steps, rhythm, bands and policies`() throws {
    let fixture = try Fixture(Self.entries)
    try fixture.check(
      """
      $ list
      stretch\trunning\t01:00\t12:01:00\tringing, due 11:58\tevery 45 min
      tea\trunning\t00:10\t12:00:09\t\tHurry
      pomodoro\twaiting\t00:00\t\t\twork, step 1 of 2, round 2 of 4
      run\trunning\t01:23.45\t\t\t2 laps
      """)
    for (name, lines) in [
      ("run", ["Shows:   01:23.45\n", "Lap 2:   00:42.00, in all 01:23.00\n"]),
      ("pomodoro", ["Step:      work, step 1 of 2, round 2 of 4\n", "Next:      rest, 5 min\n"]),
      (
        "tea",
        [
          "warn from 1 min left (yellow)\n", "urgent from 10 s left (Hurry), now\n",
          "does not ring\n",
        ]
      ),
    ] {
      let output = try fixture.run("show", name).output
      for line in lines { #expect(output.contains(line), "\(output)") }
    }
    // A sequence says how long its present step takes, and a single round is not worth a word.
    var once = Self.entries[1]
    once.more = once.more.setting(["step", "rounds"], 1)
    try Fixture([once]).check(
      "$ restart pomodoro\npomodoro: work, step 1 of 2, 25 min, rings at 12:25:00")
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

  @Test func `If an alarm would never ring, the error names the option that causes it`() throws {
    let fixture = try Fixture { request, _ in
      request.method == "Start" ? [.error("NeverElapses", ["name": "a6"])] : nil
    }
    try fixture.check(
      """
      $ alarm a6 mon 9 --until 2099-01-01
      1! it would never ring: no such time is left up to its last day, 2099-01-01; give a later day \
      with --until
      $ alarm a6 mon 9 --except 2099-01-01
      1! it would never ring: all such days are left out; leave out fewer with --except
      """)
  }
}
