import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// A preset: parameters of `Start` from a table `[presets.NAME]`. All parameters are optional.
/// Arguments and options supply missing parameters, and the daemon's defaults supply the rest.
struct Preset {
  let name: String
  /// The table's parameters, as a JSON object. An alarm's time that the user wrote as a text is
  /// still that text.
  let parameters: JSONValue
  private let alarm: WrittenAlarm?

  private struct WrittenAlarm {
    let text: String
    let repeats: Bool
  }

  /// Reads a preset's table, and checks it with the code that the daemon uses.
  ///
  /// - Parameter wall: the current time and zone.
  init(name: String, _ table: ConfigTable, at wall: WallClock) throws(ConfigError) {
    self.name = name
    let reader = try PresetReader(table, at: wall)
    parameters = reader.parameters
    if case .string(let text)? = reader.place(of: ["alarm"], alone: true)?.value {
      let repeats = table.entries.contains { $0.key == "repeat" && $0.value != .boolean(false) }
      alarm = WrittenAlarm(text: text, repeats: repeats)
    } else {
      alarm = nil
    }
    try check(by: reader, table, at: wall)
  }
}

// MARK: - Starting the timer

extension Preset {
  /// The parameters, with the name of the timer. The name is that of the preset, unless the table
  /// gives another.
  var namedParameters: JSONValue {
    parameters["name"] == nil ? parameters.setting("name", .string(name)) : parameters
  }

  /// The parameters of `Start`, if the user gives no options.
  ///
  /// - Parameter wall: the time and zone of the start.
  /// - Throws: `CommandError` if the preset has no duration, or the time of its alarm is in the
  ///   past at the start.
  func parameters(at wall: WallClock) throws(CommandError) -> JSONValue {
    guard Shape.Structure.kinds.contains(where: parameters.says) else {
      throw .usage(
        "how long? the preset \(name) does not say; write \(Typed.nightjar) start "
          + "\(Quoting.quoted(name)) 4min")
    }
    guard let alarm, let said = parameters["alarm"] else { return namedParameters }
    let kind = try time(of: alarm, at: wall).kind(
      alarm.text, rounds: said["rounds"]?.integerValue ?? 0)
    guard var sent = Wire.Start(name: nil, kind).alarm else { return namedParameters }
    let except = said["except"]?.strings ?? []
    if let usec = sent.atUsec {
      let days = DayRange.merged(except.compactMap { DayRange($0) })
      try ExceptDays.check(usec, alarm.text, isOn: days, in: time(of: alarm, at: wall).rules)
    } else {
      sent.except = except.isEmpty ? nil : except
      sent.until = said["until"]?.stringValue
    }
    return namedParameters.setting("alarm", JSONValue(sent))
  }

  private func time(of alarm: WrittenAlarm, at wall: WallClock) -> AlarmTime {
    AlarmTime(
      zone: parameters["alarm"]?["zone"]?.stringValue,
      repetition: alarm.repeats ? .repeating : .byRule, wall: wall)
  }
}

// MARK: - Mistakes

extension Preset {
  private func check(
    by reader: PresetReader, _ table: ConfigTable, at wall: WallClock
  ) throws(ConfigError) {
    func error(_ parameter: String, _ reason: String) -> ConfigError {
      Self.error(parameter, reason, by: reader, table)
    }
    if var name = parameters["name"]?.stringValue,
      let problem = name.withUTF8({ TimerName.problem(UnsafeRawBufferPointer($0)) })
    {
      throw error("name", problem.description)
    }
    var start = parameters
    if let alarm {
      let time = time(of: alarm, at: wall)
      if let zone = time.zone, ZoneDatabase.zone(named: zone) == nil {
        throw error("zone", ZoneDatabase.absence(of: zone))
      }
      do throws(CommandError) { try time.check(alarm.text) } catch let mistake {
        throw error("alarm", "\(mistake.message)")
      }
      // A time in the past is accepted here, because `parameters` checks it when the timer is
      // started.
      if let calendar = time.calendar(alarm.text) {
        let said = start["alarm"] ?? [:]
        start = start.setting("alarm", said.setting("calendar", .string(calendar)))
      } else {
        guard start["alarm"]?["until"] == nil else {
          throw error(
            "until",
            "'\(alarm.text)' rings only once, and 'until' is for an alarm that repeats; leave out 'until'"
          )
        }
        start = start.setting("alarm", ["at_usec": 0])
      }
    }
    // A preset without a duration is checked with the shortest valid duration.
    if !Shape.Structure.kinds.contains(where: start.says) {
      start = start.setting("duration_usec", .integer(Limits.shortestRoundUsec))
    }
    let spec = try Self.spec(start, by: reader, table, at: wall)
    let written = spec.kind.ignoredParts.lazy.compactMap { (part) -> String? in
      // A table may have `fire_within_usec` in place of `late`.
      let fields = part == .late ? [part.rawValue, "fire_within_usec"] : [part.rawValue]
      return fields.first { parameters[$0] != nil }
    }
    if let field = written.first {
      throw error(
        field,
        spec.kind == .alarm
          ? "an alarm always uses the wall clock; leave out 'clock'"
          : Self.noEnd(reader.place(of: field)?.key ?? field))
    }
    try Self.check(spec, by: reader, table)
  }

  /// The specification that the daemon would make of parameters of `Start`.
  ///
  /// - Throws: `ConfigError`: the daemon would refuse them.
  static func spec(
    _ start: JSONValue, by reader: PresetReader, _ table: ConfigTable, at wall: WallClock
  ) throws(ConfigError) -> TimerSpec {
    do throws(TimersError) {
      return try TimerSpec(
        startParameters: start, calendar: ZoneCalendar(local: wall.zone),
        defaults: SpecDefaults())
    } catch let refusal {
      let (parameter, reason) = explained(refusal, in: start)
      throw error(parameter, reason, by: reader, table)
    }
  }

  /// - Throws: `ConfigError` about the first part that is wrong.
  static func check(
    _ spec: TimerSpec, by reader: PresetReader, _ table: ConfigTable
  ) throws(ConfigError) {
    guard let problem = spec.problem else { return }
    throw error(problem.part.rawValue, at: problem.index, problem.reason, by: reader, table)
  }

  private static func error(
    _ parameter: String, at element: Int? = nil, _ reason: String, by reader: PresetReader,
    _ table: ConfigTable
  ) -> ConfigError {
    guard let node = reader.place(of: parameter, element: element) ?? table.entries.first else {
      return ConfigError(path: table.path, reason: reason)
    }
    return table.error(at: node, reason)
  }

  private static func noEnd(_ key: String) -> String {
    "a stopwatch has no end, so '\(key)' has no effect; leave it out"
  }

  /// The parameter that the daemon would refuse, and the reason for the user.
  private static func explained(
    _ error: TimersError, in parameters: JSONValue
  ) -> (parameter: String, reason: String) {
    switch error {
    case .invalidValue("kind", _):
      // This error can only be about `repeat` for a stopwatch or a sequence, because the reader
      // refuses two kinds in one table, and takes an alarm's `repeat` as its number of rounds.
      return (
        "repeat",
        parameters.says("sequence")
          ? "for a sequence, write 'rounds' in place of 'repeat'" : Self.noEnd("repeat")
      )
    case .invalidValue("ring", _):
      return (
        "ring",
        "'exec_on', 'exec_timeout' and 'env' are settings of a command; add 'exec' or 'shell'"
      )
    case .invalidValue(let parameter, let reason): return (parameter, reason)
    case .limitExceeded("timeout_usec", let most):
      return ("timeout_usec", "a command may run for \(SpanFormat.text(usec: most)) at the most")
    case .limitExceeded(let limit, let most):
      return (Self.parameter(ofLimit: limit), "that is over a limit: \(limit) is at most \(most)")
    case .varlink(.invalidParameter(let parameter)):
      return (
        parameter,
        "'\(parameter)' cannot have this value; org.nightjar.Timers(7) lists the valid ones"
      )
    case .ownerAway, .timerNotFound, .timerChanged, .timerExists, .invalidTransition, .notForKind,
      .neverElapses, .nothingToUndo, .holdNotFound, .storageFailed, .eventsPruned, .ledgerChanged,
      .tooSlow, .varlink, .other:
      return ("kind", "the daemon would refuse it: \(error)")
    }
  }

  /// The parameter to which a limit applies, such as `exec` for `exec_bytes`.
  static func parameter(ofLimit limit: String) -> String {
    limit == "path_bytes" ? "sound" : String(limit.split(separator: "_").first ?? "")
  }
}
