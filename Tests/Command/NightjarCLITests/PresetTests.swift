import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// A preset's table as the start of a timer, and the one error about a mistake in it.
@Suite(.blocking) struct PresetTests {
  static func preset(_ lines: String) throws -> Preset {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.tea]\n\(lines)\n".utf8))
    let presets = file.table(.presets)
    let node = try #require(presets.entries.first)
    return try Preset(name: "tea", presets.table(of: node, title: "[presets.tea]"), at: .here)
  }

  /// Noon in UTC, on 2024-10-04.
  private let noon = WallClock(nowUsec: 20_000 * 86_400_000_000 + 12 * 3_600_000_000, zone: .utc)

  private func start(_ lines: String) throws -> JSONValue {
    try Self.preset(lines).start(at: noon)
  }

  private func refusal(_ lines: String) -> String? {
    do { _ = try Self.preset(lines) } catch { return "\(error)" }
    return nil
  }

  @Test(
    arguments: Row.table(
      #"""
      duration = "4min" => "duration_usec":240000000
      duration = 5; repeat = true => "duration_usec":5000000,"repeat":{"rounds":0}
      duration = 5; repeat = 3 => "duration_usec":5000000,"repeat":{"rounds":3}
      duration = 5; repeat = false => "duration_usec":5000000
      duration = 5; replace = true => "replace":true,"duration_usec":5000000
      duration = 5; [presets.tea.labels]; a = "b"; [presets.tea.data]; x=1 => \#
      "duration_usec":5000000,"labels":{"a":"b"},"data":{"x":1}
      duration = 5; if_absent = true => "if_absent":true,"duration_usec":5000000
      stopwatch = true => "stopwatch":true
      alarm = "Mon..Fri 09:30" => "alarm":{"calendar":"Mon..Fri *-*-* 09:30:00"}
      alarm = "9:30"; repeat = 7 => "alarm":{"calendar":"*-*-* 09:30:00","rounds":7}
      alarm = "daily 9:30"; zone = "Europe/Berlin"; until = "2099-06-30" => "alarm":{"calendar":\#
      "*-*-* 09:30:00","zone":"Europe/Berlin","until":"2099-06-30"}
      alarm = "17:30" => "alarm":{"at_usec":1728063000000000}
      steps = ["work=25min", "rest=5min"] => "sequence":{"steps":[{"name":"work","duration_usec":\#
      1500000000},{"name":"rest","duration_usec":300000000,"break":true}],"rounds":1}
      steps = ["work=25min", "talk=5min"]; loop = "forever"; long = "talk=15min"; long_every = 4; \#
      wait_after = ["work"]; break = "talk"; after_sleep = "restart"; after_away = "break" => \#
      "sequence":{"steps":[{"name":"work","duration_usec":1500000000,"waits":true},{"name":"talk",\#
      "duration_usec":300000000,"break":true,"long_usec":900000000}],"long_every":4,"rounds":0,\#
      "after_sleep":"restart","after_away":"break"}
      """#))
  func `A table is the start of a timer`(row: Row) throws {
    let lines = row[0].replacing("; ", with: "\n")
    let start = try Wire.Start(self.start(lines))
    #expect(try start == Wire.Start(JSONValue.parse("{\"name\":\"tea\",\(row[1])}")))
    // It is written as it was read.
    let written = TimerSettings.lines(try self.start(lines)).joined(separator: "\n")
    guard !lines.contains("17:30") else { return }
    #expect(try Wire.Start(self.start(written)).sequence == start.sequence)
  }

  @Test
  func `An alarm's time is read when it is started: the same words then mean another instant`()
    throws
  {
    let preset = try Self.preset("alarm = \"17:30\"")
    let tomorrow = WallClock(nowUsec: 20_001 * 86_400_000_000, zone: .utc)
    #expect(try preset.start(at: noon)["alarm"] == ["at_usec": 1_728_063_000_000_000])
    #expect(try preset.start(at: tomorrow)["alarm"] == ["at_usec": 1_728_149_400_000_000])
  }

  @Test func `A duration replaces the time of the preset, and the settings stay`() throws {
    let alarm = "alarm = \"daily 9:30\"\nuntil = \"2099-06-30\"\nmessage = \"x\""
    #expect(
      try Self.preset(alarm).start(usec: 7)
        == ["name": "tea", "message": "x", "duration_usec": 7])
    #expect(
      try Self.preset("name = \"cup\"\nrepeat = true\nduration = 5").start(usec: 7)
        == ["name": "cup", "duration_usec": 7, "repeat": ["rounds": 0]])
  }

  @Test func `The example on its manual page is understood`() throws {
    let file = try ConfigFile(
      path: "nightjar.toml.5", bytes: Array(try Documentation.configuration().utf8))
    let table = file.table(.presets)
    let presets = try table.entries.map { node in
      try Preset(name: node.key, table.table(of: node, title: "[presets.\(node.key)]"), at: .here)
    }
    #expect(presets.map(\.name) == ["tea", "exam", "standup", "pomodoro", "backup"])
  }

  @Test(
    arguments: Row.table(
      #"""
      duratoin = 3 => 2 => [presets.tea] has no key 'duratoin'; did you mean 'duration'?
      duration = "4Mnt" => 2 => 'duration' has no time span in "4Mnt": unknown unit 'Mnt' at 2; \#
      the units are us ms s min h d w month y
      duration = 0 => 2 => 'duration' must be more than 0, up to 100 years, not 0
      duration = 3; ring_for = "5M" => 3 => 'ring_for': 5M is months; for minutes write 5min, \#
      for months 5month
      clock = "aweke" => 2 => 'clock' is one of elapsed, awake, wall, present, not 'aweke'; did \#
      you mean awake?
      wake = 1 => 2 => 'wake' must be true or false, not a whole number
      repeat = "yes" => 2 => 'repeat' must be true, or how often it rings: from 1 to 1000000
      repeat = 0 => 2 => 'repeat' must be true, or how often it rings: from 1 to 1000000
      labels = { a = 1 } => 2 => 'a' must be a text, not a whole number
      labels = true => 2 => 'labels' must be a table of texts, not true or false
      data = "3" => 2 => 'data' must be a JSON object, such as '{"distance_m": 1840}'
      data = { a = [inf] } => 2 => JSON has no dates, infinity and NaN; write 'a' as a text
      bands = ["warn"] => 2 => 'bands': a band is written span or span=name, such as 5min or \#
      10s=urgent, not 'warn'
      bands = [{ name = "a" }] => 2 => 'bands' must be a text, or an array of texts, not an array
      bands = ["10s=a", "10s=b"] => 2 => 'bands': bands come in the order in which they begin, \#
      the most time remaining first: '10s=b' does not come after 'a'
      steps = ["a=1s", "25xin"] => 2 => 'steps': a step is written name=span, such as \#
      work=25min, not '25xin'
      steps = ["a=1s"]; long_every = 4 => 2 => 'steps': --long and --long-every belong \#
      together: --long rest=20min --long-every 4
      loop = 3 => 2 => 'loop' belongs to 'steps', which this table lacks
      duration = 3; long_every = 3 => 3 => 'long_every' belongs to 'steps', which this table lacks
      zone = "Europe/Berlin" => 2 => 'zone' belongs to 'alarm', which this table lacks
      alarm = "9:30"; zone = "Europe/Berln" => 3 => there is no zone 'Europe/Berln'; they are \#
      spelled like Europe/Berlin
      alarm = "Mon..Fry 9:30" => 2 => 'Mon..Fry 9:30' is no time: 'Fry' at 6 is no day of the \#
      week; they are Mon Tue Wed Thu Fri Sat Sun
      alarm = 09:30:00 => 2 => 'alarm' must be a text, not a date or a time
      alarm = "9:30"; duration = 3 => 2 => give 'duration' or 'alarm', not both
      alarm = "tomorrow 9:30"; until = "2099-06-30" => 3 => 'tomorrow 9:30' rings only once, \#
      and 'until' is for an alarm that repeats
      stopwatch = true; late = "skip" => 3 => a stopwatch has no end, so 'late' has no effect; \#
      leave it out
      alarm = "9:30"; clock = "wall" => 3 => an alarm always uses the wall clock; leave out 'clock'
      wake = true; clock = "awake" => 2 => the clock awake stands still while the machine \#
      sleeps; leave out 'wake' or 'clock'
      sound = "chime"; silent = true => 3 => give 'sound' or 'silent', not both
      exec = "a"; shell = "b" => 3 => give 'exec' or 'shell', not both
      sound = "bell.oga" => 2 => 'sound' must be chime, marimba, pulse, or a path that begins \#
      with / or ~/, not "bell.oga"
      exec = "a | b" => 2 => 'exec' is run without a shell, which '|' would be for; use \#
      'shell', or quote it
      name = "a//b" => 2 => the name has an empty segment; write it like 'run/4711/mate'
      """#))
  func `A mistake is reported with its line and its correction`(row: Row) {
    let (lines, line, sentence) = (row[0], Int(row[1]) ?? 0, row[2])
    #expect(refusal(lines.replacing("; ", with: "\n")) == "c, line \(line): \(sentence)")
  }

  @Test func `The wire's limits are checked here, with the line`() {
    let labels = (0...Limits.labels).map { "k\($0) = \"v\"" }.joined(separator: ", ")
    #expect(refusal("labels = { \(labels) }") == "c, line 2: a timer has at most 32 labels")
    let data = String(repeating: "x", count: Limits.dataBytes - 8)
    #expect(refusal("data = { x = \"\(data)\" }") == nil)
    #expect(
      refusal("data = { x = \"\(data)y\" }") == "c, line 2: a timer's data has at most 4096 bytes")
  }
}
