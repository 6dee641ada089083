import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarVarlink

/// What can be changed of a timer, as the table of a preset, and what somebody made of that.
struct EditedTimer {
  let name: String
  /// What is handed to an editor.
  let text: String
  /// What that says, as the parameters of `Start`.
  private let before: JSONValue
  private let timer: NightjarTimer
  private let data: WritableData

  /// Which timer of its name it is.
  var id: Int64 { timer.id }
  /// How long it took when it was opened.
  var durationUsec: Int64 { timer.durationUsec }

  /// What to ask of the daemon.
  struct Changes {
    /// The parameters of `Update` but for the name.
    var update: JSONValue = .object([])
    /// How much longer it takes.
    var byUsec: Int64 = 0

    var isEmpty: Bool { update == .object([]) && byUsec == 0 }
  }

  /// - Parameter json: the timer as the daemon has sent it.
  init(_ json: JSONValue) throws(CommandError) {
    timer = try Session.timer(in: ["timer": json])
    name = timer.name
    data = WritableData(json["data"] ?? .object([]))
    let state = TimerText(timer)
    let lines =
      [
        "# \(state.what)\(state.state)",
        "# What is changed here is changed when the editor ends. nightjar.toml(5) explains the keys.",
        PresetWriter.head(name),
      ] + (try Self.lines(timer, json, data))
    text = lines.map { $0 + "\n" }.joined()
    do throws(ConfigError) {
      before = try Self.read(Array(text.utf8), name: name, path: "").reader.parameters
    } catch {
      throw CommandError(.refused, "'\(name)' cannot be written as TOML: \(error.reason)")
    }
  }

  private static func lines(
    _ timer: NightjarTimer, _ json: JSONValue, _ data: WritableData
  ) throws(CommandError) -> [String] {
    var said: [JSONValue.Member] = []
    if timer.kind == .countdown {
      said.append(.init("duration_usec", .integer(timer.durationUsec)))
    }
    said.append(.init("message", json["message"] ?? ""))
    said.append(.init("labels", json["labels"] ?? .object([])))
    said.append(.init("data", data.written))
    said.append(.init("bands", json["bands"] ?? .array([])))
    // The values of a command's variables are not sent.
    let ring = (json["ring"]?.objectValue ?? []).filter { $0.key != "environment" }
    if !ring.isEmpty { said.append(.init("ring", .object(ring))) }
    var lines: [String] = []
    if let calendar = json["calendar"]?.stringValue {
      lines.append("alarm = \(PresetWriter.quoted(calendar))")
      var days: [JSONValue.Member] = [.init("except", json["except"] ?? .array([]))]
      if let until = json["until"] { days.append(.init("until", until)) }
      said.append(.init("alarm", .object(days)))
    }
    for member in said {
      if member.key == "data" { lines += Self.comment(on: data, of: timer.name) }
      lines += try PresetWriter.lines(.object([member]))
    }
    return lines
  }

  private static func comment(on data: WritableData, of name: String) -> [String] {
    let paths = data.paths
    guard !paths.isEmpty else { return [] }
    return [
      "# TOML has no null, so these members of data are not shown, and stay as they are: "
        + paths.joined(separator: ", "),
      "# nightjar update \(Quoting.quoted(name)) --data JSON replaces all of data.",
    ]
  }

  private static func read(
    _ bytes: [UInt8], name: String, path: String
  ) throws(ConfigError) -> (reader: PresetReader, table: ConfigTable) {
    let presets = try ConfigFile(path: path, bytes: bytes).table(.presets)
    let head = PresetWriter.head(name)
    guard let node = presets.entries.first(where: { $0.key == name }) else {
      throw ConfigError(
        path: path,
        reason: "the line \(head) is not there; nightjar rename gives a timer another name")
    }
    if let other = presets.entries.first(where: { $0.key != name }) {
      throw ConfigError(
        path: path,
        reason: "only \(head) is changed here, not \(PresetWriter.head(other.key))")
    }
    let table = try presets.table(of: node, title: head)
    return (try PresetReader(table, at: .here), table)
  }
}

// MARK: - What was made of it

extension EditedTimer {
  /// - Throws: `ConfigError`: it is no TOML, or has something that cannot be changed; with the line.
  func changes(in bytes: [UInt8], path: String) throws(ConfigError) -> Changes {
    let (reader, table) = try Self.read(bytes, name: name, path: path)
    let after = reader.parameters
    func error(_ path: [String], _ reason: String) -> ConfigError {
      reader.place(of: path).map { table.error(at: $0, reason) }
        ?? ConfigError(path: table.path, reason: reason)
    }
    var changes = Changes()
    for field in Shape.Structure.start.fields.map(\.name) where before[field] != after[field] {
      let value = after[field]
      switch field {
      case "duration_usec":
        guard before[field] != nil, let usec = value?.integerValue else {
          throw error([field], "a countdown has a 'duration', and nothing else has one")
        }
        changes.byUsec = usec - timer.durationUsec
      case "message": changes.set(field, value ?? "")
      case "labels": changes.set(field, value ?? .object([]))
      case "data": changes.set(field, data.completed(value ?? .object([])))
      case "bands": changes.set(field, value ?? .array([]))
      case "ring":
        let ring = try ringChanges(value ?? .object([])) { error(["ring", $0], $1) }
        for member in ring { changes.set(member.key, member.value) }
      case "alarm":
        let (old, new) = (before[field] ?? .object([]), value ?? .object([]))
        for key in ["zone", "rounds", "at_usec"] where old[key] != new[key] {
          throw error(
            [field, key],
            "it rings at other times, and as often, as before; start it anew with nightjar alarm "
              + "\(Quoting.quoted(name)) TIME --replace")
        }
        if old["calendar"] != new["calendar"] {
          guard let calendar = new["calendar"], old["calendar"] != nil else {
            throw error(
              [field, "calendar"],
              "whether an alarm repeats is not changed here; start it anew with nightjar alarm "
                + "\(Quoting.quoted(name)) TIME --replace")
          }
          changes.set("calendar", calendar)
        }
        if old["except"] != new["except"] { changes.set("except", new["except"] ?? .array([])) }
        if old["until"] != new["until"] { changes.set("until", new["until"] ?? "") }
      default:
        throw error(
          [field], "this cannot be changed while there is the timer; start it anew with --replace")
      }
    }
    return changes
  }

  /// The parameters of `Update` for a ring: the parts that are others now, and those that are gone.
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
        "'\(forms.first { $0.path == ["ring", key] }?.key ?? key)' is about a command, and there is "
          + "none; take this line away, too, or add 'exec'")
    }
    let isNewCommand = new["exec"] != nil && old["exec"] != new["exec"]
    let gone = (old.objectValue ?? []).map(\.key).filter { key in
      guard new[key] == nil else { return false }
      return switch key {
      // Each of the two takes the place of the other.
      case "sound": !new.says("silent")
      case "silent": new["sound"] == nil
      // A new command has nothing of the old one's.
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
      throw error("exec", refusal.message)
    }
    var parameters: [JSONValue.Member] = []
    if changed != .object([]) { parameters.append(.init("ring", changed)) }
    if !gone.isEmpty { parameters.append(.init("ring_without", .strings(gone))) }
    return parameters
  }
}

extension EditedTimer.Changes {
  fileprivate mutating func set(_ field: String, _ value: JSONValue) {
    update = update.setting(field, value)
  }
}
