import ArgumentParser
import VarlinkGenerator

struct Methods: Generation {
  static let configuration = CommandConfiguration(
    abstract: "A protocol for services: a function for each method.")

  @OptionGroup var files: Files

  @Option(help: "The protocol.")
  var service: String?

  @Option(help: "The type in which the types of the interface are declared.")
  var types: String?

  @Option(help: "The type with the text of the interface.")
  var description: String?

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let interface = try files.read()
    let name = interface.swiftName
    return MethodsWriter(
      service: service ?? "\(name)Service", types: types ?? name,
      description: description ?? "\(name)Interface", imports: imports, access: access
    ).source(of: interface, madeFrom: files.sourceName)
  }
}
