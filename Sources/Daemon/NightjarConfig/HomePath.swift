internal import Glibc

/// Paths in the configuration, which may begin with `~/`.
public enum HomePath {
  /// The absolute path for a text; nil if the text begins with neither `/` nor `~/`, or if HOME is
  /// not set.
  public static func absolute(_ text: String) -> String? {
    if text.hasPrefix("/") { return text }
    guard text.hasPrefix("~/"), let home = getenv("HOME") else { return nil }
    return String(cString: home) + text.dropFirst()
  }
}
