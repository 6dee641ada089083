import Testing
import VarlinkGenerator

@Suite struct TypesTests {
  private static let text = """
    interface a.b

    # Whether it is lit.
    type State (
      # It is lit.
      on,
      switched_off
    )

    type Fault (burnt)

    # A lamp.
    type Lamp (
      # What it is called.
      name: string,
      state: State,
      cause: ?string,
      parts: ?[]Part,
      labels: [string]string,
      repeat: ?bool,
      data: ?object
    )

    type Part (share: float)

    # Looks for lamps.
    method Find(name: ?string) -> (lamps: []Lamp)

    method Lose() -> (lamps: []Lamp)
    """

  private static func source(
    _ text: String = text, _ change: (inout TypesWriter) -> Void = { _ in }
  ) throws -> String {
    var writer = TypesWriter(outerType: "Wire", access: .public)
    change(&writer)
    return try writer.source(of: try Interface(parsing: text), madeFrom: "a.b.varlink")
  }

  @Test func `A structure has a property for each field, and is read and written in their order`()
    throws
  {
    #expect(
      try Self.source().contains(
        """
        extension Wire {
          /// A lamp.
          public struct Lamp: WireStructure {
            /// What it is called.
            public var name: String
            public var state: Wire.State
            public var cause: String?
            public var parts: [Wire.Part]?
            public var labels: WireMap<String>
            public var `repeat`: Bool?
            public var data: RawJSON?

            /// The optional fields are absent.
            public init(name: String, state: Wire.State, labels: WireMap<String>) {
              self.name = name
              self.state = state
              self.labels = labels
            }

            public static var blank: Self { Self(name: .blank, state: .blank, labels: .blank) }

            public mutating func read(_ reader: inout WireReader) throws(WireError) {
              try reader.field("name", &name)
              try reader.field("state", &state)
              try reader.field("cause", &cause)
              try reader.field("parts", &parts)
              try reader.field("labels", &labels)
              try reader.field("repeat", &`repeat`)
              try reader.field("data", &data)
            }

            public func writeMembers(to writer: inout JSONWriter) {
              writer.field("name", name)
              writer.field("state", state)
              writer.field("cause", cause)
              writer.field("parts", parts)
              writer.field("labels", labels)
              writer.field("repeat", `repeat`)
              writer.field("data", data)
            }
          }
        }
        """))
  }

  @Test func `A method is its parameters with its reply in it; equal replies are one type`() throws
  {
    let source = try Self.source()
    #expect(
      source.contains(
        """
          /// Looks for lamps.
          public struct Find: WireMethod {
            public var name: String?

            /// All fields are absent.
            public init() {}
        """))
    #expect(
      source.contains(
        """
            public static let method: StaticString = "a.b.Find"

            /// The reply of Find.
            public struct Reply: WireStructure {
              public var lamps: [Wire.Lamp]
        """))
    #expect(source.contains("\"a.b.Lose\"\n    public typealias Reply = Wire.Find.Reply\n  }"))
  }

  @Test func `An enumeration has a case for each word, and one for newer words`() throws {
    #expect(
      try Self.source().contains(
        """
          /// Whether it is lit.
          public enum State: WireWord {
            /// It is lit.
            case on
            /// `switched_off`
            case switchedOff
            /// A word that only a newer service has.
            case other(String)

            public static let allCases: [State] = [.on, .switchedOff]

            public init(rawValue: String) {
              switch rawValue {
              case "on": self = .on
              case "switched_off": self = .switchedOff
              default: self = .other(rawValue)
              }
            }

            public var rawValue: String {
              switch self {
              case .on: "on"
              case .switchedOff: "switched_off"
              case .other(let word): word
              }
            }
          }
        """))
  }

  @Test func `Words of several enumerations are one type, which fields can have`() throws {
    let source = try Self.source {
      $0.words = [WordSet(typeName: "Cause", enumerations: ["State", "Fault"])]
      $0.openWords = ["Cause"]
      $0.fieldWords = ["Lamp.cause": "Cause"]
    }
    #expect(source.contains("    public var cause: Wire.Cause?\n"))
    #expect(!source.contains("enum State"))
    #expect(
      source.contains(
        """
          public struct Cause: OpenWireWord {
            /// It is lit.
            public static let on: Self = "on"
            /// `switched_off`
            public static let switchedOff: Self = "switched_off"
            /// `burnt`
            public static let burnt: Self = "burnt"

            /// The words of State.
            public static let state: [Cause] = [.on, .switchedOff]
            /// The words of Fault.
            public static let fault: [Cause] = [.burnt]
            public static let allCases: [Cause] = state + fault
        """))
  }

  @Test
  func `A boolean or array is false or empty if it is absent, unless that means something else`()
    throws
  {
    let blanks = try Self.source { $0.hasBlanks = true }
    #expect(blanks.contains("public var `repeat`: Bool = .blank\n"))
    #expect(blanks.contains("public var parts: [Wire.Part] = .blank\n"))
    #expect(blanks.contains("try reader.blankable(\"repeat\", &`repeat`)\n"))
    #expect(blanks.contains("writer.blankable(\"repeat\", `repeat`)\n"))
    #expect(blanks.contains("public var cause: String?\n"))
    let kept = try Self.source {
      $0.hasBlanks = true
      $0.keptOptional = ["Lamp.repeat"]
    }
    #expect(kept.contains("public var `repeat`: Bool?\n"))
  }

  @Test(arguments: [("other, other_value", "otherValue"), ("a_b, aB", "aB")])
  func `Words that would be the same in Swift are refused`(words: String, twice: String) {
    let error = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\n\ntype Colour (\(words))")
    }
    #expect(error?.description == "rename the word of Colour that is \(twice) in Swift")
  }

  @Test func `What cannot be written is refused`() throws {
    let twice = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\n\ntype Lamp (foo_bar: int, fooBar: int)")
    }
    #expect(twice?.description == "rename the field of Lamp that is fooBar in Swift")
    func numbers(_ count: Int) -> String {
      let fields = (0..<count).map { "f\($0): int" }.joined(separator: ", ")
      return "interface a.b\n\ntype Lamp (\(fields), more: ?int)"
    }
    #expect(try Self.source(numbers(64)).contains("var f63: Int64\n"))
    let long = #expect(throws: GeneratorError.self) { try Self.source(numbers(65)) }
    #expect(long?.description == "make some fields of Lamp optional; at most 64 are required")
    let unknown = #expect(throws: GeneratorError.self) {
      try Self.source { $0.keptOptional = ["Lamp.colour"] }
    }
    #expect(unknown?.description == "name fields of a.b in place of Lamp.colour")
    for fields in ["twin: ?Lamp", "more: [](own: int), shade: Shade"] {
      let endless = #expect(throws: GeneratorError.self) {
        try Self.source("interface a.b\ntype Lamp (\(fields))\ntype Shade (of: ?Lamp)")
      }
      #expect(
        endless?.description == "write '[]Lamp' in Lamp; a structure of Swift cannot contain itself"
      )
    }
    #expect(throws: Never.self) { try Self.source("interface a.b\ntype Lamp (twins: []Lamp)") }
  }

  @Test func `A type without a name gets one after its place`() throws {
    let source = try Self.source(
      """
      interface a.b
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
    let error = #expect(throws: GeneratorError.self) {
      try Self.source("interface a.b\n\(declarations)")
    }
    let end = "a name that is declared already"
    #expect(
      error?.description.hasPrefix("declare a type for the field whose type would be Lamp") == true
        && error?.description.hasSuffix(end) == true)
  }

  @Test(arguments: ["Type", "Protocol", "Self", "Any", "String", "Int64", "WireMap", "Wire"])
  func `A type with the name of another gets an end`(name: String) throws {
    let source = try Self.source(
      "interface a.b\ntype \(name) (a: ?string)\nmethod M(a: \(name)) -> ()")
    #expect(source.contains(" public struct \(name)_: WireStructure {\n"))
    #expect(source.contains(" public var a: Wire.\(name)_\n"))
    #expect(source.contains(" public var a: String?\n"))
  }

  @Test(arguments: ["blank", "rawValue", "all_cases", "hashValue", "isKnown", "init", "other"])
  func `A word with the name of another member gets an end`(word: String) throws {
    let name = word == "all_cases" ? "allCases" : word
    #expect(
      try Self.source("interface a.b\ntype T (\(word))").contains(
        "case \"\(word)\": self = .\(name)Value\n"))
  }

  @Test func `A field with a capital, as systemd has them, is a property without`() throws {
    let text = "interface a.b\ntype Host (HomePage: string, VSockCID: ?int, itself: bool)"
    let source = try Self.source(text)
    for line in [
      "public var homePage: String", "try reader.field(\"HomePage\", &homePage)",
      "writer.field(\"VSockCID\", vSockCID)", "public var itself: Bool",
    ] { #expect(source.contains(line), "\(line)") }
  }
}
