import Varlink

extension Quoting {
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
