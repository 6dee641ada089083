/// Writes the errors of an interface as an enumeration, for a service and for its clients. Each
/// error is a case with a value for each field. The enumeration also has a case for the errors of
/// `org.varlink.service`, and one for an error that it does not know.
///
/// The types of the fields are those of `TypesWriter`.
public struct ErrorsWriter {
  /// The name of the enumeration.
  public var typeName: String
  /// The type in which the types of the interface are declared.
  public var types: String
  /// The access level of the enumeration.
  public var access: AccessLevel

  public init(typeName: String, types: String, access: AccessLevel) {
    self.typeName = typeName
    self.types = types
    self.access = access
  }

  /// The Swift source with the enumeration.
  ///
  /// - Throws: `GeneratorError` if two errors, or two fields of one, are the same in Swift.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    let interface = try interface.withNamedTypes()
    let types = TypeNames(outer: types)
    var errors: [ErrorCase] = []
    for declaration in interface.declarations {
      guard case .error(let fields) = declaration.kind else { continue }
      errors.append(try ErrorCase(declaration, fields, of: interface, types))
    }
    if let twice = errors.map(\.name).firstRepeated {
      throw GeneratorError("rename the error that is \(twice) in Swift")
    }
    let access = access.prefix
    var swift = SwiftText(madeFrom: source, importing: ["\(access)import Varlink"])
    swift.line()
    swift.documentation(["The errors of \(interface.name)."])
    swift.block("\(access)enum \(typeName): WireFailure, Equatable") { swift in
      for error in errors { error.declare(in: &swift) }
      swift.documentation(["An error of `org.varlink.service`."])
      swift.line("case varlink(VarlinkError)")
      swift.documentation(["An error that is none of these, with its full name."])
      swift.line("case other(name: String, parameters: JSONValue)")
      swift.line()
      swift.documentation([
        "Reads an error from a reply. A parameter that is missing or of another type becomes empty,",
        "zero or false.",
      ])
      swift.line("///")
      swift.line("/// - Parameters:")
      swift.line("///   - name: the full name: interface, dot, error.")
      swift.line("///   - parameters: the error's parameters, an object.")
      swift.block("\(access)init(name: String, parameters: JSONValue)") { swift in
        swift.line("switch name {")
        for error in errors { read(error, to: &swift) }
        swift.line("default:")
        swift.line("  self =")
        swift.line("    VarlinkError(name: name, parameters: parameters).map { .varlink($0) }")
        swift.line("    ?? .other(name: name, parameters: parameters)")
        swift.line("}")
      }
      swift.line()
      swift.documentation(["Appends the error as a reply."])
      swift.block("\(access)func write(to writer: inout JSONWriter)") { swift in
        swift.line("switch self {")
        for error in errors { write(error, to: &swift) }
        swift.line("case .varlink(let error): writer.writeError(error)")
        swift.line("case .other(let name, let parameters):")
        swift.line("  writer.writeError(name: name, parameters: parameters)")
        swift.line("}")
      }
    }
    return swift.text
  }

  private func write(_ error: ErrorCase, to swift: inout SwiftText) {
    let call = "writer.writeError(name: \"\(error.fullName)\")"
    guard !error.fields.isEmpty else { return swift.line("case .\(error.name): \(call)") }
    swift.call("case .\(error.name)", error.fields.map { "let \($0.declared)" }, after: ":")
    swift.indented { swift in
      swift.block(call) {
        for field in error.fields { $0.line("$0.field(\"\(field.field)\", \(field.declared))") }
      }
    }
  }

  private func read(_ error: ErrorCase, to swift: inout SwiftText) {
    let values = error.fields.map { "\($0.name): parameters.field(\"\($0.field)\")" }
    swift.line("case \"\(error.fullName)\":")
    swift.indented { $0.call("self = .\(error.name)", values) }
  }
}

/// A case of the enumeration, for one error.
private struct ErrorCase {
  struct Field {
    var field: String
    var name: String
    var type: String

    var declared: String { SwiftName.declared(name) }
  }

  var name: String
  var fullName: String
  var comment: [String]
  var fields: [Field]

  init(
    _ declaration: Declaration, _ fields: [VarlinkGenerator.Field], of interface: Interface,
    _ types: TypeNames
  ) throws(GeneratorError) {
    // The other members of the enumeration.
    let taken: Set = ["other", "varlink", "write"]
    name = SwiftName.declared(SwiftName.camel(declaration.name, besides: taken))
    fullName = "\(interface.name).\(declaration.name)"
    comment = declaration.comment.isEmpty ? ["`\(declaration.name)`"] : declaration.comment
    self.fields = fields.map {
      Field(field: $0.name, name: SwiftName.camel($0.name), type: types.name(of: $0.type))
    }
    if let twice = self.fields.map(\.name).firstRepeated {
      throw GeneratorError("rename the field of \(declaration.name) that is \(twice) in Swift")
    }
  }

  func declare(in swift: inout SwiftText) {
    swift.documentation(comment)
    swift.call("case \(name)", fields.map { "\($0.name): \($0.type)" })
  }
}
