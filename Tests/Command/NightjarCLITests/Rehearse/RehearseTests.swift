import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The output of `nightjar rehearse` for a script.
@Suite(.blocking) struct RehearseTests {
  /// A night in which the clocks are put forward.
  static let night = """
    # a pomodoro and the night between
    at 2026-03-28 23:00 Europe/Berlin
    start tea 4min
    sequence pomodoro work=25min rest=5min --loop 2 --after-sleep pause
    wait 10min
    sleep 7h          # suspend
    stop 5min         # SIGTSTP
    crash 3s          # kill -9, and started again
    reboot 2min
    step +2h          # the wall clock is set
    zone America/New_York
    resume pomodoro
    show
    run               # until all is over

    """

  @Test
  func `A script is printed as a time line: the wall clock, the delay and the event`() throws {
    let result = try RehearsedScript().run(Self.night)
    #expect(
      result
        == .init(
          0,
          """
          Sat 2026-03-28 23:00:00 CET\t+0:00:00\ttea: started: 4 min
          Sat 2026-03-28 23:00:00 CET\t+0:00:00\tpomodoro: started a sequence: work 25 min, rest 5 min, 2 rounds
          Sat 2026-03-28 23:04:00 CET\t+0:04:00\ttea: rang
          Sat 2026-03-28 23:10:00 CET\t+0:10:00\t-- the machine goes to sleep for 7 h
          Sat 2026-03-28 23:10:00 CET\t+0:10:00\twent into the background: the machine slept
          Sun 2026-03-29 07:10:00 CEST\t+7:10:00\tback in the foreground after 7 h: the machine slept
          Sun 2026-03-29 07:10:00 CEST\t+7:10:00\tpomodoro: paused, because the machine slept, 15:00 left
          Sun 2026-03-29 07:10:00 CEST\t+7:10:00\t-- SIGTSTP stops the daemon for 5 min
          Sun 2026-03-29 07:10:00 CEST\t+7:10:00\twent into the background: the daemon was stopped
          Sun 2026-03-29 07:15:00 CEST\t+7:15:00\tback in the foreground after 5 min: the daemon was stopped
          Sun 2026-03-29 07:15:00 CEST\t+7:15:00\t-- the daemon is killed, and started again after 3 s
          Sun 2026-03-29 07:15:03 CEST\t+7:15:03\twent into the background: the daemon was down
          Sun 2026-03-29 07:15:03 CEST\t+7:15:03\tback in the foreground after 3 s: the daemon was down
          Sun 2026-03-29 07:15:03 CEST\t+7:15:03\t-- the machine is rebooted, which takes 2 min
          Sun 2026-03-29 07:15:03 CEST\t+7:15:03\twent into the background: the daemon was down
          Sun 2026-03-29 07:17:03 CEST\t+7:17:03\tback in the foreground after about 2 min: the machine was rebooted
          Sun 2026-03-29 09:17:03 CEST\t+7:17:03\tthe clock was set forward by 2 h
          Sun 2026-03-29 03:17:03 EDT\t+7:17:03\tthe time zone is America/New_York now
          Sun 2026-03-29 03:17:03 EDT\t+7:17:03\tpomodoro: resumed

          tea\tover\t00:00\t\trang Sat 18:04, unanswered\t
          pomodoro\trunning\t15:00\t03:32:03\t\twork, step 1 of 2, round 1 of 2

          Sun 2026-03-29 03:32:03 EDT\t+7:32:03\tpomodoro: rang; rest begins
          Sun 2026-03-29 03:37:03 EDT\t+7:37:03\tpomodoro: rang, 2 expiries since 03:32:03; work begins
          Sun 2026-03-29 04:02:03 EDT\t+8:02:03\tpomodoro: rang, 3 expiries since 03:32:03; rest begins
          Sun 2026-03-29 04:07:03 EDT\t+8:07:03\tpomodoro: rang, 4 expiries since 03:32:03

          pomodoro\tover\t00:00\t\trang 04:07, unanswered, 4 expiries since 03:32\trest, step 2 of 2, round 2 of 2
          tea\tover\t00:00\t\trang Sat 18:04, unanswered\t

          """))
  }

  @Test
  func `On a terminal there is a heading for each day and zone, and a vertical line for the time`()
    throws
  {
    var script = try RehearsedScript()
    script.runner.environment["NO_COLOR"] = "1"
    let text = """
      at 2026-10-24 23:58 Europe/Berlin
      start tea 1min
      wait 1min
      sleep 3h
      zone UTC
      """
    let plain = try script.run(text, onTerminal: true)
    script.runner.environment["LANG"] = "C.UTF-8"
    let result = try script.run(text, onTerminal: true)
    // A terminal without Unicode gets ASCII characters.
    #expect(
      plain.output
        == result.output.replacing("│", with: "|").replacing("╎", with: ":")
        .replacing("├─", with: "|-"))
    #expect(
      result
        == .init(
          0,
          """
          Sat 24 Oct 2026, Europe/Berlin
            23:58:00 CEST     +0:00:00  │ tea: started: 1 min
            23:59:00 CEST     +0:01:00  │ tea: rang
                                        ├─the machine goes to sleep for 3 h
                                        ╎ went into the background: the machine slept
          Sun 25 Oct 2026
            02:59:00 CEST     +3:01:00  │ back in the foreground after 3 h: the machine slept
          Sun 25 Oct 2026, UTC
            00:59:00 UTC      +3:01:00  │ the time zone is UTC now

          NAME  STATE  REMAINING  RINGS  RING
          tea   over   00:00             rang Sat 21:59, unanswered

          """.replacing("├─the", with: "├─ the")))
  }

  @Test func `Rings stand out in colour, and NO_COLOR and a pipe have none`() throws {
    let script = try RehearsedScript()
    let text = "at 2026-10-24 23:58 UTC\nstart tea 1min\nrun\n"
    let coloured = try script.run(text, onTerminal: true)
    #expect(coloured.output.contains("\u{1B}[1;38;5;130mtea: rang\u{1B}[0m"))
    #expect(!(try script.run(text)).output.contains("\u{1B}"))
  }

  @Test
  func
    `With --json each line is an object: an event of the daemon, an act of the machine, or timers`()
    throws
  {
    let result = try RehearsedScript().run(Self.night, "--json")
    #expect(result.status == 0)
    let lines = try result.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    let kinds = lines.map { line in
      ["event", "machine", "timers"].filter { line[$0] != nil }.joined(separator: " ")
    }
    #expect(kinds.count { $0 == "event" } == 21)
    #expect(kinds.count { $0 == "machine" } == 4)
    #expect(kinds.count { $0 == "timers" } == 2 && kinds.last == "timers")
    #expect(lines.allSatisfy { $0["time_usec"] != nil && $0["elapsed_usec"] != nil })
    let sleep = try #require(lines.first { $0["machine"] != nil })
    #expect(
      sleep == [
        "elapsed_usec": 600_000_000, "time_usec": 1_774_735_800_000_000, "zone": "Europe/Berlin",
        "machine": ["does": "sleep", "usec": 25_200_000_000],
      ])
    #expect(
      lines[2]["event"] == [
        "seq": 3, "time_usec": 1_774_735_440_000_000, "type": "rang", "name": "tea", "id": 1,
        "expiry": 1, "due_usec": 1_774_735_440_000_000, "late_usec": 0, "expiries": 1,
        "first_due_usec": 1_774_735_440_000_000, "state": "over",
        "counted_usec": 240_000_000,
      ])
    #expect(lines.last?["zone"] == "America/New_York")
    #expect(lines.last?["timers"]?.arrayValue?.count == 2)
  }

  @Test func `Standard input is a script, too`() throws {
    var script = try RehearsedScript()
    let command = script.runner.executable
    script.runner.executable = "/bin/sh"
    let result = try script.runner.run(
      "-c", "printf 'at 2026-03-28 12:00\\nwait 1\\nfly\\n' | \(command) rehearse -")
    #expect(result == .sentence(64, "stdin:3: a script has no command 'fly'"))
  }

  @Test func `Without at it begins now, here, to the second`() throws {
    let noon = Noon()
    let script = try RehearsedScript(zone: noon.zone)
    let begin = Date()
    let result = try script.run("start tea 4min\n", "--json")
    let line = try JSONValue.parse(String(result.output.prefix { $0 != "\n" }))
    let usec = try #require(line["time_usec"]?.integerValue)
    #expect(usec % 1_000_000 == 0)
    let seconds = begin.timeIntervalSince1970.rounded(.down)
    #expect((seconds...Date().timeIntervalSince1970).contains(Double(usec) / 1_000_000))
  }

  @Test func `The output ends at the limit, and says so`() throws {
    let script = try RehearsedScript()
    let text = "at 2026-03-28 12:00\nstart tick 1s --repeat\nwait 1h\nstart late 1s\n"
    let result = try script.run(text, "--limit", "4")
    #expect(
      result.output.split(separator: "\n").map { $0.split(separator: "\t")[1] }
        == ["+0:00:00", "+0:00:01", "+0:00:02", "+0:00:03", "running"])
    #expect(result.status == 0)
    #expect(result.errors == "nightjar: ended after 4 events; --limit 40 shows more\n")
    #expect(try script.run(text, "--limit", "0").status == 64)
    // An hour of seconds exceeds the default limit.
    let usual = try script.run(text)
    #expect(usual.output.split(separator: "\n").count == 1_001)
    #expect(usual.errors == "nightjar: ended after 1000 events; --limit 10000 shows more\n")
  }

  @Test func `Presets and the daemon's defaults apply; a timer's own settings take precedence`()
    throws
  {
    let script = try RehearsedScript()
    try script.runner.configure(
      """
      [daemon]
      late = "skip"
      missed = "each"

      [presets.tea]
      duration = "4min"
      bands = ["1min=soon"]

      [presets.up]
      alarm = "13:00"
      """)
    let sentences = try script.sentences(
      """
      at 2026-06-01 12:30 UTC
      start tea
      start tea/plain 4min --late fire
      start up
      sleep 5min
      run
      """)
    #expect(
      sentences.filter { $0.first == "+" } == [
        "+0:00:00 tea: started: 4 min", "+0:00:00 tea/plain: started: 4 min",
        "+0:00:00 up: started an alarm for 13:00",
        "+0:00:00 -- the machine goes to sleep for 5 min",
        "+0:00:00 went into the background: the machine slept",
        "+0:05:00 back in the foreground after 5 min: the machine slept",
        "+0:05:00 expired in the background: tea, tea/plain",
        "+0:05:00 tea: did not ring, 1 min late: the machine slept",
        "+0:05:00 tea/plain: rang, 1 min late: the machine slept", "+0:30:00 up: rang",
      ])
  }

  @Test func `Commands of timers are printed and not run, and no hook runs`() throws {
    let script = try RehearsedScript()
    let folder = script.runner.folder.path
    let hooks = "\(folder)/.config/nightjar/hooks/rang.d"
    try makeFolder(hooks)
    try writeFile("#!/bin/sh\ntouch \(folder)/hooked\n", to: "\(hooks)/10-lamp", mode: 0o755)
    let text = "at 2026-06-01 12:30\nstart tea 1s --shell 'touch \(folder)/ran'\nrun\n"
    let sentences = try script.sentences(text)
    #expect(sentences.prefix(3).last == "+0:00:01 would run: touch \(folder)/ran", "\(sentences)")
    let commands = try script.run(text, "--json").output.split(separator: "\n").compactMap {
      try JSONValue.parse(String($0))["command"]
    }
    #expect(commands == [["command": .string("touch \(folder)/ran"), "event_seq": 2]])
    for file in ["ran", "hooked"] {
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(file)"), "\(file)")
    }
  }

  @Test func `If nightjar-rehearse is not installed, the error says where to install it`() throws {
    var script = try RehearsedScript()
    let command = "\(script.runner.folder.path)/nightjar"
    // The test must not write a program itself: a child process of another test could hold the file
    // open for a moment, and the kernel does not execute a file that is open for writing.
    try Rig().tool(["cp", script.runner.executable, command])
    script.runner.executable = command
    #expect(
      try script.run(Self.night)
        == .sentence(
          1, "nightjar-rehearse is neither beside nightjar nor in PATH; install it there"))
    script.runner.environment["PATH"] = "/usr/bin:\(Binaries.release)"
    #expect(try script.run(Self.night).status == 0)
  }

  @Test
  func `nightjar-rehearse takes the arguments of nightjar rehearse, and has its help`() throws {
    var script = try RehearsedScript()
    let expected = try (script.run(Self.night, "--json"), script.runner.run("rehearse", "--help"))
    script.runner.executable += "-rehearse"
    #expect(try script.runner.run(script.path, "--json") == expected.0)
    #expect(try script.runner.run("--help") == expected.1)
    #expect(try script.runner.run("/nowhere").status == 1)
  }

  @Test func `Ten years of a daily alarm take under a second`() throws {
    var script = try RehearsedScript()
    let command = try Binaries.nightjar()
    try Data("at 2020-01-01 Europe/Berlin\nalarm wake 9:00 --repeat\nwait 10y\n".utf8)
      .write(to: URL(fileURLWithPath: script.path))
    script.runner.executable = "/bin/bash"
    // CPU time, because other processes may keep the machine busy.
    let result = try script.runner.run(
      "-c", "TIMEFORMAT='%U %S'; time \(command) rehearse \(script.path) --limit 10000")
    #expect(result.status == 0)
    let rings = result.output.split(separator: "\n").filter { $0.contains("\twake: rang") }
    #expect(rings.count == 3_653)
    #expect(rings.allSatisfy { $0.contains(" 09:00:00 CE") })
    let seconds = result.errors.split { " \n".contains($0) }.compactMap { Double($0) }
    #expect(seconds.count == 2)
    #expect(seconds.reduce(0, +) < 1)
  }
}
