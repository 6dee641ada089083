public import ArgumentParser
public import VarlinkGenerator

struct WordNames: Generation {
  static let configuration = CommandConfiguration(
    abstract: "The words on the wire of enumerations that are written by hand.")

  @OptionGroup var files: Files

  @Option(
    name: .customLong("enum"),
    help: ArgumentHelp("An enumeration, and whose words it has.", valueName: "type=enum+enum"))
  var sets: [WordSet]

  @Option(
    name: .customLong("case"),
    help: ArgumentHelp("A case that is not called like its word.", valueName: "word=name"))
  var caseNames: [CaseName] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let names = Dictionary(caseNames.map { ($0.word, $0.name) }) { $1 }
    return try WordNamesWriter(sets: sets, caseNames: names, access: access)
      .source(of: files.read(), madeFrom: files.sourceName)
  }
}

/// `word=name`
struct CaseName: ExpressibleByArgument {
  let word: String
  let name: String

  init?(argument: String) {
    let halves = argument.split(separator: "=")
    guard halves.count == 2 else { return nil }
    (word, name) = (String(halves[0]), String(halves[1]))
  }
}

extension WordSet: ExpressibleByArgument {
  /// Reads `type=enum+enum`.
  public init?(argument: String) { self.init(argument) }
}
