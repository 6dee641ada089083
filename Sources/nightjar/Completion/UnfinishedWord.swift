import NightjarVarlink

/// The last word of a line that somebody is typing in bash, and what of it readline replaces by a completion.
///
/// readline replaces what stands behind an open quote, or behind the last sign of `COMP_WORDBREAKS` that is
/// not quoted; bash hands that to the completion function as its second argument.
struct UnfinishedWord: Equatable {
  /// The quote that is open where readline begins to replace.
  enum Quote: Equatable {
    case none
    case single
    case double
    /// `$'…'`, in which backslashes are escapes.
    case dollar
  }

  /// What the word says in front of that place: a completion begins with it, and leaves it as it is.
  private(set) var head = ""
  /// What it says behind it.
  private(set) var typed = ""
  private(set) var quote = Quote.none
  /// What the words in front of it say.
  private(set) var wordsBefore: [String] = []

  /// - Parameters:
  ///   - line: up to the cursor.
  ///   - replaced: what readline replaces, the end of `line`.
  init(line: String, replaced: String) {
    let scalars = Array(line.unicodeScalars)
    // A line that does not end so is none that bash hands over; then all of the word is replaced.
    let isEnd = line.unicodeScalars.reversed().starts(with: replaced.unicodeScalars.reversed())
    let place = isEnd ? scalars.count - replaced.unicodeScalars.count : scalars.count
    var reader = Reader()
    for scalar in scalars[..<place] { reader.read(scalar) }
    (head, quote) = (reader.word, reader.quote)
    for scalar in scalars[place...] { reader.read(scalar) }
    wordsBefore = reader.words
    // A quote that was opened behind the place means that readline has looked at the line otherwise.
    typed = String(
      String.UnicodeScalarView(reader.word.unicodeScalars.dropFirst(head.unicodeScalars.count)))
  }

  /// Takes a line apart as bash does: blanks and operators end a word unless they are quoted.
  private struct Reader {
    var word = ""
    var quote = Quote.none
    /// Those that have ended.
    private(set) var words: [String] = []
    private var isEscaped = false
    private var isBehindDollar = false

    mutating func read(_ scalar: Unicode.Scalar) {
      defer { isBehindDollar = scalar == "$" && !isEscaped && quote == .none }
      if isEscaped {
        isEscaped = false
        // Between double quotes a backslash stays in front of most signs.
        if quote == .double, !"$`\"\\".unicodeScalars.contains(scalar) { word += "\\" }
        return word.unicodeScalars.append(scalar)
      }
      switch (quote, scalar) {
      case (.single, "'"), (.dollar, "'"), (.double, "\""): quote = .none
      case (.none, "\\"), (.double, "\\"), (.dollar, "\\"): isEscaped = true
      case (.none, "'"):
        if isBehindDollar { word.unicodeScalars.removeLast() }
        quote = isBehindDollar ? .dollar : .single
      case (.none, "\""): quote = .double
      case (.none, " "), (.none, "\t"), (.none, "\n"), (.none, "|"), (.none, "&"), (.none, ";"),
        (.none, "("), (.none, ")"), (.none, "<"), (.none, ">"):
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.unicodeScalars.append(scalar)
      }
    }
  }
}

// MARK: - What is inserted

extension UnfinishedWord {
  /// What readline may insert for those of the names that begin with what was typed: shell words that say
  /// just the name, whatever is in it.
  func completions(among names: [String]) -> [String] {
    let said = head + typed
    let rests = names.filter { $0.unicodeScalars.starts(with: said.unicodeScalars) }.map {
      String(String.UnicodeScalarView($0.unicodeScalars.dropFirst(head.unicodeScalars.count)))
    }
    // readline inserts what all have in common: a quote in front of one alone would leave nothing.
    let arePlain = quote == .none && rests.allSatisfy { Quoting.quoted($0) == $0 }
    return arePlain ? rests : rests.map(replacement)
  }

  /// A rest of a name, quoted. readline drops the quote that is open where this begins with the same, and
  /// adds one where it does not end with it.
  private func replacement(_ rest: String) -> String {
    let isVisible = !VisibleText.hasUnsafe(rest)
    switch quote {
    case .none: return isVisible ? Quoting.inQuotes(rest) : Quoting.inDollarQuotes(rest)
    case .single: return isVisible ? Quoting.inQuotes(rest) : "''" + Quoting.inDollarQuotes(rest)
    case .double:
      // The history's sign cannot be escaped between double quotes.
      guard isVisible, !rest.unicodeScalars.contains("!") else {
        let quoted = isVisible ? Quoting.inQuotes(rest) : Quoting.inDollarQuotes(rest)
        return "\"\"\(quoted)\"\""
      }
      return Quoting.inDoubleQuotes(rest)
    case .dollar: return String(Quoting.inDollarQuotes(rest).dropFirst())
    }
  }
}
