/// Converts names of an interface to Swift.
package enum SwiftName {
  /// A name in Swift's style, without backticks: `switched_off` becomes `switchedOff`, and
  /// `HomePage` becomes `homePage`. A name that has another meaning where it is used gets
  /// the end `Value`.
  ///
  /// - Parameter taken: more names with another meaning.
  package static func camel(_ name: String, besides taken: Set<String> = []) -> String {
    let capital = capital(name)
    let camel = capital.prefix(1).lowercased() + capital.dropFirst()
    return takenNames.contains(camel) || taken.contains(camel) ? "\(camel)Value" : camel
  }

  /// A name in the style of Swift's types: `switched_off` becomes `SwitchedOff`.
  static func capital(_ name: String) -> String {
    name.split { "_-".contains($0) }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The name of a type that is declared inside another. A name that has another meaning there gets
  /// the end `_`, which no name of an interface has.
  static func type(_ name: String, inside outer: String) -> String {
    name == outer || usedTypes.contains(name) ? "\(name)_" : name
  }

  /// The name of the type in which the types of an interface are declared. With a `_` in front if
  /// Swift does not allow the name, or if it has another meaning.
  static func outer(_ interface: Interface) -> String {
    let name = capital(String(interface.name.split(separator: ".").last ?? ""))
    let isTaken = usedTypes.contains(name) || usedOutside.contains(name)
    return isTaken || name.first?.isNumber == true ? "_\(name)" : name
  }

  /// A name in Swift's style for a declaration: in backticks if it is a keyword.
  package static func declared(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  /// The first ones cannot be the name of a property or of a parameter. The last two are parameters
  /// of the functions that read and write a structure.
  private static let takenNames: Set<String> = [
    "init", "inout", "let", "self", "var", "reader", "writer",
  ]

  /// The types that generated types name, and words that Swift does not allow as a type's name.
  private static let usedTypes: Set<String> = [
    "Any", "Bool", "Double", "Int64", "JSONWriter", "OpenWireWord", "Protocol", "RawJSON", "Self",
    "StaticString", "String", "Type", "WireError", "WireMap", "WireMethod", "WireReader",
    "WireStructure", "WireWord",
  ]

  /// What generated errors and services name besides, and two names from which types of the module
  /// Varlink would come, such as WireError.
  private static let usedOutside: Set<String> = [
    "Answer", "Equatable", "Exchange", "Failure", "JSONText", "JSONValue", "UnsafeRawBufferPointer",
    "Varlink", "VarlinkError", "Wire", "WireFailure", "WireService",
  ]

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
