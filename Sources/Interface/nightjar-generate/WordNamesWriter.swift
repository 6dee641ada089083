import VarlinkGenerator

/// For enumerations that are written by hand, writes a property with the word of each case. A
/// service writes an enumeration by hand if its cases have payloads, or raw values that are stored.
///
/// The property is an exhaustive switch. It does not compile if the interface has a word without a
/// case, or if the enumeration has a case without a word.
struct WordNamesWriter {
  /// The Swift enumerations, each with the interface's enumerations whose words it has.
  var sets: [WordSet]
  /// The names of cases that differ from their words, by word.
  var caseNames: [String: String]
  var access: AccessLevel

  /// The Swift source with the properties.
  ///
  /// - Throws: `GeneratorError` if the interface has no such enumeration or no such word.
  func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    var swift = SwiftText(madeFrom: source, by: "nightjar-generate")
    var unused = Set(caseNames.keys)
    for set in sets {
      let words = try set.contents(in: interface).words
      unused.subtract(words.map(\.name))
      swift.line()
      swift.block("extension \(set.typeName)") { swift in
        swift.line("/// The word on the wire.")
        swift.block("\(access.prefix)var name: StaticString") { swift in
          swift.line("switch self {")
          for word in words {
            let name = caseNames[word.name] ?? SwiftName.camel(word.name)
            swift.line("case .\(name): \"\(word.name)\"")
          }
          swift.line("}")
        }
      }
    }
    if let word = unused.min() {
      throw GeneratorError("no set has the word '\(word)': leave it out")
    }
    return swift.text
  }
}
