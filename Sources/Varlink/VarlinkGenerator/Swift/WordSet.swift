/// A Swift type for the words of one enumeration of an interface, or of several enumerations
/// together.
public struct WordSet: Equatable, Sendable {
  /// The name of the Swift type.
  public var typeName: String
  /// The names of the enumerations in the interface.
  public var enumerations: [String]

  public init(typeName: String, enumerations: [String]) {
    self.typeName = typeName
    self.enumerations = enumerations
  }

  /// Parses `SwiftType=Enumeration+Enumeration`; nil if the text has another form.
  public init?(_ text: String) {
    let halves = text.split(separator: "=", omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty, !halves[1].isEmpty else { return nil }
    typeName = String(halves[0])
    enumerations = halves[1].split(separator: "+").map(String.init)
  }

  /// The comment of the enumerations, and all their words, in the order of the interface.
  package func contents(
    in interface: Interface
  ) throws(GeneratorError) -> (comment: [String], words: [Word]) {
    var (comment, words): ([String], [Word]) = ([], [])
    for name in enumerations {
      guard let declaration = interface.declaration(of: name),
        case .type(.enumeration(let more)) = declaration.kind
      else {
        throw GeneratorError("name an enumeration of \(interface.name) in place of '\(name)'")
      }
      for word in more where words.contains(where: { $0.name == word.name }) {
        throw GeneratorError(
          "declare '\(word.name)' once in \(enumerations.joined(separator: " and "))")
      }
      comment += declaration.comment
      words += more
    }
    return (comment, words)
  }
}

extension SwiftText {
  /// Writes the comment of a word as documentation. If the word has no comment, writes the word
  /// itself.
  mutating func documentation(of word: Word) {
    documentation(word.comment.isEmpty ? ["`\(word.name)`"] : word.comment)
  }
}
