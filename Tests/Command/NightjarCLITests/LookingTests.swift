import Foundation
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct LookingTests {
  @Test func `A list has rings first, then running, paused and cancelled ones`() throws {
    var entries = Fixture.four
    entries.append(.init(name: "soup", remainingUsec: 20_000_000))
    let fixture = try Fixture(entries)
    try fixture.check(
      """
      $ list
      egg\tover\t00:00\t\trang 11:56, unanswered, 2 h late: the machine slept\t
      soup\trunning\t00:20\t12:00:20\t\t
      tea\trunning\t03:12\t12:03:11\t\t
      run/1/me\tpaused\t01:30:00\t\t\t
      old\tcancelled\t\t\t\t
      """)
  }

  @Test
  func `On a terminal the list is a table, in colours unless NO_COLOR is set; empty, a sentence`()
    throws
  {
    var fixture = try Fixture(Fixture.four)
    fixture.runner.environment["NO_COLOR"] = "1"
    #expect(
      try fixture.runner.runOnTerminal(["list"])
        == .init(
          0,
          """
          NAME      STATE      REMAINING  RINGS     RING
          egg       over       00:00                rang 11:56, unanswered, 2 h late: the
                                                    machine slept
          tea       running    03:12      12:03:11
          run/1/me  paused     01:30:00
          old       cancelled

          """))
    fixture.runner.environment["NO_COLOR"] = nil
    let colored = try fixture.runner.runOnTerminal(["list"]).output
    #expect(colored.contains("egg       \u{1B}[1;38;5;130mover\u{1B}[0m       00:00"))
    fixture.runner.environment["NO_COLOR"] = ""
    #expect(try fixture.runner.runOnTerminal(["list"]).output == colored)
    let empty = try Fixture()
    try empty.check("$ list")
    #expect(try empty.runner.runOnTerminal(["list"]) == .init(0, "no timers\n"))
  }

  private func names(_ words: [String], in fixture: Fixture) throws -> [String] {
    try fixture.runner.run(["list"] + words).output.split(separator: "\n")
      .map { String($0.prefix { $0 != "\t" }) }
  }

  @Test func `A list can be restricted to a path, by whole segments, and to states`() throws {
    let fixture = try Fixture([
      .init(name: "run"), .init(name: "run/1"), .init(name: "runner"),
      .init(name: "run/2", state: "paused"),
    ])
    for path in ["run/…", "run"] {
      #expect(try names([path], in: fixture) == ["run", "run/1", "run/2"])
    }
    // The timers there are in other states.
    try fixture.check(
      """
      $ list run/... --state paused
      run/2\tpaused\t04:00\t\t\t
      $ list run/1 --state paused
      $ list runner --state snoozed --json
      {"timers":[]}
      """)
  }

  @Test func `An unknown name or path exits with 3, and suggests what was probably meant`() throws {
    let fixture = try Fixture([.init(name: "tea"), .init(name: "run/1")])
    for options in ["", "--json", "--state running"] {
      try fixture.check(
        """
        $ list nothing/… \(options)
        3! no timer under 'nothing/'; see nightjar list
        $ list nosuch \(options)
        3! no timer called 'nosuch'; see nightjar list
        $ list te \(options)
        3! no timer called 'te'; there is 'tea'
        """)
    }
    try fixture.check(
      """
      $ show te
      3! no timer called 'te'; there is 'tea'
      $ remaining zzz
      3! no timer called 'zzz'; see nightjar list
      $ show nothing/…
      3! no timer under 'nothing/'; see nightjar list
      """)
    #expect(try fixture.run("show", "zzz", "tea", "--json").status == 3)
    let script = try RehearsedScript().run("start tea 4min\nlist nosuch\nlist tea\n")
    #expect(script.status == 3 && script.errors.contains("no timer called 'nosuch'"), "\(script)")
  }

  @Test func `A list as JSON is one object, however many pages the daemon sends`() throws {
    let fixture = try Fixture(Fixture.four)
    func listed(_ options: String...) throws -> [String?]? {
      let output = try fixture.runner.run(["list", "--json"] + options).output
      let lines = output.split(separator: "\n")
      #expect(lines.count == 1, "\(output)")
      let document = try JSONValue.parse(String(lines.first ?? ""))
      #expect(document.objectValue?.map(\.key) == ["timers"], "\(output)")
      return document["timers"]?.arrayValue?.map { $0["name"]?.stringValue }
    }
    #expect(try listed() == ["tea", "run/1/me", "egg", "old"])
    #expect(
      try listed("--state", "unanswered", "--state", "paused", "--state", "running")?.count == 3)
    #expect(try listed("--state", "snoozed") == [])
  }

  @Test func `Show prints everything, in plain words`() throws {
    var entries = Fixture.four
    entries[0].labels = ["who": "me", "bell": "a\u{1B}[31m"]
    entries[0].data = ["distance_m": 1840]
    entries[0].clock = "awake"
    let fixture = try Fixture(entries)
    try fixture.check(
      """
      $ show tea egg
      Name:      tea
      State:     running
      Kind:      countdown
      Remaining: 03:12 of 4 min, 20 % done
      Rings:     12:03:11, if awake until then
      Clock:     awake (time slept does not count)
      Started:   11:59:11
      Labels:    who=me bell=a\\u{1B}[31m
      Data:      {"distance_m":1840}
      ID:        1, last event 1, next expiry 2

      Name:      egg
      State:     over
      Kind:      countdown
      Remaining: 00:00 of 4 min, 100 % done
      Ring:      rang 11:56, unanswered, 2 h late: the machine slept
      Rang:      11:56:55, 3 min ago, 2 h late: the machine slept
      Clock:     elapsed (real time, awake or asleep)
      Started:   11:56:00
      ID:        1, last event 1, next expiry 2
      """)
  }

  @Test func `A list is restricted by states and by rings, and status counts both`() throws {
    let more: [FakeTimers.Entry] = [
      .init(name: "loud", ringing: "ringing"), .init(name: "later", ringing: "snoozed"),
    ]
    let counts: JSONValue = [
      "running": 3, "paused": 1, "over": 1, "cancelled": 1, "clients": 1, "watchers": 0,
      "waiting": 0, "ringing": 1, "snoozed": 1, "unanswered": 1,
    ]
    let fixture = try Fixture(Fixture.four + more, status: ["counts": counts])
    for (states, expected) in [
      (["ringing"], ["loud"]), (["unanswered", "snoozed"], ["egg", "later"]),
      (["over", "ringing"], ["loud", "egg"]), (["running"], ["loud", "tea", "later"]),
    ] {
      let options = states.flatMap { ["--state", $0] }
      #expect(try names(options, in: fixture) == expected)
    }
    #expect(
      try fixture.run("status").output.contains(
        "3 running, 1 paused, 1 over, 1 cancelled, 1 ringing, 1 snoozed, 1 unanswered; next"))
  }

  @Test func `The remaining time is rounded up; bare for one timer, with names for several`() throws
  {
    let fixture = try Fixture(Fixture.four)
    try fixture.check(
      """
      $ remaining tea
      03:12
      $ remaining tea --seconds
      192
      $ remaining egg
      00:00
      $ remaining tea run/…
      tea\t03:12
      run/1/me\t01:30:00
      """)
    let json = try fixture.run("remaining", "tea", "--json").output
    #expect(try JSONValue.parse(json)["timer"]?["remaining_usec"] == 191_500_000)
  }

  @Test func `Without a name, remaining is one line about the ring or the next ring`() throws {
    let tea = FakeTimers.Entry(name: "tea", remainingUsec: 191_500_000)
    let soup = FakeTimers.Entry(name: "soup", remainingUsec: 600_000_000)
    let both = try Fixture([soup, tea])
    let line = try both.run("remaining").output
    #expect(line.hasPrefix("tea 0") && line.hasSuffix(" (+1)\n"), "\(line)")
    #expect(try both.run("remaining", "--template", "{name}!").output == "tea!\n")
    #expect(try both.run("remaining", "tea", "--template", "x").status == 64)
    let ringing = try Fixture([tea, .init(name: "egg", state: "over", ringing: "ringing")])
    #expect(try ringing.run("remaining").output.hasPrefix("egg"))
    let missed = try Fixture([tea, .init(name: "egg", state: "over", ringing: "unanswered")])
    #expect(try missed.run("remaining").output.hasPrefix("tea 0"))
    #expect(
      try Fixture([.init(name: "old", state: "cancelled")]).run("remaining") == .init(0, ""))
  }

  @Test func `Without a daemon, remaining prints nothing and starts none`() throws {
    let folder = try TestFolder()
    let runner = try CommandRunner(socket: "\(folder.path)/socket")
    #expect(try runner.run("remaining") == .init(0, ""))
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/socket"))
  }

  @Test func `Status shows the daemon, its surroundings, and warnings`() throws {
    let fixture = try Fixture()
    try fixture.check(
      """
      $ status
      Daemon:     nightjard 0.1.0, process 4711, since 11:00:00
      Timers:     3 running, 1 paused, 2 cancelled; next is tea, 12:04:00
      Clients:    2, of which 1 watch
      Foreground: since 11:30:00
      Last span:  11:20:00, about 10 min: the machine slept
      Sleep:      detected from the clocks afterwards (no system bus)
      Wake:       no timer can wake the machine (never asked)
      Presence:   the session is in use, as logind says
      Ring:       played by pw-play, and not shown: no session bus
      Commands:   2 running, 5 waiting
      Clock:      not synchronised
      Storage:    /state, events 1 to 9 of ledger 5f0c2a9be41d7736
      Socket:     \(fixture.daemon.path)
      Warning:    the disk is nearly full
      """)
    let json = try fixture.run("status", "--json").output
    #expect(try JSONValue.parse(json) == Samples.status(nowUsec: fixture.noon.nowUsec))
  }
}

/// Replies that the stand-in does not compute.
enum Samples {
  static func status(
    nowUsec: Int64, ledger: String = "5f0c2a9be41d7736", oldestSeq: Int64 = 1, lastSeq: Int64 = 9
  ) -> JSONValue {
    let minute: Int64 = 60_000_000
    return [
      "version": "0.1.0", "pid": 4711, "started_usec": .integer(nowUsec - 60 * minute),
      "foreground_since_usec": .integer(nowUsec - 30 * minute),
      "last_span": [
        "span": 1, "causes": ["sleep"], "entered_usec": .integer(nowUsec - 40 * minute),
        "left_usec": .integer(nowUsec - 30 * minute), "elapsed_usec": .integer(10 * minute),
        "estimated": true,
      ],
      "counts": [
        "running": 3, "paused": 1, "over": 0, "ringing": 0, "snoozed": 0, "unanswered": 0,
        "cancelled": 2, "waiting": 0, "clients": 2, "watchers": 1,
      ],
      "next_name": "tea", "next_usec": .integer(nowUsec + 4 * minute),
      "clocks": [
        "realtime_usec": .integer(nowUsec), "boottime_usec": 1, "monotonic_usec": 1, "boot_id": "b",
      ],
      "clock_synchronized": false,
      "storage": [
        "ok": true, "state_directory": "/state", "schema_version": 1,
        "ledger": .string(ledger), "oldest_seq": .integer(oldestSeq),
        "last_seq": .integer(lastSeq),
      ],
      "sleep": [
        "seen": false, "inhibitor": false, "denied": false, "reason": "no system bus",
        "kept_awake": false,
      ],
      "wake": ["can": false, "reason": "never asked"],
      "ring": ["seen": false, "heard": true, "player": "pw-play", "reason": "no session bus"],
      "presence": ["seen": true, "away": false],
      "commands": ["running": 2, "waiting": 5], "warning": "the disk is nearly full",
      "longest_pass_usec": 1,
    ]
  }
}
