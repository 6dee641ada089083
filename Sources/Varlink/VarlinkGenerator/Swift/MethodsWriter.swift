/// Writes a protocol for a service, with a function for each method of an interface, and the
/// function that finds the method of a call. A service that lacks a method does not compile.
///
/// The types are those of `TypesWriter`.
public struct MethodsWriter {
  /// The name of the protocol.
  public var service: String
  /// The type in which the types of the interface are declared.
  public var types: String
  /// The modules that the file imports, beside Varlink.
  public var imports: [String]
  /// The access level of the protocol.
  public var access: AccessLevel

  /// Makes a writer.
  public init(service: String, types: String, imports: [String], access: AccessLevel) {
    self.service = service
    self.types = types
    self.imports = imports
    self.access = access
  }

  /// The Swift source with the protocol.
  public func source(of interface: Interface, madeFrom source: String) -> String {
    let imports = (imports + ["Varlink"]).sorted().map { "\(access) import \($0)" }
    var swift = SwiftText(madeFrom: source, importing: imports)
    let methods = interface.declarations.filter {
      if case .method = $0.kind { true } else { false }
    }.map { declaration in
      let name = declaration.name
      return (
        name: name,
        function: SwiftName.declared(name.prefix(1).lowercased() + name.dropFirst())
      )
    }
    swift.line()
    swift.documentation(["The methods of \(interface.name)."])
    swift.block("\(access.prefix)protocol \(service)") { swift in
      swift.line("/// What a method needs beside its parameters.")
      swift.line("associatedtype Exchange")
      swift.line("/// What a method returns.")
      swift.line("associatedtype Answer")
      swift.line("associatedtype Failure: Error")
      swift.line()
      swift.line("/// The error for parameters that cannot be read.")
      swift.line("func failure(_ error: WireError) -> Failure")
      swift.line()
      for method in methods {
        swift.line("func \(method.function)(")
        swift.line("  _ call: \(types).\(method.name), _ exchange: inout Exchange")
        swift.line(") throws(Failure) -> Answer")
      }
    }
    swift.line()
    swift.block("extension \(service)") { swift in
      swift.line("/// Reads the parameters of a method and calls it. Nil: there is no such method.")
      swift.line("\(access.prefix)func perform(")
      swift.line("  _ method: JSONText, _ parameters: UnsafeRawBufferPointer,")
      swift.line("  _ exchange: inout Exchange")
      swift.block(") throws(Failure) -> Answer?") { swift in
        for method in methods {
          swift.block("if method.equals(\"\(method.name)\")") {
            $0.line("return try \(method.function)(read(parameters), &exchange)")
          }
        }
        swift.line("return nil")
      }
      swift.line()
      swift.line(
        "/// Reads the parameters of a method. A parameter that it does not have is refused.")
      swift.line("\(access.prefix)func read<Call: WireStructure>(")
      swift.line("  _ parameters: UnsafeRawBufferPointer")
      swift.block(") throws(Failure) -> Call") { swift in
        swift.line("do { return try Call(parameters, isStrict: true) } catch {")
        swift.line("  throw failure(error)")
        swift.line("}")
      }
    }
    return swift.text
  }
}
