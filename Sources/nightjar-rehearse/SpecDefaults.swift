import NightjarConfig
import NightjarEngine
import NightjarModel
import NightjarService
import NightjarVarlink
import nightjar

/// What the daemon's part of the configuration file says of timers that do not say it themselves.
extension SpecDefaults {
  /// Reads the file. A mistake in it is said: then what is built in counts, as with a daemon that is
  /// started.
  static func read() -> SpecDefaults {
    do throws(ConfigError) {
      return try Presets.path.flatMap { (path) throws(ConfigError) in
        try ConfigFile.read(path: path)
      }.map { (file) throws(ConfigError) in try SpecDefaults(file.table(.daemon)) }
        ?? SpecDefaults()
    } catch {
      Output.complain("goes by what is built in: \(error)")
      return SpecDefaults()
    }
  }

  private init(_ table: consuming ConfigTable) throws(ConfigError) {
    self.init()
    try read(&table)
  }
}
