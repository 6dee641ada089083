import Glibc
import NightjarInterface
import Varlink

/// The environment variables of the daemon that are of interest to the programs that it starts.
package enum OwnEnvironment {
  /// The value of a variable; nil if the variable is not set or is empty.
  package static func value(of name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The environment for a program, as `NAME=value`: the given assignments, and all variables of
  /// this process that they do not set. Variables that concern only the daemon's unit are left out.
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
