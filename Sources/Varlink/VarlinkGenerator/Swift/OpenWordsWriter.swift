/// Writes the types of words for clients. A word that only a newer service knows keeps its text.
public struct OpenWordsWriter {
  /// The sets of words that become structures, each with a constant for each known word.
  public var structures: [WordSet]
  /// The sets of words that become enumerations, each with a case for each known word and one case
  /// for all other words.
  public var enumerations: [WordSet]
  /// The name of the protocol of the structures. The protocol is written by hand and refines
  /// `RawRepresentable` and `ExpressibleByStringLiteral`.
  public var structureProtocol: String
  /// The access level of the types.
  public var access: AccessLevel

  /// Makes a writer.
  public init(
    structures: [WordSet], enumerations: [WordSet], structureProtocol: String, access: AccessLevel
  ) {
    self.structures = structures
    self.enumerations = enumerations
    self.structureProtocol = structureProtocol
    self.access = access
  }

  /// The Swift source with the types.
  ///
  /// - Throws: `GeneratorError` if the interface has no such enumeration.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    var swift = SwiftText(madeFrom: source)
    for set in structures { try write(structure: set, of: interface, to: &swift) }
    for set in enumerations { try write(enumeration: set, of: interface, to: &swift) }
    return swift.text
  }

  private func write(
    structure set: WordSet, of interface: Interface, to swift: inout SwiftText
  ) throws(GeneratorError) {
    let (comment, words) = try set.contents(in: interface)
    swift.declaration(
      "\(access.prefix)struct", set.typeName, conformingTo: structureProtocol,
      documentation: comment
    ) { swift in
      swift.line("/// The word on the wire.")
      swift.line("\(access.prefix)let rawValue: String")
      swift.line()
      swift.line("/// From the word on the wire. Every word is accepted.")
      swift.line("\(access.prefix)init(rawValue: String) { self.rawValue = rawValue }")
      swift.line()
      for word in words {
        let name = SwiftName.declared(SwiftName.camel(word.name))
        swift.documentation(of: word)
        swift.line("\(access.prefix)static let \(name): \(set.typeName) = \"\(word.name)\"")
      }
    }
  }

  private func write(
    enumeration set: WordSet, of interface: Interface, to swift: inout SwiftText
  ) throws(GeneratorError) {
    let (comment, words) = try set.contents(in: interface)
    swift.declaration(
      "\(access.prefix)enum", set.typeName, conformingTo: "RawRepresentable, Hashable, Sendable",
      documentation: comment
    ) { swift in
      for word in words {
        swift.documentation(of: word)
        swift.line("case \(SwiftName.declared(SwiftName.camel(word.name)))")
      }
      swift.line("/// A word that only a newer service has.")
      swift.line("case other(String)")
      swift.line()
      swift.line("/// From the word on the wire. Every word is accepted.")
      swift.block("\(access.prefix)init(rawValue: String)") { swift in
        swift.line("switch rawValue {")
        for word in words {
          swift.line("case \"\(word.name)\": self = .\(SwiftName.camel(word.name))")
        }
        swift.line("default: self = .other(rawValue)")
        swift.line("}")
      }
      swift.line()
      swift.line("/// The word on the wire.")
      swift.block("\(access.prefix)var rawValue: String") { swift in
        swift.line("switch self {")
        for word in words {
          swift.line("case .\(SwiftName.camel(word.name)): \"\(word.name)\"")
        }
        swift.line("case .other(let word): word")
        swift.line("}")
      }
    }
  }
}
