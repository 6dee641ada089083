import ArgumentParser
import VarlinkGenerator

struct Replies: Generation {
  static let configuration = CommandConfiguration(
    abstract: "Protocols for what a service answers with: a property for each field.")

  @OptionGroup var files: Files

  @Option(help: "A structure.")
  var structure: [String]

  @Option(help: "A method.")
  var method: [String] = []

  @Option(help: "A boolean, as Structure.field, that is written if it is false, too.")
  var threeValued: [String] = []

  @Option(help: "The protocol of what is written.")
  var writable: String

  @Option(help: "The type that writes JSON.")
  var writer: String

  @Option(name: .customLong("import"), help: "A module to import.")
  var imports: [String] = []

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    try RepliesWriter(
      structures: structure, methods: method, threeValued: threeValued, writable: writable,
      writer: writer, imports: imports, access: access
    ).source(of: files.read(), madeFrom: files.sourceName)
  }
}
