import nightjar

/// A line of a script as words, as a shell would have them: quotes keep spaces, a backslash keeps what is
/// behind it, and `#` in front of a word begins a comment.
struct ScriptLine {
  let words: [String]

  /// - Throws: `CommandError`: a quote is not closed.
  init(_ text: some StringProtocol) throws(CommandError) {
    var words: [String] = []
    var word: String?
    var characters = text.enumerated().makeIterator()
    while let (index, character) = characters.next() {
      switch character {
      case " ", "\t":
        if let done = word { words.append(done) }
        word = nil
      case "#" where word == nil:
        self.words = words
        return
      case "'", "\"":
        let quoted = Self.quoted(by: character, &characters)
        guard let quoted else {
          throw .usage("the quote \(character) at \(index + 1) is not closed")
        }
        word = (word ?? "") + quoted
      case "\\":
        guard let next = characters.next()?.element else {
          throw .usage("a line cannot go on behind its end; write it on one")
        }
        word = (word ?? "") + String(next)
      default: word = (word ?? "") + String(character)
      }
    }
    self.words = words + (word.map { [$0] } ?? [])
  }

  /// What stands between quotes; nil if the second is missing. In single quotes everything is what it
  /// is; in double ones a backslash keeps a quote or itself.
  private static func quoted(
    by quote: Character,
    _ characters: inout some IteratorProtocol<(offset: Int, element: Character)>
  ) -> String? {
    var text = ""
    while let character = characters.next()?.element {
      if character == quote { return text }
      guard quote == "\"", character == "\\" else {
        text.append(character)
        continue
      }
      guard let next = characters.next()?.element else { return nil }
      text += next == quote || next == "\\" ? String(next) : "\\\(next)"
    }
    return nil
  }
}
