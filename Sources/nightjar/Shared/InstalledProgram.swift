import Glibc
import NightjarClient

/// Finds programs that this one runs.
enum InstalledProgram {
  /// The path of a program in this program's own directory, else in PATH; nil: neither has it.
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
