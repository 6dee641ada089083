import Testing
import VarlinkGenerator

@Suite struct DescriptionTests {
  private static func source(
    _ text: String, access: AccessLevel = .public
  ) throws(SyntaxError) -> String {
    DescriptionWriter(typeName: "Lamps", access: access)
      .source(of: try Interface(parsing: text), text: text, madeFrom: "a.b.varlink")
  }

  @Test func `The description is the file, with the line feed at its end`() throws {
    let expected = """
        public static let description = \"""
          # c

          interface a.b
            error E ()

          \"""
      }

      """
    let text = "# c\n\ninterface a.b\n  error E ()\n"
    #expect(try Self.source(text).hasSuffix(expected))
    let without = expected.replacing("\n\n    \"", with: "\n    \"")
    #expect(try Self.source(String(text.dropLast())).hasSuffix(without))
  }

  @Test func `Line ends are line feeds in Swift`() throws {
    let text = "# c\n\ninterface a.b\nerror E ()\n"
    #expect(try Self.source(text.replacing("\n", with: "\r\n")) == Self.source(text))
  }

  @Test(arguments: [
    (#"\n"#, "#"), ("\"\"\"", "#"), ("\"\"\"#", "##"), (##"\(a) \#(b)"##, "##"), ("\"\"", ""),
  ])
  func `Nothing in the text is an escape, or ends the literal`(comment: String, fence: String)
    throws
  {
    let source = try Self.source("# \(comment)\ninterface a.b\nerror E ()\n")
    #expect(source.contains("description = \(fence)\"\"\"\n    # \(comment)\n"))
    #expect(source.contains("\n    error E ()\n\n    \"\"\"\(fence)\n"))
  }

  @Test func `Access is as asked for; internal is not written`() throws {
    let text = "interface a.b\nerror E ()"
    #expect(try Self.source(text, access: .package).contains("\npackage enum Lamps {\n"))
    #expect(try Self.source(text, access: .internal).contains("\nenum Lamps {\n"))
  }
}
