import Glibc
import NightjarInterface
import NightjarVarlink

/// What the daemon was started with, as far as it is for programs that it starts itself.
package enum OwnEnvironment {
  /// A variable; nil if it is not set, or empty.
  package static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `NAME=value` each: those given, and those of this process that they leave as they are, without
  /// what is said to its unit alone.
  package static func assignments(under given: [String] = []) -> [String] {
    let names = Set(given.map { $0.prefix { $0 != "=" } })
    var result = given
    var next = environ
    while let variable = next.pointee {
      next += 1
      let assignment = String(cString: variable)
      let name = assignment.prefix { $0 != "=" }
      if !names.contains(name), !UnitVariables.names.contains(String(name)) {
        result.append(assignment)
      }
    }
    return result
  }
}
