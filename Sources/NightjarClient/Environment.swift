import Glibc
import NightjarWire

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

  /// What /etc/passwd says, or getent(1) of those who are not in it. getpwuid(3) is not asked: in a program
  /// without a dynamic loader, which the command is, the C library crashes when it looks for libraries that
  /// know more users.
  private static let homeFromUserDatabase: String? = {
    home(in: fopen("/etc/passwd", "re"), closedBy: fclose)
      ?? home(in: popen("/usr/bin/getent passwd \(getuid()) 2>/dev/null", "re"), closedBy: pclose)
  }()

  /// The home of this process' user; nil if the lines, as passwd(5) has them, do not tell.
  private static func home(
    in lines: UnsafeMutablePointer<FILE>?, closedBy close: (UnsafeMutablePointer<FILE>) -> Int32
  ) -> String? {
    guard let lines else { return nil }
    defer { _ = close(lines) }
    var buffer = [CChar](repeating: 0, count: 16 * 1024)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // What an entry points to is in the buffer.
    return buffer.withUnsafeMutableBufferPointer { buffer in
      while fgetpwent_r(lines, &entry, buffer.baseAddress!, buffer.count, &found) == 0 {
        if entry.pw_uid == getuid() { return String(cString: entry.pw_dir) }
      }
      return nil
    }
  }
}
