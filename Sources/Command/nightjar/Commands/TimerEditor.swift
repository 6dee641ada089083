import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// The settings of a timer in an editor, as the keys of a preset.
struct TimerEditor {
  let name: String
  let session: Session
  let isJSON: Bool

  /// Opens the editor until its text is right, and makes the changes.
  func edit() throws(CommandError) {
    var (timer, json) = try present()
    let file = try EditorFile(text(timer, json))
    while true {
      let bytes: [UInt8]
      do throws(CommandError) { bytes = try file.edit() } catch {
        let isChanged = try file.read() != Array(text(timer, json).utf8)
        guard isChanged else {
          file.remove()
          throw error
        }
        throw Self.naming(file, error)
      }
      do throws(CommandError) {
        let (change, table) = try read(bytes, file.path, timer, json)
        let reply = try make(change, of: timer, table)
        file.remove()
        return try say(reply, change, timer, json)
      } catch {
        guard Terminal.canAsk else { throw Self.naming(file, error) }
        Output.complain("\(error.message)", reference: error.topic?.reference)
        guard Output.confirm("edit it again?") else {
          throw CommandError(.refused, "what you wrote is in \(file.path)")
        }
        (timer, json) = try present()
      }
    }
  }

  private func present() throws(CommandError) -> (Wire.Timer, JSONValue) {
    let json = try session.call(Call(Wire.Get(name: name)))["timer"] ?? .null
    return (try Session.timer(json), json)
  }

  private static func naming(_ file: EditorFile, _ error: CommandError) -> CommandError {
    CommandError(.refused, "\(error.message); what you wrote is in \(file.path)", see: error.topic)
  }

  // MARK: The text

  private var head: String { "[presets.\(TOMLText.key(name))]" }

  /// The settings that such a timer can have, and that can be changed.
  private func settings(of timer: Wire.Timer) -> [Setting] {
    Setting.changeable.filter { $0.path.first != "alarm" || timer.calendar != nil }
  }

  /// The key for the time of a timer; nil: its time cannot be changed.
  private func timeKey(_ timer: Wire.Timer) -> String? {
    switch timer.kind {
    case .countdown: "duration"
    case .alarm: "alarm"
    default: nil
    }
  }

  private func text(_ timer: Wire.Timer, _ json: JSONValue) -> String {
    let start = TimerSettings.start(of: timer, json)
    let state = TimerText(timer)
    let settings = settings(of: timer)
    let time = TimerSettings.time(start).filter { $0.0 == timeKey(timer) }.map { "\($0) = \($1)" }
    let fixed =
      TimerSettings.time(start).filter { $0.0 != timeKey(timer) }.map { "\($0) = \($1)" }
      + TimerSettings.settings(start, Setting.all.filter { !$0.isChangeable })
    let lines =
      [
        "# \(state.what)\(state.state)",
        "# The settings are changed when the editor ends. nightjar.toml(5) explains the keys:",
        "# \(settings.map(\.key).joined(separator: ", "))", head,
      ] + time + TimerSettings.settings(start, settings)
      + (variables(json).isEmpty
        ? []
        : [
          "# Another command has none of these variables: \(variables(json).joined(separator: ", "))"
        ])
      + (fixed.isEmpty
        ? [] : ["# These stay; to change them start the timer again with --replace:"])
      + fixed.map { "# \($0)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The names of the command's variables, whose values the daemon does not send.
  private func variables(_ json: JSONValue) -> [String] {
    let ofThisProcess = Wire.Ring.environmentOfThisProcess
    return (json["ring"]?["environment"]?.strings ?? []).filter { ofThisProcess[$0] == nil }
  }

  // MARK: The changes

  /// What the user changed, and the table that says so.
  private func read(
    _ bytes: [UInt8], _ path: String, _ timer: Wire.Timer, _ json: JSONValue
  ) throws(CommandError) -> (TimerChange, ConfigTable) {
    do throws(ConfigError) {
      let table = try table(bytes, path)
      return (try change(of: timer, json, in: table), table)
    } catch {
      throw CommandError(.refused, error.description, see: .configuration)
    }
  }

  private func table(_ bytes: [UInt8], _ path: String) throws(ConfigError) -> ConfigTable {
    let presets = try ConfigFile(path: path, bytes: bytes).table(.presets)
    guard let node = presets.entries.first(where: { $0.key == name }), presets.entries.count == 1
    else {
      throw ConfigError(
        path: path, line: presets.entries.first { $0.key != name }?.line,
        reason: "the text has one table, \(head); nightjar edit \(Quoting.quoted(name)) --name NEW "
          + "gives the timer another name")
    }
    return try presets.table(of: node, title: head)
  }

  private func change(
    of timer: Wire.Timer, _ json: JSONValue, in table: ConfigTable
  ) throws(ConfigError) -> TimerChange {
    var (table, change) = (table, TimerChange())
    let (settings, time) = (settings(of: timer), timeKey(timer))
    for node in table.entries where Setting.named(node.key) != nil || Preset.keys.contains(node.key)
    {
      guard node.key != time, !settings.contains(where: { $0.key == node.key }) else { continue }
      throw table.error(
        at: node, "'\(node.key)' cannot be changed here; start the timer again with --replace")
    }
    try table.check(keys: settings.map(\.key) + [time].compactMap(\.self))
    let start = TimerSettings.start(of: timer, json)
    for setting in settings {
      let old = setting.notation == .dayFiles ? nil : setting.value(in: start)
      guard let node = table.node(setting.key) else {
        if old != nil, !(setting.replaced.map { table.has($0.key) } ?? false) {
          change.removed.append(setting)
        }
        continue
      }
      let value = try setting.notation.value(of: node, in: table, at: .here)
      guard value != old else { continue }
      if setting.notation == .sound, let path = value.stringValue {
        do throws(CommandError) {
          _ = try setting.notation.value([path], of: "'sound'", at: .here)
        } catch { throw table.error(at: node, "'sound': \(error.message)") }
      }
      // What the text does not have any more goes, too.
      if old != nil, setting.notation.isMap || setting.notation.isDays {
        change.replaced.append(setting)
      }
      change.values.set(value, for: setting)
    }
    guard let time, let old = TimerSettings.time(start).first(where: { $0.0 == time }) else {
      return change
    }
    guard let text = try table.string(time) else {
      throw ConfigError(
        path: table.path, reason: "the timer needs a line such as \(time) = \(old.1)")
    }
    guard TOMLText.quoted(text) != old.1, let node = table.node(time) else { return change }
    let new = NewTime(text, at: .here)
    if case .failure(let refusal) = new.call(for: timer) {
      throw table.error(
        at: node, "'\(time)': \(CommandError(explaining: .refused(refusal)).message)")
    }
    change.time = new
    return change
  }

  /// Makes the changes. If the daemon refuses a setting, the error has its line.
  ///
  /// - Returns: the last reply; nil: the text changes nothing.
  private func make(
    _ change: TimerChange, of timer: Wire.Timer, _ table: ConfigTable
  ) throws(CommandError) -> JSONValue? {
    guard !change.isEmpty else { return nil }
    // Another client may have changed the timer while the editor was open.
    let (present, _) = try present()
    guard present.id == timer.id else {
      throw CommandError(
        .refused, "'\(name)' is another timer now; \(Typed.nightjar) edit opens that one")
    }
    let undoID = UndoableChange.newID()
    var reply: JSONValue?
    // The time comes first, because the daemon may refuse it. If it does, nothing is changed.
    for call in [change.time?.call(for: present), change.call(for: present)].compactMap(\.self) {
      let answer: Result<JSONValue, TimersError> =
        switch call {
        case .success(let call): try session.change(call, undoID: undoID)
        case .failure(let refusal): .failure(refusal)
        }
      switch answer {
      case .success(let answer): reply = answer
      case .failure(let refusal):
        let setting = refusal.parameter.flatMap(Setting.of)
        let error = session.explained(refusal, isChange: true)
        guard let node = table.entries.first(where: { $0.key == setting?.key }) else { throw error }
        throw CommandError(.refused, table.error(at: node, "\(error.message)").description)
      }
    }
    return reply
  }

  private func say(
    _ reply: JSONValue?, _ change: TimerChange, _ before: Wire.Timer, _ json: JSONValue
  ) throws(CommandError) {
    guard let reply else { return Output.line("\(name): nothing was changed") }
    guard !isJSON else { return Output.ready(reply.text) }
    let text = TimerText(try Session.timer(in: reply))
    Output.line(
      "\(name): changed, \(text.stateAndRemaining)\(AlarmText(text).lostSkips(before) ?? "")")
    guard change.values.has(.exec) || change.values.has(.shell) else { return }
    let given = change.values.values.first { $0.setting.notation == .variables }?.value
    let lost = variables(json).filter { given?[$0] == nil }
    guard !lost.isEmpty else { return }
    Output.line(
      "the new command has none of the old one's variables \(lost.joined(separator: ", ")); "
        + "\(Typed.nightjar) undo brings the old command back")
  }
}
