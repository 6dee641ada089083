import ArgumentParser
import Foundation
import VarlinkGenerator

/// The Swift names of types.
struct TypeNames: ParsableArguments {
  @Option(help: "The file that says which structures there are and what they are called.")
  var names: String

  @Option(help: "The type of a member of a map of strings.")
  var member: String

  @Option(
    help: ArgumentHelp("The Swift type of an enumeration.", valueName: "type=enum"))
  var words: [WordSet] = []

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  var wordTypes: [String: String] {
    Dictionary(words.flatMap { set in set.enumerations.map { ($0, set.typeName) } }) { $1 }
  }

  func read() throws -> ValueNames {
    let text = try String(contentsOfFile: names, encoding: .utf8)
    do throws(SyntaxError) {
      return try ValueNames(parsing: text)
    } catch {
      throw ValidationError("\(names):\(error)")
    }
  }

  /// The source in the first line of a generated file.
  func source(with files: Files) -> String {
    "\(files.sourceName) and \(URL(filePath: names).lastPathComponent)"
  }

  mutating func beginPaths(in folder: URL) {
    names = URL(filePath: names, relativeTo: folder).path
  }
}

struct Values: Generation {
  static let configuration = CommandConfiguration(
    abstract: "Structures for clients, which read themselves from JSON.")

  @OptionGroup var files: Files
  @OptionGroup var types: TypeNames

  @Option(help: "The error that the initialisers throw.")
  var error: String

  @Option(help: "The suffix of field names that only the package sees.")
  var packageSuffix: String?

  @Option(
    name: .customLong("package-import"),
    help: "A module to import for what only the package sees.")
  var packageImports: [String] = []

  mutating func beginPaths(in folder: URL) {
    files.beginPaths(in: folder)
    types.beginPaths(in: folder)
  }

  func source() throws -> String {
    try ValuesWriter(
      names: types.read(), errorType: error, memberType: types.member, wordTypes: types.wordTypes,
      imports: types.imports, access: types.access, packageSuffix: packageSuffix,
      packageImports: packageImports
    ).source(of: files.read(), madeFrom: types.source(with: files))
  }
}

struct Calls: Generation {
  static let configuration = CommandConfiguration(
    abstract: "A function for each method, which makes the call.")

  @OptionGroup var files: Files
  @OptionGroup var types: TypeNames

  @Option(help: "The type of a call.")
  var type: String

  mutating func beginPaths(in folder: URL) {
    files.beginPaths(in: folder)
    types.beginPaths(in: folder)
  }

  func source() throws -> String {
    try CallsWriter(
      callType: type, names: types.read(), memberType: types.member, wordTypes: types.wordTypes,
      imports: types.imports, access: types.access
    ).source(of: files.read(), madeFrom: types.source(with: files))
  }
}
