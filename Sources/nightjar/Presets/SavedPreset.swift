import Glibc
import NightjarConfig
import NightjarVarlink

/// What a timer was started with, on its way into the configuration file as a preset.
struct SavedPreset {
  /// What the preset and the timer are called.
  let name: String
  /// The parameters of `Start`, but for the duration where that is known only when it was started.
  let parameters: JSONValue
  private let path: String

  /// - Throws: `CommandError`: it has no name, there is one of that name, or the file is wrong.
  init(_ parameters: JSONValue, name: String?) throws(CommandError) {
    guard let name else {
      throw .usage("a preset needs a name: nightjar start NAME 4min --save")
    }
    guard let path = Presets.path else {
      throw CommandError(.refused, "cannot tell where the configuration is; set HOME")
    }
    (self.name, self.path) = (name, path)
    let isOfPreset = ["name", "replace", "if_absent", "undo_id"]
    self.parameters = .object(
      (parameters.objectValue ?? []).filter { !isOfPreset.contains($0.key) })
    let line: Int?
    do throws(ConfigError) { line = try Presets.read().line(of: name) } catch {
      throw CommandError(.refused, error.description)
    }
    guard let line else { return }
    throw CommandError(
      .refused,
      "the preset '\(name)' is there already, in \(path), line \(line); change it there, or leave out "
        + "--save")
  }

  /// Adds it to the file.
  ///
  /// - Returns: what to say.
  func save(durationUsec: Int64) throws(CommandError) -> String {
    let table = try PresetWriter.lines(
      parameters.setting("duration_usec", .integer(durationUsec)))
    do throws(ConfigError) {
      var bytes = try ConfigFile.bytes(path: path) ?? []
      if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
      let lines = [PresetWriter.head(name)] + table
      bytes += lines.map { $0 + "\n" }.joined().utf8
      // A file in which its tables are written in another way may have no room for one more.
      _ = try ConfigFile(path: path, bytes: bytes)
      try ConfigFile.write(bytes, path: path)
    } catch {
      throw CommandError(
        .refused, "the timer is started, but not saved as a preset: \(error)")
    }
    return "\(name): saved as a preset in \(path)"
  }
}
