import ArgumentParser
import NightjarConfig
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// The table of settings: each line has an option, a key of a preset, and a notation that is read
/// and written.
@Suite(.blocking) struct SettingTests {
  /// A value of each setting: as typed, as a file has it, and as `Start` has it.
  private static let samples: [(key: String, typed: [String], file: String, value: JSONValue)] = [
    ("labels", ["a=b", "c="], "{ a = \"b\", c = \"\" }", ["a": "b", "c": ""]),
    (
      "data", ["{\"own\":[1,null]}"], "\"{\\\"own\\\":[1,null]}\"", ["own": [1, nil]]
    ),
    ("message", ["Take \"it\" out"], "\"Take \\\"it\\\" out\"", "Take \"it\" out"),
    (
      "bands", ["60s=warn,10s=urgent:red:0.5..1:Hurry, now"],
      "[\"1min=warn\", \"10s=urgent:red:0.5..1:Hurry, now\"]",
      [
        ["name": "warn", "remaining_usec": 60_000_000],
        [
          "name": "urgent", "remaining_usec": 10_000_000, "color": "red", "text": "Hurry, now",
          "progress": ["from": 0.5, "to": 1.0],
        ],
      ]
    ),
    ("late", ["10min"], "\"10min\"", 600_000_000), ("late", ["skip"], "\"skip\"", "skip"),
    ("missed", ["each"], "\"each\"", "each"), ("wake", [], "true", true),
    ("clock", ["awake"], "\"awake\"", "awake"),
    ("zone", ["Europe/Berlin"], "\"Europe/Berlin\"", "Europe/Berlin"),
    (
      "except", ["2090-12-24..2090-12-26,2091-01-06"],
      "[\"2090-12-24..2090-12-26\", \"2091-01-06\"]", ["2090-12-24..2090-12-26", "2091-01-06"]
    ),
    ("until", ["2091-06-30"], "\"2091-06-30\"", "2091-06-30"),
    ("exec", ["ls 'a b'"], "[\"ls\", \"a b\"]", ["ls", "a b"]),
    ("shell", ["a | b"], "\"a | b\"", ["/bin/sh", "-c", "a | b"]),
    ("exec_on", ["rang,paused"], "[\"rang\", \"paused\"]", ["rang", "paused"]),
    ("exec_timeout", ["5s"], "\"5s\"", 5_000_000), ("env", ["A=1"], "{ A = \"1\" }", ["A": "1"]),
    ("sound", ["pulse"], "\"pulse\"", "pulse"), ("silent", [], "true", true),
    ("ring_for", ["2min"], "\"2min\"", 120_000_000), ("ring_for", ["0"], "\"0\"", 0),
    ("volume", ["40"], "40", 40), ("rising", ["20s"], "\"20s\"", 20_000_000),
    ("insist", ["5min"], "\"5min\"", 300_000_000), ("disturb", [], "true", true),
  ]

  private struct AllOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var ending: EndingOptions
    @OptionGroup var clock: ClockOption
    @OptionGroup var days: DaysOptions
    @OptionGroup var ring: RingOptions
    @Option(.zone) var zone: [String]
  }

  private static func typed(_ words: [String]) throws -> SettingValues {
    let options = try AllOptions.parse(words)
    var values = SettingValues()
    let groups: [any SettingOptions] = [
      options.common, options.ending, options.clock, options.days, options.ring,
    ]
    for group in groups { try group.add(to: &values, at: .here) }
    for zone in options.zone { values.set(.string(zone), for: .zone) }
    return values
  }

  @Test
  func `Each setting is an option and a key, which give the same value, and is written again`()
    throws
  {
    #expect(Set(Self.samples.map(\.key)).union(["except_file"]) == Set(Setting.all.map(\.key)))
    // What excludes another is typed apart.
    let apart = Self.samples.filter {
      ["skip", "0", "a | b"].contains($0.typed.first) || $0.key == "silent"
    }
    let together = Self.samples.filter { sample in
      !apart.contains { $0.key == sample.key && $0.typed == sample.typed }
    }
    for samples in [together, apart] {
      let words = try samples.flatMap { key, typed, _, _ in
        let option = "--\(try #require(Setting.named(key)).option)"
        return typed.isEmpty ? [option] : typed.flatMap { [option, $0] }
      }
      let start = try Self.typed(words).applied(to: [:])
      for sample in samples {
        #expect(Setting.named(sample.key)?.value(in: start) == sample.value, "\(sample.key)")
      }
      let lines = TimerSettings.settings(start, Setting.all)
      #expect(lines.sorted() == samples.map { "\($0.key) = \($0.file)" }.sorted())
    }
    for (key, _, file, value) in Self.samples {
      let setting = try #require(Setting.named(key))
      let isOfCommand = ["exec_on", "exec_timeout", "env"].contains(key)
      let kind =
        (setting.path.first == "alarm" ? "alarm = \"daily 7:00\"" : "duration = 60")
        + (isOfCommand ? "\nexec = \"ls\"" : "")
      let preset = try PresetTests.preset("\(kind)\n\(key) = \(file)")
      #expect(setting.value(in: try preset.start(at: .here)) == value, "\(key) = \(file)")
    }
  }

  @Test func `Each field of Start belongs to a setting, or says when the timer rings`() throws {
    func fields(_ name: String) throws -> [String] {
      try InterfaceFieldTests.fields(of: name).map(\.name)
    }
    let ofTime = [
      "name", "duration_usec", "repeat", "stopwatch", "sequence", "replace", "if_absent",
    ]
    let start = try fields("Start").filter { !(ofTime + ["alarm", "ring"]).contains($0) }
    let alarm = try fields("Alarm").filter { !["at_usec", "calendar", "rounds"].contains($0) }
    let all =
      start.map { [$0] } + alarm.map { ["alarm", $0] } + (try fields("Ring")).map { ["ring", $0] }
    let known = Set(Setting.all.flatMap { [$0.path, $0.place(of: 1)] })
    #expect(Set(all) == known)
  }

  @Test func `Labels and variables are added, and other values replace`() throws {
    let start: JSONValue = ["labels": ["a": "1"], "message": "x", "ring": ["sound": "chime"]]
    let values = try Self.typed(["--label", "b=2", "--message", "y", "--silent"])
    #expect(
      values.applied(to: start)
        == ["labels": ["a": "1", "b": "2"], "message": "y", "ring": ["silent": true]])
    #expect(
      try Self.typed(["--late", "skip"]).applied(to: ["fire_within_usec": 1]) == ["late": "skip"])
  }
}
