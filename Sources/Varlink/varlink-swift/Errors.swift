import ArgumentParser
import VarlinkGenerator

struct Errors: Generation {
  static let configuration = CommandConfiguration(
    abstract: "All errors, as an enumeration with a value for each field.")

  @OptionGroup var files: Files

  @Option(help: "The name of the enumeration.")
  var type: String

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    try ErrorsWriter(typeName: type, access: access)
      .source(of: files.read(), madeFrom: files.sourceName)
  }
}
