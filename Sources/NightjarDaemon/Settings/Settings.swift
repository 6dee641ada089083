internal import NightjarConfig
internal import NightjarSystem

/// The daemon's settings as they are in force, read at the start and whenever somebody asks.
///
/// A file that is wrong stops nothing: a daemon that does not come up because of a mistyped key
/// would be worse than one that goes by its own defaults and says so.
final class Settings {
  /// What is in force.
  private(set) var current = DaemonSettings()
  /// What somebody should know about the file; nil if nothing is wrong.
  private(set) var warning: String?

  private let path: String?
  private let isRequired: Bool

  /// Reads the file at `path`, if there is one; `isRequired`: there has to be.
  init(path: String?, isRequired: Bool) {
    self.path = path
    self.isRequired = isRequired
    read(otherwise: "the built-in defaults are in force")
  }

  /// Reads the file again.
  ///
  /// - Returns: whether something else is in force now.
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

  /// What is wrong with a file, where it is and what would be right; nil if nothing is.
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
