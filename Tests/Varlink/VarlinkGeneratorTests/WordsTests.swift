import Testing
import VarlinkGenerator

@Suite struct WordsTests {
  @Test func `A set is written as a type and its enumerations`() {
    #expect(WordSet("A.B=C+D") == WordSet(typeName: "A.B", enumerations: ["C", "D"]))
    #expect(WordSet("A") == nil && WordSet("A=") == nil && WordSet("=B") == nil)
    #expect(WordSet("A=B=C") == nil)
  }
}
