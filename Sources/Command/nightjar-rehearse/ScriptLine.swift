import nightjar

/// A line of a script, split into words by the rules of a shell. Blanks between quotes, and a
/// character after a backslash, are part of a word. A `#` at the beginning of a word begins a
/// comment.
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
          throw .usage("a line cannot continue on the next one; write it on one")
        }
        word = (word ?? "") + String(next)
      default: word = (word ?? "") + String(character)
      }
    }
    self.words = words + (word.map { [$0] } ?? [])
  }

  /// The text up to the closing quote; nil if that quote is missing. In single quotes, all
  /// characters are literal. In double quotes, a backslash before a quote or a backslash is an
  /// escape.
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
