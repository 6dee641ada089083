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

  @Test(arguments: [
    (["Nothing"], "name an enumeration of a.b in place of 'Nothing'"),
    (["Lamp"], "name an enumeration of a.b in place of 'Lamp'"),
    (["State", "Other"], "declare 'on' once in State and Other"),
  ])
  func `A set that the interface does not have is refused`(enumerations: [String], error: String)
    throws
  {
    let writer = WordNamesWriter(
      sets: [WordSet(typeName: "T", enumerations: enumerations)], caseNames: [:], access: .public)
    let thrown = #expect(throws: GeneratorError.self) {
      try writer.source(of: Self.interface, madeFrom: "")
    }
    #expect(thrown?.description == error)
  }

  @Test func `A case name for a word that no set has is refused`() throws {
    let writer = WordNamesWriter(
      sets: [WordSet(typeName: "T", enumerations: ["Mode"])], caseNames: ["on": "lit"],
      access: .public)
    let thrown = #expect(throws: GeneratorError.self) {
      try writer.source(of: Self.interface, madeFrom: "")
    }
    #expect(thrown?.description == "no set has the word 'on': leave it out")
  }
}
