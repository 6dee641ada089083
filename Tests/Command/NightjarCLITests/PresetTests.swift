import NightjarConfig
import NightjarModel
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// A preset's table as values, and the one error about a mistake in it.
@Suite(.blocking) struct PresetTests {
  private static let minute: Int64 = 60_000_000

  private func preset(_ lines: String) throws -> Preset {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.tea]\n\(lines)\n".utf8))
    let presets = file.table(.presets)
    let node = try #require(presets.entries.first)
    return try Preset(name: "tea", presets.table(of: node, title: "[presets.tea]"), at: .here)
  }

  private func refusal(_ lines: String) -> String? {
    do {
      _ = try preset(lines)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: What it can say

  @Test func `An empty preset says nothing`() throws {
    #expect(try preset("").parameters == [:])
    #expect(try preset("").namedParameters == ["name": "tea"])
  }

  @Test func `A countdown can have all its properties`() throws {
    let expected: JSONValue = [
      "duration_usec": .integer(4 * Self.minute), "repeat": ["rounds": 3], "clock": "awake",
      "fire_within_usec": .integer(10 * Self.minute), "missed": "each", "wake": false,
      "labels": ["kind": "drink", "a.b": ""],
      "data": ["cups": 2, "kinds": ["green", 1.5, true, ["x": []]]],
      "bands": [
        ["name": "warn", "remaining_usec": .integer(Self.minute)],
        [
          "name": "urgent", "remaining_usec": 10_000_000, "color": "red", "text": "Hurry, now",
          "progress": ["from": 0.9, "to": 1],
        ],
      ], "replace": true, "if_absent": false,
    ]
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
        """
      ).parameters == expected)
  }

  @Test func `Labels and data may have tables of their own`() throws {
    let preset = try preset(
      "duration = 5\n[presets.tea.labels]\na = \"b\"\n[presets.tea.data]\nx=1")
    #expect(preset.parameters["labels"] == ["a": "b"] && preset.parameters["data"] == ["x": 1])
  }

  @Test func `A repetition has a number of rounds, or no end`() throws {
    #expect(try preset("duration = 5\nrepeat = true").parameters["repeat"] == ["rounds": 0])
    #expect(try preset("duration = 5\nrepeat = false").parameters["repeat"] == nil)
    let alarm = try preset("alarm = \"9:30\"\nrepeat = 7").parameters
    #expect(alarm == ["alarm": ["calendar": "9:30", "rounds": 7]])
    let table = try preset("alarm = \"9:30\"\nrepeat = { rounds = 3 }").parameters
    #expect(table == ["alarm": ["calendar": "9:30", "rounds": 3]])
    let endless = try preset("alarm = \"9:30\"\nrepeat = {}").parameters
    #expect(endless == ["alarm": ["calendar": "9:30"]])
  }

  @Test func `An alarm is a calendar expression or an instant, with a zone`() throws {
    #expect(
      try preset("alarm = \"Mon..Fri 09:30\"\nzone = \"Europe/Berlin\"").parameters["alarm"]
        == ["calendar": "Mon..Fri 09:30", "zone": "Europe/Berlin"])
    for time in ["17:30", "9am", "tomorrow 9:00", "2026-12-24 18:00", "daily", "+1h"] {
      let alarm = try preset("alarm = \"\(time)\"").parameters["alarm"]
      #expect(alarm == ["calendar": .string(time)])
    }
  }

  @Test
  func `An alarm's time is read when it is started: the same words then mean another instant`()
    throws
  {
    let preset = try preset("alarm = \"17:30\"")
    let dayUsec: Int64 = 86_400_000_000
    for day in [20_000, 20_001] as [Int64] {
      let wall = WallClock(nowUsec: day * dayUsec, zone: .utc)
      #expect(
        try preset.parameters(at: wall)["alarm"]
          == ["at_usec": .integer(day * dayUsec + 17 * 60 * Self.minute + 30 * Self.minute)])
    }
  }

  @Test func `A stopwatch needs nothing`() throws {
    #expect(try preset("stopwatch = true").parameters["stopwatch"] == true)
    #expect(try preset("stopwatch = false\nduration = 3").parameters["stopwatch"] == false)
  }

  @Test func `A sequence can be written as words and as tables`() throws {
    let sequence = try preset(
      """
      steps = [
        "work=25min", "rest=5min",
        { name = "talk", duration = 600, waits = true, break = false, long = "20min" },
        { name = "Lunch break", duration = 600 },
      ]
      rounds = 0
      long_every = 4
      after_sleep = "restart"
      """
    ).parameters["sequence"]
    #expect(
      sequence == [
        "steps": [
          ["name": "work", "duration_usec": .integer(25 * Self.minute)],
          ["name": "rest", "duration_usec": .integer(5 * Self.minute), "break": true],
          [
            "name": "talk", "duration_usec": .integer(10 * Self.minute), "waits": true,
            "break": false, "long_usec": .integer(20 * Self.minute),
          ],
          ["name": "Lunch break", "duration_usec": .integer(10 * Self.minute), "break": true],
        ], "rounds": 0, "long_every": 4, "after_sleep": "restart",
      ])
    #expect(try preset("steps = [\"a=1s\"]").parameters["sequence"]?["rounds"] == nil)
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

  // MARK: What it cannot

  @Test(
    arguments: [
      ("duratoin = 3", 2, "[presets.tea] has no key 'duratoin'; did you mean 'duration'?"),
      ("durationn = \"4Mnt\"", 2, "[presets.tea] has no key 'durationn'; did you mean 'duration'?"),
      (
        "duration = \"4Mnt\"", 2,
        "'duration' has no time span in \"4Mnt\": unknown unit 'Mnt' at 2; the units are us ms s min h d w month y"
      ),
      ("duration = 0", 2, "'duration' must be more than 0, up to 100 years, not 0"),
      (
        "clock = \"aweke\"", 2,
        "'clock' must be \"elapsed\", \"awake\", \"wall\" or \"present\", not \"aweke\"; did you "
          + "mean \"awake\"?"
      ),
      ("wake = 1", 2, "'wake' must be true or false, not a whole number"),
      ("repeat = \"yes\"", 2, "'repeat' must be true, or how often it rings, not a text"),
      ("repeat = 0", 2, "'repeat' must be true, or how often it rings: from 1 to 1000000, not 0"),
      ("labels = { a = 1 }", 2, "'a' must be a text, not a whole number"),
      ("labels = [\"a=b\"]", 2, "'labels' must be a table, not an array"),
      ("data = 3", 2, "'data' must be a table, not a whole number"),
      (
        "data = { a = [inf] }", 2,
        "infinity and NaN are no numbers in JSON; write another number for 'a'"
      ),
      ("data = { a = 1979-05-27 }", 2, "JSON has no dates; write 'a' as a text in quotes"),
      (
        "bands = \"10s=urgent\"", 2,
        "'bands' must be an array such as [\"60s=warn\", \"10s=urgent\"], not a text"
      ),
      (
        "bands = [\n\"10s\"]", 3,
        "a band is written span=name, such as \"10s=urgent\", or as a table with 'remaining', "
          + "'name', 'color', 'text' and 'progress', not \"10s\""
      ),
      (
        "bands = [\"10x=a\"]", 2,
        "'bands' has no time span in \"10x\": unknown unit 'x' at 3; the units are us ms s min h d w month y"
      ),
      (
        "bands = [\"10s=a\",\n\"10s=b\"]", 3,
        "the band 'b' must have less remaining time than the band before it; write the band with "
          + "the most remaining time first"
      ),
      ("bands = [{ name = \"a\" }]", 2, "a band needs 'name' and 'remaining'"),
      (
        "bands = [{ name = \"a\", remaning = 3 }]", 2,
        "a band of [presets.tea] has no key 'remaning'; did you mean 'remaining'?"
      ),
      (
        "bands = [{ name = \"a\", remaining = 3, progress = [0, 2] }]", 2,
        "'progress' is two numbers from 0 to 1, such as [0.9, 1.0]"
      ),
      ("bands = [3]", 2, "'bands' must be a table, not a whole number"),
      ("steps = []", 2, "a sequence must have at least one step and at most 64"),
      (
        "steps = [\"25min\"]", 2,
        "a step is written name=span, such as \"work=25min\", not \"25min\""
      ),
      ("steps = [\"a=1ms\"]", 2, "the step 'a' must take from 100 ms to 100 years"),
      (
        "steps = [{ name = \"a\", durration = 3 }]", 2,
        "a step of [presets.tea] has no key 'durration'; did you mean 'duration'?"
      ),
      ("steps = [{ name = \"a\" }]", 2, "a step needs 'name' and 'duration'"),
      (
        "steps = [\"a=1s\"]\nlong_every = 4", 3,
        "a long step needs its length and how often it comes: every 1 to 100 rounds"
      ),
      (
        "steps = [{ name = \"a\", duration = 1, long = 2 }]", 2,
        "a long step needs its length and how often it comes: every 1 to 100 rounds"
      ),
      (
        "rounds = 3", 2,
        "'rounds' belongs to 'steps', which this table lacks; for a countdown write 'repeat'"
      ),
      (
        "duration = 3\nrounds = 3", 3,
        "'rounds' belongs to 'steps', which this table lacks; for a countdown write 'repeat'"
      ),
      (
        "alarm = \"9:30\"\nrounds = 3", 3,
        "'rounds' belongs to 'steps', which this table lacks; for an alarm write 'repeat'"
      ),
      ("stopwatch = true\nrounds = 3", 3, "'rounds' belongs to 'steps', which this table lacks"),
      (
        "duration = 3\nlong_every = 3", 3, "'long_every' belongs to 'steps', which this table lacks"
      ),
      ("after_sleep = \"pause\"", 2, "'after_sleep' belongs to 'steps', which this table lacks"),
      (
        "after_sleep = \"pause\"\nduration = 3", 2,
        "'after_sleep' belongs to 'steps', which this table lacks"
      ),
      ("zone = \"Europe/Berlin\"", 2, "'zone' belongs to 'alarm', which this table lacks"),
      (
        "duration = 3\nzone = \"Europe/Berlin\"", 3,
        "'zone' belongs to 'alarm', which this table lacks"
      ),
      (
        "zone = \"Europe/Berlin\"\nsteps = [\"a=1s\"]", 2,
        "'zone' belongs to 'alarm', which this table lacks"
      ),
      (
        "[presets.tea.alarm]\nzone = \"Europe/Berlin\"", 2,
        "an alarm has a point in time or a calendar expression"
      ),
      (
        "alarm = \"9:30\"\nzone = \"Europe/Berln\"", 3,
        "there is no zone 'Europe/Berln'; they are spelled like Europe/Berlin"
      ),
      (
        "alarm = \"Mon..Fry 9:30\"", 2,
        "'Mon..Fry 9:30' is no time: 'Fry' at 6 is no day of the week; they are Mon Tue Wed Thu "
          + "Fri Sat Sun"
      ),
      ("alarm = 09:30:00", 2, "'alarm' must be a text, not a date or a time"),
      ("alarm = \"9:30\"\nduration = 3", 2, "give 'duration' or 'alarm', not both"),
      ("duration = 3\nsteps = [\"a=1s\"]", 3, "give 'duration' or 'steps', not both"),
      (
        "stopwatch = true\nlate = \"skip\"", 3,
        "a stopwatch has no end, so 'late' has no effect; leave it out"
      ),
      (
        "alarm = \"9:30\"\nclock = \"wall\"", 3,
        "an alarm always uses the wall clock; leave out 'clock'"
      ),
      ("repeat = 3\nsteps = [\"a=1s\"]", 2, "for a sequence, write 'rounds' in place of 'repeat'"),
      (
        "wake = true\nclock = \"awake\"", 2,
        "the clock awake stands still while the machine sleeps; leave out 'wake' or 'clock'"
      ),
      ("replace = true\nif_absent = true", 3, "give 'replace' or 'if_absent', not both"),
      (
        "duration = 3\n[presets.tea.sequence]\nsteps = [\"a=1s\"]", 3,
        "give 'duration' or 'sequence', not both"
      ),
      (
        "stopwatch = true\nrepeat = true", 3,
        "a stopwatch has no end, so 'repeat' has no effect; leave it out"
      ),
      ("duration = 3\nduration_usec = 3000000", 3, "give 'duration' or 'duration_usec', not both"),
      ("duration_usec = 0", 2, "'duration_usec' must be more than 0, up to 100 years"),
      ("late = \"1h\"\nfire_within_usec = 3", 3, "give 'late' or 'fire_within_usec', not both"),
      ("wake = true\n[presets.tea.sequence]\nrounds = 3", 3, "a sequence needs 'steps'"),
      (
        "[presets.tea.alarm]\ncalendar = \"Mon..Fry 9:30\"", 3,
        "'Fry' at 6 is no day of the week; they are Mon Tue Wed Thu Fri Sat Sun"
      ),
      (
        "[presets.tea.alarm]\ncalendar = \"9:30\"\nrouns = 3", 4,
        "'alarm' of [presets.tea] has no key 'rouns'; did you mean 'rounds'?"
      ),
      (
        "[presets.tea.alarm]\ncalendar = \"9:30\"\nzone = \"Europe/Berln\"", 4,
        "there is no zone 'Europe/Berln'; they are spelled like Europe/Berlin"
      ),
      (
        "bands = [\n\"10s=a\",\n{ name = \"\", remaining = 3 }]", 4,
        "a band must have a name of 1 to 63 bytes without control characters"
      ),
      (
        "[presets.tea.ring]\nexec = [\"ls\"]\non = [\"fire\"]", 4,
        "'fire' is not an event of timers; examples are rang and band_crossed"
      ),
      ("[presets.tea.labels]\na = \"b\"\n\"\" = \"c\"", 4, "a label's key has 1 to 63 bytes"),
      (
        "repeat = 5000000", 2,
        "'repeat' must be true, or how often it rings: from 1 to 1000000, not 5000000"
      ),
      (
        "duration = 3\nrepeat = { rounds = 1000001 }", 3,
        "'rounds' must be from 1 to 1000000, or 0 for no end, not 1000001"
      ),
      (
        "steps = [\"a=1s\"]\nrounds = -1", 3,
        "'rounds' must be from 1 to 1000000, or 0 for no end, not -1"
      ),
      (
        "alarm = \"9:30\"\nrepeat = { rouns = 3 }", 3,
        "'repeat' of [presets.tea] has no key 'rouns'; did you mean 'rounds'?"
      ),
      (
        "bands = [\"10s=a\"]\nlabels = { wake = \"x\", name = \"y\" }\nname = \"a//b\"", 4,
        "the name has an empty segment; write it like 'run/4711/mate'"
      ),
      ("name = \"\"", 2, "a name has at least one character"),
      ("name = \"a\\u0007\"", 2, "the name has a control character at byte 1"),
      (
        "exec = \"ls\"\nexec_timeout = 0", 3,
        "'exec_timeout' must be more than 0, up to 100 years, not 0"
      ),
    ] as [(String, Int, String)])
  func `A mistake is reported with its line and its correction`(
    lines: String, line: Int, sentence: String
  ) {
    #expect(refusal(lines) == "c, line \(line): \(sentence)")
  }

  @Test func `The wire's limits are checked here, with the line`() {
    let labels = (0...Limits.labels).map { "k\($0) = \"v\"" }.joined(separator: ", ")
    #expect(refusal("labels = { \(labels) }") == "c, line 2: a timer has at most 32 labels")
    let long = String(repeating: "x", count: Limits.labelValueBytes + 1)
    #expect(
      refusal("labels = { a = \"\(long)\" }") == "c, line 2: a label's value has at most 255 bytes")
    let data = String(repeating: "x", count: Limits.dataBytes - 8)
    #expect(refusal("data = { x = \"\(data)\" }") == nil)
    #expect(
      refusal("data = { x = \"\(data)y\" }") == "c, line 2: a timer's data has at most 4096 bytes")
    let deep = String(repeating: "[", count: Limits.dataDepth - 1)
    let end = String(repeating: "]", count: Limits.dataDepth - 1)
    #expect(refusal("data = { x = \(deep)\(end) }") == nil)
    #expect(
      refusal("data = { x = [\(deep)\(end)] }")
        == "c, line 2: a timer's data has at most 28 objects and arrays inside one another")
  }
}
