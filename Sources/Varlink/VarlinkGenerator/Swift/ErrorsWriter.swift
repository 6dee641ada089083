/// Writes the errors of an interface as an enumeration, for a service and for its clients. Each error
/// is a case with a value for each field. The enumeration also has a case for the errors of
/// `org.varlink.service`, and one for an error that it does not know.
public struct ErrorsWriter {
  /// The name of the enumeration.
  public var typeName: String
  /// The access level of the enumeration.
  public var access: AccessLevel

  /// Makes a writer.
  public init(typeName: String, access: AccessLevel) {
    self.typeName = typeName
    self.access = access
  }

  /// The Swift source with the enumeration.
  ///
  /// - Throws: `GeneratorError` if a field is not a boolean, a number, a text or an array of texts.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    var errors: [ErrorCase] = []
    for declaration in interface.declarations {
      guard case .error(let fields) = declaration.kind else { continue }
      errors.append(try ErrorCase(declaration, fields, of: interface))
    }
    if let twice = (["varlink", "other"] + errors.map(\.name)).firstRepeated {
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
        "Reads an error from a reply. A parameter that is missing becomes empty, zero or false."
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
    guard !error.fields.isEmpty else {
      return swift.line("case .\(error.name): writer.writeError(name: \"\(error.fullName)\")")
    }
    let values = error.fields.map { "let \(SwiftName.declared($0.name))" }
    swift.line("case .\(error.name)(\(values.joined(separator: ", "))):")
    swift.line("  writer.writeError(name: \"\(error.fullName)\") {")
    for field in error.fields {
      let name = SwiftName.declared(field.name)
      let member = "$0.member(\"\(field.field)\", \(name))"
      swift.line("    " + (field.isOptional ? "if let \(name) { \(member) }" : member))
    }
    swift.line("  }")
  }

  private func read(_ error: ErrorCase, to swift: inout SwiftText) {
    swift.line("case \"\(error.fullName)\":")
    guard !error.fields.isEmpty else { return swift.line("  self = .\(error.name)") }
    swift.line("  self = .\(error.name)(")
    for (index, field) in error.fields.enumerated() {
      let end = index + 1 < error.fields.count ? "," : ")"
      swift.line("    \(field.name): \(field.reading)\(end)")
    }
  }
}

/// A case of the enumeration, for one error.
private struct ErrorCase {
  struct Field {
    var field: String
    var name: String
    var type: String
    var isOptional: Bool
    /// The Swift expression that reads the field from a reply.
    var reading: String
  }

  var name: String
  var fullName: String
  var comment: [String]
  var fields: [Field]

  init(
    _ declaration: Declaration, _ fields: [VarlinkGenerator.Field], of interface: Interface
  ) throws(GeneratorError) {
    name = SwiftName.declared(
      declaration.name.prefix(1).lowercased() + declaration.name.dropFirst())
    fullName = "\(interface.name).\(declaration.name)"
    comment = declaration.comment.isEmpty ? ["`\(declaration.name)`"] : declaration.comment
    self.fields = []
    for field in fields { self.fields.append(try Field(field, of: declaration.name)) }
  }

  func declare(in swift: inout SwiftText) {
    swift.documentation(comment)
    let values = fields.map { "\($0.name): \($0.type)" }
    let line = "case \(name)" + (values.isEmpty ? "" : "(\(values.joined(separator: ", ")))")
    guard line.count > 98 else { return swift.line(line) }
    swift.line("case \(name)(")
    for value in values.dropLast() { swift.line("  \(value),") }
    swift.line("  \(values.last ?? ""))")
  }
}

extension ErrorCase.Field {
  fileprivate init(_ field: Field, of error: String) throws(GeneratorError) {
    self.field = field.name
    name = SwiftName.camel(field.name)
    var type = field.type
    isOptional = false
    if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
    let (swiftType, accessor, absent): (String, String, String)
    switch type {
    case .bool: (swiftType, accessor, absent) = ("Bool", "boolValue", "false")
    case .int: (swiftType, accessor, absent) = ("Int64", "integerValue", "0")
    case .float: (swiftType, accessor, absent) = ("Double", "doubleValue", "0")
    case .string: (swiftType, accessor, absent) = ("String", "stringValue", "\"\"")
    case .array(.string):
      (swiftType, accessor, absent) = (
        "[String]", "arrayValue?.compactMap(\\.stringValue)", "[]"
      )
    case .object, .array, .map, .optional, .set, .structure, .enumeration, .named:
      throw GeneratorError(
        "make '\(field.name)' of \(error) a boolean, a number, a text or an array of texts")
    }
    self.type = swiftType + (isOptional ? "?" : "")
    reading =
      "parameters[\"\(field.name)\"]?.\(accessor)" + (isOptional ? "" : " ?? \(absent)")
  }
}
