/// Writes a function for each method of an interface. The function creates the call of the method,
/// and has a parameter for each field.
///
/// The module that contains the written file must define by hand:
/// - the type of a call, with `init(method:parameters:)`,
/// - `WrittenFields`: its `add("name", value)` adds a member unless the value is nil, and its
///   `json` is the object.
public struct CallsWriter {
  /// The name of the type of a call.
  public var callType: String
  /// The Swift names of structures.
  public var names: ValueNames
  /// The Swift type of one member of a map of strings. A map becomes an array of such members.
  public var memberType: String
  /// The Swift types of enumerations, by their names in the interface.
  public var wordTypes: [String: String]
  /// The modules that the file imports.
  public var imports: [String]
  /// The access level of the functions.
  public var access: AccessLevel

  /// Makes a writer.
  public init(
    callType: String, names: ValueNames, memberType: String, wordTypes: [String: String],
    imports: [String], access: AccessLevel
  ) {
    self.callType = callType
    self.names = names
    self.memberType = memberType
    self.wordTypes = wordTypes
    self.imports = imports
    self.access = access
  }

  /// The Swift source with the functions.
  ///
  /// - Throws: `GeneratorError` if the type of a parameter has no Swift name.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    let types = SwiftTypes(names: names, memberType: memberType, wordTypes: wordTypes)
    var methods: [(declaration: Declaration, parameters: [Parameter])] = []
    for declaration in interface.declarations {
      guard case .method(let input, _) = declaration.kind else { continue }
      var parameters: [Parameter] = []
      for field in input { parameters.append(try Parameter(field, types)) }
      methods.append((declaration, parameters))
    }
    var swift = SwiftText(madeFrom: source, importing: imports.map { "\(access) import \($0)" })
    swift.line()
    swift.block("extension \(callType)") { swift in
      for (index, method) in methods.enumerated() {
        if index > 0 { swift.line() }
        write(method.declaration, method.parameters, of: interface, to: &swift)
      }
    }
    return swift.text
  }

  private func write(
    _ declaration: Declaration, _ parameters: [Parameter], of interface: Interface,
    to swift: inout SwiftText
  ) {
    let name = declaration.name.prefix(1).lowercased() + declaration.name.dropFirst()
    let head = "\(access.prefix)static func \(SwiftName.declared(name))"
    swift.documentation(declaration.comment)
    let body = { (swift: inout SwiftText) in
      if !parameters.isEmpty {
        swift.line("var fields = WrittenFields()")
        for parameter in parameters {
          swift.line("fields.add(\"\(parameter.field)\", \(SwiftName.declared(parameter.name)))")
        }
      }
      let value = parameters.isEmpty ? ".object([])" : "fields.json"
      let prefix = parameters.isEmpty ? "" : "return "
      swift.line(
        "\(prefix)\(callType)(method: \"\(interface.name).\(declaration.name)\", parameters: \(value))"
      )
    }
    if parameters.count < 3 {
      let list = parameters.map(\.declaration).joined(separator: ", ")
      swift.block("\(head)(\(list)) -> \(callType)", body)
    } else {
      swift.block(
        "\(head)(", parameters: parameters.map(\.declaration), ") -> \(callType)", body)
    }
  }

  private struct Parameter {
    var name: String
    var field: String
    var declaration: String

    init(_ field: Field, _ types: SwiftTypes) throws(GeneratorError) {
      self.field = field.name
      name = SwiftName.camel(field.name)
      let isOptional = if case .optional = field.type { true } else { false }
      declaration =
        "\(name): \(try types.name(of: field.type, for: field))"
        + (isOptional ? " = nil" : "")
    }
  }
}
