/// Writes the protocol that a service implements. The protocol has a function for each method, with
/// a parameter for each field. Also writes the code that reads the parameters from JSON. If the
/// interface gains a field, the compiler reports the missing parameter.
///
/// The module that contains the written file must define by hand:
/// - the type that contains the structures of parameters,
/// - the type that reads parameters. Its `next()` returns the key of the next member that is not
///   null. `text(key)`, `integer(key)`, `number(key)`, `bool(key)`, `object(key)`, `word(key)`,
///   `words(key)`, `texts(key)`, `members(key)`, `structure(key, read)` and `array(key, read)`
///   return the member's value, or throw,
/// - the type of errors, with `invalid("name")` for a missing or unknown parameter.
public struct MethodsWriter {
  /// The names of the protocol, and of the types that are written by hand.
  public struct TypeNames: Equatable, Sendable {
    /// The name of the protocol to write.
    public var service: String
    /// The name of the type that contains the structures of parameters.
    public var parameters: String
    /// The name of the type that reads parameters.
    public var reader: String
    /// The name of the type of errors.
    public var error: String

    /// Creates the names.
    public init(service: String, parameters: String, reader: String, error: String) {
      self.service = service
      self.parameters = parameters
      self.reader = reader
      self.error = error
    }
  }

  /// A group of parameters that several methods have. The functions of these methods get the group
  /// as one structure.
  public struct Group: Equatable, Sendable {
    /// The name of the group's structure.
    public var typeName: String
    /// The names of the fields of the group in the interface. If a method has all these fields, its
    /// function gets them as the group.
    public var fields: [String]

    /// Makes a group.
    public init(typeName: String, fields: [String]) {
      self.typeName = typeName
      self.fields = fields
    }

    /// The name of the function's parameter that takes the group.
    var property: String { typeName.prefix(1).lowercased() + typeName.dropFirst() }
  }

  /// The names of the protocol, and of the types that are written by hand.
  public var types: TypeNames
  /// The groups of shared parameters.
  public var groups: [Group]
  /// The Swift types of enumerations.
  public var words: [WordSet]
  /// The modules that the file imports.
  public var imports: [String]
  /// The access level of the protocol.
  public var access: AccessLevel

  /// Makes a writer.
  public init(
    types: TypeNames, groups: [Group] = [], words: [WordSet], imports: [String],
    access: AccessLevel
  ) {
    self.types = types
    self.groups = groups
    self.words = words
    self.imports = imports
    self.access = access
  }

  /// The Swift source with the protocol and the structures.
  ///
  /// - Throws: `GeneratorError` if the type of a parameter has no Swift name.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    var methods: [Structure] = []
    for declaration in interface.declarations {
      guard case .method(let input, _) = declaration.kind else { continue }
      var method = try structure(declaration, input, in: interface)
      method.groups = groups.filter { method.fields(of: $0) != nil }
      methods.append(method)
    }
    var swift = SwiftText(madeFrom: source, importing: imports.map { "\(access) import \($0)" })
    write(methods, of: interface, to: &swift)
    for group in groups {
      guard let fields = methods.lazy.compactMap({ $0.fields(of: group) }).first else {
        throw GeneratorError("no method has all fields of \(group.typeName)")
      }
      write(group, fields, to: &swift)
    }
    for declaration in interface.declarations where isSent(declaration.name, in: interface) {
      guard case .type(.structure(let fields)) = declaration.kind else { continue }
      write(try structure(declaration, fields, in: interface), to: &swift)
    }
    for method in methods { write(method, to: &swift) }
    return swift.text
  }

  // MARK: Collecting the structures

  private typealias ReadField = (name: String, property: String, type: String, reading: String)

  private struct Structure {
    var declaration: Declaration
    var fields: [ReadField]
    /// The groups of parameters that the method has.
    var groups: [Group] = []

    /// The fields of a group, in the group's order; nil if the method lacks one of them.
    func fields(of group: Group) -> [ReadField]? {
      let found = group.fields.compactMap { name in fields.first { $0.name == name } }
      return found.count == group.fields.count ? found : nil
    }

    /// The group that contains a field; nil if none does.
    func group(of field: ReadField) -> Group? {
      groups.first { $0.fields.contains(field.name) }
    }

    /// The stored properties of the structure: each field that is in no group, and then the groups.
    var properties: [(name: String, type: String)] {
      fields.filter { group(of: $0) == nil }.map { ($0.property, $0.type) }
        + groups.map { ($0.property, $0.typeName) }
    }

    /// The name of the function for the method.
    var functionName: String {
      SwiftName.declared(declaration.name.prefix(1).lowercased() + declaration.name.dropFirst())
    }
  }

  private func structure(
    _ declaration: Declaration, _ fields: [Field], in interface: Interface
  ) throws(GeneratorError) -> Structure {
    var structure = Structure(declaration: declaration, fields: [])
    for field in fields {
      let (type, reading) = try value(of: field.type, for: field, in: interface)
      structure.fields.append((field.name, SwiftName.camel(field.name), type, reading))
    }
    return structure
  }

  /// The Swift type of a field, and the expression that reads it.
  private func value(
    of type: TypeExpression, for field: Field, in interface: Interface
  ) throws(GeneratorError) -> (type: String, reading: String) {
    switch type {
    case .bool: return ("Bool", "bool(key)")
    case .int: return ("Int64", "integer(key)")
    case .float: return ("Double", "number(key)")
    case .string: return ("JSONText", "text(key)")
    case .object: return ("UnsafeRawBufferPointer", "object(key)")
    case .map(.string): return ("[\(types.parameters).Member]", "members(key)")
    case .array(.string): return ("[JSONText]", "texts(key)")
    case .optional(let wrapped):
      let (type, reading) = try value(of: wrapped, for: field, in: interface)
      return ("\(type)?", reading)
    case .named(let name):
      if let word = words.first(where: { $0.enumerations == [name] }) {
        return (word.typeName, "word(key)")
      }
      guard isStructure(name, in: interface) else {
        throw GeneratorError("give a Swift type for \(name), the type of '\(field.name)'")
      }
      return (name, "structure(key, \(name).init(from:))")
    case .array(.named(let name)):
      if let word = words.first(where: { $0.enumerations == [name] }) {
        return ("[\(word.typeName)]", "words(key)")
      }
      guard isStructure(name, in: interface) else {
        throw GeneratorError("give a Swift type for \(name), the type of '\(field.name)'")
      }
      return ("[\(name)]", "array(key, \(name).init(from:))")
    case .array, .map, .set, .structure, .enumeration:
      throw GeneratorError("declare a type of its own for '\(field.name)'")
    }
  }

  private func isStructure(_ name: String, in interface: Interface) -> Bool {
    if case .type(.structure) = interface.declaration(of: name)?.kind { true } else { false }
  }

  /// Whether a structure of the interface is part of a method's parameters.
  private func isSent(_ name: String, in interface: Interface) -> Bool {
    interface.declarations.contains { declaration in
      switch declaration.kind {
      case .method(let input, _): input.contains { $0.type.mentions(name) }
      case .type(.structure(let fields)):
        fields.contains { $0.type.mentions(name) } && isSent(declaration.name, in: interface)
      case .type, .error: false
      }
    }
  }

  // MARK: The protocol

  private func write(
    _ methods: [Structure], of interface: Interface, to swift: inout SwiftText
  ) {
    swift.line()
    swift.documentation(["The methods of \(interface.name)."])
    swift.block("\(access.prefix)protocol \(types.service)") { swift in
      swift.documentation(["The context of a call: all but its parameters."])
      swift.line("associatedtype Exchange")
      swift.documentation(["The result of a method, beside its replies."])
      swift.line("associatedtype Answer")
      for method in methods {
        swift.line()
        swift.documentation(method.declaration.comment)
        swift.line("func \(method.functionName)(")
        for property in method.properties {
          swift.line("  \(property.name): \(qualified(property.type)),")
        }
        swift.line("  _ exchange: inout Exchange")
        swift.line(") throws(\(types.error)) -> Answer")
      }
    }
    swift.line()
    swift.block("extension \(types.service)") { swift in
      swift.documentation(["Reads the parameters of a method and calls it."])
      swift.line("///")
      swift.line("/// - Returns: nil if there is no such method.")
      swift.block(
        "\(access.prefix)func perform(",
        parameters: [
          "_ method: JSONText", "_ reader: inout \(types.reader)", "_ exchange: inout Exchange",
        ], ") throws(\(types.error)) -> Answer?"
      ) { swift in
        for method in methods {
          swift.block("if method.equals(\"\(method.declaration.name)\")") { write(method, &$0) }
        }
        swift.line("return nil")
      }
    }
  }

  /// Writes the code that calls the function of a method.
  private func write(_ method: Structure, _ swift: inout SwiftText) {
    let reading = "try \(types.parameters).\(method.declaration.name)(from: &reader)"
    guard !method.fields.isEmpty else {
      swift.line("_ = \(reading)")
      return swift.line("return try \(method.functionName)(&exchange)")
    }
    swift.line("let parameters = \(reading)")
    swift.line("return try \(method.functionName)(")
    for property in method.properties {
      swift.line("  \(property.name): parameters.\(property.name),")
    }
    swift.line("  &exchange)")
  }

  /// The full name of a type, for code outside of the type that contains the structures.
  private func qualified(_ type: String) -> String {
    let bare = type.filter { !"[]?".contains($0) }
    let isOurs =
      !bare.contains(".") && !words.contains { $0.typeName == bare }
      && !["Bool", "Int64", "Double", "JSONText", "UnsafeRawBufferPointer"].contains(bare)
    return isOurs ? type.replacing(bare, with: "\(types.parameters).\(bare)") : type
  }

  // MARK: The structures

  private func write(_ group: Group, _ fields: [ReadField], to swift: inout SwiftText) {
    swift.line()
    swift.block("extension \(types.parameters)") { swift in
      swift.documentation(["The members that all methods share."])
      swift.block("\(access.prefix)struct \(group.typeName)") { swift in
        for field in fields {
          swift.line("\(access.prefix)var \(SwiftName.declared(field.property)): \(field.type)")
        }
      }
    }
  }

  private func write(_ structure: Structure, to swift: inout SwiftText) {
    let name = structure.declaration.name
    swift.line()
    swift.block("extension \(types.parameters)") { swift in
      swift.documentation(
        structure.declaration.comment.isEmpty ? ["`\(name)`"] : structure.declaration.comment)
      // The parameters of a method are passed to its function one by one, so the structure of these
      // parameters need not be copyable.
      let isCall = if case .method = structure.declaration.kind { true } else { false }
      swift.block("\(access.prefix)struct \(name)\(isCall ? ": ~Copyable" : "")") { swift in
        for property in structure.properties {
          swift.line(
            "\(access.prefix)var \(SwiftName.declared(property.name)): \(property.type)")
        }
        if !structure.fields.isEmpty { swift.line() }
        swift.line("/// Reads the members of an object. O(n).")
        swift.block(
          "\(access.prefix)init(from reader: inout \(types.reader)) throws(\(types.error))"
        ) { writeReading(structure, to: &$0) }
      }
    }
  }

  private func writeReading(_ structure: Structure, to swift: inout SwiftText) {
    guard !structure.fields.isEmpty else {
      return swift.line("if let key = try reader.next() { throw .invalid(key.string) }")
    }
    for group in structure.groups {
      swift.line("var \(group.property) = \(group.typeName)()")
    }
    for field in structure.fields where structure.group(of: field) == nil {
      let optional = field.type.hasSuffix("?") ? field.type : "\(field.type)?"
      swift.line("var \(SwiftName.declared(field.property)): \(optional)")
    }
    swift.block("while let key = try reader.next()") { swift in
      for (index, field) in structure.fields.enumerated() {
        swift.line("\(index == 0 ? "" : "} else ")if key.equals(\"\(field.name)\") {")
        let place =
          structure.group(of: field).map { "\($0.property).\(field.property)" }
          ?? SwiftName.declared(field.property)
        swift.line("  \(place) = try reader.\(field.reading)")
      }
      swift.line("} else {")
      swift.line("  throw .invalid(key.string)")
      swift.line("}")
    }
    for field in structure.fields where !field.type.hasSuffix("?") {
      let property = SwiftName.declared(field.property)
      swift.line("guard let \(property) else { throw .invalid(\"\(field.name)\") }")
    }
    for property in structure.properties {
      swift.line("self.\(property.name) = \(SwiftName.declared(property.name))")
    }
  }
}

extension TypeExpression {
  /// Whether this type contains the declared type `name`.
  fileprivate func mentions(_ name: String) -> Bool {
    switch self {
    case .named(let other): other == name
    case .optional(let wrapped), .array(let wrapped), .map(let wrapped): wrapped.mentions(name)
    case .bool, .int, .float, .string, .object, .set, .structure, .enumeration: false
    }
  }
}
