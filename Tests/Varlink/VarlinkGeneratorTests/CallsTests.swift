import Testing
import VarlinkGenerator

@Suite struct CallsTests {
  private static let text = """
    interface a.b

    type State (on, off)
    type Lamp (name: string)

    # Switches a lamp.
    method Switch(name: string, repeat: ?int) -> ()

    # Adds lamps.
    method AddLamps(lamps: []Lamp, state: ?State, labels: ?[string]string) -> ()

    method Reset() -> ()
    """

  private static func source(_ names: String, text: String = text) throws -> String {
    let writer = CallsWriter(
      callType: "Call", names: try ValueNames(parsing: names), memberType: "Label",
      wordTypes: ["State": "Lamp.State"], imports: ["Wire"], access: .package)
    return try writer.source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `Each method is a function with a parameter for each field`() throws {
    #expect(
      try Self.source("NewLamp = Lamp by hand") == """
        // Made from a.b.varlink by varlink-swift. Do not edit: run `make generate`.

        package import Wire

        extension Call {
          /// Switches a lamp.
          package static func `switch`(name: String, repeat: Int64? = nil) -> Call {
            var fields = WrittenFields()
            fields.add("name", name)
            fields.add("repeat", `repeat`)
            return Call(method: "a.b.Switch", parameters: fields.json)
          }

          /// Adds lamps.
          package static func addLamps(
            lamps: [NewLamp],
            state: Lamp.State? = nil,
            labels: [Label]? = nil
          ) -> Call {
            var fields = WrittenFields()
            fields.add("lamps", lamps)
            fields.add("state", state)
            fields.add("labels", labels)
            return Call(method: "a.b.AddLamps", parameters: fields.json)
          }

          package static func reset() -> Call {
            Call(method: "a.b.Reset", parameters: .object([]))
          }
        }

        """)
  }

  @Test(arguments: [
    ("Lamp", "give a Swift type for Lamp, the type of 'x'"),
    ("[string]int", "declare a type of its own for 'x', or leave it out"),
    ("[string]()", "declare a type of its own for 'x', or leave it out"),
    ("(one, two)", "declare a type of its own for 'x', or leave it out"),
  ])
  func `A parameter that has no type in Swift is refused`(type: String, error: String) throws {
    let text = "interface a.b\ntype Lamp (n: int)\nmethod M(x: \(type)) -> ()"
    let thrown = #expect(throws: GeneratorError.self) { try Self.source("", text: text) }
    #expect(thrown?.description == error)
  }
}
