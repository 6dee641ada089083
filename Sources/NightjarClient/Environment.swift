import Glibc
import NightjarInterface

/// What a process knows from its surroundings.
package enum Environment {
  /// A variable; nil if it is not set.
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// As `value`, with the user database's word for `HOME` where the variable is not set, as under
  /// some service managers and crons.
  package static func valueOrHome(_ name: String) -> String? {
    if let value = value(name) { return value }
    return name == "HOME" ? homeFromUserDatabase : nil
  }

  /// The socket of this user's daemon; nil if nothing says where it would be.
  package static var socketPath: String? {
    NightjarPaths.socket(
      environment: valueOrHome, uid: getuid(), directoryExists: directoryExists)
  }

  /// The folder of this user's daemon's state; nil if nothing says where it would be.
  package static var stateDirectory: String? {
    NightjarPaths.stateDirectory(environment: valueOrHome)
  }

  /// The folder that the running user manager keeps its sockets under, if there is one.
  package static var runtimeDirectory: String? {
    if let path = value("XDG_RUNTIME_DIR"), path.hasPrefix("/") { return path }
    let usual = "/run/user/\(getuid())"
    return directoryExists(usual) ? usual : nil
  }

  /// Whether there is a folder at a path.
  package static func directoryExists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether there is anything at a path.
  package static func fileExists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// The home of this process's user, as the user database has it: from /etc/passwd or from any other name
  /// service; nil if none knows the user.
  private static let homeFromUserDatabase: String? = {
    var size = 1024
    while true {
      // The strings of an entry are in the buffer.
      let (home, code) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        let code = getpwuid_r(getuid(), &entry, buffer.baseAddress!, buffer.count, &found)
        return (found?.pointee.pw_dir.map { String(cString: $0) }, code)
      }
      if code == ERANGE, size < 1 << 20 { size *= 2 } else if code != EINTR { return home }
    }
  }()
}
