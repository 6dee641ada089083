import ArgumentParser
import VarlinkGenerator

struct Errors: Generation {
  static let configuration = CommandConfiguration(
    abstract: "All errors, as an enumeration with a value for each field.")

  @OptionGroup var files: Files

  @Option(help: "The name of the enumeration.")
  var type: String?

  @Option(help: "The type in which the types of the interface are declared.")
  var types: String?

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let interface = try files.read()
    let name = interface.swiftName
    return try ErrorsWriter(
      typeName: type ?? "\(name)Error", types: types ?? name, access: access
    ).source(of: interface, madeFrom: files.sourceName)
  }
}
