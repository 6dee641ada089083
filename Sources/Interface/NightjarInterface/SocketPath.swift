/// The paths of the daemon's socket and state folder, and of the configuration.
///
/// The daemon and its clients compute the paths with these functions, each from its own
/// environment, so that they use the same paths without configuration. The functions read only the
/// values that the caller passes.
public enum NightjarPaths {
  /// The path of the socket of a user's daemon.
  ///
  /// It is the first of these that is set or exists:
  /// - `NIGHTJAR_SOCKET`,
  /// - `nightjar/socket` under `XDG_RUNTIME_DIR`,
  /// - the same under `/run/user/UID` if that folder exists, because cron, sudo and ssh often do
  ///   not set the variable,
  /// - `socket` in the state directory.
  ///
  /// A relative path in an XDG variable is ignored, as the XDG Base Directory Specification
  /// requires.
  ///
  /// - Parameters:
  ///   - environment: returns the value of a variable; nil: it is not set. For `HOME` the caller
  ///     may return the home directory of the user database.
  ///   - uid: the user of the daemon.
  ///   - directoryExists: returns whether there is a folder at a path.
  /// - Returns: nil if none of the variables is set, not even `HOME`.
  public static func socket(
    environment: (String) -> String?, uid: UInt32, directoryExists: (String) -> Bool
  ) -> String? {
    if let path = environment("NIGHTJAR_SOCKET"), !path.isEmpty { return path }
    if let runtime = absolute(environment("XDG_RUNTIME_DIR")) {
      return "\(runtime)/nightjar/socket"
    }
    let usual = "/run/user/\(uid)"
    if directoryExists(usual) { return "\(usual)/nightjar/socket" }
    return stateDirectory(environment: environment).map { "\($0)/socket" }
  }

  /// The folder of a user's state: `nightjar` under `XDG_STATE_HOME`, else under `~/.local/state`.
  ///
  /// - Parameter environment: as for `socket`.
  /// - Returns: nil if neither variable is set.
  public static func stateDirectory(environment: (String) -> String?) -> String? {
    if let state = absolute(environment("XDG_STATE_HOME")) { return "\(state)/nightjar" }
    return absolute(environment("HOME")).map { "\($0)/.local/state/nightjar" }
  }

  /// A user's configuration file: `nightjar/config.toml` under `XDG_CONFIG_HOME`, else under
  /// `~/.config`.
  ///
  /// - Parameter environment: as for `socket`.
  /// - Returns: nil if neither variable is set.
  public static func configFile(environment: (String) -> String?) -> String? {
    if let config = absolute(environment("XDG_CONFIG_HOME")) {
      return "\(config)/nightjar/config.toml"
    }
    return absolute(environment("HOME")).map { "\($0)/.config/nightjar/config.toml" }
  }

  /// The path without slashes at its end; nil: the path is not absolute.
  private static func absolute(_ path: String?) -> String? {
    guard var path, path.hasPrefix("/") else { return nil }
    while path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

/// The sockets of the bridge `nightjar-mqtt`, in the folder of the daemon's socket.
public enum BridgePaths {
  /// The name of the folder with the sockets of other machines.
  private static let devices = "devices"
  /// The name of the folder with the sockets of sessions.
  private static let sessions = "sessions"

  /// The path of the socket of the bridge itself.
  ///
  /// - Parameter folder: the folder of the daemon's socket.
  public static func status(in folder: String) -> String { "\(folder)/mqtt" }

  /// The path of the socket for another machine of the same person.
  public static func device(_ device: String, in folder: String) -> String {
    "\(folder)/\(devices)/\(device)"
  }

  /// The path of the socket for a session.
  ///
  /// - Parameter word: the session's path as one word, `SessionAddress.word`.
  public static func session(_ word: String, in folder: String) -> String {
    "\(folder)/\(sessions)/\(word)"
  }

  /// Whether a path is the path of a session's socket.
  public static func isSession(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count >= 3 && parts[parts.count - 2] == sessions
  }

  /// The path of the socket of the bridge that made the socket at `path`; nil: `path` is not the
  /// path of a machine's or a session's socket.
  public static func status(besideDevice path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    let folder = parts[parts.count - 2]
    guard folder == devices || folder == sessions else { return nil }
    return status(in: parts.dropLast(2).joined(separator: "/"))
  }
}
