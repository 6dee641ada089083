import ArgumentParser
import VarlinkGenerator

struct Shapes: Generation {
  static let configuration = CommandConfiguration(
    abstract: "The types of a method's parameters, as values.")

  @OptionGroup var files: Files

  @Option(help: "The method.")
  var method: String

  @Option(help: "The name of the enumeration of shapes.")
  var type: String

  @Option(help: "The type that the interface's enumerations are declared in.")
  var words: String

  @Option(help: "A parameter to leave out.")
  var omit: [String] = []

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    try ShapesWriter(
      method: method, typeName: type, wordsType: words, imports: imports, access: access,
      omitted: omit
    ).source(of: files.read(), madeFrom: files.sourceName)
  }
}
