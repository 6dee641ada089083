import Glibc

/// The C library's text for an error number.
package enum SystemError {
  package static func words(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
