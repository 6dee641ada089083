import ArgumentParser
import VarlinkGenerator

struct Description: Generation {
  static let configuration = CommandConfiguration(
    abstract: "An enumeration that has the interface's name and its text.")

  @OptionGroup var files: Files

  @Option(help: "The name of the enumeration.")
  var type: String?

  @Option(help: "The access level: internal, package or public.")
  var access: AccessLevel = .internal

  func source() throws -> String {
    let interface = try files.read()
    return DescriptionWriter(typeName: type ?? "\(interface.swiftName)Interface", access: access)
      .source(of: interface, text: try files.text(), madeFrom: files.sourceName)
  }
}
