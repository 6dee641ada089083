/// The types of an interface in Swift, as other declarations name them.
struct TypeNames {
  /// The type in which they are declared.
  let outer: String
  /// Types that have the words of enumerations.
  var words: [WordSet] = []

  /// - Parameter string: the type for a string, if it is not Swift's.
  func name(of type: TypeExpression, string: String? = nil) -> String {
    switch type {
    case .bool: return "Bool"
    case .int: return "Int64"
    case .float: return "Double"
    case .string: return string.map { "\(outer).\($0)" } ?? "String"
    case .object: return "RawJSON"
    case .array(let element): return "[\(name(of: element, string: string))]"
    case .map(let value): return "WireMap<\(name(of: value, string: string))>"
    case .set: return "WireMap<RawJSON>"
    case .optional(let wrapped): return "\(name(of: wrapped, string: string))?"
    case .named(let name):
      let set = words.first { $0.enumerations == [name] }
      return "\(outer).\(set?.typeName ?? SwiftName.type(name, inside: outer))"
    case .structure, .enumeration: preconditionFailure("withNamedTypes leaves none")
    }
  }
}
