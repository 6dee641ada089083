import NightjarTestSupport
import Testing
import Varlink

/// The output of `nightjar analyze`; NightjarTimeTests compares the results with systemd.
@Suite(.blocking) struct AnalyzeTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner(zone: "Europe/Berlin") }

  @Test func `A calendar is printed in normal form with its next times, a time in UTC`() throws {
    try runner.check(
      #"""
      $ analyze calendar --json '2099-03-28 2:30 America/New_York'
      {"normalized":"2099-03-28 02:30:00 America/New_York","elapses":["2099-03-28T06:30:00Z"]}
      $ analyze calendar --json --base-time '2026-03-28 12:00' --iterations 2 02:30
      {"normalized":"*-*-* 02:30:00","elapses":["2026-03-29T01:00:00Z","2026-03-30T00:30:00Z"]}
      $ analyze calendar 2020-1-1
      2020-1-1
        means  2020-01-01 00:00:00
        never comes
      $ analyze timestamp --json '2026-12-24 18:00'
      {"usec":1798131600000000,"utc":"2026-12-24T17:00:00Z"}
      $ analyze timestamp --base-time '2026-12-24 12:00' 'tomorrow 9am'
      tomorrow 9am
        means  Fri 2026-12-25 09:00:00 CET, in 21 h
        in UTC 2026-12-25T08:00:00Z
      """#)
    let lines = try runner.run("analyze", "calendar", "2099-3-1 9:00").output.split(separator: "\n")
    let next = "  comes  Sun 2099-03-01 09:00:00 CET, in "
    try #require(lines.count == 3)
    #expect(lines[1] == "  means  2099-03-01 09:00:00" && lines[2].hasPrefix(next))
    let seven = try runner.run("analyze", "calendar", "--json", "--iterations", "7", "minutely")
    #expect(try JSONValue.parse(seven.output)["elapses"]?.arrayValue?.count == 7)
  }

  @Test func `Spans are printed in microseconds, M as months, and refused texts named`() throws {
    try runner.check(
      """
      $ analyze timespan --json '1h 30' infinity 500000y
      {"usec":3630000000}
      {"usec":"infinity"}
      {"usec":"15778800000000000000"}
      $ analyze timespan 5M
      5M\t13149000000000 µs\t5month
      0! 5M is months; for minutes write 5min
      $ analyze in 5M
      1! 'in 5M' has two readings; write in 5min (minutes), or in 5month (months)
      $ analyze timespan 5minz 2s
      2s\t2000000 µs\t2s
      1! cannot read '5minz': unknown unit 'minz' at 2; did you mean 'min'?
      $ analyze calendar '9:00 Europe/Nowhere'
      1! '9:00 Europe/Nowhere' is no time: there is no zone 'Europe/Nowhere'; they are spelled like \
      Europe/Berlin (at 6)
      $ analyze --base-time '2026-11-23 00:00:01' 1,5h
      1! cannot read '1,5h': ',' at 2 is no decimal point; use 1.5h
      $ analyze --base-time '2026-11-23 00:00:01' 'in 1,5h'
      1! 'in 1,5h' is no time: ',' at 5 is no decimal point; use 1.5h
      $ analyze --base-time '2026-11-23 00:00:01' today
      1! 'today' is in the past: it was 00:00:00; write a time after it, such as today 17:30
      """)
    for option in [["--iterations", "0"], ["--base-time", "soon"]] {
      #expect(try runner.run(["analyze", "calendar"] + option + ["daily"]).status == 64)
    }
  }

  @Test func `A phrase is printed as a time, once or repeating, and as a length`() throws {
    try runner.check(
      """
      $ analyze --base-time '2026-11-23 10:00' 'mon 9:30' 'next monday 9am' 9h 90min 5M +1M
      mon 9:30
        repeats  Mon *-*-* 09:30:00
        next     Mon 2026-11-30 09:30:00 CET, in 6 d 23 h
      next monday 9am
        once     Mon 2026-11-30 09:00:00 CET, in 6 d 23 h
      9h
        is open  '9h' has two readings; write 9:00 (a time of day), or in 9h (from now)
        lasts    9 h, as a length
      90min
        lasts    1 h 30 min, as a length
      5M
        lasts    152 d 4 h 30 min, as a length
        is open  5M is months; for minutes write 5min
      +1M
        lasts    30 d 10 h 30 min, as a length
        is open  +1M is months; for minutes write +1min
      """)
    try runner.check(
      #"""
      $ analyze phrase --json --base-time '2026-11-23 10:00' 'mon 9:30' 9:30
      {"calendar":"Mon *-*-* 09:30:00","next_usec":1796027400000000}
      {"once_usec":1795509000000000,"length_usec":570000000}
      """#)
    for (phrase, sentence) in [
      ("in 8:00", "'in 8:00' has three readings; write in 8min (minutes), or in 8h (hours)"),
      ("weekdays 25:00", "'25:00' is not a time of day; the hour is from 0 to 23"), ("24 Foo", ""),
    ] {
      let result = try runner.run("analyze", phrase)
      let isTold = sentence.isEmpty || result.errors.contains(sentence)
      #expect(result.status == 1 && isTold, "\(result)")
    }
    // Without quotes it is the same phrase.
    for phrase in [
      "next monday 9am", "in an hour", "half an hour", "tomorrow midnight", "in 8:00",
      "the day after tomorrow 7am", "6:45 in the morning", "9 in the evening",
    ] {
      let base = ["analyze", "--base-time", "2026-11-23 10:00"]
      let result = try runner.run(base + [phrase])
      #expect(try runner.run(base + phrase.split(separator: " ").map(String.init)) == result)
    }
  }
}
