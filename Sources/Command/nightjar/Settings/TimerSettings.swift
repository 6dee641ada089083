import NightjarClient
import NightjarTime
import Varlink

/// A timer as the parameters of the `Start` that would make it anew.
enum TimerSettings {
  /// - Parameter json: the timer, as the daemon sent it. The values of variables are not in it.
  static func start(of timer: Wire.Timer, _ json: JSONValue) -> JSONValue {
    var start: JSONValue = ["name": .string(timer.name)]
    func copy(_ key: String, to path: [String]? = nil) {
      guard let value = json[key], value != .null, value != .array([]), value != .object([]) else {
        return
      }
      start = start.setting(path ?? [key], value)
    }
    switch timer.kind {
    case .alarm:
      if timer.calendar == nil, let usec = timer.deadlineUsec {
        start = start.setting(["alarm", "at_usec"], .integer(usec))
      }
      for key in ["calendar", "zone", "except", "until"] { copy(key, to: ["alarm", key]) }
      if let rounds = timer.repeat?.rounds {
        start = start.setting(["alarm", "rounds"], .integer(rounds))
      }
    case .stopwatch: start = start.setting("stopwatch", true)
    case .sequence:
      for key in ["steps", "long_every", "after_sleep", "after_away"] {
        copy(key, to: ["sequence", key])
      }
      start = start.setting(["sequence", "rounds"], .integer(timer.repeat?.rounds ?? 0))
    case .countdown, .other:
      start = start.setting("duration_usec", .integer(timer.durationUsec))
      if let rounds = timer.repeat.map({ $0.rounds ?? 0 }) {
        start = start.setting("repeat", ["rounds": .integer(rounds)])
      }
    }
    if timer.kind != .alarm, timer.clock != .elapsed { copy("clock") }
    let copied = Setting.all.filter { $0.path.count == 1 && !["clock", "wake"].contains($0.key) }
    for key in copied.map(\.path[0]) + ["fire_within_usec"] { copy(key) }
    if timer.wake != nil { start = start.setting("wake", true) }
    let ring = (json["ring"]?.objectValue ?? []).filter {
      $0.key != "environment" && $0.value != false
    }
    return ring.isEmpty ? start : start.setting("ring", .object(ring))
  }

  /// The lines of a preset for parameters of `Start`.
  static func lines(_ start: JSONValue) -> [String] {
    time(start).map { "\($0) = \($1)" } + settings(start, Setting.all)
  }

  /// The lines of settings that have a value.
  static func settings(_ start: JSONValue, _ settings: [Setting]) -> [String] {
    settings.compactMap { setting in
      guard setting.notation != .dayFiles, let value = setting.value(in: start),
        let text = setting.notation.written(value)
      else { return nil }
      return "\(setting.key) = \(text)"
    }
  }

  /// The keys and values that say what kind of timer it is, and when it rings.
  static func time(_ start: JSONValue) -> [(String, String)] {
    func span(_ usec: Int64) -> String { SpanFormat.canonical(.usec(UInt64(clamping: usec))) }
    var lines: [(String, String)] = []
    if let usec = start["duration_usec"]?.integerValue {
      lines.append(("duration", TOMLText.quoted(span(usec))))
    }
    if let alarm = start["alarm"] {
      let text =
        alarm["calendar"]?.stringValue.map(CalendarText.typed)
        ?? alarm["at_usec"]?.integerValue.map(point)
      lines += text.map { [("alarm", TOMLText.quoted($0))] } ?? []
    }
    if start.says("stopwatch") { lines.append(("stopwatch", "true")) }
    if let rounds = (start["repeat"] ?? start["alarm"])?["rounds"]?.integerValue, rounds > 0 {
      lines.append(("repeat", "\(rounds)"))
    } else if start["repeat"] != nil {
      lines.append(("repeat", "true"))
    }
    if let json = start["sequence"], let sequence = try? Wire.Sequence(json) {
      let steps = sequence.steps
      func names(_ isIncluded: (Wire.Step) -> Bool) -> [String] {
        steps.filter(isIncluded).map(\.name)
      }
      lines.append(("steps", TOMLText.array(steps.map { "\($0.name)=\(span($0.durationUsec))" })))
      let rounds = sequence.rounds ?? 1
      if rounds != 1 { lines.append(("loop", rounds == 0 ? "\"forever\"" : "\(rounds)")) }
      let long = steps.compactMap { step in step.longUsec.map { "\(step.name)=\(span($0))" } }
      if !long.isEmpty { lines.append(("long", TOMLText.array(long))) }
      if let every = sequence.longEvery, every > 0 { lines.append(("long_every", "\(every)")) }
      let waits = names(\.waits)
      if !waits.isEmpty { lines.append(("wait_after", TOMLText.array(waits))) }
      let breaks = names { $0.break && !SequenceArguments.isBreak($0.name) }
      if !breaks.isEmpty { lines.append(("break", TOMLText.array(breaks))) }
      for (key, policy) in [
        ("after_sleep", sequence.afterSleep), ("after_away", sequence.afterAway),
      ] where policy != .continue {
        if let policy { lines.append((key, TOMLText.quoted(policy.rawValue))) }
      }
    }
    return lines
  }

  /// An instant in the form in which a user types it, such as `2026-12-24 07:00`.
  private static func point(_ usec: Int64) -> String {
    let time = LocalTime(usec: usec).time
    let clock = time.hasSuffix(":00") ? String(time.dropLast(3)) : time
    return "\(LocalTime.zone.civil(atUsec: usec).date.text) \(clock)"
  }
}
