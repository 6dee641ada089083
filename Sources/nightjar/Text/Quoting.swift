import NightjarVarlink

/// Words as a shell needs them.
enum Quoting {
  static func quoted(_ word: String) -> String {
    !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : inQuotes(word)
  }

  /// Several words as they are typed, in quotes if a shell would look at one.
  static func phrase(_ words: String) -> String {
    words.split(separator: " ").allSatisfy { $0.utf8.allSatisfy(isPlain) } ? words : quoted(words)
  }

  /// A letter, a digit or a sign that no shell looks at.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:=+,@%".utf8.contains(byte)
    }
  }

  /// In quotes that let nothing through, whether it needs them or not.
  static func inQuotes(_ word: String) -> String {
    "'" + word.replacingScalars("'", with: "'\\''") + "'"
  }

  /// In double quotes. The history of an interactive shell still sees a `!`.
  static func inDoubleQuotes(_ word: String) -> String {
    let escaped = ["\\", "\"", "$", "`"].reduce(word) { $0.replacingScalars($1, with: "\\" + $1) }
    return "\"\(escaped)\""
  }

  /// As bash and zsh have it, `$'…'`, with what could steer a terminal as bytes: they mean the same in every
  /// locale. So is what ends the quotation, or is for the history of an interactive shell.
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
