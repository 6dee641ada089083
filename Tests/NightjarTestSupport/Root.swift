import Foundation
import Glibc

/// For parts of tests that require root. Elsewhere they are skipped, and a line is printed once; in
/// CI nothing is skipped, and the test fails for its own reason.
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
