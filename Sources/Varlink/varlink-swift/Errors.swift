import ArgumentParser
import VarlinkGenerator

struct Errors: Generation {
  static let configuration = CommandConfiguration(
    abstract: "All errors, as an enumeration with a value for each field.")

  @OptionGroup var files: Files

  @Option(help: "The name of the enumeration.")
  var type: String?

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let interface = try files.read()
    return try ErrorsWriter(typeName: type ?? "\(interface.swiftName)Error", access: access)
      .source(of: interface, madeFrom: files.sourceName)
  }
}
