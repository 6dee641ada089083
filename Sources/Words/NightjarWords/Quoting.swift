/// Quotes words for a shell.
package enum Quoting {
  package static func quoted(_ word: String) -> String {
    !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : inQuotes(word)
  }

  /// Several words, as the user types them. They are in quotes if a shell would interpret a
  /// character of them.
  package static func phrase(_ words: String) -> String {
    words.split(separator: " ").allSatisfy { $0.utf8.allSatisfy(isPlain) } ? words : quoted(words)
  }

  /// Whether a byte is a letter, a digit or another character that no shell interprets.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:=+,@%".utf8.contains(byte)
    }
  }

  /// The word in single quotes, even if the word needs no quotes.
  package static func inQuotes(_ word: String) -> String {
    // A shell reads bytes, and ends the text at a quote that is followed by a combining mark.
    "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }
}
