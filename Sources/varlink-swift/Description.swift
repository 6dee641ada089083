import ArgumentParser
import VarlinkGenerator

struct Description: Generation {
  static let configuration = CommandConfiguration(
    abstract: "An enumeration that has the interface's name and its text.")

  @OptionGroup var files: Files

  @Option(help: "The name of the enumeration.")
  var type: String

  @Option(help: "Who sees it.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let writer = DescriptionWriter(typeName: type, access: access)
    return try files.withText { (text) throws(SyntaxError) in
      try writer.source(of: text, madeFrom: files.sourceName)
    }
  }
}
