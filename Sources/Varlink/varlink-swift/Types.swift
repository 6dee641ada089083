public import ArgumentParser
public import VarlinkGenerator

struct Types: Generation {
  static let configuration = CommandConfiguration(
    abstract: "A type for each structure, each enumeration and each method.")

  @OptionGroup var files: Files

  @Option(help: "The type in which the others are declared.")
  var inside: String?

  @Option(
    help: ArgumentHelp(
      "A type with the words of these enumerations.", valueName: "type=enum+enum"))
  var words: [WordSet] = []

  @Option(
    help: "A type of words that is a structure, so that more words break no program.")
  var open: [String] = []

  @Option(
    help: ArgumentHelp(
      "The type of words of a field that is a string.", valueName: "structure.field=type"))
  var field: [FieldWords] = []

  @Flag(
    help: "An optional boolean, array or map is false or empty if it is absent, and absent if so.")
  var blanks = false

  @Option(
    help: ArgumentHelp(
      "Despite --blanks, a field whose absence means something else than false or empty.",
      valueName: "structure.field"))
  var keepOptional: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let interface = try files.read()
    var writer = TypesWriter(outerType: inside ?? interface.swiftName, access: access)
    writer.words = words
    writer.openWords = open
    writer.fieldWords = Dictionary(field.map { ($0.field, $0.type) }) { $1 }
    writer.hasBlanks = blanks
    writer.keptOptional = Set(keepOptional)
    return try writer.source(of: interface, madeFrom: files.sourceName)
  }
}

extension WordSet: ExpressibleByArgument {
  /// Reads `type=enum+enum`.
  public init?(argument: String) { self.init(argument) }
}

/// `structure.field=type`
struct FieldWords: ExpressibleByArgument {
  let field: String
  let type: String

  init?(argument: String) {
    let halves = argument.split(separator: "=")
    guard halves.count == 2 else { return nil }
    (field, type) = (String(halves[0]), String(halves[1]))
  }
}
