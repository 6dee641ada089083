import Foundation
import Glibc

/// Decides whether parts of a test that require root can run. Without root they are skipped, and a
/// line about that is printed once. In CI nothing is skipped, so that the test fails for lack of
/// root.
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
