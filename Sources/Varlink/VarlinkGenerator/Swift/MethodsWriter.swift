/// Writes a protocol for a service, with a function for each method of an interface, and the
/// function that finds the method of a call. A service that lacks a method does not compile.
///
/// The types are those of `TypesWriter`.
public struct MethodsWriter {
  /// The name of the protocol.
  public var service: String
  /// The type in which the types of the interface are declared.
  public var types: String
  /// The type that has the text of the interface, as `DescriptionWriter` writes it.
  public var description: String
  /// The modules that the file imports, beside Varlink.
  public var imports: [String]
  /// The access level of the protocol.
  public var access: AccessLevel

  public init(
    service: String, types: String, description: String, imports: [String], access: AccessLevel
  ) {
    self.service = service
    self.types = types
    self.description = description
    self.imports = imports
    self.access = access
  }

  /// The Swift source with the protocol.
  public func source(of interface: Interface, madeFrom source: String) -> String {
    let imports = (imports + ["Varlink"]).sorted().map { "\(access.prefix)import \($0)" }
    var swift = SwiftText(madeFrom: source, importing: imports)
    let methods = interface.declarations.filter {
      if case .method = $0.kind { true } else { false }
    }.map { declaration in
      let name = declaration.name
      return (name: name, function: SwiftName.declared(SwiftName.camel(name)))
    }
    swift.line()
    swift.documentation(["The methods of \(interface.name)."])
    swift.block("\(access.prefix)protocol \(service): WireService") { swift in
      // Those of WireService, declared again so that the compiler infers them from the methods.
      swift.line("associatedtype Exchange")
      swift.line("associatedtype Answer")
      swift.line("associatedtype Failure")
      swift.line()
      for method in methods {
        swift.line("func \(method.function)(")
        let type = "\(types).\(SwiftName.type(method.name, inside: types))"
        swift.line("  _ call: \(type), _ exchange: inout Exchange")
        swift.line(") throws(Failure) -> Answer")
      }
    }
    swift.line()
    swift.block("extension \(service)") { swift in
      swift.line(
        "\(access.prefix)static var interfaceName: StaticString { \"\(interface.name)\" }")
      swift.line(
        "\(access.prefix)static var interfaceDescription: String { \(description).description }")
      swift.line()
      swift.line("\(access.prefix)func perform(")
      swift.line("  _ method: JSONText, _ parameters: UnsafeRawBufferPointer,")
      swift.line("  _ exchange: inout Exchange")
      swift.block(") throws(Failure) -> Answer?") { swift in
        for method in methods {
          swift.block("if method.equals(\"\(method.name)\")") {
            $0.line("return try self.\(method.function)(read(parameters), &exchange)")
          }
        }
        swift.line("return nil")
      }
    }
    return swift.text
  }
}
