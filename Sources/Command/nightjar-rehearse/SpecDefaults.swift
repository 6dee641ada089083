import NightjarConfig
import NightjarEngine
import NightjarModel
import NightjarParameters
import Varlink
import nightjar

/// The daemon's defaults for timers, from the configuration file.
extension SpecDefaults {
  /// Reads the defaults from the configuration file. If the file has a mistake, this prints the
  /// mistake, and the built-in defaults apply, as they do when a daemon starts.
  static func read() -> SpecDefaults {
    do throws(ConfigError) {
      return try Presets.path.flatMap { (path) throws(ConfigError) in
        try ConfigFile.read(path: path)
      }.map { (file) throws(ConfigError) in try SpecDefaults(file.table(.daemon)) }
        ?? SpecDefaults()
    } catch {
      Output.complain("the built-in defaults are used: \(error)")
      return SpecDefaults()
    }
  }

  private init(_ table: consuming ConfigTable) throws(ConfigError) {
    self.init()
    try read(&table)
  }
}
