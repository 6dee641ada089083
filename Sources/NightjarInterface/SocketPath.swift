/// Where the daemon listens and keeps its state, and where its configuration is.
///
/// The daemon and its clients compute both here, each from its own environment, so that they meet
/// without being told. Nothing is read but what the caller hands over.
public enum NightjarPaths {
  /// The longest path a UNIX socket can have, in bytes (unix(7): `sun_path` has 108 with its NUL).
  public static let longestSocketPath = 107

  /// The socket of one user's daemon.
  ///
  /// In this order: `NIGHTJAR_SOCKET`; `nightjar/socket` under `XDG_RUNTIME_DIR`; the same under
  /// `/run/user/UID` where that folder exists (cron, sudo and ssh often leave the variable out);
  /// `socket` in the state directory. A relative path in a variable of XDG's is ignored, as the XDG
  /// Base Directory Specification has it.
  ///
  /// - Parameters:
  ///   - environment: a variable's value; nil if it is not set. For `HOME` the caller may answer with
  ///     the home directory of the user database.
  ///   - uid: the user whose daemon it is.
  ///   - directoryExists: whether there is a folder at a path.
  /// - Returns: nil if no variable helps, not even `HOME`.
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

  /// The folder of one user's state: `nightjar` under `XDG_STATE_HOME`, else under
  /// `~/.local/state`.
  ///
  /// - Parameter environment: as for `socket`.
  /// - Returns: nil if neither variable helps.
  public static func stateDirectory(environment: (String) -> String?) -> String? {
    if let state = absolute(environment("XDG_STATE_HOME")) { return "\(state)/nightjar" }
    return absolute(environment("HOME")).map { "\($0)/.local/state/nightjar" }
  }

  /// One user's configuration file: `nightjar/config.toml` under `XDG_CONFIG_HOME`, else under
  /// `~/.config`.
  ///
  /// - Parameter environment: as for `socket`.
  /// - Returns: nil if neither variable helps.
  public static func configFile(environment: (String) -> String?) -> String? {
    if let config = absolute(environment("XDG_CONFIG_HOME")) {
      return "\(config)/nightjar/config.toml"
    }
    return absolute(environment("HOME")).map { "\($0)/.config/nightjar/config.toml" }
  }

  /// The path without the slashes at its end; nil unless it is absolute.
  private static func absolute(_ path: String?) -> String? {
    guard var path, path.hasPrefix("/") else { return nil }
    while path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

/// The sockets of the bridge `nightjar-mqtt`, which are beside the daemon's.
public enum BridgePaths {
  /// The folder of the sockets of other machines, beside the daemon's socket.
  private static let devices = "devices"
  /// The same of sessions.
  private static let sessions = "sessions"

  /// The socket of the bridge itself.
  ///
  /// - Parameter folder: where the daemon's socket is.
  public static func status(in folder: String) -> String { "\(folder)/mqtt" }

  /// The socket of another of the person's machines.
  public static func device(_ device: String, in folder: String) -> String {
    "\(folder)/\(devices)/\(device)"
  }

  /// The socket of a session.
  ///
  /// - Parameter word: the session's path as one word, `SessionAddress.word`.
  public static func session(_ word: String, in folder: String) -> String {
    "\(folder)/\(sessions)/\(word)"
  }

  /// Whether a path is that of a session's socket.
  public static func isSession(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count >= 3 && parts[parts.count - 2] == sessions
  }

  /// The socket of the bridge that makes the sockets in a device's folder; nil: the path is not of that form.
  ///
  /// - Parameter path: perhaps the socket of a device.
  public static func status(besideDevice path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    let folder = parts[parts.count - 2]
    guard folder == devices || folder == sessions else { return nil }
    return status(in: parts.dropLast(2).joined(separator: "/"))
  }
}
