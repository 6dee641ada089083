import Testing
import VarlinkGenerator

@Suite struct MethodsTests {
  private static let text = """
    interface a.b

    type Lamp (name: string)

    # Switches a lamp.
    method Switch(name: string) -> (lamp: Lamp)

    method Reset() -> ()
    """

  private static func source(_ text: String = text) throws -> String {
    MethodsWriter(
      service: "Lamps", types: "Wire", description: "LampText", imports: ["Lighting"],
      access: .package
    ).source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `A service has a function for each method, which gets its parameters`() throws {
    let source = try Self.source()
    #expect(source.contains("\n\npackage import Lighting\npackage import Varlink\n\n"))
    #expect(
      source.contains(
        """
          func `switch`(
            _ call: Wire.Switch, _ exchange: inout Exchange
          ) throws(Failure) -> Answer
          func reset(
            _ call: Wire.Reset, _ exchange: inout Exchange
          ) throws(Failure) -> Answer
        }
        """))
  }

  @Test(arguments: [
    ("Init", "initValue", "Init"), ("Self", "selfValue", "Self_"), ("Wire", "wire", "Wire_"),
  ])
  func `A method with a name that has another meaning gets an end`(
    name: String, function: String, type: String
  ) throws {
    #expect(
      try Self.source("interface a.b\nmethod \(name)() -> ()").contains(
        "  func \(function)(\n    _ call: Wire.\(type),"))
  }

  @Test func `The parameters of a call are read for its function`() throws {
    #expect(
      try Self.source().contains(
        """
            if method.equals("Switch") {
              return try self.`switch`(read(parameters), &exchange)
            }
            if method.equals("Reset") {
              return try self.reset(read(parameters), &exchange)
            }
            return nil
        """))
  }
}
