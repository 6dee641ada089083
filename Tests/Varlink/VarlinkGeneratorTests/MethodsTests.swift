import Testing
import VarlinkGenerator

/// What the names of methods become. The tests of the outputs compare whole files.
@Suite struct MethodsTests {
  private static func source(_ declaration: String) throws -> String {
    MethodsWriter(
      service: "Lamps", types: "Wire", description: "LampText", imports: ["Lighting"],
      access: .package
    ).source(of: try Interface(parsing: "interface a.b\n\(declaration)"), madeFrom: "a.b.varlink")
  }

  @Test func `Modules that a service needs are imported with its access`() throws {
    #expect(
      try Self.source("method Reset() -> ()").contains(
        "\n\npackage import Lighting\npackage import Varlink\n\n"))
  }

  @Test(arguments: [
    ("Init", "initValue", "Init"), ("Self", "selfValue", "Self_"), ("Wire", "wire", "Wire_"),
    // Where it is called, there are parameters with these names.
    ("Exchange", "exchange", "Exchange"), ("Parameters", "parameters", "Parameters"),
    ("Method", "method", "Method"), ("Reader", "readerValue", "Reader"),
    ("Switch", "`switch`", "Switch"),
  ])
  func `A method with a name that has another meaning is a function of the service all the same`(
    name: String, function: String, type: String
  ) throws {
    let source = try Self.source("method \(name)() -> ()")
    #expect(source.contains("  func \(function)(\n    _ call: Wire.\(type), _ exchange: inout"))
    #expect(source.contains("return try self.\(function)(read(parameters), &exchange)"))
  }
}
