import Foundation
import Glibc

/// What only root may do. Elsewhere one line says what was left out, once; where CI is set, nothing is
/// left out, and the test fails for the reason it has.
package enum Root {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var said: Set<String> = []

  package static func isMissing(for what: String) -> Bool {
    guard geteuid() != 0, ProcessInfo.processInfo.environment["CI"] == nil else { return false }
    if lock.withLock({ said.insert(what).inserted }) {
      print("left out, because it takes root: \(what)")
    }
    return true
  }
}
