import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarModel
internal import NightjarParameters
import NightjarTime
import Varlink

/// A timer that the user edits. Its properties are the keys of a preset's table, and this type
/// finds what the user changed in them.
struct EditedTimer {
  let name: String
  /// The text that the editor shows.
  let text: String
  /// The parameters of `Start` that are equivalent to the text, before the user changes it.
  private let before: JSONValue
  private let timer: Wire.Timer
  /// The calendar expression of a repeating alarm, in the form in which the daemon sends it; nil:
  /// the timer is no such alarm.
  private let expression: String?
  private let data: WritableData
  /// The zone of a repeating alarm that has a zone of its own; nil: there is none.
  private let zone: String?
  /// The names of the variables of the timer's command. The daemon sends only their names, not
  /// their values.
  private let variables: [String]

  /// The timer's ID, which differs from that of a later timer of the same name.
  var id: Int64 { timer.id }
  /// The timer's duration when the editor was opened, in microseconds.
  var durationUsec: Int64 { timer.durationUsec }

  /// The calls that make the user's changes.
  struct Changes {
    /// The parameters of `Update`. The timer's name is missing.
    var update: JSONValue = .object([])
    /// The change of the duration, in microseconds.
    var byUsec: Int64 = 0
    /// The variables of the old command that the new command lacks.
    var lostVariables: [String] = []
    /// Converts a refusal of the daemon to an error with the line of the text to which the refusal
    /// refers; nil: it refers to no line.
    var place: (TimersError) -> ConfigError? = { _ in nil }

    var isEmpty: Bool { update == .object([]) && byUsec == 0 }
  }

  /// - Parameter json: the timer, as the daemon sent it.
  init(_ json: JSONValue) throws(CommandError) {
    timer = try Session.timer(in: ["timer": json])
    name = timer.name
    expression = json["calendar"]?.stringValue
    data = WritableData(json["data"] ?? .object([]))
    zone = json["zone"]?.stringValue
    let ofThisProcess = Wire.Ring.environmentOfThisProcess
    variables = (json["ring"]?["environment"]?.strings ?? []).filter { ofThisProcess[$0] == nil }
    let state = TimerText(timer)
    let lines =
      [
        "# \(state.what)\(state.state)",
        "# What is changed here is changed when the editor ends. nightjar.toml(5) explains the keys.",
        PresetWriter.head(name),
      ] + (try Self.lines(timer, json, data, variables)) + (try Self.comment(onRestOf: json, timer))
    text = lines.map { $0 + "\n" }.joined()
    do throws(ConfigError) {
      let table = try Self.read(Array(text.utf8), name: name, path: "").table
      before = try PresetReader(table, at: .here).parameters
    } catch {
      throw CommandError(.refused, "'\(name)' cannot be written as TOML: \(error.reason)")
    }
  }

  private static func lines(
    _ timer: Wire.Timer, _ json: JSONValue, _ data: WritableData, _ variables: [String]
  ) throws(CommandError) -> [String] {
    var said: [JSONValue.Member] = []
    if timer.kind == .countdown {
      said.append(.init("duration_usec", .integer(timer.durationUsec)))
    }
    said.append(.init("message", json["message"] ?? ""))
    said.append(.init("labels", json["labels"] ?? .object([])))
    said.append(.init("data", data.written))
    said.append(.init("bands", json["bands"] ?? .array([])))
    // The variables of the command are left out, because the daemon does not send their values.
    let ring = (json["ring"]?.objectValue ?? []).filter { $0.key != "environment" }
    if !ring.isEmpty { said.append(.init("ring", .object(ring))) }
    var lines: [String] = []
    if let calendar = json["calendar"]?.stringValue {
      lines.append("alarm = \(PresetWriter.quoted(CalendarText.typed(calendar)))")
      var days: [JSONValue.Member] = [.init("except", json["except"] ?? .array([]))]
      if let until = json["until"] { days.append(.init("until", until)) }
      said.append(.init("alarm", .object(days)))
    } else if let point = Self.point(of: timer) {
      lines.append("alarm = \(PresetWriter.quoted(point))")
    }
    for member in said {
      if member.key == "data" { lines += Self.comment(on: data, of: timer.name) }
      if member.key == "ring", let first = variables.first {
        let names = variables.joined(separator: ", ")
        lines.append(
          "# The command has variables whose values are not shown: \(names). Another 'exec' has none "
            + "of them: give them with it, as in env = { \(first) = \"value\" }.")
      }
      lines += try PresetWriter.lines(.object([member]))
    }
    return lines
  }

  /// The time of an alarm that rings once, in the form in which a user types it, such as
  /// `2026-12-24 07:00`. Nil if the timer is no such alarm, or has no deadline.
  private static func point(of timer: Wire.Timer) -> String? {
    guard timer.kind == .alarm, timer.calendar == nil, let usec = timer.deadlineUsec
    else { return nil }
    let time = LocalTime(usec: usec).time
    let clock = time.hasSuffix(":00") ? String(time.dropLast(3)) : time
    return "\(LocalTime.zone.civil(atUsec: usec).date.text) \(clock)"
  }

  private static func comment(on data: WritableData, of name: String) -> [String] {
    let paths = data.paths
    guard !paths.isEmpty else { return [] }
    return [
      "# TOML has no null, so these members of data are not shown, and stay as they are: "
        + paths.joined(separator: ", "),
      "# \(Typed.nightjar) update \(Quoting.quoted(name)) --data JSON replaces all of data.",
    ]
  }

  /// The comment lines with the properties that the user cannot edit.
  private static func comment(
    onRestOf json: JSONValue, _ timer: Wire.Timer
  ) throws(CommandError) -> [String] {
    var rest: [JSONValue.Member] = []
    // The calendar of an alarm already shows that the alarm repeats.
    if let repetition = json["repeat"], json["calendar"] == nil || repetition["rounds"] != nil {
      rest.append(.init("repeat", ["rounds": repetition["rounds"] ?? 0]))
    }
    for key in ["clock", "late", "fire_within_usec", "missed"] {
      if let value = json[key] { rest.append(.init(key, value)) }
    }
    if json["wake"] != nil { rest.append(.init("wake", true)) }
    if let zone = json["zone"] { rest.append(.init("alarm", .object([.init("zone", zone)]))) }
    let head = "The rest cannot be changed while there is the timer; start it again with --replace:"
    let isOver = timer.kind == .alarm && timer.calendar == nil && point(of: timer) == nil
    let once = isOver ? ["It rings once. For another time \(anotherTime(for: timer.name))"] : []
    return try (once + [head] + PresetWriter.lines(.object(rest))).map { "# \($0)" }
  }

  private static func read(
    _ bytes: [UInt8], name: String, path: String
  ) throws(ConfigError) -> EditedText {
    let head = PresetWriter.head(name)
    if let line = lineWithoutHead(bytes) {
      throw ConfigError(
        path: path, line: line,
        reason: "the line \(head) is not there any more; put it in front of this")
    }
    let presets = try ConfigFile(path: path, bytes: bytes).table(.presets)
    let other = presets.entries.first { $0.key != name }
    guard let node = presets.entries.first(where: { $0.key == name }) else {
      throw ConfigError(
        path: path, line: other?.line,
        reason: other == nil
          ? "the line \(head) is not there any more; write it in front of what it is to have"
          : "this was \(head); \(Typed.nightjar) rename gives a timer another name")
    }
    if let other {
      throw ConfigError(
        path: path, line: other.line,
        reason: "only \(head) is changed here, not \(PresetWriter.head(other.key))")
    }
    let table = try presets.table(of: node, title: head)
    return EditedText(head: node, table: table)
  }

  /// The number of the first line with content, if no head of a table is before it; otherwise nil.
  private static func lineWithoutHead(_ bytes: [UInt8]) -> Int? {
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let first = lines.enumerated().first { line in
      line.element.first { $0 != " " && $0 != "\t" }.map { $0 != "#" } ?? false
    }
    guard let first, first.element.drop(while: \.isWhitespace).first != "[",
      !first.element.drop(while: \.isWhitespace).hasPrefix("presets")
    else { return nil }
    return first.offset + 1
  }
}

// MARK: - The user's changes

extension EditedTimer {
  /// The changes that the user made to the text.
  ///
  /// - Throws: `ConfigError` with the line: the text is no valid TOML, or it changes a property
  ///   that cannot be changed.
  func changes(in bytes: [UInt8], path: String) throws(ConfigError) -> Changes {
    let text = try Self.read(bytes, name: name, path: path)
    let table = text.table
    try checkKeys(of: table)
    let reader = try PresetReader(table, at: .here)
    let after = reader.parameters
    func error(_ path: [String], _ reason: String) -> ConfigError {
      table.error(at: reader.place(of: path) ?? text.head, reason)
    }
    var changes = Changes()
    var expression = self.expression
    changes.place = { Self.place(of: $0, reader, table) }
    for field in Shape.Structure.start.fields.map(\.name) where before[field] != after[field] {
      let value = after[field]
      switch field {
      case "duration_usec":
        guard before[field] != nil else {
          throw error([field], "only a countdown has a 'duration'; leave it out")
        }
        guard let usec = value?.integerValue else {
          throw error([field], "a countdown needs a 'duration', such as duration = \"4min\"")
        }
        changes.byUsec = usec - timer.durationUsec
      case "message": changes.set(field, value ?? "")
      case "labels": changes.set(field, value ?? .object([]))
      case "data": changes.set(field, data.completed(value ?? .object([])))
      case "bands": changes.set(field, value ?? .array([]))
      case "ring":
        let ring = try ringChanges(value ?? .object([])) { error(["ring", $0], $1) }
        for member in ring { changes.set(member.key, member.value) }
        if let command = changes.update["ring"], command["exec"] != nil {
          changes.lostVariables = variables.filter { command["environment"]?[$0] == nil }
        }
      case "alarm":
        let (old, new) = (before[field] ?? .object([]), value ?? .object([]))
        for key in ["zone", "rounds", "at_usec"] where old[key] != new[key] {
          throw error(
            [field, key],
            "it rings at other times, and as often, as before; start it anew with "
              + "\(Typed.nightjar) alarm \(Quoting.quoted(name)) TIME --replace")
        }
        if old["calendar"] != new["calendar"] {
          guard let said = new["calendar"]?.stringValue else {
            throw error(
              [field, "calendar"], "an alarm has a line 'alarm', which says when it rings")
          }
          let mistake = { (reason: String) in error([field, "calendar"], reason) }
          if let present = expression {
            let calendar = try calendar(said, mistake: mistake)
            if present != calendar { changes.set("calendar", .string(calendar)) }
            expression = calendar
          } else {
            changes.byUsec = try point(said, mistake: mistake) - (timer.deadlineUsec ?? 0)
          }
        }
        if old["except"] != new["except"] { changes.set("except", new["except"] ?? .array([])) }
        if old["until"] != new["until"] {
          try checkLastDay(reader.place(of: [field, "until"]), in: table)
          changes.set("until", new["until"] ?? "")
        }
      default: throw error([field], Self.isFixed(reader.place(of: [field])?.key ?? field))
      }
    }
    // The check needs the calendar in the daemon's form, because the daemon does not read words
    // such as 'weekdays'.
    var start = after
    if timer.kind == .alarm {
      let said = after["alarm"] ?? .object([])
      start = start.setting(
        "alarm", expression.map { said.setting("calendar", .string($0)) } ?? ["at_usec": 0])
    }
    try check(start, reader, table)
    return changes
  }

  /// The advice to start an alarm that rings once again with another time.
  private static func anotherTime(for name: String) -> String {
    "start it again: \(Typed.nightjar) alarm \(Quoting.quoted(name)) TIME --replace"
  }

  private static func isFixed(_ key: String) -> String {
    "'\(key)' cannot be changed while there is the timer; start it again with --replace"
  }

  /// - Throws: `ConfigError` about the first key that cannot be changed.
  private func checkKeys(of table: ConfigTable) throws(ConfigError) {
    let forms = ShortForm.all(of: .start)
    let ofAny = ["message", "labels", "data", "bands"]
    let ofRing = forms.filter { $0.path.first == "ring" }.map(\.key)
    let ofAlarm = ["alarm", "except", "except_file", "until"]
    let ofThisAlarm = expression != nil ? ofAlarm : before["alarm"] != nil ? ["alarm"] : []
    let own = timer.kind == .countdown ? ["duration"] : ofThisAlarm
    let known = Shape.Structure.start.fields.map(\.name) + forms.map(\.key)
    for node in table.entries where !(own + ofAny + ofRing).contains(node.key) {
      switch node.key {
      // These keys are allowed here, because the code that reads their values reports mistakes in
      // them.
      case "duration", "duration_usec", "ring": continue
      case _ where ofAlarm.contains(node.key):
        let once = node.key == "alarm" ? "rings once; \(Self.anotherTime(for: name))" : "rings once"
        let this = timer.kind == .alarm ? once : "is not one"
        throw table.error(
          at: node, "'\(node.key)' is for an alarm that repeats, and this timer \(this)")
      case "name":
        throw table.error(at: node, "\(Typed.nightjar) rename gives a timer another name")
      case _ where known.contains(node.key):
        throw table.error(at: node, Self.isFixed(node.key))
      default:
        let keys = own + ofAny + ofRing
        let near = NearName.nearest(to: node.key, among: keys).map { "; did you mean '\($0)'?" }
        throw table.error(
          at: node,
          "\(table.title) has no key '\(node.key)'"
            + (near ?? " that can be changed; it can have \(keys.joined(separator: ", "))"))
      }
    }
  }

  /// Checks the last day of an alarm. Without this check, the error for a day in the past would
  /// blame the calendar.
  ///
  /// - Throws: `ConfigError`: the user has entered a last day that is in the past, so the alarm
  ///   would never ring.
  private func checkLastDay(
    _ node: ConfigNode?, in table: ConfigTable
  ) throws(ConfigError) {
    guard let node, case .string(let text) = node.value else { return }
    do throws(CommandError) { _ = try ExceptDays.lastDay(text, at: .here, option: nil) } catch {
      throw table.error(at: node, "'until': \(error.message)")
    }
  }

  /// The new time of an alarm that rings once, in microseconds since the epoch.
  private func point(
    _ said: String, mistake: (String) -> ConfigError
  ) throws(ConfigError) -> Int64 {
    let reader = WallClock.here.reader
    if let problem = reader.bareLength(said, .byRule) { throw mistake("'alarm': \(problem)") }
    let reading: TimeReading
    do throws(PhraseProblem) { reading = try reader.time(said) } catch {
      throw mistake("'alarm': \(error)")
    }
    guard case .once(let usec) = reading else {
      throw mistake(
        "'\(said)' repeats, and this alarm rings once; write a time such as 'tomorrow 7:00', or start it "
          + "again: \(Typed.nightjar) alarm \(Quoting.quoted(name)) \(Quoting.phrase(said)) "
          + "--replace")
    }
    return usec
  }

  /// The new calendar of an alarm, in the daemon's form.
  private func calendar(
    _ said: String, mistake: (String) -> ConfigError
  ) throws(ConfigError) -> String {
    let reader = WallClock.here.reader
    guard zone == nil || !reader.namesZone(said) else {
      throw mistake("'\(said)' has a zone of its own; the alarm keeps the zone \(zone ?? "")")
    }
    let reading: TimeReading
    do throws(PhraseProblem) { reading = try reader.time(said) } catch {
      throw mistake("'alarm': \(error)")
    }
    let time = AlarmTime(zone: nil, wall: .here)
    do throws(CommandError) {
      return try time.calendar(reading, said, name: name).description
    } catch { throw mistake("\(error.message)") }
  }

  /// Checks all changes with the code that the daemon uses, before any call. Otherwise the daemon
  /// could make one change and then refuse the next.
  private func check(
    _ after: JSONValue, _ reader: PresetReader, _ table: ConfigTable
  ) throws(ConfigError) {
    var start = after
    switch timer.kind {
    case .countdown, .alarm: break
    // The text does not say that the timer is a stopwatch, and has no steps of a sequence. A
    // duration is used in their place, because the check needs a kind.
    default: start = start.setting("duration_usec", .integer(Limits.shortestRoundUsec))
    }
    let spec = try Preset.spec(start, by: reader, table, at: .here)
    try Preset.check(spec, by: reader, table)
    guard let sound = after["ring"]?["sound"], sound != before["ring"]?["sound"],
      let node = reader.place(of: ["ring", "sound"])
    else { return }
    do throws(CommandError) { _ = try RingWords.sound(sound.stringValue ?? "") } catch {
      throw table.error(at: node, "'sound': \(error.message)")
    }
  }

  /// The error for a refusal of the daemon, with the line of the text to which the refusal refers;
  /// nil: it refers to no line.
  private static func place(
    of refusal: TimersError, _ reader: PresetReader, _ table: ConfigTable
  ) -> ConfigError? {
    let parameter: String
    switch refusal {
    case .invalidValue(let name, _), .varlink(.invalidParameter(let name)): parameter = name
    case .limitExceeded(let limit, _): parameter = Preset.parameter(ofLimit: limit)
    case .neverElapses: parameter = "calendar"
    default: return nil
    }
    let sentence = "\(CommandError(explaining: .refused(refusal)).message)"
    return reader.place(of: parameter, element: nil).map { table.error(at: $0, sentence) }
  }

  /// The parameters of `Update` for the ring: the parts that the user changed, and the parts that
  /// the user removed.
  private func ringChanges(
    _ new: JSONValue, error: (String, String) -> ConfigError
  ) throws(ConfigError) -> [JSONValue.Member] {
    let old = before["ring"] ?? .object([])
    guard new != .object([]) else { return [.init("ring", new)] }
    let ofCommand = ["exec", "on", "timeout_usec", "environment"]
    if new["exec"] == nil, let key = ofCommand.first(where: { new[$0] != nil }) {
      let forms = ShortForm.all(of: .start)
      throw error(
        key,
        "'\(forms.first { $0.path == ["ring", key] }?.key ?? key)' is a setting of a command; "
          + "take this line away, too, or add 'exec'")
    }
    let isNewCommand = new["exec"] != nil && old["exec"] != new["exec"]
    let gone = (old.objectValue ?? []).map(\.key).filter { key in
      guard new[key] == nil else { return false }
      return switch key {
      // A sound replaces `silent`, and `silent` replaces a sound.
      case "sound": !new.says("silent")
      case "silent": new["sound"] == nil
      // A new command gets none of the old command's settings.
      default: !(isNewCommand && ofCommand.contains(key))
      }
    }
    var changed = JSONValue.object(
      (new.objectValue ?? []).filter { member in
        old[member.key] != member.value || isNewCommand && ofCommand.contains(member.key)
      })
    let rings = timer.kind != .stopwatch
    do throws(CommandError) {
      try RingWords.check(new, rings: rings)
      if isNewCommand { changed = try RingWords.completed(changed, rings: rings) }
    } catch let refusal {
      throw error("exec", "\(refusal.message)")
    }
    var parameters: [JSONValue.Member] = []
    if changed != .object([]) { parameters.append(.init("ring", changed)) }
    if !gone.isEmpty { parameters.append(.init("ring_without", .strings(gone))) }
    return parameters
  }
}

/// The text as the user saved it.
private struct EditedText {
  /// The line with the head of the table.
  let head: ConfigNode
  let table: ConfigTable
}

extension EditedTimer.Changes {
  fileprivate mutating func set(_ field: String, _ value: JSONValue) {
    update = update.setting(field, value)
  }
}
