import Varlink

/// The last word of a line in bash, and the part of it that readline replaces by a completion.
///
/// readline replaces the text after an open quote, or after the last unquoted character of
/// `COMP_WORDBREAKS`. bash passes that text to the completion function as its second argument.
struct UnfinishedWord: Equatable {
  /// The quote that is open where readline begins to replace.
  enum Quote: Equatable {
    case none
    case single
    case double
    /// `$'…'`, in which a backslash begins an escape.
    case dollar
  }

  /// The part of the word that stays, without its quotes. Completions must begin with it.
  private(set) var head = ""
  /// The part of the word that is replaced, without its quotes.
  private(set) var typed = ""
  private(set) var quote = Quote.none
  /// The words before the unfinished word, without their quotes.
  private(set) var wordsBefore: [String] = []

  /// - Parameters:
  ///   - line: the line up to the cursor.
  ///   - replaced: the text that readline replaces, the end of `line`.
  init(line: String, replaced: String) {
    let scalars = Array(line.unicodeScalars)
    // bash always passes a line that ends in `replaced`. If the line ends otherwise, the whole word
    // counts as the part that stays.
    let isEnd = line.unicodeScalars.reversed().starts(with: replaced.unicodeScalars.reversed())
    let place = isEnd ? scalars.count - replaced.unicodeScalars.count : scalars.count
    var reader = Reader()
    for scalar in scalars[..<place] { reader.read(scalar) }
    (head, quote) = (reader.word, reader.quote)
    for scalar in scalars[place...] { reader.read(scalar) }
    wordsBefore = reader.words
    // The quote at `place` is the one that counts. A quote that was opened after it is already
    // closed, because readline replaces the text after an open quote.
    typed = String(
      String.UnicodeScalarView(reader.word.unicodeScalars.dropFirst(head.unicodeScalars.count)))
  }

  /// Splits a line as bash does: blanks and operators end a word unless they are quoted.
  private struct Reader {
    var word = ""
    var quote = Quote.none
    /// The words that have ended.
    private(set) var words: [String] = []
    private var isEscaped = false
    private var isBehindDollar = false

    mutating func read(_ scalar: Unicode.Scalar) {
      defer { isBehindDollar = scalar == "$" && !isEscaped && quote == .none }
      if isEscaped {
        isEscaped = false
        // Inside double quotes, a backslash is a character of its own, unless one of these
        // characters follows.
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

// MARK: - The inserted text

extension UnfinishedWord {
  /// The completions for the names that begin with the typed text. Each is a quoted word, which the
  /// shell reads as exactly the name.
  func completions(among names: [String]) -> [String] {
    let said = head + typed
    let rests = names.filter { $0.unicodeScalars.starts(with: said.unicodeScalars) }.map {
      String(String.UnicodeScalarView($0.unicodeScalars.dropFirst(head.unicodeScalars.count)))
    }
    // readline inserts the beginning that all completions have in common. If only some completions
    // began with a quote, they would have no beginning in common.
    let arePlain = quote == .none && rests.allSatisfy { Quoting.quoted($0) == $0 }
    guard !arePlain else { return rests }
    guard quote == .none, Set(rests.map { $0.unicodeScalars.first }).count > 1 else {
      return rests.map { replacement($0, in: quote) }
    }
    // These names have no beginning in common. If they had a quote in common, it would be inserted
    // alone.
    var words = rests.map { Quoting.quoted($0) == $0 ? $0 : replacement($0, in: .none) }
    if Set(words.map(\.first)).count == 1 { words[0] = replacement(rests[0], in: .double) }
    return words
  }

  /// The rest of a name, quoted for its place in the line. If the rest begins with the quote that
  /// is open, readline drops that quote. If the rest does not end with that quote, readline adds
  /// the quote.
  private func replacement(_ rest: String, in quote: Quote) -> String {
    let isVisible = !VisibleText.hasUnsafe(rest)
    switch quote {
    case .none: return isVisible ? Quoting.inQuotes(rest) : Quoting.inDollarQuotes(rest)
    case .single: return isVisible ? Quoting.inQuotes(rest) : "''" + Quoting.inDollarQuotes(rest)
    case .double:
      // In double quotes, the history character `!` cannot be escaped.
      guard isVisible, !rest.unicodeScalars.contains("!") else {
        let quoted = isVisible ? Quoting.inQuotes(rest) : Quoting.inDollarQuotes(rest)
        return "\"\"\(quoted)\"\""
      }
      return Quoting.inDoubleQuotes(rest)
    case .dollar: return String(Quoting.inDollarQuotes(rest).dropFirst())
    }
  }
}
