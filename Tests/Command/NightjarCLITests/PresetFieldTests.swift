import NightjarConfig
import NightjarInterface
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// The keys of presets: every field of `Start`, and every short form.
@Suite(.blocking) struct PresetFieldTests {
  private static func table(_ lines: String) throws -> ConfigTable {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.tea]\n\(lines)\n".utf8))
    let presets = file.table(.presets)
    return try presets.table(of: #require(presets.entries.first), title: "[presets.tea]")
  }

  private static func spec(_ lines: String) throws -> (JSONValue, TimerSpec) {
    let parameters = try Preset(name: "tea", table(lines), at: .here).parameters
    return (parameters, try spec(parameters))
  }

  private static func spec(_ parameters: JSONValue) throws -> TimerSpec {
    try TimerSpec(
      startParameters: parameters, calendar: ZoneCalendar(local: .utc), defaults: SpecDefaults())
  }

  // MARK: The interface

  /// A value of a type, in JSON and in TOML, whose notations differ only for objects.
  private static func sample(
    of type: TypeExpression, in interface: Interface
  ) throws -> (json: JSONValue, toml: String) {
    switch type {
    case .bool: return (false, "false")
    case .int: return (7, "7")
    case .float: return (0.5, "0.5")
    case .string: return ("red", "\"red\"")
    case .object: return (["own": [1, "x"]], "{ own = [1, \"x\"] }")
    case .map: return (["red": "x"], "{ red = \"x\" }")
    case .optional(let wrapped): return try sample(of: wrapped, in: interface)
    case .array(let element):
      let one = try sample(of: element, in: interface)
      return (.array([one.json, one.json]), "[\(one.toml), \(one.toml)]")
    case .structure(let fields):
      let samples = try fields.map { ($0.name, try sample(of: $0.type, in: interface)) }
      return (
        .object(samples.map { .init($0, $1.json) }),
        "{ \(samples.map { "\($0) = \($1.toml)" }.joined(separator: ", ")) }"
      )
    case .enumeration(let words):
      let word = try #require(words.last).name
      return (.string(word), "\"\(word)\"")
    case .named(let name):
      guard case .type(let type) = interface.declaration(of: name)?.kind else { break }
      return try sample(of: type, in: interface)
    case .set: break
    }
    throw Unmet(description: "no sample of \(type)")
  }

  @Test func `Every field of Start, and of the structures in it, is a key, with its own value`()
    throws
  {
    let interface = try Interface(parsing: TimersInterface.description)
    guard case .method(let fields, _)? = interface.declaration(of: "Start")?.kind else {
      throw Unmet(description: "Start is no method")
    }
    #expect(fields.count >= 17)
    // These are not part of a specification.
    for field in fields where !["undo_id", "if_seq", "request"].contains(field.name) {
      let (json, toml) = try Self.sample(of: field.type, in: interface)
      let reader = try PresetReader(Self.table("\(field.name) = \(toml)"), at: .here)
      #expect(reader.parameters == .object([.init(field.name, json)]))
      #expect(reader.place(of: [field.name])?.line == 2)
    }
  }

  // MARK: The short forms

  /// Presets with everything that is possible, by the names of the interface and by the short
  /// forms.
  private static let pairs: [(fields: String, short: String)] = [
    (
      """
      name = "cup"
      duration_usec = 240000000
      repeat = { rounds = 3 }
      clock = "awake"
      fire_within_usec = 600000000
      missed = "each"
      wake = false
      replace = true
      if_absent = false
      labels = { kind = "drink" }
      data = { cups = 2 }
      message = "Now"
      bands = [
        { name = "warn", remaining_usec = 60000000 },
        { name = "last", remaining_usec = 9000000, color = "red", text = "Now", progress = { from = 0.9, to = 1 } },
      ]

      [presets.tea.ring]
      exec = ["ls", "a b"]
      on = ["paused"]
      environment = { A = "1" }
      timeout_usec = 5000000
      sound = "/bell.oga"
      ring_for_usec = 20000000
      volume = 40
      rising_usec = 0
      insist_usec = 300000000
      disturb = true
      """,
      """
      name = "cup"
      duration = "4min"
      repeat = 3
      clock = "awake"
      late = "10min"
      missed = "each"
      wake = false
      replace = true
      if_absent = false
      labels = { kind = "drink" }
      data = { cups = 2 }
      message = "Now"
      bands = [
        "60s=warn",
        { name = "last", remaining = "9s", color = "red", text = "Now", progress = [0.9, 1] },
      ]
      exec = "ls 'a b'"
      exec_on = "paused"
      env = { A = "1" }
      exec_timeout = 5
      sound = "/bell.oga"
      ring_for = "20s"
      volume = 40
      rising = 0
      insist = "5min"
      disturb = true
      """
    ),
    (
      """
      ring = { exec = ["/bin/sh", "-c", "a | b"], silent = true }
      late = "skip"
      [presets.tea.alarm]
      calendar = "Mon..Fri 9:30"
      zone = "Europe/Berlin"
      rounds = 7
      except = ["2026-12-24..2027-01-01"]
      until = "2027-06-30"
      """,
      """
      alarm = "Mon..Fri 9:30"
      zone = "Europe/Berlin"
      repeat = 7
      except = "24.12.2026..1.1.2027"
      except_file = []
      until = "2027-06-30"
      shell = "a | b"
      silent = true
      late = "skip"
      """
    ),
    (
      """
      [presets.tea.sequence]
      steps = [
        { name = "work", duration_usec = 1500000000, waits = true },
        { name = "rest", duration_usec = 300000000, long_usec = 1200000000, break = true },
      ]
      rounds = 0
      long_every = 4
      after_sleep = "restart"
      """,
      """
      steps = [
        { name = "work", duration = "25min", waits = true },
        { name = "rest", duration = "5min", long = "20min" },
      ]
      rounds = 0
      long_every = 4
      after_sleep = "restart"
      """
    ),
    ("stopwatch = true\nclock = \"awake\"", "stopwatch = true\nclock = \"awake\""),
  ]

  @Test func `A preset by the names of the interface and one by short forms are the same timer`()
    throws
  {
    for pair in Self.pairs {
      let ((long, spec), (short, other)) = (try Self.spec(pair.fields), try Self.spec(pair.short))
      #expect(spec == other && spec.problem == nil)
      #expect(Self.members(long) == Self.members(short))
    }
  }

  @Test func `A written preset is read back as the same`() throws {
    for pair in Self.pairs {
      let (parameters, spec) = try Self.spec(pair.fields)
      let lines = try PresetWriter.lines(parameters)
      let (_, read) = try Self.spec(lines.joined(separator: "\n"))
      #expect(read == spec, "\(lines)")
    }
    // Keys with a short form, and texts with characters that TOML escapes.
    let odd: JSONValue = [
      "labels": ["two words": "x", "k": "y"],
      "data": ["list": [1, 0.5, true, ["deep": "a \"b\" \\ \n \u{7} ü"]]],
    ]
    let written = try Self.table(PresetWriter.lines(odd).joined(separator: "\n"))
    #expect(try Preset(name: "tea", written, at: .here).parameters == odd)
    #expect(
      try PresetWriter.lines(["duration_usec": 240_000_000, "repeat": [:]])
        == ["duration = \"4min\"", "repeat = true"])
    #expect(throws: CommandError.self) { try PresetWriter.lines(["data": ["a": .null]]) }
    #expect(PresetWriter.head("soft \"egg\"") == "[presets.\"soft \\\"egg\\\"\"]")
  }

  /// The members of an object, in any order.
  private static func members(_ json: JSONValue) -> [String: String] {
    var members: [String: String] = [:]
    for member in json.objectValue ?? [] {
      if member.value.objectValue == nil { members[member.key] = member.value.text }
      for (key, value) in Self.members(member.value) { members["\(member.key).\(key)"] = value }
    }
    return members
  }

  @Test func `Every key is used in one of these presets`() {
    let structures = [
      Shape.Structure.start, .repeat, .alarm, .sequence, .step, .band, .ring, .progressRange,
    ]
    let names = structures.flatMap { $0.fields.map(\.name) + ShortForm.all(of: $0).map(\.key) }
    let text = Self.pairs.map { $0.fields + "\n" + $0.short }.joined(separator: "\n")
    let words = Set(text.split { !$0.isLetter && $0 != "_" }.map(String.init))
    // Another test covers the time of an alarm.
    #expect(Set(names).subtracting(words) == ["at_usec"])
  }

  @Test func `The timers of these presets have the given properties`() throws {
    var parts = Wire.Ring()
    (parts.exec, parts.on, parts.timeoutUsec) = (["ls", "a b"], [.paused], 5_000_000)
    (parts.environment, parts.sound) = (["A": "1"], "/bell.oga")
    (parts.ringForUsec, parts.volume, parts.risingUsec) = (20_000_000, 40, 0)
    (parts.insistUsec, parts.disturb) = (300_000_000, true)
    let ring = try RingPlan().changed(by: parts)
    let countdown = TimerSpec(
      shared: TimerSpec.Shared(
        kind: .countdown, repeats: true, rounds: 3, schedule: nil, steps: [], longEvery: 0,
        afterSleep: .continue,
        bands: [
          Band(name: "warn", remainingUsec: 60_000_000),
          Band(
            name: "last", remainingUsec: 9_000_000, color: "red", text: "Now",
            progress: ProgressRange(from: 900_000, to: 1_000_000)),
        ], late: .fireWithin(usec: 600_000_000), missed: .each),
      clock: .awake, durationUsec: 240_000_000, atUsec: nil, wakes: false,
      attachments: Attachments(
        labels: [Label(key: "kind", value: "drink")], data: Array("{\"cups\":2}".utf8),
        ring: ring.encoded, message: "Now"))
    var shell = RingPlan()
    (shell.state.exec, shell.state.silent) = (["/bin/sh", "-c", "a | b"], true)
    var alarm = TimerSpec.plain
    alarm.kind = .alarm
    alarm.schedule = Schedule(
      expression: "Mon..Fri *-*-* 09:30:00", zone: "Europe/Berlin",
      except: [try #require(DayRange("2026-12-24..2027-01-01"))],
      until: DayRange("2027-06-30")?.first)
    (alarm.rounds, alarm.late, alarm.attachments.ring) = (7, .skip, shell.encoded)
    var sequence = TimerSpec.plain
    (sequence.kind, sequence.longEvery, sequence.afterSleep) = (.sequence, 4, .restart)
    sequence.steps = [
      Step(name: "work", durationUsec: 1_500_000_000, waits: true),
      Step(name: "rest", durationUsec: 300_000_000, isBreak: true, longUsec: 1_200_000_000),
    ]
    var stopwatch = TimerSpec.plain
    (stopwatch.kind, stopwatch.clock) = (.stopwatch, .awake)
    let specs = [countdown, alarm, sequence, stopwatch]
    for (pair, spec) in zip(Self.pairs, specs) {
      #expect(try Self.spec(pair.fields).1 == spec)
    }
    let (point, _) = try Self.spec("alarm = { at_usec = 5 }")
    #expect(point == ["alarm": ["at_usec": 5]])
    #expect(try Self.spec(point).atUsec == 5)
  }

  // MARK: The command line over a preset

  @Test(
    arguments: [
      (
        ["labels": ["b": "3"]], ["labels": ["a": "1", "b": "2"]], ["labels": ["a": "1", "b": "3"]]
      ),
      (["data": ["b": 3]], ["data": ["a": 1]], ["data": ["b": 3]]),
      (["repeat": [:]], ["repeat": ["rounds": 3]], ["repeat": ["rounds": 3]]),
      (
        ["bands": []], ["name": "a", "bands": [["name": "x", "remaining_usec": 3]]],
        ["name": "a", "bands": []]
      ),
      (
        ["duration_usec": 3], ["alarm": ["calendar": "daily"], "clock": "wall"],
        ["duration_usec": 3, "clock": "wall"]
      ),
      (
        ["duration_usec": 3], ["duration_usec": 4, "repeat": ["rounds": 0]],
        ["duration_usec": 3, "repeat": ["rounds": 0]]
      ),
      (["late": "fire"], ["fire_within_usec": 3], ["late": "fire"]),
      (["fire_within_usec": 3], ["late": "fire"], ["fire_within_usec": 3]),
      (["if_absent": true], ["replace": true], ["if_absent": true]),
      (
        ["ring": ["environment": ["A": "3"], "silent": true]],
        ["ring": ["exec": ["ls"], "environment": ["A": "1", "B": "2"], "sound": "/a"]],
        ["ring": ["exec": ["ls"], "environment": ["B": "2", "A": "3"], "silent": true]]
      ),
    ] as [(JSONValue, JSONValue, JSONValue)])
  func `Structures merge member by member, maps by key, and all else as a whole`(
    typed: JSONValue, preset: JSONValue, result: JSONValue
  ) {
    #expect(typed.merged(over: preset, as: .structure(.start)) == result)
  }
}
