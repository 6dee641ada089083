/// Writes an enumeration without cases that contains the interface's name and its text.
public struct DescriptionWriter {
  /// The name of the enumeration.
  public var typeName: String
  /// Its access level.
  public var access: AccessLevel

  /// Makes a writer.
  public init(typeName: String, access: AccessLevel) {
    self.typeName = typeName
    self.access = access
  }

  /// Swift source.
  ///
  /// - Parameters:
  ///   - text: the interface file. The description is this text, byte for byte.
  ///   - source: the file's name, for the first line.
  public func source(
    of interface: Interface, text: String, madeFrom source: String
  ) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let fence = Self.fence(for: text)
    var swift = SwiftText(madeFrom: source)
    swift.line()
    swift.line("/// The interface `\(interface.name)`, in Varlink's interface language")
    swift.line("/// (https://varlink.org/Interface-Definition).")
    swift.block("\(access.prefix)enum \(typeName)") { swift in
      swift.line("/// The name.")
      swift.line("\(access.prefix)static let name = \"\(interface.name)\"")
      swift.line()
      swift.line("/// The interface file, byte for byte: the answer to")
      swift.line("/// `org.varlink.service.GetInterfaceDescription`.")
      swift.line("\(access.prefix)static let description = \(fence)\"\"\"")
      for line in lines { swift.line(line.isEmpty ? "" : "  \(line)") }
      swift.line("  \"\"\"\(fence)")
    }
    return swift.text
  }

  /// The `#` marks around the literal. With enough marks, the text contains neither an escape nor
  /// the end of the literal.
  private static func fence(for text: String) -> String {
    var fence = ""
    while text.contains("\\\(fence)") || text.contains("\"\"\"\(fence)") { fence += "#" }
    return fence
  }
}
