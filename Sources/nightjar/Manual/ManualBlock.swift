/// A piece of a manual page.
///
/// Pages are written as plain text, in the way in which the commands' help is written, too:
///
///     # SECTION
///     ## Subsection
///     A paragraph; a line that ends, ends on the page as well.
///
///       What is indented is an example, and stays as it is. What is typed begins with "$ ".
///
///     term  Two spaces make a list. Entries on lines of their own stand close together.
///
/// In a section SYNOPSIS each line is a command with its arguments. For the fonts see `ManualText`.
enum ManualBlock: Equatable {
  case section(String)
  case subsection(String)
  case synopsis([String])
  case paragraph([String])
  case example([String])
  case list([Entry], isCompact: Bool)

  /// What a list has: a word or a few, and what is said about them.
  struct Entry: Equatable {
    let term: ManualText
    let text: String

    /// - Parameter term: a word or a few; without marks they are as a usage line has them.
    init(_ term: String, _ text: String) {
      let isMarked = term.contains { "`_(".contains($0) }
      self.term = isMarked ? ManualText(term) : ManualText(usage: term)
      self.text = text
    }

    init(term: ManualText, text: String) {
      self.term = term
      self.text = text
    }

    /// - Parameter usage: what is typed, as a usage line has it.
    init(usage: String, _ text: String) {
      term = ManualText(usage: usage)
      self.text = text
    }
  }

  /// Reads a text.
  static func blocks(_ text: String) -> [ManualBlock] {
    var blocks: [ManualBlock] = []
    var isSynopsis = false
    for lines in groups(text) {
      let block = block(lines, isSynopsis: isSynopsis)
      if case .section(let title) = block { isSynopsis = title == "SYNOPSIS" }
      if case .example(let more) = block, case .example(let lines)? = blocks.last {
        blocks[blocks.count - 1] = .example(lines + [""] + more)
      } else {
        blocks.append(block)
      }
    }
    return blocks
  }

  /// Lines with nothing between them; a heading is by itself.
  private static func groups(_ text: String) -> [[Substring]] {
    var groups: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isHeading = line.hasPrefix("# ") || line.hasPrefix("## ")
      if line.isEmpty || isHeading { groups.append([]) }
      if !line.isEmpty { groups[groups.count - 1].append(line) }
      if isHeading { groups.append([]) }
    }
    return groups.filter { !$0.isEmpty }
  }

  private static func block(_ lines: [Substring], isSynopsis: Bool) -> ManualBlock {
    if lines[0].hasPrefix("# ") { return .section(String(lines[0].dropFirst(2))) }
    if lines[0].hasPrefix("## ") { return .subsection(String(lines[0].dropFirst(3))) }
    if isSynopsis { return .synopsis(lines.map(String.init)) }
    let margin = lines.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    if margin >= 2 { return .example(lines.map { String($0.dropFirst(margin)) }) }
    // Help has commands without a prompt, and nothing else in such a paragraph.
    let isTyped = lines.allSatisfy { $0.hasPrefix("nightjar ") && !".,:;".contains($0.last ?? ".") }
    if isTyped { return .example(lines.map { "$ \($0)" }) }
    let entries = lines.compactMap(entry)
    if entries.count == lines.count { return .list(entries, isCompact: entries.count > 1) }
    return .paragraph(lines.map(String.init))
  }

  /// A term, two spaces or more, and what is said about it; nil where there is no such gap.
  private static func entry(_ line: Substring) -> Entry? {
    guard let gap = line.firstRange(of: "  ") else { return nil }
    let text = line[gap.upperBound...].drop { $0 == " " }
    return Entry(String(line[..<gap.lowerBound]), String(text))
  }
}

// MARK: - Marks

extension ManualBlock {
  /// What a list is of.
  var terms: [ManualText] {
    if case .list(let entries, _) = self { entries.map(\.term) } else { [] }
  }

  /// The same with a mark around some words, where text is running.
  func marked(_ mark: String, _ words: Set<String>) -> ManualBlock {
    switch self {
    case .paragraph(let lines): .paragraph(lines.map { $0.marked(mark, words) })
    case .list(let entries, let isCompact):
      .list(entries.map { $0.marked(mark, words) }, isCompact: isCompact)
    case .section, .subsection, .synopsis, .example: self
    }
  }
}

extension ManualBlock.Entry {
  fileprivate func marked(_ mark: String, _ words: Set<String>) -> Self {
    Self(term: term, text: text.marked(mark, words))
  }
}

extension String {
  /// The same with a mark around some words.
  func marked(_ mark: String, _ words: Set<String>) -> String {
    split(separator: " ", omittingEmptySubsequences: false).map { word in
      let stem = word.drop { $0 == "(" }.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      guard words.contains(String(stem)) else { return String(word) }
      return word[..<stem.startIndex] + mark + stem + mark + word[stem.endIndex...]
    }.joined(separator: " ")
  }
}

// MARK: - Examples

extension ManualBlock {
  /// A line of an example: typed, with its prompt or going on from the line before, or answered.
  struct Line: Equatable {
    enum Kind {
      case prompt
      case more
      case answer
    }

    let text: String
    let kind: Kind
  }

  static func lines(of example: [String]) -> [Line] {
    var lines: [Line] = []
    var typed = ""
    for text in example {
      let kind: Line.Kind =
        goesOn(typed) ? .more : text.hasPrefix("$ ") ? .prompt : .answer
      switch kind {
      case .prompt: typed = String(text.dropFirst(2))
      case .more: typed += "\n\(text)"
      case .answer: typed = ""
      }
      lines.append(Line(text: text, kind: kind))
    }
    return lines
  }

  /// What is typed in an example, and what is answered to each.
  var commands: [(typed: String, answer: [String])] {
    guard case .example(let example) = self else { return [] }
    var commands: [(typed: String, answer: [String])] = []
    for line in Self.lines(of: example) {
      let last = commands.count - 1
      switch line.kind {
      case .prompt: commands.append((String(line.text.dropFirst(2)), []))
      case .more: commands[last].typed += "\n\(line.text)"
      case .answer: if last >= 0 { commands[last].answer.append(line.text) }
      }
    }
    return commands
  }

  /// Whether a shell waits for more.
  private static func goesOn(_ typed: String) -> Bool {
    let lines = typed.split(separator: "\n")
    guard let last = lines.last else { return false }
    if lines[0].hasSuffix("<<'END'") { return last != "END" }
    return last.hasSuffix("\\") || last.hasSuffix("|")
      || typed.count { $0 == "'" } % 2 == 1
  }
}
