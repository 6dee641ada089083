/// Writes an enumeration without cases that contains the interface's name and its text.
public struct DescriptionWriter {
  /// The name of the enumeration.
  public var typeName: String
  /// The access level of the enumeration.
  public var access: AccessLevel

  public init(typeName: String, access: AccessLevel) {
    self.typeName = typeName
    self.access = access
  }

  /// The Swift source with the enumeration.
  ///
  /// - Parameters:
  ///   - text: the content of the interface file. The description is this text, byte for byte but
  ///     for line ends: they are line feeds, as Swift has them.
  ///   - source: the name of the interface file, for the first line of the source.
  public func source(
    of interface: Interface, text: String, madeFrom source: String
  ) -> String {
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
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

  /// The `#` marks around the string literal: so many that the text contains neither an escape nor
  /// the end of the literal.
  private static func fence(for text: String) -> String {
    var fence = ""
    while text.contains("\\\(fence)") || text.contains("\"\"\"\(fence)") { fence += "#" }
    return fence
  }
}
