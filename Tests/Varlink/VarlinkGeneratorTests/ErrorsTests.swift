import Testing
import VarlinkGenerator

/// What the names of errors become. The tests of the outputs compare whole files, and those of the
/// interfaces read and write such errors.
@Suite struct ErrorsTests {
  private static func source(_ declarations: String) throws -> String {
    try ErrorsWriter(typeName: "LampError", types: "Wire", access: .package)
      .source(of: try Interface(parsing: "interface a.b\n\(declarations)"), madeFrom: "a.b.varlink")
  }

  @Test(arguments: [
    ("error Other ()", "case otherValue\n"), ("error Varlink ()", "case varlinkValue\n"),
    ("error Write (to: string)", "case writeValue(to: String)\n"),
    ("error Self (let: int)", "case selfValue(letValue: Int64)\n"),
    ("error Repeat (repeat: int)", "case `repeat`(repeat: Int64)\n"),
  ])
  func `An error that would have the name of another member gets an end`(
    declaration: String, line: String
  ) throws {
    #expect(try Self.source(declaration).contains("  \(line)"))
  }

  @Test(arguments: [
    ("error Self () error SelfValue ()", "rename the error that is selfValue in Swift"),
    ("error E (a_b: int, aB: int)", "rename the field of E that is aB in Swift"),
  ])
  func `What would be the same in Swift is refused`(declarations: String, sentence: String) {
    let error = #expect(throws: GeneratorError.self) { try Self.source(declarations) }
    #expect(error?.description == sentence)
  }
}
