import NightjarClient
import NightjarConfig
import NightjarCore
import NightjarMethods
import NightjarTime
import NightjarWire

/// What a table `[presets.NAME]` says about a timer, as the parameters of `Start`. Nothing has to be said:
/// what is not is left to the command line and then to the daemon.
struct Preset {
  /// What the table is called.
  let name: String
  /// An object: what the table says. Of an alarm that was written as a text the time is still that text.
  let parameters: JSONValue
  private let alarm: WrittenAlarm?

  private struct WrittenAlarm {
    let text: String
    let repeats: Bool
  }

  /// Reads a preset's table; the daemon's own code says whether it makes sense.
  init(name: String, _ table: ConfigTable) throws(ConfigError) {
    self.name = name
    let reader = try PresetReader(table)
    parameters = reader.parameters
    if case .string(let text)? = reader.place(of: ["alarm"], alone: true)?.value {
      alarm = WrittenAlarm(text: text, repeats: reader.repeats)
    } else {
      alarm = nil
    }
    guard let problem = problem else { return }
    guard let node = reader.place(of: problem) ?? table.entries.first else { return }
    throw table.error(at: node, problem.sentence(node.key))
  }

  /// The fields that say what a timer does.
  private static let kinds = ["duration_usec", "alarm", "stopwatch", "sequence"]
}

// MARK: - What it starts

extension Preset {
  /// With the name that its timer has: its own, unless it says another.
  var namedParameters: JSONValue {
    parameters["name"] == nil ? parameters.setting("name", .string(name)) : parameters
  }

  /// The parameters of `Start`, where nothing else is said.
  ///
  /// - Parameter wall: when it is started, and where: an alarm's time may be past.
  /// - Throws: `CommandError` if it does not say what to start, or its time is past.
  func parameters(at wall: Wall) throws(CommandError) -> JSONValue {
    guard Self.kinds.contains(where: parameters.says) else {
      throw .usage(
        "how long? the preset \(name) does not say; write nightjar start "
          + "\(Quoting.quoted(name)) 4min")
    }
    guard let alarm, let said = parameters["alarm"] else { return namedParameters }
    let kind = try time(of: alarm, at: wall).kind(
      alarm.text, rounds: said["rounds"]?.integerValue ?? 0)
    let told = Call.start(NewTimer(name: nil, kind)).parameters["alarm"]
    return namedParameters.setting("alarm", told ?? said)
  }

  private func time(of alarm: WrittenAlarm, at wall: Wall) -> AlarmTime {
    AlarmTime(
      zone: parameters["alarm"]?["zone"]?.stringValue, repeats: alarm.repeats, wall: wall)
  }
}

// MARK: - What is wrong with it

/// What makes no sense in a preset.
struct PresetProblem {
  /// A parameter of `Start` or of a structure in it.
  let parameter: String
  /// Which of its elements, from 0; nil: it as a whole.
  var element: Int?
  /// Told what the key is called in the file.
  let sentence: (_ key: String) -> String
}

extension Preset {
  private typealias Misfit = (
    fields: [String], kind: String, sentence: @Sendable (_ key: String) -> String
  )

  /// What means nothing beside what. The daemon passes over some of it, as it has to for older clients; where
  /// somebody wrote it down it is a mistake.
  private static let misfits: [Misfit] = [
    (
      ["bands", "late", "fire_within_usec", "missed", "wake", "repeat"], "stopwatch",
      { "a stopwatch has no end, so '\($0)' means nothing for it" }
    ),
    (["clock"], "alarm", { _ in "an alarm goes by the wall clock; leave 'clock' out" }),
    (["repeat"], "sequence", { _ in "write how often steps are gone through as 'rounds'" }),
  ]

  /// The first thing that is wrong; nil if nothing is.
  private var problem: PresetProblem? {
    for misfit in Self.misfits where parameters.says(misfit.kind) {
      if let field = misfit.fields.first(where: { parameters[$0] != nil }) {
        return PresetProblem(parameter: field, sentence: misfit.sentence)
      }
    }
    var start = parameters
    if let alarm {
      let time = time(of: alarm, at: .here)
      if let zone = time.zone, ZoneDatabase.zone(named: zone) == nil {
        return PresetProblem(parameter: "zone") { _ in ZoneDatabase.absence(of: zone) }
      }
      do throws(CommandError) { try time.check(alarm.text) } catch {
        return PresetProblem(parameter: "alarm") { _ in error.message }
      }
      // Whether that is past will be known when it is started.
      if time.isPoint(alarm.text) { start = start.setting("alarm", ["at_usec": 0]) }
    }
    // What is beside a duration from the command line is looked at with some duration.
    if !Self.kinds.contains(where: start.says) { start = start.setting("duration_usec", 1) }
    do throws(CallError) {
      let spec = try TimerSpec(
        startParameters: start, calendar: ZoneCalendar(local: LocalTime.zone),
        defaults: SpecDefaults())
      if spec.kind == .countdown, !(1...Limits.durationUsec).contains(spec.durationUsec) {
        return PresetProblem(parameter: "duration_usec") {
          "'\($0)' is longer than nothing, up to 100 years"
        }
      }
      return spec.problem.map { problem in
        PresetProblem(parameter: problem.part.rawValue, element: problem.index) { _ in
          problem.reason
        }
      }
    } catch { return PresetProblem(error) }
  }
}

extension PresetProblem {
  /// What the daemon would refuse.
  fileprivate init(_ error: CallError) {
    switch error {
    case .invalidValue("ring", _):
      self.init(parameter: "ring") { _ in
        "'exec_on', 'exec_timeout' and 'env' are about a command, and there is none; add 'exec' or "
          + "'shell'"
      }
    case .invalidValue(let parameter, let reason):
      self.init(parameter: parameter) { _ in reason }
    case .limitExceeded(let limit, let most) where limit.hasSuffix("_usec"):
      self.init(parameter: limit) { "'\($0)' is at most \(SpanFormat.people(usec: most))" }
    case .limitExceeded(let limit, let most):
      // `exec_bytes` is about exec.
      let parameter = limit == "path_bytes" ? "sound" : limit.split(separator: "_")[0]
      self.init(parameter: String(parameter)) {
        "'\($0)' is over a limit: \(limit) is at most \(most)"
      }
    case .varlink(.invalidParameter(let parameter)):
      self.init(parameter: parameter) {
        "'\($0)' cannot be that; org.nightjar.Timers(7) says what '\(parameter)' can be"
      }
    case .timerNotFound, .timerExists, .invalidTransition, .notForKind, .neverElapses,
      .storageFailed, .eventsPruned, .ledgerChanged, .tooSlow, .varlink:
      self.init(parameter: "name") { _ in "the daemon would refuse it" }
    }
  }
}

extension PresetReader {
  /// Where the key stands that a problem is about.
  fileprivate func place(of problem: PresetProblem) -> ConfigNode? {
    let others = [
      "late": ["fire_within_usec"], "long_every": ["steps"], "rounds": ["repeat"],
      "kind": ["repeat"], "calendar": ["alarm"], "ring": ["on", "timeout_usec", "environment"],
    ]
    return place(of: problem.parameter, element: problem.element)
      ?? (others[problem.parameter] ?? []).lazy.compactMap { place(of: $0) }.first
      ?? place(of: [problem.parameter])
  }
}
