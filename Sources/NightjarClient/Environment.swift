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
    return name == "HOME" ? homeFromUserDatabase() : nil
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

  /// As getpwuid(3) has it, but asked of getent(1): in a program without a dynamic loader, which the command
  /// is, the C library's name services crash where a user is not in /etc/passwd.
  private static func homeFromUserDatabase() -> String? {
    guard let answer = popen("getent passwd \(getuid())", "re") else { return nil }
    defer { pclose(answer) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    guard getline(&line, &capacity, answer) > 0, let line else { return nil }
    // passwd(5): name, password, user, group, comment, home, shell.
    let fields = String(cString: line).split(separator: ":", omittingEmptySubsequences: false)
    return fields.count == 7 && !fields[5].isEmpty ? String(fields[5]) : nil
  }
}
