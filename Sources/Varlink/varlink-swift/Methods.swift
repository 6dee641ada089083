public import ArgumentParser
public import VarlinkGenerator

struct Methods: Generation {
  static let configuration = CommandConfiguration(
    abstract:
      "A protocol for services: a function for each method, with a parameter for each field.")

  @OptionGroup var files: Files

  @Option(help: "The protocol.")
  var service: String

  @Option(help: "The type that the structures of parameters are declared in.")
  var parameters: String

  @Option(help: "The type that reads parameters.")
  var reader: String

  @Option(help: "The error.")
  var error: String

  @Option(
    name: .customLong("group"),
    help: ArgumentHelp(
      "A structure for optional parameters that methods have in common.",
      valueName: "type=field+field"))
  var groups: [MethodsWriter.Group] = []

  @Option(help: ArgumentHelp("The Swift type of an enumeration.", valueName: "type=enum"))
  var words: [WordSet] = []

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    try MethodsWriter(
      types: MethodsWriter.TypeNames(
        service: service, parameters: parameters, reader: reader, error: error),
      groups: groups, words: words, imports: imports, access: access
    ).source(of: files.read(), madeFrom: files.sourceName)
  }
}

extension MethodsWriter.Group: ExpressibleByArgument {
  /// Reads `type=field+field`.
  public init?(argument: String) {
    let halves = argument.split(separator: "=")
    guard halves.count == 2 else { return nil }
    self.init(
      typeName: String(halves[0]), fields: halves[1].split(separator: "+").map(String.init))
  }
}
