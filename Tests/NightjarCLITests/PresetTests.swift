import NightjarConfig
import NightjarCore
import NightjarTestSupport
import NightjarWire
import Testing

@testable import nightjar

/// A preset's table as plain values, and the one sentence about what it should say instead.
@Suite struct PresetTests {
  private static let minute: Int64 = 60_000_000

  private func preset(_ lines: String) throws(ConfigError) -> Preset {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.tea]\n\(lines)\n".utf8))
    let presets = file.table(.presets)
    guard let node = presets.entries.first else { return Preset(name: "none") }
    return try Preset(name: "tea", presets.table(of: node, title: "[presets.tea]"))
  }

  private func refusal(_ lines: String) -> String? {
    do throws(ConfigError) {
      _ = try preset(lines)
      return nil
    } catch {
      return error.description
    }
  }

  // MARK: What it can say

  @Test("An empty preset says nothing")
  func empty() throws {
    #expect(try preset("") == Preset(name: "tea"))
  }

  @Test("A countdown, with all that it can have")
  func countdown() throws {
    var expected = Preset(name: "tea")
    expected.durationUsec = 4 * Self.minute
    expected.repeatRounds = 3
    expected.clock = .awake
    expected.late = .fireWithin(usec: 10 * Self.minute)
    expected.missed = .each
    expected.wake = false
    expected.labels = [.init(key: "kind", value: "drink"), .init(key: "a.b", value: "")]
    expected.data = ["cups": 2, "kinds": ["green", 1.5, true, ["x": []]]]
    expected.bands = [
      .init(name: "warn", remainingUsec: Self.minute),
      .init(
        name: "urgent", remainingUsec: 10_000_000, color: "red", text: "Hurry, now",
        progress: .init(from: 0.9, to: 1)),
    ]
    expected.replace = true
    expected.ifAbsent = false
    #expect(
      try preset(
        """
        duration = "4min"
        repeat = 3
        clock = "awake"
        late = "10min"
        missed = "each"
        wake = false
        labels = { kind = "drink", "a.b" = "" }
        data = { cups = 2, kinds = ["green", 1.5, true, { x = [] }] }
        bands = [
          "60s=warn",
          { name = "urgent", remaining = 10, color = "red", text = "Hurry, now", progress = [0.9, 1] },
        ]
        replace = true
        if_absent = false
        """) == expected)
  }

  @Test("Labels and data may have tables of their own")
  func subtables() throws {
    let preset = try preset(
      "duration = 5\n[presets.tea.labels]\na = \"b\"\n[presets.tea.data]\nx=1")
    #expect(preset.labels == [.init(key: "a", value: "b")] && preset.data == ["x": 1])
  }

  @Test("What repeats says how often, or goes on for ever")
  func repetition() throws {
    #expect(try preset("duration = 5\nrepeat = true").repeatRounds == 0)
    #expect(try preset("duration = 5\nrepeat = false").repeatRounds == nil)
    #expect(try preset("alarm = \"9:30\"\nrepeat = 7").repeatRounds == 7)
  }

  @Test("An alarm is a calendar expression or a point in time, with a zone")
  func alarm() throws {
    #expect(
      try preset("alarm = \"Mon..Fri 09:30\"\nzone = \"Europe/Berlin\"").alarm
        == .init(time: "Mon..Fri 09:30", zone: "Europe/Berlin"))
    for time in ["17:30", "9am", "tomorrow 9:00", "2026-12-24 18:00", "daily", "+1h"] {
      #expect(try preset("alarm = \"\(time)\"").alarm == .init(time: time, zone: nil))
    }
  }

  @Test("A stopwatch needs nothing")
  func stopwatch() throws {
    #expect(try preset("stopwatch = true").isStopwatch)
    #expect(try !preset("stopwatch = false\nduration = 3").isStopwatch)
  }

  @Test("A sequence, by words and by tables")
  func sequence() throws {
    let sequence = try #require(
      try preset(
        """
        steps = [
          "work=25min", "rest=5min",
          { name = "talk", duration = 600, waits = true, break = false, long = "20min" },
        ]
        rounds = 0
        long_every = 4
        after_sleep = "restart"
        """
      ).sequence)
    #expect(
      sequence
        == .init(
          steps: [
            .init(name: "work", durationUsec: 25 * Self.minute),
            .init(name: "rest", durationUsec: 5 * Self.minute),
            .init(
              name: "talk", durationUsec: 10 * Self.minute, waits: true, isBreak: false,
              longUsec: 20 * Self.minute),
          ], rounds: 0, longEvery: 4, afterSleep: .restart))
    #expect(try preset("steps = [\"a=1s\"]").sequence?.rounds == nil)
  }

  @Test("The example in README.md is understood")
  func example() throws {
    let file = try ConfigFile(path: "README.md", bytes: Array(try Readme.configuration().utf8))
    let table = file.table(.presets)
    let presets = try table.entries.map { node in
      try Preset(name: node.key, table.table(of: node, title: "[presets.\(node.key)]"))
    }
    #expect(presets.map(\.name) == ["tea", "standup", "pomodoro"])
  }

  // MARK: What it cannot

  @Test(
    "What is wrong is told with its line, and what would be right",
    arguments: [
      ("duratoin = 3", 2, "[presets.tea] has no key 'duratoin'; did you mean 'duration'?"),
      ("durationn = \"4Min\"", 2, "[presets.tea] has no key 'durationn'; did you mean 'duration'?"),
      (
        "duration = \"4Min\"", 2,
        "'duration' has no time span in \"4Min\": unknown unit 'Min' at 2; did you mean 'min'?"
      ),
      ("duration = 0", 2, "'duration' is longer than nothing, up to 100 years, not 0"),
      (
        "clock = \"aweke\"", 2,
        "'clock' is \"elapsed\", \"awake\" or \"wall\", not \"aweke\"; did you mean \"awake\"?"
      ),
      ("wake = 1", 2, "'wake' is true or false, not a whole number"),
      ("repeat = \"yes\"", 2, "'repeat' is true, or how often it rings, not a text"),
      ("repeat = 0", 2, "'repeat' is true, or how often it rings: from 1 to 1000000, not 0"),
      ("labels = { a = 1 }", 2, "'a' is a text, as every label, not a whole number"),
      ("labels = [\"a=b\"]", 2, "'labels' is a table, not an array"),
      ("data = 3", 2, "'data' is a table, not a whole number"),
      ("data = { a = [inf] }", 2, "JSON has no number for 'a'"),
      (
        "data = { a = 1979-05-27 }", 2, "JSON has no dates; write 'a' as a text in quotes"
      ),
      (
        "bands = \"10s=urgent\"", 2,
        "'bands' is an array such as [\"60s=warn\", \"10s=urgent\"], not a text"
      ),
      (
        "bands = [\n\"10s\"]", 3,
        "a band is written span=name, such as \"10s=urgent\", or as a table with 'remaining', "
          + "'name', 'color', 'text' and 'progress', not \"10s\""
      ),
      (
        "bands = [\"10S=a\"]", 2,
        "'bands' has no time span in \"10S\": unknown unit 'S' at 3; did you mean 's'?"
      ),
      (
        "bands = [\"10s=a\",\n\"10s=b\"]", 3,
        "bands come in the order in which they begin, the most time remaining first: 'b' does not "
          + "come behind 'a'"
      ),
      ("bands = [{ name = \"a\" }]", 2, "a band has a 'name' and a 'remaining'"),
      (
        "bands = [{ name = \"a\", remaning = 3 }]", 2,
        "a band of [presets.tea] has no key 'remaning'; did you mean 'remaining'?"
      ),
      (
        "bands = [{ name = \"a\", remaining = 3, progress = [0, 2] }]", 2,
        "'progress' is two numbers from 0 to 1, such as [0.9, 1.0]"
      ),
      ("bands = [3]", 2, "'bands' is a table, not a whole number"),
      ("steps = []", 2, "a sequence has at least one step, such as \"work=25min\""),
      (
        "steps = [\"25min\"]", 2,
        "a step is written name=span, such as \"work=25min\", not \"25min\""
      ),
      ("steps = [\"a=1ms\"]", 2, "'steps' is from 100 ms to 100 years, not \"1ms\""),
      (
        "steps = [{ name = \"a\", durration = 3 }]", 2,
        "a step of [presets.tea] has no key 'durration'; did you mean 'duration'?"
      ),
      ("steps = [{ name = \"a\" }]", 2, "a step has a 'name' and a 'duration'"),
      (
        "steps = [\"a=1s\"]\nlong_every = 4", 3,
        "'long_every' and the 'long' of a step belong together"
      ),
      (
        "steps = [{ name = \"a\", duration = 1, long = 2 }]", 2,
        "'long_every' and the 'long' of a step belong together"
      ),
      ("rounds = 3", 2, "'rounds' belongs to 'steps', which is not there"),
      ("after_sleep = \"pause\"", 2, "'after_sleep' belongs to 'steps', which is not there"),
      ("zone = \"Europe/Berlin\"", 2, "'zone' belongs to 'alarm', which is not there"),
      (
        "alarm = \"9:30\"\nzone = \"Europe/Berln\"", 3,
        "there is no zone 'Europe/Berln'; they are spelled like Europe/Berlin"
      ),
      (
        "alarm = \"Mon..Fry 9:30\"", 2,
        "\"Mon..Fry 9:30\" is no time: 'Fry' at 6 is no day of the week; they are Mon Tue Wed Thu "
          + "Fri Sat Sun"
      ),
      ("alarm = 09:30:00", 2, "'alarm' is a text, not a date or a time"),
      (
        "alarm = \"9:30\"\nduration = 3", 2,
        "a timer is one thing: 'duration' and 'alarm' are two"
      ),
      (
        "duration = 3\nsteps = [\"a=1s\"]", 3,
        "a timer is one thing: 'duration' and 'steps' are two"
      ),
      (
        "stopwatch = true\nlate = \"skip\"", 3,
        "a stopwatch has no end, so 'late' means nothing for it"
      ),
      (
        "alarm = \"9:30\"\nclock = \"wall\"", 3,
        "an alarm goes by the wall clock; leave 'clock' out"
      ),
      (
        "repeat = 3\nsteps = [\"a=1s\"]", 2,
        "write how often steps are gone through as 'rounds'"
      ),
      (
        "wake = true\nclock = \"awake\"", 2,
        "the clock awake stands still while the machine sleeps; leave out 'wake' or 'clock'"
      ),
      (
        "replace = true\nif_absent = true", 3, "give 'replace' or 'if_absent', not both"
      ),
    ] as [(String, Int, String)])
  func wrong(lines: String, line: Int, sentence: String) {
    #expect(refusal(lines) == "c, line \(line): \(sentence)")
  }

  @Test("The limits of the wire are told here, where there are lines")
  func limits() {
    let labels = (0...Limits.labels).map { "k\($0) = \"v\"" }.joined(separator: ", ")
    #expect(refusal("labels = { \(labels) }") == "c, line 2: a timer has at most 32 labels")
    let long = String(repeating: "x", count: Limits.labelValueBytes + 1)
    #expect(
      refusal("labels = { a = \"\(long)\" }")
        == "c, line 2: a label has a key of 1 to 63 bytes and a value of at most 255")
    let data = String(repeating: "x", count: Limits.dataBytes - 8)
    #expect(refusal("data = { x = \"\(data)\" }") == nil)
    #expect(
      refusal("data = { x = \"\(data)y\" }")
        == "c, line 2: 'data' is longer than 4096 bytes of JSON"
    )
    let deep = String(repeating: "[", count: Limits.dataDepth - 1)
    let end = String(repeating: "]", count: Limits.dataDepth - 1)
    #expect(refusal("data = { x = \(deep)\(end) }") == nil)
    #expect(
      refusal("data = { x = [\(deep)\(end)] }") == "c, line 2: 'data' nests deeper than 28")
  }
}
