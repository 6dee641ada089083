import Glibc

/// The system's text for an errno.
package enum SystemError {
  package static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
