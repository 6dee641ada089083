import NightjarInterface
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import NightjarWords

/// Words as a face sends them, and the timers that they mean.
@Suite struct UnderstandTests {
  private func readings(
    _ words: String, zone: String? = "UTC", locale: String? = "C"
  ) throws -> [Wire.Reading] {
    // Wednesday, 2026-11-25, 12:00 in UTC.
    let wall = WallClock(
      nowUsec: 1_795_608_000_000_000, zone: try #require(ZoneDatabase.zone(named: zone ?? "UTC")),
      foreignZone: zone, locale: WrittenLocale(numbers: locale ?? "", dates: locale ?? ""))
    return try FirstWords(FirstWords.words(of: words), at: wall).understood { _ in nil }
  }

  @Test(
    arguments: Row.table(
      #"""
      4min => 4 min, rings at 12:04 => {"duration_usec":240000000}
      tea 4min => tea: 4 min, rings at 12:04 => {"name":"tea","duration_usec":240000000}
      4min tea => tea: 4 min, rings at 12:04 => {"name":"tea","duration_usec":240000000}
      'green tea' half an hour => green tea: 30 min, rings at 12:30 => \#
      {"name":"green tea","duration_usec":1800000000}
      in 5 minutes => 5 min, rings at 12:05 => {"duration_usec":300000000}
      20s => 20 s, rings at 12:00:20 => {"duration_usec":20000000}
      nap 13h => nap: 13 h, rings tomorrow 01:00 => {"name":"nap","duration_usec":46800000000}
      drink every 45min => drink: every 45 min, rings at 12:45 => \#
      {"name":"drink","duration_usec":2700000000,"repeat":{}}
      alarm every 2 hours => every 2 h, rings at 14:00 => {"duration_usec":7200000000,"repeat":{}}
      7am wake => wake: rings once, tomorrow 07:00, in 19 h => \#
      {"name":"wake","alarm":{"at_usec":1795676400000000}}
      rent 2027-01-03 => rent: rings once, Sun 3 Jan 2027 00:00, in 38 d 12 h => \#
      {"name":"rent","alarm":{"at_usec":1798934400000000}}
      gym friday 6pm => \#
      gym: rings every Friday at 18:00 (UTC), next Friday 18:00, in 2 d 6 h => \#
      {"name":"gym","alarm":{"calendar":"Fri *-*-* 18:00:00","zone":"UTC"}}
      parking 2h 'Mill Street 3' => parking: 2 h, rings at 14:00 => \#
      {"name":"parking","duration_usec":7200000000,"message":"Mill Street 3"}
      // After a verb nothing has two readings.
      start 17:30 => 17 min 30 s, rings at 12:17 => {"duration_usec":1050000000}
      Start tea 5 => tea: 5 s, rings at 12:00:05 => {"name":"tea","duration_usec":5000000}
      alarm 17:30 => rings once, today 17:30, in 5 h 30 min => \#
      {"alarm":{"at_usec":1795627800000000}}
      pomodoro => pomodoro: work 25 min, rest 5 min => \#
      {"name":"pomodoro","sequence":{"steps":[{"name":"work","duration_usec":1500000000},\#
      {"name":"rest","duration_usec":300000000,"break":true,"long_usec":900000000}],\#
      "long_every":4,"rounds":4}}
      """#))
  func `Words have the parameters of Start, and a sentence`(row: Row) throws {
    let readings = try readings(row[0])
    #expect(readings.map(\.sentence) == [row[1]])
    #expect(readings.map { String(decoding: $0.start?.bytes ?? [], as: UTF8.self) } == [row[2]])
  }

  @Test(arguments: [
    ("17:30", ["a time of day: alarm 17:30", "minutes:seconds, a time span: start 17:30"]),
    ("tea 5", ["seconds: start tea 5s", "minutes: start tea 5min"]),
    ("strat 5min", ["a mistyped start: start 5min", "a time span: start strat 5min"]),
    ("extnd 5min", ["a mistyped extend: extend 5min", "a time span: start extnd 5min"]),
    ("drink every 2h", ["again and again: start drink 2h --repeat"]),
  ])
  func `Where words have two readings, both are there with their commands`(
    words: String, expected: [String]
  ) throws {
    let readings = try readings(words)
    #expect(
      readings.map { "\($0.meaning): \($0.command.joined(separator: " "))" } == expected)
    // Only a timer can be started with Start.
    #expect(readings.map { $0.start == nil } == readings.map { $0.command[0] == "extend" })
  }

  @Test(arguments: [
    ("", "write how long, such as 4min"), ("alarm", "write when, such as alarm 7:00"),
    ("tea", "'tea' has no time; write one such as tea 4min"),
    ("start tea", "'tea' has no time; write one such as tea 4min"),
    ("green tea", "'green tea' is no name and time; write one such as tea 4min or wake 7:00"),
    ("tea 25:70", "in '25:70': expected two digits from 00 to 59 at 4, not '70'"),
    ("today 9:00", "'today 9:00' is in the past: it was 09:00:00; write tomorrow 9:00"),
    ("tea 5M", "5M is months; for minutes write 5min, for months 5month"),
    ("a//b 5min", "the name has an empty segment; write it like 'run/4711/mate'"),
    ("'tea 4min", #"a quotation mark has no other one; write "my tea" 4min"#),
  ])
  func `Words that mean nothing are refused with one sentence`(words: String, reason: String) throws
  {
    let problem = #expect(throws: WordsProblem.self) { try readings(words) }
    #expect(problem?.sentence == reason)
  }

  @Test(arguments: [
    ("wake daily 7:00", "Europe/Berlin", #""zone":"Europe/Berlin""#),
    ("wake 7am", "Europe/Berlin", #""at_usec":1795672800000000"#),
    ("wake 7am", "America/New_York", #""at_usec":1795694400000000"#),
  ])
  func `Times are those of the given zone`(words: String, zone: String, part: String) throws {
    let start = try #require(readings(words, zone: zone).first?.start)
    #expect(String(decoding: start.bytes, as: UTF8.self).contains(part))
  }

  @Test(arguments: [
    ("tea 1,5h", "de_DE.UTF-8", "tea: 1 h 30 min, rings at 13:30"),
    ("bill 5/6", "de_DE.UTF-8", "bill: rings once, Sat 5 Jun 2027 00:00, in 191 d 12 h"),
    ("bill 5/6", "en_US.UTF-8", "bill: rings once, Thu 6 May 2027 00:00, in 161 d 12 h"),
  ])
  func `Numbers and dates are read as the given locale writes them`(
    words: String, locale: String, sentence: String
  ) throws {
    #expect(try readings(words, locale: locale).map(\.sentence) == [sentence])
  }
}
