import Glibc
import NightjarClient

/// Finds the programs that this program runs.
enum InstalledProgram {
  /// The path of a program. It is searched in the directory of this program, then in PATH; nil: it
  /// is in neither.
  static func path(of name: String) -> String? {
    var folders: [Substring] = []
    if let own = ProcessState.ownExecutable, let slash = own.lastIndex(of: "/") {
      folders.append(own[..<slash])
    }
    folders += (Environment.value("PATH") ?? "").split(separator: ":")
    return folders.lazy.map { "\($0)/\(name)" }.first {
      access($0, X_OK) == 0 && !Environment.directoryExists($0)
    }
  }
}
