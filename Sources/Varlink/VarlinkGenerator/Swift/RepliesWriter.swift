/// Writes a protocol for each structure and each reply that a service sends. The protocol requires
/// a property for each field, and its extension writes the fields as JSON, in the order of the
/// interface. A type that lacks a field does not compile. The service need not copy its values into
/// a structure first.
///
/// The module that contains the written file must define by hand:
/// - the protocol of writable values, which requires `write(to:)`,
/// - the type that writes JSON, which has `beginObject()`, `endObject()`, `beginReply()`,
///   `endReply(continues:)`, `key("name")`, and `member("name", value)` for integers, numbers and
///   booleans.
///
/// An optional boolean is written only if it is true. If `threeValued` contains the boolean, false
/// is written too, because its absence has another meaning than false.
public struct RepliesWriter {
  /// The structures, by their names in the interface.
  public var structures: [String]
  /// The methods whose replies have a protocol, by their names in the interface.
  public var methods: [String]
  /// Booleans that are also written if they are false, as `Structure.field`. Both are names in the
  /// interface.
  public var threeValued: [String]
  /// The name of the protocol of writable values.
  public var writable: String
  /// The name of the type that writes JSON.
  public var writer: String
  /// The modules that the file imports.
  public var imports: [String]
  /// The access level of the protocols.
  public var access: AccessLevel

  /// Makes a writer.
  public init(
    structures: [String], methods: [String], threeValued: [String] = [], writable: String,
    writer: String, imports: [String], access: AccessLevel
  ) {
    self.structures = structures
    self.methods = methods
    self.threeValued = threeValued
    self.writable = writable
    self.writer = writer
    self.imports = imports
    self.access = access
  }

  /// The Swift source with the protocols.
  ///
  /// - Throws: `GeneratorError` if the interface lacks a structure or a method.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    var swift = SwiftText(madeFrom: source, importing: imports.map { "\(access) import \($0)" })
    for name in structures {
      guard let declaration = interface.declaration(of: name),
        case .type(.structure(let fields)) = declaration.kind
      else { throw GeneratorError("name a structure of \(interface.name) in place of '\(name)'") }
      write(declaration, properties(fields, of: name), as: .object, to: &swift)
    }
    for name in methods {
      guard let declaration = interface.declaration(of: name),
        case .method(_, let fields) = declaration.kind
      else { throw GeneratorError("name a method of \(interface.name) in place of '\(name)'") }
      write(declaration, properties(fields, of: name), as: .reply, to: &swift)
    }
    return swift.text
  }

  private func properties(_ fields: [Field], of name: String) -> [Property] {
    fields.map { Property($0, isThreeValued: threeValued.contains("\(name).\($0.name)")) }
  }

  /// The JSON in which the fields are written.
  private enum Form {
    /// The fields are an object inside another value.
    case object
    /// The fields are the parameters of a reply.
    case reply
  }

  private struct Property {
    var field: Field
    var name: String
    /// The Swift type of a scalar; nil: the type that conforms to the protocol determines it.
    var scalar: String?
    var isOptional = false

    init(_ field: Field, isThreeValued: Bool) {
      self.field = field
      name = SwiftName.camel(field.name)
      var type = field.type
      if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
      switch type {
      case .bool: (scalar, isFlag) = ("Bool", isOptional && !isThreeValued)
      case .int: scalar = "Int64"
      case .float: scalar = "Double"
      case .string, .object, .named, .array, .map, .set, .structure, .enumeration, .optional: break
      }
    }

    /// Whether the field is a boolean that is written only if it is true.
    var isFlag = false

    /// The name of the associated type for a field that is no scalar.
    var associatedType: String { name.prefix(1).uppercased() + name.dropFirst() + "Value" }

    var type: String {
      (scalar ?? associatedType) + (isOptional && !isFlag ? "?" : "")
    }
  }

  private func write(
    _ declaration: Declaration, _ properties: [Property], as form: Form, to swift: inout SwiftText
  ) {
    let (name, head): (String, String)
    switch form {
    case .object:
      name = "\(declaration.name)Fields"
      head = "\(name): \(writable)"
    case .reply: (name, head) = ("\(declaration.name)Reply", "\(declaration.name)Reply")
    }
    swift.line()
    switch form {
    case .object:
      swift.documentation(declaration.comment.isEmpty ? [declaration.name] : declaration.comment)
    case .reply: swift.documentation(["A reply of `\(declaration.name)`."])
    }
    swift.block("\(access.prefix)protocol \(head)") { swift in
      for property in properties where property.scalar == nil {
        swift.line("associatedtype \(property.associatedType): \(writable)")
      }
      for property in properties {
        swift.documentation(
          property.field.comment.isEmpty ? ["`\(property.field.name)`"] : property.field.comment)
        swift.line("var \(SwiftName.declared(property.name)): \(property.type) { get }")
      }
    }
    swift.line()
    swift.block("extension \(name)") { swift in
      let (parameter, begin, end): (String, String, String)
      switch form {
      case .object:
        swift.documentation(["Writes an object. O(n)."])
        (parameter, begin, end) = ("", "beginObject()", "endObject()")
      case .reply:
        swift.documentation(["Writes a whole reply. `continues`: more replies follow. O(n)."])
        (parameter, begin) = (", continues: Bool = false", "beginReply()")
        end = "endReply(continues: continues)"
      }
      swift.block("\(access.prefix)func write(to writer: inout \(writer)\(parameter))") { swift in
        swift.line("writer.\(begin)")
        for property in properties { write(property, to: &swift) }
        swift.line("writer.\(end)")
      }
    }
  }

  private func write(_ property: Property, to swift: inout SwiftText) {
    let name = SwiftName.declared(property.name)
    let field = property.field.name
    if property.isFlag {
      swift.line("if \(name) { writer.member(\"\(field)\", true) }")
    } else if property.isOptional {
      swift.block("if let \(name)") { swift in
        write(name, field, isScalar: property.scalar != nil, to: &swift)
      }
    } else {
      write(name, field, isScalar: property.scalar != nil, to: &swift)
    }
  }

  private func write(
    _ name: String, _ field: String, isScalar: Bool, to swift: inout SwiftText
  ) {
    guard !isScalar else { return swift.line("writer.member(\"\(field)\", \(name))") }
    swift.line("writer.key(\"\(field)\")")
    swift.line("\(name).write(to: &writer)")
  }
}
