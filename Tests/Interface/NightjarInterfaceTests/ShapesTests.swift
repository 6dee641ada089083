import Testing
import VarlinkGenerator

@testable import nightjar_generate

@Suite struct ShapesTests {
  private static let text = """
    interface a.b

    type Mode (blinking, dim)

    type Colour (name: string, mode: ?Mode)

    type Lamp (colours: []Colour, tags: ?[string]string, repeat: ?Again, own: ?object)

    type Again (rounds: int)

    type Unused (lamp: Lamp)

    method Light(lamp: Lamp, power: ?float, again: ?Again, isOn: bool) -> ()

    method Dark(mode: (on, off)) -> ()
    """

  private static func source(of method: String) throws -> String {
    try ShapesWriter(
      method: method, typeName: "Form", wordsType: "Lamps", imports: ["Words"], access: .internal
    ).source(of: Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `A method's parameters and each structure in them are written once`() throws {
    let source = try Self.source(of: "Light")
    #expect(
      source == """
        // Made from a.b.varlink by nightjar-generate. Do not edit.

        internal import Words

        extension Form.Structure {
          /// `Light`
          static let light = Form.Structure(
            name: "Light",
            fields: [
              .init("lamp", .structure(.lamp), isRequired: true),
              .init("power", .number),
              .init("again", .structure(.again)),
              .init("isOn", .bool, isRequired: true),
            ])

          /// `Lamp`
          static let lamp = Form.Structure(
            name: "Lamp",
            fields: [
              .init("colours", .array(.structure(.colour)), isRequired: true),
              .init("tags", .map(.text)),
              .init("repeat", .structure(.again)),
              .init("own", .object),
            ])

          /// `Again`
          static let again = Form.Structure(
            name: "Again",
            fields: [
              .init("rounds", .integer, isRequired: true)
            ])

          /// `Colour`
          static let colour = Form.Structure(
            name: "Colour",
            fields: [
              .init("name", .text, isRequired: true),
              .init("mode", .word(Lamps.Mode.allCases.map(\\.rawValue))),
            ])
        }

        """)
  }

  @Test func `A name that is not a method, or a type without a name, is refused`() {
    #expect(throws: GeneratorError.self) { try Self.source(of: "Lamp") }
    #expect(throws: GeneratorError.self) { try Self.source(of: "Dark") }
  }
}
