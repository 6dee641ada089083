import Testing
import VarlinkGenerator

/// What the names of types, fields and words become, and what is refused. The tests of the outputs
/// compare whole files, and those of the interfaces read and write such values.
@Suite struct TypesTests {
  private static func source(
    _ declarations: String, keeping keptOptional: Set<String> = []
  ) throws -> String {
    var writer = TypesWriter(outerType: "Wire", access: .public)
    writer.keptOptional = keptOptional
    let interface = try Interface(parsing: "interface a.b\n\(declarations)")
    return try writer.source(of: interface, madeFrom: "a.b.varlink")
  }

  private static func refusal(
    _ declarations: String, keeping keptOptional: Set<String> = []
  ) -> String? {
    #expect(throws: GeneratorError.self) {
      try source(declarations, keeping: keptOptional)
    }?.description
  }

  @Test(arguments: [
    ("type Colour (other, other_value)", "rename the word of Colour that is otherValue in Swift"),
    ("type Colour (a_b, aB)", "rename the word of Colour that is aB in Swift"),
    ("type Lamp (foo_bar: int, fooBar: int)", "rename the field of Lamp that is fooBar in Swift"),
    (lamp(65), "make some fields of Lamp optional; at most 64 are required"),
    ("type Lamp (twin: ?Lamp)", endless),
    ("type Lamp (more: [](own: int), shade: Shade) type Shade (of: ?Lamp)", endless),
  ])
  func `What cannot be written in Swift is refused`(declarations: String, sentence: String) {
    #expect(Self.refusal(declarations) == sentence)
  }

  private static let endless =
    "write '[]Lamp' in Lamp; a structure of Swift cannot contain itself"

  /// A type with required fields.
  private static func lamp(_ fields: Int) -> String {
    "type Lamp (\((0..<fields).map { "f\($0): int, " }.joined())more: ?int)"
  }

  @Test func `What can just be written is not refused`() throws {
    #expect(try Self.source(Self.lamp(64)).contains("var f63: Int64\n"))
    #expect(throws: Never.self) { try Self.source("type Lamp (twins: []Lamp)") }
  }

  @Test func `An option for a field that the interface does not have is refused`() {
    #expect(
      Self.refusal("type Lamp (name: string)", keeping: ["Lamp.colour"])
        == "name fields of a.b in place of Lamp.colour")
  }

  @Test func `A type without a name gets one after its place`() throws {
    let source = try Self.source(
      """
      type Lamp (power_state: (on, off), at: ?[]?[string](x: int, of: (near, far)))
      method Find(place: (x: int)) -> (place: ())
      error Dark (since: [string]?(dawn, noon))
      """)
    for line in [
      "var powerState: Wire.LampPowerState", "enum LampPowerState: WireWord {",
      "var at: [WireMap<Wire.LampAt>?]?", "struct LampAt: WireStructure {",
      "var of: Wire.LampAtOf", "enum LampAtOf: WireWord {", "var place: Wire.FindPlace",
      "var place: Wire.FindReplyPlace", "struct FindReplyPlace: WireStructure {",
      "enum DarkSince: WireWord {",
    ] { #expect(source.contains(" public \(line)\n"), "\(line)") }
  }

  @Test(arguments: [
    "type Lamp (state: (on, off))\ntype LampState (on)",
    "type Lamp (at_home: (x: int), at: (home: (y: int)))",
    "method Lamp(reply_state: (on, off)) -> (state: (on, off)) type LampState ()",
  ])
  func `A type that would have the name of another is refused`(declarations: String) throws {
    let refusal = try #require(Self.refusal(declarations))
    #expect(refusal.hasPrefix("declare a type for the field whose type would be Lamp"))
    #expect(refusal.hasSuffix("a name that is declared already"))
  }

  @Test(arguments: ["Type", "Protocol", "Self", "Any", "String", "Int64", "WireMap", "Wire"])
  func `A type with the name of another gets an end`(name: String) throws {
    let source = try Self.source("type \(name) (a: ?string)\nmethod M(a: \(name)) -> ()")
    #expect(source.contains(" public struct \(name)_: WireStructure {\n"))
    #expect(source.contains(" public var a: Wire.\(name)_\n"))
    #expect(source.contains(" public var a: String?\n"))
  }

  @Test(arguments: ["blank", "rawValue", "all_cases", "hashValue", "isKnown", "init", "other"])
  func `A word with the name of another member gets an end`(word: String) throws {
    let name = word == "all_cases" ? "allCases" : word
    #expect(
      try Self.source("type T (\(word))").contains(
        "case \"\(word)\": self = .\(name)Value\n"))
  }

  @Test func `A set of words is written as a type and its enumerations`() {
    #expect(WordSet("A.B=C+D") == WordSet(typeName: "A.B", enumerations: ["C", "D"]))
    for text in ["A", "A=", "=B", "A=B=C"] { #expect(WordSet(text) == nil, "\(text)") }
  }

  @Test func `A field with a capital, as systemd has them, is a property without`() throws {
    let source = try Self.source("type Host (HomePage: string, VSockCID: ?int, itself: bool)")
    for line in [
      "public var homePage: String", "try reader.field(\"HomePage\", &homePage)",
      "writer.field(\"VSockCID\", vSockCID)", "public var itself: Bool",
    ] { #expect(source.contains(line), "\(line)") }
  }
}
