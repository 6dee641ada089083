import NightjarClient
import NightjarConfig
import NightjarInterface
import Varlink

/// The presets of the configuration file: the command line's own tables in it.
package struct Presets {
  /// The path of the configuration file, whether the file exists or not; nil if the user has no
  /// home folder.
  package static var path: String? {
    NightjarPaths.configFile(environment: Environment.valueOrHome)
  }

  /// The path of the configuration file; nil if there is no file.
  let path: String?
  private let table: ConfigTable?

  private init(path: String?, table: ConfigTable?) {
    self.path = path
    self.table = table
  }

  /// Reads the file; each preset is checked when it is used.
  ///
  /// - Throws: `ConfigError` if the file cannot be read or parsed. If there is no file, there are
  ///   no presets.
  static func read() throws(ConfigError) -> Presets {
    guard let path, let file = try ConfigFile.read(path: path) else {
      return Presets(path: nil, table: nil)
    }
    return Presets(path: path, table: file.table(.presets))
  }

  /// The names of the presets, in alphabetical order.
  var names: [String] {
    (ownNames + (ownNames.contains(BuiltInPreset.name) ? [] : [BuiltInPreset.name])).sorted()
  }

  /// The names of the presets in the file.
  var ownNames: [String] { (table?.entries ?? []).map(\.key).sorted() }

  /// The number of the line in the file with a preset's table; nil if there is no preset of that
  /// name.
  func line(of name: String) -> Int? { table?.entries.first { $0.key == name }?.line }

  /// The preset of a name; nil if there is no such preset.
  ///
  /// - Parameter wall: the current time and zone.
  /// - Throws: `ConfigError` if its table is wrong.
  func named(_ name: String, at wall: WallClock) throws(ConfigError) -> Preset? {
    guard let table, let node = table.entries.first(where: { $0.key == name }) else {
      return name == BuiltInPreset.name ? Preset.builtIn : nil
    }
    return try Preset(name: name, table.table(of: node, title: "[presets.\(name)]"), at: wall)
  }

  /// Reads the file, and checks every preset.
  ///
  /// - Throws: `ConfigError`: the first mistake.
  static func readAll() throws(ConfigError) -> Presets {
    let presets = try read()
    for entry in presets.table?.entries ?? [] { _ = try presets.named(entry.key, at: .here) }
    return presets
  }

  /// The first mistake in the file or in a preset; nil: there is none.
  static var problem: String? {
    do throws(ConfigError) {
      _ = try readAll()
      return nil
    } catch {
      return error.description
    }
  }
}
