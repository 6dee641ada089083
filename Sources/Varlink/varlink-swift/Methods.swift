import ArgumentParser
import VarlinkGenerator

struct Methods: Generation {
  static let configuration = CommandConfiguration(
    abstract: "A protocol for services: a function for each method.")

  @OptionGroup var files: Files

  @Option(help: "The protocol.")
  var service: String

  @Option(help: "The type in which the types of the interface are declared.")
  var types: String

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    MethodsWriter(service: service, types: types, imports: imports, access: access)
      .source(of: try files.read(), madeFrom: files.sourceName)
  }
}
