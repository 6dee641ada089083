internal import NightjarConfig
internal import NightjarSystem

/// The daemon's settings in force, read at the start and on SIGHUP.
///
/// An error in the file does not stop the daemon. A daemon that does not start because of a
/// mistyped key would be worse than one that uses the defaults and reports the mistake.
final class Settings {
  /// The settings in force.
  private(set) var current = DaemonSettings()
  /// The error in the configuration file, for `nightjar status`; nil if there is none.
  private(set) var warning: String?

  private let path: String?
  private let isRequired: Bool

  /// Reads the configuration file at `path`, if it exists. If `isRequired` is true, a missing file
  /// is an error.
  init(path: String?, isRequired: Bool) {
    self.path = path
    self.isRequired = isRequired
    read(otherwise: "the built-in defaults are in force")
  }

  /// Reads the configuration file again.
  ///
  /// - Returns: whether the settings in force have changed.
  func reload() -> Bool {
    let before = current
    read(otherwise: "what was in force stays")
    return current != before
  }

  private func read(otherwise consequence: String) {
    do throws(ConfigError) {
      current = try Self.settings(path: path, isRequired: isRequired)
      warning = nil
    } catch {
      let sentence = "the configuration is wrong, and \(consequence): \(error)"
      warning = sentence
      Log.write(.error, sentence, [("NIGHTJAR_CONFIG", "wrong")])
    }
  }

  /// The error in a configuration file, with its line and a remedy; nil if there is none.
  static func problem(path: String?, isRequired: Bool) -> String? {
    do throws(ConfigError) {
      _ = try settings(path: path, isRequired: isRequired)
      return nil
    } catch {
      return error.description
    }
  }

  private static func settings(
    path: String?, isRequired: Bool
  ) throws(ConfigError) -> DaemonSettings {
    guard let path else { return DaemonSettings() }
    if let file = try ConfigFile.read(path: path) { return try DaemonSettings(file) }
    guard !isRequired else { throw ConfigError(path: path, reason: "there is no such file") }
    return DaemonSettings()
  }
}
