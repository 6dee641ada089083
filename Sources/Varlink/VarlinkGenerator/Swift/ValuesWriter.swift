/// Writes a structure for each type of an interface that a client reads. The structure has a
/// property for each field, and an initialiser that reads the structure from JSON.
///
/// The module that contains the written file must define by hand:
/// - `JSONValue`,
/// - `Fields`, with `Fields(json, of: label)`. Its `value("name")` and `optional("name")` return a
///   field as the requested type, and throw if the field has another type. If the field is absent,
///   `value` throws and `optional` returns nil,
/// - `ReadableStructure`, the protocol by which `Fields` reads the structures,
/// - for structures that are also written, `WritableValue`, which requires `json`, and
///   `WrittenFields`; see `CallsWriter`.
///
/// If a field is absent, an optional boolean is false, and an optional array is empty.
public struct ValuesWriter {
  /// The Swift names of structures and fields.
  public var names: ValueNames
  /// The name of the type of errors that the initialisers throw.
  public var errorType: String
  /// The Swift type of one member of a map of strings. A map becomes an array of such members, in
  /// the order in which they were sent.
  public var memberType: String
  /// The Swift types of enumerations, by their names in the interface.
  public var wordTypes: [String: String]
  /// The modules that the file imports.
  public var imports: [String]
  /// The access level of the types.
  public var access: AccessLevel
  /// A suffix of names of fields, such as `_usec`. The properties of these fields are visible only
  /// in the package, because other modules use properties with better types.
  public var packageSuffix: String?
  /// The modules to import for declarations that are visible only in the package. Swift warns about
  /// a public import that no public declaration needs.
  public var packageImports: [String]

  /// Makes a writer.
  public init(
    names: ValueNames, errorType: String, memberType: String, wordTypes: [String: String],
    imports: [String], access: AccessLevel, packageSuffix: String? = nil,
    packageImports: [String] = []
  ) {
    self.names = names
    self.errorType = errorType
    self.memberType = memberType
    self.wordTypes = wordTypes
    self.imports = imports
    self.access = access
    self.packageSuffix = packageSuffix
    self.packageImports = packageImports
  }

  /// The Swift source with the structures.
  ///
  /// - Throws: `GeneratorError` if the interface lacks a structure, a method or a field of `names`.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    let narrow = packageImports.map { (AccessLevel.package, $0) }
    let modules = (imports.map { (access, $0) } + narrow).sorted { $0.1 < $1.1 }
    var swift = SwiftText(
      madeFrom: source, importing: modules.map { "\($0.0) import \($0.1)" })
    for structure in names.structures where !structure.isByHand {
      try write(structure, of: interface, to: &swift)
    }
    return swift.text
  }

  private func write(
    _ structure: ValueNames.Structure, of interface: Interface, to swift: inout SwiftText
  ) throws(GeneratorError) {
    let (comment, fields) = try contents(of: structure, in: interface)
    for name in structure.properties.keys.sorted()
    where !fields.contains(where: { $0.name == name }) {
      throw GeneratorError("\(structure.source) has no field '\(name)': leave it out")
    }
    var properties: [Property] = []
    for field in fields {
      let names = structure.properties[field.name] ?? ValueNames.Property()
      if names.isLeftOut { continue }
      properties.append(try property(field, names))
    }
    let access = structure.access ?? self.access
    if structure.hasParameters {
      let which = properties.count == fields.count ? "The parameters" : "Parameters"
      return writeParameters(
        properties, documentation: "\(which) of `\(structure.source)`; nil: not given.",
        of: structure, access, to: &swift)
    }
    swift.declaration(
      "\(access.prefix)struct", structure.swiftType,
      conformingTo: "Equatable, Sendable, ReadableStructure"
        + (structure.isWritten ? ", WritableValue" : ""), documentation: comment
    ) { swift in
      for property in properties {
        swift.documentation(property.comment)
        let narrower = property.isOfPackage || access == .package ? .package : access
        swift.line(
          "\(narrower.prefix)let \(SwiftName.declared(property.name)): \(property.type)")
      }
      swift.line()
      if structure.isWritten { writeWriting(properties, access, to: &swift) }
      swift.line("/// Reads the value from a reply of the service. O(n).")
      swift.line("///")
      swift.line("/// - Throws: a required field is missing, or a field has a wrong type.")
      swift.block("package init(_ json: JSONValue) throws(\(errorType))") { swift in
        swift.line("let fields = try Fields(json, of: \"\(structure.label)\")")
        for property in properties {
          swift.line(
            "\(property.name == "fields" ? "self." : "")\(SwiftName.declared(property.name)) = \(property.reading)"
          )
        }
      }
    }
  }

  /// Writes the parameters of a method as properties that are nil by default.
  private func writeParameters(
    _ properties: [Property], documentation: String, of structure: ValueNames.Structure,
    _ access: AccessLevel, to swift: inout SwiftText
  ) {
    swift.declaration(
      "\(access.prefix)struct", structure.swiftType,
      conformingTo: "Equatable, Sendable, WritableValue", documentation: [documentation]
    ) { swift in
      for property in properties {
        let narrower = property.isOfPackage || access == .package ? .package : access
        swift.documentation(property.comment)
        swift.line(
          "\(narrower.prefix)var \(SwiftName.declared(property.name)): \(property.bareType)?")
      }
      swift.line()
      swift.line("/// Creates the value without any field.")
      swift.line("\(access.prefix)init() {}")
      swift.line()
      writeJSON(properties, to: &swift)
    }
  }

  /// Writes the code that encodes a type as JSON. For a type that is visible only in the package,
  /// also writes an initialiser with a parameter for each property.
  private func writeWriting(
    _ properties: [Property], _ access: AccessLevel, to swift: inout SwiftText
  ) {
    defer {
      writeJSON(properties, to: &swift)
      swift.line()
    }
    guard access == .package else { return }
    swift.line("/// Creates the value from its fields.")
    let parameters = properties.map {
      "\($0.name): \($0.type)" + ($0.type.hasSuffix("?") ? " = nil" : "")
    }
    swift.block("\(access.prefix)init(", parameters: parameters, ")") { swift in
      for property in properties {
        let name = SwiftName.declared(property.name)
        swift.line("self.\(property.name) = \(name)")
      }
    }
    swift.line()
  }

  private func writeJSON(_ properties: [Property], to swift: inout SwiftText) {
    swift.block("package var json: JSONValue") { swift in
      swift.line("var fields = WrittenFields()")
      for property in properties {
        swift.line("fields.add(\"\(property.field)\", \(SwiftName.declared(property.name)))")
      }
      swift.line("return fields.json")
    }
  }

  /// The fields of a structure; for a method, the fields of its reply or of its parameters.
  private func contents(
    of structure: ValueNames.Structure, in interface: Interface
  ) throws(GeneratorError) -> (comment: [String], fields: [Field]) {
    let declaration = interface.declaration(of: structure.source)
    let comment = declaration?.comment ?? []
    switch declaration?.kind {
    case .method(let input, _) where structure.hasParameters: return (comment, input)
    case .method(_, let output): return (comment, output)
    case .type(.structure(let fields)) where !structure.hasParameters: return (comment, fields)
    default:
      let what = structure.hasParameters ? "a method" : "a structure or a method"
      throw GeneratorError("name \(what) in place of '\(structure.source)'")
    }
  }

  private struct Property {
    var name: String
    var field: String
    var type: String
    /// The Swift type without a question mark at its end.
    var bareType: String
    var reading: String
    var comment: [String]
    var isOfPackage: Bool
  }

  private func property(
    _ field: Field, _ names: ValueNames.Property
  ) throws(GeneratorError) -> Property {
    var type = field.type
    var isOptional = names.isOptional || names.defaultValue != nil
    if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
    var swiftType = names.type ?? ""
    if swiftType.isEmpty {
      let types = SwiftTypes(names: self.names, memberType: memberType, wordTypes: wordTypes)
      swiftType = try types.name(of: type, for: field)
    }
    var defaultValue = names.defaultValue
    if isOptional, !names.isOptional, defaultValue == nil {
      switch type {
      case .bool: defaultValue = "false"
      case .array: defaultValue = "[]"
      default: break
      }
    }
    let reading = "try fields.\(isOptional ? "optional" : "value")(\"\(field.name)\")"
    return Property(
      name: names.name ?? SwiftName.camel(field.name), field: field.name,
      type: swiftType + (isOptional && defaultValue == nil ? "?" : ""), bareType: swiftType,
      reading: reading + (defaultValue.map { " ?? \($0)" } ?? ""),
      comment: field.comment.isEmpty ? ["`\(field.name)`"] : field.comment,
      isOfPackage: names.isOfPackage || packageSuffix.map(field.name.hasSuffix) == true)
  }
}
