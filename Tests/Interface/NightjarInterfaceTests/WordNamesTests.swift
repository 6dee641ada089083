import Testing
import VarlinkGenerator

@testable import nightjar_generate

@Suite struct WordNamesTests {
  private static let text = """
    interface a.b

    # What a lamp does.
    type State (
      # It gives light.
      on,
      # It does not.
      switched_off,
      default
    )

    # What a lamp may do besides.
    type Mode (blinking, dim)

    # What else.
    type Other (on, off)

    type Lamp (state: State)
    """

  private static var interface: Interface {
    get throws { try Interface(parsing: text) }
  }

  private static func body(_ source: String) -> String {
    source.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)[2].description
  }

  @Test func `Names of words are an exhaustive switch over cases, which may have other names`()
    throws
  {
    let writer = WordNamesWriter(
      sets: [WordSet(typeName: "Action.Kind", enumerations: ["State"])],
      caseNames: ["switched_off": "dark"], access: .internal)
    #expect(
      Self.body(try writer.source(of: Self.interface, madeFrom: "a.b.varlink")) == """
        extension Action.Kind {
          /// The word on the wire.
          var name: StaticString {
            switch self {
            case .on: "on"
            case .dark: "switched_off"
            case .default: "default"
            }
          }
        }

        """)
  }

  @Test(
    arguments: [
      (["Nothing"], [:], "name an enumeration of a.b in place of 'Nothing'"),
      (["Lamp"], [:], "name an enumeration of a.b in place of 'Lamp'"),
      (["State", "Other"], [:], "declare 'on' once in State and Other"),
      (["Mode"], ["on": "lit"], "no set has the word 'on': leave it out"),
    ] as [([String], [String: String], String)])
  func `A set or a case name that the interface does not have is refused`(
    enumerations: [String], caseNames: [String: String], error: String
  ) throws {
    let writer = WordNamesWriter(
      sets: [WordSet(typeName: "T", enumerations: enumerations)], caseNames: caseNames,
      access: .public)
    let thrown = #expect(throws: GeneratorError.self) {
      try writer.source(of: Self.interface, madeFrom: "")
    }
    #expect(thrown?.description == error)
  }
}
