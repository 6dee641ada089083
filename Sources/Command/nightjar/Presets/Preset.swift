import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// A preset: a table `[presets.NAME]` with the time and the settings of a timer. What is missing
/// comes from the arguments and options, and from the daemon's defaults.
struct Preset {
  /// What kind of timer it is, and when it rings.
  enum Time {
    case length(usec: Int64)
    /// A time as the user wrote it.
    case alarm(String, repetition: Repetition, rounds: Int64)
    case stopwatch
    case sequence(Wire.Sequence)
  }

  let name: String
  /// The name of the timer, which is that of the preset unless the table gives another.
  private(set) var timerName: String
  /// Nil: the table has settings only.
  private(set) var time: Time?
  /// How often a countdown rings, 0 without end; nil: once.
  private(set) var rounds: Int64?
  private(set) var values = SettingValues()
  private(set) var (replaces, keepsPresent) = (false, false)

  /// The keys that a preset has beside those of the settings.
  static let keys = [
    "name", "duration", "alarm", "stopwatch", "steps", "repeat", "loop", "long", "long_every",
    "wait",
    "wait_after", "break", "after_sleep", "after_away", "replace", "if_absent",
  ]

  /// Reads a table, and checks it with the code that the daemon uses.
  ///
  /// - Parameter wall: the current time and zone.
  init(name: String, _ table: ConfigTable, at wall: WallClock) throws(ConfigError) {
    (self.name, timerName) = (name, name)
    var table = table
    try table.check(keys: Self.keys + Setting.all.map(\.key))
    if let name = try table.string("name") { timerName = name }
    if let problem = timerName.withUTF8({ TimerName.problem(UnsafeRawBufferPointer($0)) }),
      let node = table.node("name")
    {
      throw table.error(at: node, problem.description)
    }
    replaces = try table.boolean("replace") ?? false
    keepsPresent = try table.boolean("if_absent") ?? false
    try readTime(&table, at: wall)
    for setting in Setting.all {
      guard let node = table.node(setting.key) else { continue }
      let value = try setting.notation.value(of: node, in: table, at: wall)
      if let other = setting.replaced, values.has(other) {
        throw table.error(at: node, "give '\(other.key)' or '\(setting.key)', not both")
      }
      values.set(value, for: setting)
    }
    try check(table, at: wall)
  }

  static let builtIn = Preset(name: BuiltInPreset.name, .sequence(BuiltInPreset.sequence))

  private init(name: String, _ time: Time) {
    (self.name, timerName, self.time) = (name, name, time)
  }

  private mutating func readTime(
    _ table: inout ConfigTable, at wall: WallClock
  ) throws(ConfigError) {
    let kinds = ["duration", "alarm", "stopwatch", "steps"].filter(table.has)
    if kinds.count > 1, let node = table.node(kinds[1]) {
      throw table.error(at: node, "give '\(kinds[0])' or '\(kinds[1])', not both")
    }
    let repetition = try Self.rounds(&table)
    switch kinds.first {
    case "duration":
      time = .length(usec: try table.usec("duration") ?? 0)
      rounds = repetition
    case "alarm":
      let text = try table.string("alarm") ?? ""
      time = .alarm(
        text, repetition: repetition == nil ? .byRule : .repeating, rounds: repetition ?? 0)
    case "stopwatch": if try table.boolean("stopwatch") == true { time = .stopwatch }
    case "steps": time = .sequence(try Self.sequence(table))
    default: rounds = repetition
    }
    for (key, owner) in [
      ("zone", "alarm"), ("except", "alarm"), ("except_file", "alarm"), ("until", "alarm"),
    ]
      + [
        "loop", "long", "long_every", "wait", "wait_after", "break", "after_sleep", "after_away",
      ].map({ ($0, "steps") })
    where kinds.first != owner {
      guard let node = table.node(key) else { continue }
      throw table.error(at: node, "'\(key)' belongs to '\(owner)', which this table lacks")
    }
  }

  /// The value of `repeat`: 0 for true, nil for false.
  private static func rounds(_ table: inout ConfigTable) throws(ConfigError) -> Int64? {
    guard let node = table.node("repeat") else { return nil }
    switch node.value {
    case .boolean(let isTrue): return isTrue ? 0 : nil
    case .integer(let rounds) where rounds != 0 && TimerSpec.Shared.problem(rounds: rounds) == nil:
      return rounds
    default:
      throw table.error(
        at: node, "'repeat' must be true, or how often it rings: from 1 to \(Limits.rounds)")
    }
  }

  /// The steps, and what the options of `sequence` say about them.
  private static func sequence(_ table: ConfigTable) throws(ConfigError) -> Wire.Sequence {
    func texts(_ key: String) throws(ConfigError) -> [String] {
      guard let node = table.entries.first(where: { $0.key == key }) else { return [] }
      return try TOMLText.texts(of: node, in: table, isNumber: key == "loop")
    }
    var table = table
    let arguments = SequenceArguments(
      words: try texts("steps"), loop: try texts("loop").first, long: try texts("long"),
      longEvery: try table.integer("long_every", in: 1...Limits.longEvery),
      waits: try table.boolean("wait") ?? false, waitAfter: try texts("wait_after"),
      breaks: try texts("break"), afterSleep: try table.word("after_sleep", Wire.AfterSpan.self),
      afterAway: try table.word("after_away", Wire.AfterSpan.self))
    do throws(CommandError) { return try arguments.parsed().1 } catch {
      let node = table.entries.first { $0.key == "steps" } ?? table.entries[0]
      throw table.error(at: node, "'steps': \(error.message)")
    }
  }
}

// MARK: - Starting the timer

extension Preset {
  /// The parameters of `Start`, without the kind of the timer.
  private var base: JSONValue {
    var start: JSONValue = ["name": .string(timerName)]
    if replaces { start = start.setting("replace", true) }
    if keepsPresent { start = start.setting("if_absent", true) }
    return values.applied(to: start)
  }

  /// The parameters of `Start` for a countdown of another length.
  func start(usec: Int64) -> JSONValue {
    let start = base.removing(["alarm"]).setting("duration_usec", .integer(usec))
    return rounds.map { start.setting("repeat", ["rounds": .integer($0)]) } ?? start
  }

  /// The parameters of `Start`, if the user gives no time.
  ///
  /// - Parameter wall: the time and zone of the start.
  /// - Throws: `CommandError` if the preset has no time, or the time of its alarm is in the past.
  func start(at wall: WallClock) throws(CommandError) -> JSONValue {
    switch time {
    case .length(let usec): return start(usec: usec)
    case .stopwatch: return base.setting("stopwatch", true)
    case .sequence(let sequence): return base.setting("sequence", JSONValue(sequence))
    case .alarm(let text, let repetition, let rounds):
      let zone = base["alarm"]?["zone"]?.stringValue
      let alarm = AlarmTime(zone: zone, repetition: repetition, wall: wall)
      let read = try CommandError.asking(text) { (text) throws(WordsProblem) in
        try alarm.alarm(text, rounds: rounds)
      }
      return try alarm.completed(base, with: read, text)
    case nil:
      throw .usage(
        "how long? the preset \(name) does not say; write \(Typed.nightjar) start "
          + "\(Quoting.quoted(name)) 4min")
    }
  }
}

extension AlarmTime {
  /// The parameters of `Start` with the time of an alarm. An alarm that rings once has no days.
  func completed(
    _ start: JSONValue, with alarm: Wire.Alarm, _ text: String
  ) throws(CommandError) -> JSONValue {
    let (usec, alarm) = (alarm.atUsec, JSONValue(alarm))
    let days = start["alarm"]
    guard let usec else {
      let members = ["except", "until"].compactMap { key in
        days?[key].map { JSONValue.Member(key, $0) }
      }
      return start.setting("alarm", members.reduce(alarm) { $0.setting($1.key, $1.value) })
    }
    guard days?["until"] == nil else {
      throw .usage(
        "'\(text)' rings only once, and --until is for an alarm that repeats; leave out --until")
    }
    let except = DayRange.merged((days?["except"]?.strings ?? []).compactMap { DayRange($0) })
    try ExceptDays.check(usec, text, isOn: except, in: rules)
    return start.setting("alarm", alarm)
  }
}

extension Preset {
  /// What the preset starts, such as `4min` or `work=25min, rest=5min`.
  var words: String {
    switch time {
    case .length(let usec): SpanFormat.text(usec: usec)
    case .alarm(let text, _, _): text
    case .stopwatch: "a stopwatch"
    case .sequence(let sequence):
      sequence.steps.map { "\($0.name) \(SpanFormat.text(usec: $0.durationUsec))" }
        .joined(separator: ", ")
    case nil: "as long as last time"
    }
  }
}

// MARK: - Mistakes

extension Preset {
  private func check(_ table: ConfigTable, at wall: WallClock) throws(ConfigError) {
    func error(_ parameter: String?, _ reason: String) -> ConfigError {
      let key = parameter.flatMap(Setting.of)?.key ?? parameter
      let others = [
        "duration": ["duration_usec", "rounds"],
        "steps": ["sequence", "long_every", "duration_usec"],
        "alarm": ["calendar", "at_usec", "kind"], "repeat": ["rounds", "kind"],
      ]
      let node = table.entries.first { entry in
        entry.key == key || parameter.map { others[entry.key]?.contains($0) == true } == true
      }
      guard let node = node ?? table.entries.first else {
        return ConfigError(path: table.path, reason: reason)
      }
      return table.error(at: node, reason)
    }
    var start = base
    switch time {
    case .alarm(let text, let repetition, _):
      let zone = start["alarm"]?["zone"]?.stringValue
      let alarm = AlarmTime(zone: zone, repetition: repetition, wall: wall)
      if let zone, ZoneDatabase.zone(named: zone) == nil {
        throw error("zone", ZoneDatabase.absence(of: zone))
      }
      do throws(WordsProblem) { try alarm.check(text) } catch let mistake {
        throw error("alarm", mistake.sentence)
      }
      // A time in the past is accepted here, because it is checked when the timer is started.
      let calendar = alarm.calendar(text)
      if calendar == nil, start["alarm"]?["until"] != nil {
        throw error("until", "'\(text)' rings only once, and 'until' is for an alarm that repeats")
      }
      start = start.setting(
        "alarm",
        calendar.map { (start["alarm"] ?? [:]).setting("calendar", .string($0)) } ?? ["at_usec": 0])
    case .stopwatch: start = start.setting("stopwatch", true)
    case .sequence(let sequence): start = start.setting("sequence", JSONValue(sequence))
    case .length(let usec): start = self.start(usec: usec)
    case nil: start = self.start(usec: Limits.shortestRoundUsec)
    }
    let spec: TimerSpec
    do throws(TimersError) {
      spec = try TimerSpec(
        startParameters: start, calendar: ZoneCalendar(local: wall.zone), defaults: SpecDefaults())
    } catch let refusal {
      throw error(refusal.parameter, "\(CommandError(explaining: .refused(refusal)).message)")
    }
    if let part = spec.kind.ignoredParts.first(where: { part in
      Setting.of(parameter: part.rawValue).map(values.has) == true
    }) {
      let key = Setting.of(parameter: part.rawValue)?.key ?? part.rawValue
      throw error(
        key,
        spec.kind == .alarm
          ? "an alarm always uses the wall clock; leave out 'clock'"
          : "a stopwatch has no end, so '\(key)' has no effect; leave it out")
    }
    if let problem = spec.problem { throw error(problem.part.rawValue, problem.reason) }
  }
}

extension TimersError {
  /// The parameter that the daemon refuses; nil: the refusal is about none.
  var parameter: String? {
    switch self {
    case .invalidValue(let parameter, _), .varlink(.invalidParameter(let parameter)): parameter
    case .limitExceeded(let limit, _):
      limit == "path_bytes" ? "sound" : String(limit.split(separator: "_").first ?? "")
    case .neverElapses: "calendar"
    default: nil
    }
  }
}
