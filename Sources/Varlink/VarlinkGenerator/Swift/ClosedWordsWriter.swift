/// Writes each enumeration of an interface as an enumeration whose raw values are the words.
public struct ClosedWordsWriter {
  /// The name of the type that contains the enumerations. The type is declared elsewhere.
  public var outerType: String
  /// The access level of the enumerations.
  public var access: AccessLevel

  /// Makes a writer.
  public init(outerType: String, access: AccessLevel) {
    self.outerType = outerType
    self.access = access
  }

  /// The Swift source with the enumerations.
  public func source(of interface: Interface, madeFrom source: String) -> String {
    var swift = SwiftText(madeFrom: source)
    for declaration in interface.declarations {
      guard case .type(.enumeration(let words)) = declaration.kind else { continue }
      swift.declaration(
        "\(access.prefix)enum", "\(outerType).\(declaration.name)",
        conformingTo: "String, CaseIterable, BitwiseCopyable, Sendable",
        documentation: declaration.comment
      ) { swift in
        for word in words {
          let name = SwiftName.camel(word.name)
          swift.documentation(of: word)
          swift.line(
            "case \(SwiftName.declared(name))" + (name == word.name ? "" : " = \"\(word.name)\""))
        }
      }
    }
    return swift.text
  }
}
