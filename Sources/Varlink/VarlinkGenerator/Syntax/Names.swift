/// Checks names by the grammar of the interface language.
enum Names {
  static let keywords = ["interface", "type", "method", "error"]
  static let basicTypes: [String: TypeExpression] = [
    "bool": .bool, "int": .int, "float": .float, "string": .string, "object": .object,
  ]

  /// Whether a name can be the name of an interface: two or more parts with dots between them. A
  /// part consists of letters and digits, and may contain `-` inside. The first part begins with a
  /// letter.
  static func isInterface(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && parts[0].utf8.first.map(isLetter) == true
      && parts.allSatisfy { part in
        part.first != "-" && part.last != "-" && !part.isEmpty
          && part.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
      }
  }

  /// Whether a name can be the name of a declaration: an upper case letter, then letters and
  /// digits.
  static func isDeclaration(_ name: String) -> Bool {
    name.utf8.first.map { isLetter($0) && $0 < UInt8(ascii: "a") } == true
      && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }

  /// Whether a name can be the name of a field: a letter, then letters and digits, with single `_`
  /// inside.
  static func isField(_ name: String) -> Bool {
    name.utf8.first.map(isLetter) == true
      && name.split(separator: "_", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { isLetter($0) || isDigit($0) }
      }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }
}
