/// Converts names of an interface to Swift.
package enum SwiftName {
  /// A name in Swift's style, without backticks: `switched_off` becomes `switchedOff`, and
  /// `HomePage` becomes `homePage`. A name that has another meaning where it is used gets
  /// the end `Value`.
  package static func camel(_ name: String) -> String {
    let parts = name.split(separator: "_")
    let camel =
      (parts.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "")
      + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    // The last two are parameters of the functions that read and write a structure.
    return ["init", "self", "reader", "writer"].contains(camel) ? "\(camel)Value" : camel
  }

  /// The name of a type. `Lamp.Type` and `Lamp.Protocol` have a meaning in Swift.
  package static func type(_ name: String) -> String {
    ["Type", "Protocol"].contains(name) ? "\(name)_" : name
  }

  /// A name in Swift's style for a declaration: in backticks if it is a keyword.
  package static func declared(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  /// The keywords that are reserved in every context, from "The Swift Programming Language",
  /// "Lexical Structure".
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "inout", "internal", "let", "open", "operator", "private", "precedencegroup",
    "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
    "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for",
    "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while", "Any", "as",
    "await", "false", "is", "nil", "Self", "super", "throws", "true", "try",
  ]
}

extension [String] {
  /// The first name that an earlier one is equal to; nil: all differ. O(n).
  var firstRepeated: String? {
    var seen: Set<String> = []
    return first { !seen.insert($0).inserted }
  }
}
