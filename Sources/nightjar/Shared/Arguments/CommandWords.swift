/// A command as it is typed in one piece, taken apart into words as systemd takes apart `ExecStart=`
/// (systemd.service(5)): at blanks, with quotes and backslashes, and without a shell. What only a shell
/// would understand is refused rather than handed to the program as it stands.
struct CommandWords {
  private var rest: Substring.UnicodeScalarView
  private var words: [String] = []
  private var word = String.UnicodeScalarView()
  /// Something of the word has been written, if only quotes around nothing.
  private var hasWord = false
  /// Something that is neither quoted nor escaped in the word would be for a shell.
  private var isForShell = false

  private init(_ text: String) { rest = Substring(text).unicodeScalars }

  /// What is wrong with a command: a sentence that goes on behind what the command is called.
  struct Problem: Error, Equatable {
    let sentence: String
    /// It is for a shell.
    var isForShell = false
  }

  /// The words of a command, its program first. O(length).
  ///
  /// - Throws: `Problem` if there are none, something is left open, or it is for a shell.
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

  /// Up to the same quote. In single quotes a dollar is a dollar; backslashes count in both.
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

  // MARK: What is for a shell

  /// These join commands, lead them elsewhere, or stand for files, wherever they are in a word. A question
  /// mark or a bracket seldom does, and often is part of an address.
  private static let operators: Set<Unicode.Scalar> = ["|", "&", ";", "<", ">", "*"]

  private static func forShell(_ what: String) -> Problem {
    Problem(
      sentence: "is run without a shell, which \(what) would be for", isForShell: true)
  }
}
