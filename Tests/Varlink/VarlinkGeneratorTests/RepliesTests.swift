import Testing
import VarlinkGenerator

@Suite struct RepliesTests {
  private static func source(
    _ structures: [String], methods: [String] = [], threeValued: [String] = []
  ) throws -> String {
    let writer = RepliesWriter(
      structures: structures, methods: methods, threeValued: threeValued, writable: "Writable",
      writer: "Writer", imports: ["Wire"], access: .package)
    let interface = """
      interface a.b

      type State (on, off)
      # A lamp.
      type Lamp (
        # What it is called.
        name: string,
        state: State,
        watts: float,
        age_usec: ?int,
        broken: ?bool,
        lit: bool,
        parts: ?[]Part
      )
      type Part (share: float)
      # Looks for lamps.
      method Find(name: string) -> (
        # Those that were found.
        lamps: []Lamp,
        next: ?int
      )
      """
    return try writer.source(of: try Interface(parsing: interface), madeFrom: "a.b.varlink")
  }

  @Test func `An optional boolean is written even if it is false`() throws {
    let usual = try Self.source(["Lamp"])
    #expect(usual.contains("var broken: Bool { get }"))
    #expect(usual.contains("if broken { writer.member(\"broken\", true) }"))
    let threeValued = try Self.source(["Lamp"], threeValued: ["Lamp.broken"])
    #expect(threeValued.contains("var broken: Bool? { get }"))
    #expect(threeValued.contains("writer.member(\"broken\", broken)"))
  }

  @Test func `A structure is a protocol with a property for each field, written in their order`()
    throws
  {
    #expect(
      try Self.source(["Lamp"]) == """
        // Made from a.b.varlink by varlink-swift. Do not edit: run `make generate`.

        package import Wire

        /// A lamp.
        package protocol LampFields: Writable {
          associatedtype NameValue: Writable
          associatedtype StateValue: Writable
          associatedtype PartsValue: Writable
          /// What it is called.
          var name: NameValue { get }
          /// `state`
          var state: StateValue { get }
          /// `watts`
          var watts: Double { get }
          /// `age_usec`
          var ageUsec: Int64? { get }
          /// `broken`
          var broken: Bool { get }
          /// `lit`
          var lit: Bool { get }
          /// `parts`
          var parts: PartsValue? { get }
        }

        extension LampFields {
          /// Writes an object. O(n).
          package func write(to writer: inout Writer) {
            writer.beginObject()
            writer.key("name")
            name.write(to: &writer)
            writer.key("state")
            state.write(to: &writer)
            writer.member("watts", watts)
            if let ageUsec {
              writer.member("age_usec", ageUsec)
            }
            if broken { writer.member("broken", true) }
            writer.member("lit", lit)
            if let parts {
              writer.key("parts")
              parts.write(to: &writer)
            }
            writer.endObject()
          }
        }

        """)
  }

  @Test func `A reply of a method is a protocol, which writes all of the reply`() throws {
    #expect(
      try Self.source([], methods: ["Find"]) == """
        // Made from a.b.varlink by varlink-swift. Do not edit: run `make generate`.

        package import Wire

        /// A reply of `Find`.
        package protocol FindReply {
          associatedtype LampsValue: Writable
          /// Those that were found.
          var lamps: LampsValue { get }
          /// `next`
          var next: Int64? { get }
        }

        extension FindReply {
          /// Writes a whole reply. `continues`: more replies follow. O(n).
          package func write(to writer: inout Writer, continues: Bool = false) {
            writer.beginReply()
            writer.key("lamps")
            lamps.write(to: &writer)
            if let next {
              writer.member("next", next)
            }
            writer.endReply(continues: continues)
          }
        }

        """)
    let error = #expect(throws: GeneratorError.self) {
      try Self.source([], methods: ["Lamp"])
    }
    #expect(error?.description == "name a method of a.b in place of 'Lamp'")
  }

  @Test func `A type that is not a structure is refused`() {
    for name in ["State", "Other"] {
      let error = #expect(throws: GeneratorError.self) { try Self.source([name]) }
      #expect(error?.description == "name a structure of a.b in place of '\(name)'")
    }
  }
}
