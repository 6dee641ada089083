import NightjarClient
import NightjarConfig
import NightjarInterface
import NightjarVarlink

/// The presets of the configuration file: the command line's own tables in it.
package struct Presets {
  /// Where the file is, or would be; nil without a home.
  package static var path: String? {
    NightjarPaths.configFile(environment: Environment.valueOrHome)
  }

  /// Where they stand; nil if there is no file.
  let path: String?
  private let table: ConfigTable?

  private init(path: String?, table: ConfigTable?) {
    self.path = path
    self.table = table
  }

  /// Reads the file; what is in a preset is looked at when it is asked for.
  ///
  /// - Throws: `ConfigError` if the file cannot be read or understood. That there is none is no
  ///   error: then there are no presets.
  static func read() throws(ConfigError) -> Presets {
    guard let path, let file = try ConfigFile.read(path: path) else {
      return Presets(path: nil, table: nil)
    }
    return Presets(path: path, table: file.table(.presets))
  }

  /// What they are called, in order of the alphabet.
  var names: [String] { (table?.entries ?? []).map(\.key).sorted() }

  /// The line of a preset in the file; nil if there is none of that name.
  func line(of name: String) -> Int? { table?.entries.first { $0.key == name }?.line }

  /// The preset of a name; nil if there is none.
  ///
  /// - Parameter wall: when and where it is asked for.
  /// - Throws: `ConfigError` if its table is wrong.
  func named(_ name: String, at wall: Wall) throws(ConfigError) -> Preset? {
    guard let table, let node = table.entries.first(where: { $0.key == name }) else { return nil }
    return try Preset(name: name, table.table(of: node, title: "[presets.\(name)]"), at: wall)
  }

  /// Reads the file, and looks at every preset.
  ///
  /// - Throws: `ConfigError`: the first of what is wrong.
  static func readAll() throws(ConfigError) -> Presets {
    let presets = try read()
    for entry in presets.table?.entries ?? [] { _ = try presets.named(entry.key, at: .here) }
    return presets
  }

  /// What is wrong with the file or with any preset; nil if nothing is.
  static var problem: String? {
    do throws(ConfigError) {
      _ = try readAll()
      return nil
    } catch {
      return error.description
    }
  }
}
