import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar_rehearse

/// How a script is parsed, and the errors for mistakes in it.
@Suite(.blocking) struct ScriptTests {
  @Test(
    arguments: [
      ("", []), ("   \t", []), ("# all", []), ("start tea 4min # brew", ["start", "tea", "4min"]),
      ("start a#b 4min", ["start", "a#b", "4min"]),
      ("alarm standup 'Mon..Fri 9:30'", ["alarm", "standup", "Mon..Fri 9:30"]),
      ("start 'it''s' \"a \\\"b\\\" \\\\ \\n\" ''", ["start", "its", "a \"b\" \\ \\n", ""]),
      ("start two\\ words \\# 1h", ["start", "two words", "#", "1h"]),
      ("--data '{\"a\": \"#1\"}'", ["--data", "{\"a\": \"#1\"}"]),
    ] as [(String, [String])])
  func `A line is split into words like in a shell`(_ line: String, _ words: [String]) throws {
    #expect(try ScriptLine(line).words == words)
  }

  private static let mistakes = Row.table(
    #"""
    start 'tea 4min => the quote ' at 7 is not closed
    start "tea 4min\ => the quote " at 7 is not closed
    start tea \ => a line cannot continue on the next one; write it on one
    slep 7h => a script has no command 'slep'; did you mean 'sleep'?
    fly => a script has no command 'fly'
    nightjar => write the whole command
    watch tea => nightjar watch tea cannot be used in a rehearsal; remove the line
    edit tea => say what to change: nightjar edit wake 7:15, or an option such as --message TEXT
    undo --json => --json is for the whole rehearsal, not for a line of it
    start tea --help => nightjar start tea --help cannot be used in a rehearsal; remove the line
    start tea 4mni => in '4mni': unknown unit 'mni' at 2; the units are us ms s min h d w month y
    start tea 25M => 25M is months; for minutes write 25min, for months 25month
    start tea 4min --jsn => unknown option '--jsn'; did you mean '--json'?
    start tea 4min --json => --json is for the whole rehearsal, not for a line of it
    start tea 4min --socket /s => a rehearsal asks no daemon: leave out --socket
    start tea 4min --replace --if-absent => give --replace or --if-absent, not both
    alarm tea 25:00 => '25:00' is no time: the hour at 1 is from 0 to 23
    alarm tea 17:30 --band 1min=a,2min=b => bands come in the order in which they begin, the \#
    most time remaining first: '2min=b' does not come after 'a'
    alarm => say when: nightjar alarm tea 17:30
    extend tea => how long? nightjar extend tea 5min
    wait => wait how long? write wait 10min, or wait until 9:00
    wait tea => expected a number at 1, not 'tea'; write a span such as 4min or 1h 30min
    wait until => wait until when? write wait 10min, or wait until 9:00
    wait until 25:00 => '25:00' is no time: the hour at 1 is from 0 to 23
    reboot --clock-of 3h 1min => reboot has no option '--clock-of'; write reboot 2min, or \#
    reboot 2min --clock-off -3h
    stop => stop how long? write stop 5min for SIGTSTP, or stop NAME to end a timer
    stop 5mni => in '5mni': unknown unit 'mni' at 2; the units are us ms s min h d w month y
    crash 5min now => in '5min now': expected a number at 6, not 'now'; write a span such as \#
    4min or 1h 30min
    reboot 2min --clock-off 3h => write reboot 2min, or reboot 2min --clock-off -3h
    reboot --clock-off -3h => reboot how long? write reboot 2min, or reboot 2min --clock-off -3h
    step 2h => write step +2h or step -2h
    sync now => write sync, and nothing more
    run 5 => write run, and nothing more
    zone => write zone Europe/Berlin
    zone Berlin => there is no zone 'Berlin'; they are spelled like Europe/Berlin
    """#)

  @Test func `A mistake is one sentence with its line, and nothing is played`() throws {
    let script = try RehearsedScript()
    for begin in stride(from: 0, to: Self.mistakes.count, by: 20) {
      let rows = Self.mistakes[begin...].prefix(20)
      let result = try script.run("start first 1min\n\n\(rows.map { "\($0[0])\n" }.joined())run\n")
      #expect(result.status == 64 && result.output == "")
      let said = result.errors.split(separator: "\n")
      #expect(said.count == rows.count, "\(result)")
      for (number, (row, line)) in zip(rows, said).enumerated() {
        #expect(line == "nightjar: script:\(number + 3): \(row[1])")
      }
    }
  }

  @Test func `All mistakes are reported at once, and their number if there are many`() throws {
    let script = try RehearsedScript()
    let two = try script.run("wait\nstart tea 4min\nwait\n")
    #expect(
      two.errors.split(separator: "\n").map { $0.prefix(19) } == [
        "nightjar: script:1:", "nightjar: script:3:",
      ])
    let lines = try script.run(String(repeating: "wait\r\n", count: 25))
      .errors.split(separator: "\n")
    #expect(lines.count == 21)
    #expect(lines.last == "nightjar: script: and 5 lines more")
  }

  @Test func `at comes first and sets the time and zone, and scripts from other systems are read`()
    throws
  {
    let script = try RehearsedScript(zone: "America/New_York")
    let first = try script.run("\u{FEFF}# when\r\nat 2026-06-01 9:00\r\nstart tea 4min\r\n")
    #expect(first.output.hasPrefix("Mon 2026-06-01 09:00:00 EDT\t+0:00:00\ttea: started: 4 min\n"))
    let second = try script.run("at 2026-06-01 9:00 Asia/Tokyo\nstart tea 4min\n")
    #expect(second.output.hasPrefix("Mon 2026-06-01 09:00:00 JST\t"))
    for (text, sentence) in [
      ("at 2026-13-01\n", "1: '2026-13-01' is no date; the month is from 1 to 12"),
      ("at\n", "1: say when: at 2026-03-28 23:00, or at 2026-03-28 23:00 Europe/Berlin"),
      (
        "start tea 4min\nat 2026-06-01 9:00\n",
        "2: at says when the script begins, so it comes first; see wait until"
      ),
    ] {
      #expect(try script.run(text) == .sentence(64, "script:\(sentence)"))
    }
  }

  @Test func `A file that is missing, or no text, is refused`() throws {
    let script = try RehearsedScript()
    try Data([0xFF, 0x0A]).write(to: URL(fileURLWithPath: script.path))
    try script.runner.check(
      """
      $ rehearse /proc/none
      1! cannot read /proc/none: No such file or directory
      $ rehearse \(script.path)
      1! \(script.path) is no text in UTF-8
      """)
  }

  @Test
  func `A refusal of the daemon is reported with its line, and the script continues`() throws {
    let script = try RehearsedScript()
    let result = try script.run(
      """
      at 2026-06-01 12:00
      start tea 4min
      start tea 5min
      pause te
      wait 5min
      extend tea 1min
      alarm up 2026-06-01 11:00
      show nobody
      start egg 1min
      """)
    #expect(
      result.errors == """
        nightjar: script:3: 'tea' is running, 04:00 left, rings at 12:04:00; use nightjar restart \
        tea, nightjar extend tea 5min, or nightjar start tea 5min --replace
        nightjar: script:4: no timer called 'te'; there is 'tea'
        nightjar: script:6: cannot extend 'tea': it has rung; use nightjar snooze tea or nightjar \
        restart tea
        nightjar: script:7: '2026-06-01 11:00' is in the past: it was 11:00:00; write a time in the future
        nightjar: script:8: no timer called 'nobody'; see nightjar list

        """)
    #expect(result.output.contains("\tegg: started: 1 min\n"))
    // The worst status of the script.
    #expect(result.status == 64)
    #expect(try script.run("start tea 1h\npause tea\npause tea\n").status == 1)
    #expect(try script.run("pause tea\n").status == 3)
  }

  @Test
  func `A time that is past when its line is reached ends the play there, after the events so far`()
    throws
  {
    let script = try RehearsedScript()
    let result = try script.run(
      "at 2026-06-01 12:00\nstart tea 4min\nwait until 2026-06-01 11:00\nstart egg 1min\n")
    #expect(
      result
        == .init(
          64,
          """
          Mon 2026-06-01 12:00:00 UTC\t+0:00:00\ttea: started: 4 min

          tea\trunning\t04:00\t12:04:00\t\t

          """,
          errors:
            "nightjar: script:3: '2026-06-01 11:00' is in the past: it was 11:00:00; write a time in the future\n"
        ))
  }

  @Test(arguments: [
    "at 9999-12-01 12:00\nwait 1y", "at 1970-01-01 12:00\nstep -1d",
    "at 1970-01-01 12:00\nreboot 1min --clock-off -1d",
    "at 9999-12-30 12:00\nstart a 1y\nrun",
    "at 2000-01-01\n"
      + String(repeating: "wait 100y\nstep -100y\n", count: 100),
  ])
  func `A time that no clock can show is refused`(_ text: String) throws {
    let result = try RehearsedScript().run(text)
    #expect(result.status == 64)
    #expect(
      result.errors.hasSuffix(": that would be before 1970, or after the year 9999\n"), "\(result)")
  }
}
