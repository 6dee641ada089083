import Glibc
import NightjarInterface

/// The environment variables of the process, and folders that they determine.
package enum Environment {
  /// The value of a variable; nil if it is not set.
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Like `value`, but returns the home folder from the user database if `HOME` is not set. Some
  /// service managers and cron daemons do not set `HOME`.
  package static func valueOrHome(_ name: String) -> String? {
    if let value = value(name) { return value }
    return name == "HOME" ? homeFromUserDatabase : nil
  }

  /// The path of the socket of this user's daemon; nil if the environment does not determine it.
  package static var socketPath: String? {
    NightjarPaths.socket(
      environment: valueOrHome, uid: getuid(), directoryExists: directoryExists)
  }

  /// The path of the state folder of this user's daemon; nil if the environment does not determine
  /// it.
  package static var stateDirectory: String? {
    NightjarPaths.stateDirectory(environment: valueOrHome)
  }

  /// The user's runtime folder, in which the service manager has its sockets; nil if there is none.
  package static var runtimeDirectory: String? {
    if let path = value("XDG_RUNTIME_DIR"), path.hasPrefix("/") { return path }
    let usual = "/run/user/\(getuid())"
    return directoryExists(usual) ? usual : nil
  }

  /// Whether the path leads to a folder.
  package static func directoryExists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether a file or folder exists at the path.
  package static func fileExists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// The home folder of this process's user, from /etc/passwd or another name service; nil if the
  /// user is not in it.
  private static let homeFromUserDatabase: String? = {
    var size = 1024
    while true {
      // getpwuid_r(3) stores the strings of the entry in the buffer, so copy the path before the
      // buffer is freed.
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
