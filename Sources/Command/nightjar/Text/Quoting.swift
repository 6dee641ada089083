import Varlink

/// Quotes words for a shell.
enum Quoting {
  static func quoted(_ word: String) -> String {
    !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : inQuotes(word)
  }

  /// Several words, as the user types them. They are in quotes if a shell would interpret a
  /// character of them.
  static func phrase(_ words: String) -> String {
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
  static func inQuotes(_ word: String) -> String {
    "'" + word.replacingScalars("'", with: "'\\''") + "'"
  }

  /// The word in double quotes. An interactive shell still expands a `!` in it from its history.
  static func inDoubleQuotes(_ word: String) -> String {
    let escaped = ["\\", "\"", "$", "`"].reduce(word) { $0.replacingScalars($1, with: "\\" + $1) }
    return "\"\(escaped)\""
  }

  /// The word in the quotes `$'…'` of bash and zsh. Characters that could control a terminal are
  /// written as bytes, which are the same in every locale. A backslash, a single quote and the
  /// history character `!` are written as bytes, too.
  static func inDollarQuotes(_ word: String) -> String {
    let body = word.unicodeScalars.map { scalar -> String in
      guard VisibleText.isUnsafe(scalar) || "\\'!".unicodeScalars.contains(scalar) else {
        return String(scalar)
      }
      return String(scalar).utf8.map { byte in
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    return "$'\(body.joined())'"
  }
}
