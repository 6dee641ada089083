internal import Glibc

/// Paths in the configuration, which may begin with `~/`.
public enum HomePath {
  /// The absolute path; nil if it begins with neither `/` nor `~/`, or HOME is not set.
  public static func absolute(_ text: String) -> String? {
    if text.hasPrefix("/") { return text }
    guard text.hasPrefix("~/"), let home = getenv("HOME") else { return nil }
    return String(cString: home) + text.dropFirst()
  }
}
