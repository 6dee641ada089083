/// The Swift types that stand for the types of an interface.
struct SwiftTypes {
  var names: ValueNames
  var memberType: String
  var wordTypes: [String: String]

  /// - Parameter field: the field that has this type, for the text of an error.
  func name(of type: TypeExpression, for field: Field) throws(GeneratorError) -> String {
    switch type {
    case .bool: return "Bool"
    case .int: return "Int64"
    case .float: return "Double"
    case .string: return "String"
    case .object: return "JSONValue"
    case .array(let element): return "[\(try name(of: element, for: field))]"
    case .map(.string): return "[\(memberType)]"
    case .optional(let wrapped): return "\(try name(of: wrapped, for: field))?"
    case .named(let name):
      if let type = wordTypes[name] { return type }
      if let type = names.structures.first(where: { $0.source == name }) { return type.swiftType }
      throw GeneratorError("give a Swift type for \(name), the type of '\(field.name)'")
    case .map, .set, .structure, .enumeration:
      throw GeneratorError("declare a type of its own for '\(field.name)', or leave it out")
    }
  }
}
