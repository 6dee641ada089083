import Testing
import VarlinkGenerator

@Suite struct MethodsTests {
  private static func source(
    _ text: String, groups: [MethodsWriter.Group] = []
  ) throws -> String {
    let writer = MethodsWriter(
      types: MethodsWriter.TypeNames(
        service: "Lamps", parameters: "Sent", reader: "Reader", error: "Refusal"),
      groups: groups, words: [WordSet(typeName: "LampState", enumerations: ["State"])],
      imports: ["Wire"], access: .package)
    return try writer.source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  private static let text = """
    interface a.b

    type State (on, off)
    type Colour (name: string, parts: ?[]Part)
    type Part (share: float)
    type Lamp (name: string)

    # Switches a lamp.
    method Switch(name: string, state: ?State, colour: ?Colour) -> (lamp: Lamp)

    method Reset() -> ()
    """

  @Test func `A service has a function for each method, with a parameter for each field`() throws {
    #expect(
      try Self.source(Self.text).contains(
        """
          /// Switches a lamp.
          func `switch`(
            name: JSONText,
            state: LampState?,
            colour: Sent.Colour?,
            _ exchange: inout Exchange
          ) throws(Refusal) -> Answer

          func reset(
            _ exchange: inout Exchange
          ) throws(Refusal) -> Answer
        }
        """))
  }

  @Test func `A call is parsed and passed to its function`() throws {
    #expect(
      try Self.source(Self.text).contains(
        """
            if method.equals("Switch") {
              let parameters = try Sent.Switch(from: &reader)
              return try `switch`(
                name: parameters.name,
                state: parameters.state,
                colour: parameters.colour,
                &exchange)
            }
            if method.equals("Reset") {
              _ = try Sent.Reset(from: &reader)
              return try reset(&exchange)
            }
            return nil
        """))
  }

  @Test func `A structure is read by member; a missing required one is refused`() throws {
    #expect(
      try Self.source(Self.text).contains(
        """
        extension Sent {
          /// `Colour`
          package struct Colour {
            package var name: JSONText
            package var parts: [Part]?

            /// Reads the members of an object. O(n).
            package init(from reader: inout Reader) throws(Refusal) {
              var name: JSONText?
              var parts: [Part]?
              while let key = try reader.next() {
                if key.equals("name") {
                  name = try reader.text(key)
                } else if key.equals("parts") {
                  parts = try reader.array(key, Part.init(from:))
                } else {
                  throw .invalid(key.string)
                }
              }
              guard let name else { throw .invalid("name") }
              self.name = name
              self.parts = parts
            }
          }
        }
        """))
  }

  @Test func `Parameters that methods have in common are one structure`() throws {
    let text = """
      interface a.b
      method On(who: ?string, name: string, dim: ?bool) -> ()
      method Off(name: string) -> ()
      """
    let source = try Self.source(text, groups: [.init(typeName: "Order", fields: ["dim", "who"])])
    #expect(
      source.contains(
        """
          func on(
            name: JSONText,
            order: Sent.Order,
            _ exchange: inout Exchange
          ) throws(Refusal) -> Answer

          func off(
            name: JSONText,
            _ exchange: inout Exchange
        """))
    #expect(
      source.contains(
        """
          package struct Order {
            package var dim: Bool?
            package var who: JSONText?
          }
        """))
    #expect(
      source.contains(
        """
              var order = Order()
              var name: JSONText?
              while let key = try reader.next() {
                if key.equals("who") {
                  order.who = try reader.text(key)
                } else if key.equals("name") {
                  name = try reader.text(key)
                } else if key.equals("dim") {
                  order.dim = try reader.bool(key)
                } else {
        """))
  }

  @Test func `A group that no method has is refused`() throws {
    let error = #expect(throws: GeneratorError.self) {
      try Self.source(Self.text, groups: [.init(typeName: "Order", fields: ["dim"])])
    }
    #expect(error?.description == "no method has all fields of Order")
  }

  @Test func `Types of parameters are read; types that only replies have are not`() throws {
    let source = try Self.source(Self.text)
    #expect(source.contains("struct Part {"))
    #expect(!source.contains("struct Lamp {"))
  }

  @Test(arguments: [
    ("Other", "give a Swift type for Other, the type of 'x'"),
    ("[]Other", "give a Swift type for Other, the type of 'x'"),
    ("[string]int", "declare a type of its own for 'x'"),
    ("(one, two)", "declare a type of its own for 'x'"),
  ])
  func `A parameter that has no type in Swift is refused`(_ type: String, _ reason: String) throws {
    let text = """
      interface a.b
      type Other (one, two)
      method M(x: \(type)) -> ()
      """
    let error = #expect(throws: GeneratorError.self) { try Self.source(text) }
    #expect(error?.description == reason)
  }
}
