import Glibc
import NightjarConfig
import Varlink

/// A preset that `--save` writes to the configuration file.
struct SavedPreset {
  /// The name of the preset and of the timer.
  let name: String
  /// The parameters of `Start`. The duration is missing if it is known only after the start.
  let parameters: JSONValue
  private let path: String
  /// The mistake in the configuration file; nil: there is none. With a mistake, the timer is
  /// started, and the preset is not saved.
  private let mistake: ConfigError?

  /// - Throws: `CommandError`: the timer has no name, or the preset exists already.
  init(_ parameters: JSONValue, name: String?) throws(CommandError) {
    guard let name else {
      throw .usage("a preset needs a name: \(Typed.nightjar) start NAME 4min --save")
    }
    guard let path = Presets.path else {
      throw CommandError(.refused, "cannot tell where the configuration is; set HOME")
    }
    (self.name, self.path) = (name, path)
    let isOfPreset = ["name", "replace", "if_absent", "undo_id"]
    self.parameters = .object(
      (parameters.objectValue ?? []).filter { !isOfPreset.contains($0.key) })
    var line: Int?
    var mistake: ConfigError?
    do throws(ConfigError) { line = try Presets.read().line(of: name) } catch { mistake = error }
    self.mistake = mistake
    if let line {
      throw CommandError(
        .refused,
        "the preset '\(name)' is there already, in \(path), line \(line); change it there, or leave out "
          + "--save")
    }
    guard parameters["ring"]?["environment"] == nil else {
      throw .usage(
        "--save writes no variables of a command, which may be secret; leave out --env or --save")
    }
    let table = lines(durationUsec: 1_000_000)
    guard mistake == nil else { return }
    do throws(ConfigError) {
      _ = try file(try ConfigFile.bytes(path: path) ?? [], with: table)
    } catch { throw CommandError(.refused, error.description, see: .configuration) }
  }

  private func lines(durationUsec: Int64) -> [String] {
    guard parameters["duration_usec"] != nil else { return TimerSettings.lines(parameters) }
    return TimerSettings.lines(parameters.setting("duration_usec", .integer(durationUsec)))
  }

  /// The content of the configuration file after the preset is added.
  private func file(_ old: [UInt8], with table: [String]) throws(ConfigError) -> [UInt8] {
    let presets = try ConfigFile(path: path, bytes: old).table(.presets)
    if let entry = presets.entries.first(where: { $0.key == name }) {
      // Another command has added it since this one read the file.
      throw ConfigError(path: path, line: entry.line, reason: "'\(name)' is there already")
    }
    var bytes = old
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
    bytes += (["[presets.\(TOMLText.key(name))]"] + table).map { $0 + "\n" }.joined().utf8
    guard (try? ConfigFile(path: path, bytes: bytes)) != nil else {
      throw ConfigError(
        path: path,
        reason: "this has no room for [presets.\(name)]; write each preset in it as a table of its "
          + "own")
    }
    return bytes
  }

  /// Adds the preset to the configuration file. The caller calls this after the timer was started.
  ///
  /// - Returns: the message to print.
  func save(durationUsec: Int64) throws(CommandError) -> String {
    if let mistake {
      throw notWritten(
        "\(mistake); mend the file, and repeat the command with --replace", see: .configuration)
    }
    let table = lines(durationUsec: durationUsec)
    do throws(ConfigError) {
      try ConfigFile.change(path: path) { (old) throws(ConfigError) in try file(old, with: table) }
    } catch { throw notWritten(error.description, see: .configuration) }
    return "\(name): saved as a preset in \(path)"
  }

  /// Removes the table of a preset from the configuration file.
  ///
  /// - Returns: the path of the file.
  /// - Throws: `ConfigError`: the file has no such preset, or it is not a table of its own.
  static func remove(_ name: String) throws(ConfigError) -> String {
    guard let path = Presets.path, let line = try Presets.read().line(of: name) else {
      throw ConfigError(path: Presets.path ?? "", reason: "there is no preset '\(name)' in it")
    }
    try ConfigFile.change(path: path) { (old) throws(ConfigError) in
      var lines = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let head = Array("[presets.\(TOMLText.key(name))]".utf8)
      let isOther: (ArraySlice<UInt8>) -> Bool = {
        $0.first == UInt8(ascii: "[") && !$0.starts(with: head.dropLast() + ".".utf8)
      }
      guard lines.indices.contains(line - 1), lines[line - 1].starts(with: head) else {
        throw ConfigError(
          path: path, line: line, reason: "'\(name)' is not a table of its own; remove it there")
      }
      var end = lines[line...].firstIndex(where: isOther) ?? lines.endIndex
      // A comment above the next table belongs to that one.
      while lines[end - 1].first == UInt8(ascii: "#") { end -= 1 }
      lines.removeSubrange((line - 1)..<end)
      return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
    return path
  }

  private func notWritten(_ reason: String, see topic: HelpTopic?) -> CommandError {
    CommandError(
      .refused, "'\(name)' is started, but no preset is written: \(reason)", see: topic)
  }
}
