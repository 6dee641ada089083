/// A token of the interface language.
struct Token: Equatable {
  enum Kind: Equatable {
    /// A keyword or a name: letters, digits and `_`, and `.` and `-` in names of interfaces.
    case word(String)
    /// One of `( ) , : ? -> [] [string]`.
    case mark(String)
    /// The end of the text.
    case end
  }

  var kind: Kind
  /// The comment lines between the previous token and this one.
  var comment: [String]
  var line: Int
  var column: Int

  /// The token as errors show it.
  var text: String {
    switch kind {
    case .word(let text), .mark(let text): "'\(text)'"
    case .end: "the end of the file"
    }
  }

  func error(_ message: String) -> SyntaxError {
    SyntaxError(line: line, column: column, message: message)
  }
}

/// Splits a text into tokens. O(n).
struct Tokenizer {
  private let text: [Unicode.Scalar]
  private var position = 0
  private var line = 1
  private var lineStart = 0

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// Returns all tokens of the text. The last one is `end`.
  mutating func tokens() throws(SyntaxError) -> [Token] {
    var tokens: [Token] = []
    repeat { tokens.append(try next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws(SyntaxError) -> Token {
    let comment = skipSpace()
    var token = Token(
      kind: .end, comment: comment, line: line, column: position - lineStart + 1)
    guard position < text.count else { return token }
    let word = self.word()
    if !word.isEmpty {
      token.kind = .word(word)
      position += word.unicodeScalars.count
    } else if let mark = Self.marks.first(where: hasPrefix) {
      token.kind = .mark(mark)
      position += mark.unicodeScalars.count
    } else {
      throw token.error(
        text[position] == "["
          ? "write '[]' for an array or '[string]' for a map, without spaces"
          : "remove '\(text[position])': the language has no such character outside of comments")
    }
    return token
  }

  private static let marks = ["(", ")", ",", ":", "?", "->", "[]", "[string]"]

  private func hasPrefix(_ mark: String) -> Bool {
    text[position...].starts(with: mark.unicodeScalars)
  }

  private func word() -> String {
    var end = position
    while end < text.count, Self.isInWord(text[end]) { end += 1 }
    // In `A()->B`, the `-` belongs to the token `->` and not to the word before it.
    while end > position, text[end - 1] == "-" { end -= 1 }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: text[position..<end])
    return String(word)
  }

  private static func isInWord(_ character: Unicode.Scalar) -> Bool {
    switch character {
    case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "-": true
    default: false
    }
  }

  /// Moves to the next token, and returns the comment lines before it.
  private mutating func skipSpace() -> [String] {
    var comment: [String] = []
    while position < text.count {
      switch text[position] {
      case "\n":
        position += 1
        line += 1
        lineStart = position
      case " ", "\t", "\r": position += 1
      case "#": comment.append(commentLine())
      default: return comment
      }
    }
    return comment
  }

  private mutating func commentLine() -> String {
    position += 1
    if position < text.count, text[position] == " " { position += 1 }
    var line = String.UnicodeScalarView()
    while position < text.count, text[position] != "\n" {
      if text[position] != "\r" { line.append(text[position]) }
      position += 1
    }
    return String(line)
  }
}
