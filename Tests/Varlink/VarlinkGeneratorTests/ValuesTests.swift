import Testing
import VarlinkGenerator

@Suite struct ValuesTests {
  private static let text = """
    interface a.b

    type State (on, off)

    # A lamp.
    type Lamp (
      # Its name.
      name: string,
      state: State,
      colour: ?string,
      watts: ?float,
      is_hot: ?bool,
      age_usec: int,
      parts: ?[]Part,
      labels: ?[string]string,
      data: object,
      note: string
    )

    type Part (number: int, nested: (a: int))

    # All lamps.
    method List(name: string) -> (lamps: []Lamp)
    """

  private static func source(
    _ names: String, text: String = text
  ) throws -> String {
    let writer = ValuesWriter(
      names: try ValueNames(parsing: names), errorType: "Failure", memberType: "Label",
      wordTypes: ["State": "Lamp.State"], imports: ["Wire"], access: .public,
      packageSuffix: "_usec",
      packageImports: ["Lamps"]
    )
    return try writer.source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `A structure has a property for each field, and reads it`() throws {
    let source = try Self.source(
      """
      Lamp = Lamp lamp
        is_hot = isHot
        colour: Colour default .white  # comment
        watts = power package
        data optional
        note left out
      Lamp.Part = Part by hand
      """)
    #expect(
      source == """
        // Made from a.b.varlink by varlink-swift. Do not edit: run `make generate`.

        package import Lamps
        public import Wire

        /// A lamp.
        public struct Lamp: Equatable, Sendable, ReadableStructure {
          /// Its name.
          public let name: String
          /// `state`
          public let state: Lamp.State
          /// `colour`
          public let colour: Colour
          /// `watts`
          package let power: Double?
          /// `is_hot`
          public let isHot: Bool
          /// `age_usec`
          package let ageUsec: Int64
          /// `parts`
          public let parts: [Lamp.Part]
          /// `labels`
          public let labels: [Label]?
          /// `data`
          public let data: JSONValue?

          /// Reads the value from a reply of the service. O(n).
          ///
          /// - Throws: a required field is missing, or a field has a wrong type.
          package init(_ json: JSONValue) throws(Failure) {
            let fields = try Fields(json, of: "lamp")
            name = try fields.value("name")
            state = try fields.value("state")
            colour = try fields.optional("colour") ?? .white
            power = try fields.optional("watts")
            isHot = try fields.optional("is_hot") ?? false
            ageUsec = try fields.value("age_usec")
            parts = try fields.optional("parts") ?? []
            labels = try fields.optional("labels")
            data = try fields.optional("data")
          }
        }

        """)
  }

  @Test func `A structure that is written has an initialiser and its JSON`() throws {
    let source = try Self.source(
      "package Bulb = Bulb bulb written", text: "interface a.b\ntype Bulb (watts: int, hue: ?float)"
    )
    #expect(
      source.contains(
        """
        package struct Bulb: Equatable, Sendable, ReadableStructure, WritableValue {
          /// `watts`
          package let watts: Int64
          /// `hue`
          package let hue: Double?

          /// Creates the value from its fields.
          package init(
            watts: Int64,
            hue: Double? = nil
          ) {
            self.watts = watts
            self.hue = hue
          }

          package var json: JSONValue {
            var fields = WrittenFields()
            fields.add("watts", watts)
            fields.add("hue", hue)
            return fields.json
          }

          /// Reads the value
        """))
  }

  @Test func `A public structure that is written has its JSON, and no initialiser with its fields`()
    throws
  {
    let source = try Self.source(
      "Bulb = Bulb bulb written", text: "interface a.b\ntype Bulb (watts: int)")
    #expect(
      source.contains(
        """
          public let watts: Int64

          package var json: JSONValue {
        """))
    #expect(!source.contains("init(\n"))
  }

  @Test func `The parameters of a method are a structure of what is set, which is only sent`()
    throws
  {
    let source = try Self.source(
      "Query = Find parameters\n  limit_usec = limit",
      text: "interface a.b\nmethod Find(name: string, limit_usec: ?int) -> (found: int)")
    #expect(
      source.contains(
        """
        /// The parameters of `Find`; nil: not given.
        public struct Query: Equatable, Sendable, WritableValue {
          /// `name`
          public var name: String?
          /// `limit_usec`
          package var limit: Int64?

          /// Creates the value without any field.
          public init() {}

          package var json: JSONValue {
            var fields = WrittenFields()
            fields.add("name", name)
            fields.add("limit_usec", limit)
            return fields.json
          }
        }

        """))
  }

  @Test func `Parameters that are left out are no properties, and the others are not all`() throws {
    let source = try Self.source(
      "Query = Find parameters\n  name left out",
      text: "interface a.b\nmethod Find(name: string, limit: ?int) -> (found: int)")
    #expect(
      source.contains(
        """
        /// Parameters of `Find`; nil: not given.
        public struct Query: Equatable, Sendable, WritableValue {
          /// `limit`
          public var limit: Int64?

        """))
    #expect(!source.contains("name"))
  }

  @Test func `The reply of a method is a structure; one with a dot is nested`() throws {
    let source = try Self.source("package House.Lamps = List list\nLamp = Lamp by hand")
    #expect(
      source.contains(
        """
        extension House {
          /// All lamps.
          package struct Lamps: Equatable, Sendable, ReadableStructure {
            /// `lamps`
            package let lamps: [Lamp]
        """))
  }

  @Test(arguments: [
    ("L = Nothing l", "name a structure or a method in place of 'Nothing'"),
    ("L = Lamp parameters", "name a method in place of 'Lamp'"),
    ("L = State l", "name a structure or a method in place of 'State'"),
    ("L = List l", "give a Swift type for Lamp, the type of 'lamps'"),
    ("P = Part p", "declare a type of its own for 'nested', or leave it out"),
    ("P = Part p\n  x left out", "Part has no field 'x': leave it out"),
  ])
  func `Names that do not fit the interface are refused`(names: String, error: String) throws {
    let thrown = #expect(throws: GeneratorError.self) { try Self.source(names) }
    #expect(thrown?.description == error)
  }

  @Test(arguments: [
    ("Lamp", 1, 1), ("Lamp = Lamp", 1, 1), ("# c\n\nLamp = Lamp by foot", 3, 1),
    ("  x = y", 1, 3),
    ("Lamp = Lamp lamp\n  x y", 2, 3),
  ])
  func `A line that is not understood is refused with its place`(
    names: String, line: Int, column: Int
  ) throws {
    let thrown = #expect(throws: SyntaxError.self) { try ValueNames(parsing: names) }
    #expect(thrown?.line == line && thrown?.column == column)
  }
}
