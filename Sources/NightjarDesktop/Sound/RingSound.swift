internal import Glibc
package import NightjarConfig

/// What is heard of a ring.
package enum RingSound: Hashable {
  case none
  /// Our own, or its like of the desktop's sound theme.
  case chime
  /// An absolute path.
  case file(String)

  /// Reads `"~/bell.oga"`, or `false`.
  package static func read(_ node: ConfigNode, of table: ConfigTable) throws(ConfigError)
    -> RingSound
  {
    switch node.value {
    case .boolean(false): return .none
    case .boolean(true): return .chime
    case .string(let text):
      guard let path = absolute(text) else {
        throw table.error(
          at: node,
          "'\(node.key)' is the path of a file from the root or from ~/, not \"\(text)\"")
      }
      return .file(path)
    case .integer, .float, .date, .array, .table:
      throw table.error(at: node, expected: "the path of a file, or false")
    }
  }

  private static func absolute(_ text: String) -> String? {
    if text.hasPrefix("/") { return text }
    guard text.hasPrefix("~/"), let home = getenv("HOME") else { return nil }
    return String(cString: home) + text.dropFirst()
  }
}
