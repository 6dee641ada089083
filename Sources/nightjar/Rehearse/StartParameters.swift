import NightjarClient
import NightjarConfig
import NightjarCore
import NightjarSimulation
import NightjarTime
import NightjarWire

/// What a call of `Start` asks for, as the engine takes it.
///
/// The commands have made the call: what does not fit the interface cannot come. What the daemon refuses
/// all the same is refused here, too.
struct StartParameters {
  let name: String?
  let durationUsec: Int64
  let atUsec: Int64?
  let clock: Timeline
  let recipe: Recipe
  let attachments: Attachments
  let wakes: Bool
  let replace: Bool
  let ifAbsent: Bool

  init(
    _ call: JSONValue, calendar: SimulatedCalendar, defaults: DaemonDefaults
  ) throws(NightjarError) {
    name = call["name"]?.stringValue
    durationUsec = call["duration_usec"]?.integerValue ?? 0
    atUsec = call["alarm"]?["at_usec"]?.integerValue
    clock = Self.choice(call["clock"], Timeline.allCases, \.name) ?? .elapsed
    attachments = Attachments(
      labels: Self.labels(call["labels"] ?? .null),
      data: call["data"].map { Array($0.text.utf8) } ?? [])
    wakes = call["wake"]?.boolValue ?? false
    replace = call["replace"]?.boolValue ?? false
    ifAbsent = call["if_absent"]?.boolValue ?? false
    recipe = try Self.recipe(call, calendar: calendar, defaults: defaults)
    if let name { try Self.check(name: name) }
    try Self.check(attachments)
  }

  private static func recipe(
    _ call: JSONValue, calendar: SimulatedCalendar, defaults: DaemonDefaults
  ) throws(NightjarError) -> Recipe {
    let (alarm, sequence, repeats) = (call["alarm"], call["sequence"], call["repeat"])
    let isStopwatch = call["stopwatch"]?.boolValue ?? false
    let schedule = try alarm.flatMap { (alarm) throws(NightjarError) in
      try Self.schedule(alarm, calendar: calendar)
    }
    let kind: TimerKind =
      alarm != nil
      ? .alarm : isStopwatch ? .stopwatch : sequence != nil ? .sequence : .countdown
    let comesRound = repeats != nil || schedule != nil || sequence != nil
    do throws(RecipeProblem) {
      return try Recipe(
        kind: kind, bands: bands(call["bands"] ?? .null),
        late: late(call) ?? (isStopwatch ? .fire : defaults.late),
        missed: choice(call["missed"], NightjarCore.MissedPolicy.allCases, \.name)
          ?? (comesRound ? defaults.missed : .once),
        repeats: repeats != nil, rounds: rounds(alarm ?? sequence ?? repeats, of: kind),
        schedule: schedule, steps: steps(sequence),
        longEvery: sequence?["long_every"]?.integerValue ?? 0,
        afterSleep: choice(sequence?["after_sleep"], NightjarCore.AfterSleep.allCases, \.name)
          ?? .continue)
    } catch {
      throw NightjarError(error)
    }
  }

  private static func rounds(_ what: JSONValue?, of kind: TimerKind) -> Int64 {
    what?["rounds"]?.integerValue ?? (kind == .sequence ? 1 : 0)
  }

  private static func late(_ call: JSONValue) -> LatePolicy? {
    if let usec = call["fire_within_usec"]?.integerValue { return .fireWithin(usec: usec) }
    return call["late"]?.stringValue.map { $0 == "skip" ? .skip : .fire }
  }

  private static func steps(_ sequence: JSONValue?) -> [Step] {
    (sequence?["steps"]?.arrayValue ?? []).map { json in
      Step(
        name: json["name"]?.stringValue ?? "",
        durationUsec: json["duration_usec"]?.integerValue ?? 0,
        waits: json["waits"]?.boolValue ?? false, isBreak: json["break"]?.boolValue ?? false,
        longUsec: json["long_usec"]?.integerValue)
    }
  }

  static func bands(_ json: JSONValue) -> [NightjarCore.Band] {
    (json.arrayValue ?? []).map { json in
      Band(
        name: json["name"]?.stringValue ?? "",
        remainingUsec: json["remaining_usec"]?.integerValue ?? 0,
        color: json["color"]?.stringValue ?? "", text: json["text"]?.stringValue ?? "",
        progress: json["progress"].map { range in
          ProgressRange(from: millionths(range["from"]), to: millionths(range["to"]))
        })
    }
  }

  private static func millionths(_ json: JSONValue?) -> Int64 {
    Int64(((json?.doubleValue ?? 0) * 1_000_000).rounded())
  }

  static func labels(_ json: JSONValue) -> [Label] {
    (json.objectValue ?? []).map { Label(key: $0.key, value: $0.value.stringValue ?? "") }
  }

  /// One of the words that `choices` are called.
  private static func choice<Choice>(
    _ json: JSONValue?, _ choices: [Choice], _ name: (Choice) -> StaticString
  ) -> Choice? {
    guard let word = json?.stringValue else { return nil }
    return choices.first { "\(name($0))" == word }
  }
}

// MARK: - What the daemon refuses

extension StartParameters {
  private static func check(name: String) throws(NightjarError) {
    let problem = Array(name.utf8).withUnsafeBytes { TimerName.problem($0) }
    switch problem {
    case nil: return
    case .tooLong:
      throw .limitExceeded(limit: "name_bytes", value: Int64(TimerName.maximumBytes))
    case .empty, .controlCharacter, .emptySegment: throw .invalidParameter(name: "name")
    }
  }

  private static func check(_ attachments: Attachments) throws(NightjarError) {
    func check(_ count: Int, _ limit: String, _ most: Int) throws(NightjarError) {
      guard count <= most else { throw .limitExceeded(limit: limit, value: Int64(most)) }
    }
    try check(attachments.data.count, "data_bytes", Limits.dataBytes)
    try check(attachments.labels.count, "labels", Limits.labels)
    for label in attachments.labels {
      try check(label.key.utf8.count, "label_key_bytes", Limits.labelKeyBytes)
      try check(label.value.utf8.count, "label_value_bytes", Limits.labelValueBytes)
    }
  }

  private static func schedule(
    _ alarm: JSONValue, calendar: SimulatedCalendar
  ) throws(NightjarError) -> Schedule? {
    guard let text = alarm["calendar"]?.stringValue else { return nil }
    let zone = alarm["zone"]?.stringValue ?? ""
    let expression: CalendarExpression
    do throws(TimeError) {
      expression = try CalendarExpression(text, local: calendar.local)
    } catch {
      throw .invalidValue(parameter: "calendar", reason: error.description)
    }
    if case .setting(let setting) = expression.zone {
      throw .invalidValue(
        parameter: "calendar",
        reason: "'\(setting.abbreviation)' is what a zone is called for a part of the year; name "
          + "the zone, such as Europe/Berlin, or leave it out for the machine's own")
    }
    return Schedule(expression: expression.description, zone: zone)
  }
}

/// What the daemon's part of the configuration file says of timers that do not say it themselves.
struct DaemonDefaults {
  var late = LatePolicy.fire
  var missed = NightjarCore.MissedPolicy.once

  init() {}

  /// Reads the file. A mistake in it is said: then what is built in counts, as with a daemon that is
  /// started.
  static func read() -> DaemonDefaults {
    do throws(ConfigError) {
      return try Presets.path.flatMap { (path) throws(ConfigError) in
        try ConfigFile.read(path: path)
      }.map { (file) throws(ConfigError) in try DaemonDefaults(file.table(.daemon)) }
        ?? DaemonDefaults()
    } catch {
      Output.complain("goes by what is built in: \(error)")
      return DaemonDefaults()
    }
  }

  private init(_ table: consuming ConfigTable) throws(ConfigError) {
    if let (word, usec) = try table.wordOrUsec("late", LateWord.self, from: 0) {
      late = word.map { $0 == .skip ? .skip : .fire } ?? .fireWithin(usec: usec)
    }
    if let word = try table.word("missed", Preset.Missed.self) {
      missed = NightjarCore.MissedPolicy.allCases.first { "\($0.name)" == word.rawValue } ?? .once
    }
  }

  private enum LateWord: String, CaseIterable {
    case fire
    case skip
  }
}
