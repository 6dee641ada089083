import VarlinkGenerator

/// Writes the types of a method's parameters, and of the structures in them, as Swift values. Code
/// that checks parameters while the program runs needs these values.
///
/// The module that contains the written file must define by hand:
/// - a structure `Shape.Structure` with `init(name:fields:)`,
/// - `Shape.Field` with `init(_ name:_ shape:)` and `init(_ name:_ shape:isRequired:)`,
/// - the shapes `bool`, `integer`, `number`, `text`, `object`, `word(_:)`, `array(_:)`, `map(_:)`
///   and `structure(_:)`.
struct ShapesWriter {
  var method: String
  /// The name of the enumeration that contains the values.
  var typeName: String
  /// The name of the type that contains the interface's enumerations, as `TypesWriter` writes them.
  var wordsType: String
  var imports: [String]
  var access: AccessLevel
  /// The names of parameters that are left out.
  var omitted: Set<String> = []

  /// The Swift source: the method's parameters first, and then each structure in them, in the order
  /// of their first use.
  ///
  /// - Throws: `GeneratorError` if there is no such method, or if a structure or an enumeration has
  ///   no name.
  func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    guard let declaration = interface.declaration(of: method),
      case .method(let input, _) = declaration.kind
    else { throw GeneratorError("name a method of \(interface.name), not '\(method)'") }
    var pending = [Structure(name: method, fields: input.filter { !omitted.contains($0.name) })]
    var written: [(name: String, rows: [String])] = []
    while !pending.isEmpty {
      let structure = pending.removeFirst()
      guard !written.contains(where: { $0.name == structure.name }) else { continue }
      var rows: [String] = []
      for field in structure.fields {
        let shape = try shape(of: field.type, for: field, in: interface, &pending)
        let isRequired = if case .optional = field.type { false } else { true }
        rows.append(".init(\"\(field.name)\", \(shape)\(isRequired ? ", isRequired: true" : ""))")
      }
      written.append((structure.name, rows))
    }
    var swift = SwiftText(
      madeFrom: source, by: "nightjar-generate",
      importing: imports.map { "\(access) import \($0)" })
    swift.line()
    swift.block("extension \(typeName).Structure") { swift in
      for (index, structure) in written.enumerated() {
        if index > 0 { swift.line() }
        swift.line("/// `\(structure.name)`")
        swift.line(
          "\(access.prefix)static let \(Self.property(structure.name)) = \(typeName).Structure(")
        swift.line("  name: \"\(structure.name)\",")
        swift.line("  fields: [")
        // swift-format puts no comma after a single element.
        let comma = structure.rows.count == 1 ? "" : ","
        for row in structure.rows { swift.line("    \(row)\(comma)") }
        swift.line("  ])")
      }
    }
    return swift.text
  }

  private struct Structure {
    var name: String
    var fields: [Field]
  }

  private func shape(
    of type: TypeExpression, for field: Field, in interface: Interface,
    _ pending: inout [Structure]
  ) throws(GeneratorError) -> String {
    switch type {
    case .bool: return ".bool"
    case .int: return ".integer"
    case .float: return ".number"
    case .string: return ".text"
    case .object: return ".object"
    case .optional(let wrapped): return try shape(of: wrapped, for: field, in: interface, &pending)
    case .array(let element):
      return ".array(\(try shape(of: element, for: field, in: interface, &pending)))"
    case .map(let value):
      return ".map(\(try shape(of: value, for: field, in: interface, &pending)))"
    case .named(let name):
      switch interface.declaration(of: name)?.kind {
      case .type(.structure(let fields)):
        pending.append(Structure(name: name, fields: fields))
        return ".structure(.\(Self.property(name)))"
      case .type(.enumeration):
        return ".word(\(wordsType).\(name).allCases.map(\\.rawValue))"
      case .type, .method, .error, nil: break
      }
    case .set, .structure, .enumeration: break
    }
    throw GeneratorError("declare a type of its own for '\(field.name)'")
  }

  private static func property(_ name: String) -> String {
    SwiftName.declared(name.prefix(1).lowercased() + name.dropFirst())
  }
}
