import NightjarConfig
import NightjarModel
import NightjarParameters
import nightjar

/// What the daemon's configuration says about timers that do not say it themselves.
struct RehearsalDefaults {
  var specs = SpecDefaults()
  var ring = UsualRing()

  /// Reads the defaults from the configuration file. If the file has a mistake, this prints the
  /// mistake, and the built-in defaults apply, as they do when a daemon starts.
  static func read() -> RehearsalDefaults {
    var defaults = RehearsalDefaults()
    do throws(ConfigError) {
      guard let path = Presets.path, let file = try ConfigFile.read(path: path) else {
        return defaults
      }
      var table = file.table(.daemon)
      try defaults.specs.read(&table)
      try defaults.ring.read(&table)
      return defaults
    } catch {
      Output.complain("the built-in defaults are used: \(error)")
      return RehearsalDefaults()
    }
  }
}
