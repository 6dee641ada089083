public import ArgumentParser
public import VarlinkGenerator

struct Errors: Generation {
  static let configuration = CommandConfiguration(
    abstract: "All errors, as an enumeration with a value for each field.")

  @OptionGroup var files: Files

  @Option(help: "Who has them: service or client.")
  var side: ErrorsWriter.Side

  @Option(help: "The name of the enumeration.")
  var type: String

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    try ErrorsWriter(side: side, typeName: type, imports: imports, access: access)
      .source(of: files.read(), madeFrom: files.sourceName)
  }
}

extension ErrorsWriter.Side: ExpressibleByArgument {}
