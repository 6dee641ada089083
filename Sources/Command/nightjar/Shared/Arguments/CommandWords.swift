/// Splits the text of a command into words, by the rules of `ExecStart=` (systemd.service(5)): at
/// blanks, with quotes and backslashes, and without a shell. Text that only a shell understands is
/// an error, because the program would get it literally.
struct CommandWords {
  private var rest: Substring.UnicodeScalarView
  private var words: [String] = []
  private var word = String.UnicodeScalarView()
  /// Whether the current word has begun. A pair of quotes also begins a word.
  private var hasWord = false
  /// Whether the current word contains characters for a shell that are neither quoted nor escaped.
  private var isForShell = false

  private init(_ text: String) { rest = Substring(text).unicodeScalars }

  /// The error about a command. Its sentence is the part of an error after the command's name.
  struct Problem: Error, Equatable {
    let sentence: String
    var isForShell = false
  }

  /// The words of a command. The first word is the program. O(length).
  ///
  /// - Throws: `Problem`: there are no words, a quote or an escape is not complete, or the text
  ///   needs a shell.
  static func split(_ text: String) throws(Problem) -> [String] {
    var splitter = CommandWords(text)
    try splitter.split()
    guard let program = splitter.words.first, !program.isEmpty else {
      throw Problem(sentence: "has no program in it; write one such as 'paplay bell.oga'")
    }
    return splitter.words
  }

  private mutating func split() throws(Problem) {
    while let scalar = rest.popFirst() {
      switch scalar {
      case " ", "\t", "\n", "\r": try endWord()
      case "'", "\"": try readQuoted(scalar)
      case "\\": try add(escaped())
      default: try addPlain(scalar)
      }
    }
    try endWord()
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    hasWord = true
    word.append(scalar)
  }

  private mutating func addPlain(_ scalar: Unicode.Scalar) throws(Problem) {
    if scalar == "$", let next = rest.first,
      next.properties.isAlphabetic || "_{(0123456789?!#@*$-".unicodeScalars.contains(next)
    {
      throw Self.forShell("'$' and what follows")
    }
    if scalar == "`" { throw Self.forShell("'`'") }
    if scalar == "~", !hasWord, rest.first.map({ "/ \t\n".unicodeScalars.contains($0) }) ?? true {
      throw Self.forShell("'~'")
    }
    if Self.operators.contains(scalar) { isForShell = true }
    hasWord = true
    word.append(scalar)
  }

  private mutating func endWord() throws(Problem) {
    guard hasWord else { return }
    let text = String(word)
    if isForShell { throw Self.forShell("'\(text)'") }
    words.append(text)
    word = String.UnicodeScalarView()
    hasWord = false
  }

  /// Reads up to the closing quote. In single quotes, a dollar is literal. In both kinds of quotes,
  /// a backslash begins an escape.
  private mutating func readQuoted(_ quote: Unicode.Scalar) throws(Problem) {
    hasWord = true
    while let scalar = rest.popFirst() {
      if scalar == quote { return }
      add(scalar == "\\" ? try escaped() : scalar)
    }
    throw Problem(sentence: "has a quote (\(quote)) that does not end")
  }

  // MARK: Backslashes

  private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
    "a": "\u{7}", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{B}",
    "s": " ", "\\": "\\", "\"": "\"", "'": "'", " ": " ", "$": "$", "`": "`", "~": "~",
    "|": "|", "&": "&", ";": ";", "<": "<", ">": ">", "*": "*",
  ]

  private mutating func escaped() throws(Problem) -> Unicode.Scalar {
    guard let scalar = rest.popFirst() else {
      throw Problem(sentence: "ends in a backslash that stands before nothing")
    }
    if let meant = Self.letters[scalar] { return meant }
    switch scalar {
    case "x": return try number(digits: 2, radix: 16, behind: "\\x")
    case "u": return try number(digits: 4, radix: 16, behind: "\\u")
    case "U": return try number(digits: 8, radix: 16, behind: "\\U")
    case "0"..."7":
      rest.insert(scalar, at: rest.startIndex)
      return try number(digits: 3, radix: 8, behind: "\\")
    default:
      throw Problem(
        sentence: "has '\\\(scalar)' in it, which means nothing; for a backslash write \\\\")
    }
  }

  private mutating func number(
    digits: Int, radix: Int, behind prefix: String
  ) throws(Problem) -> Unicode.Scalar {
    let text = String(String.UnicodeScalarView(rest.prefix(digits)))
    guard text.unicodeScalars.count == digits, text.allSatisfy(\.isHexDigit),
      let value = UInt32(text, radix: radix), value > 0, let scalar = Unicode.Scalar(value)
    else {
      throw Problem(sentence: "has '\(prefix)\(text)' in it, which is no character's number")
    }
    rest.removeFirst(digits)
    return scalar
  }

  // MARK: Shell syntax

  /// The characters that connect commands, redirect their output or match files, at any place in a
  /// word. Question marks and brackets are allowed, because they rarely match files, and are often
  /// part of a URL.
  private static let operators: Set<Unicode.Scalar> = ["|", "&", ";", "<", ">", "*"]

  private static func forShell(_ what: String) -> Problem {
    Problem(
      sentence: "is run without a shell, which \(what) would be for", isForShell: true)
  }
}
