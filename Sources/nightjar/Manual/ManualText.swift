/// Text in the fonts of the manuals: bold is typed as it stands, italic stands for something.
///
/// As it is written, `…` is bold and _…_ italic. Options, paths, variables of the environment and
/// other pages, such as systemd.time(7), need no marks, so that the commands' help can be read by
/// this, too.
struct ManualText: Equatable {
  enum Font: Equatable {
    case roman
    case bold
    case italic
  }

  struct Run: Equatable {
    var text: String
    var font: Font
  }

  private(set) var runs: [Run] = []

  init() {}

  init(_ text: String) {
    var rest = text[...]
    var plain = ""
    while let first = rest.first {
      let before = plain.last ?? runs.last?.text.last ?? " "
      if let (inner, font, length) = Self.marked(rest, after: before) {
        addPlain(plain)
        plain = ""
        add(inner, font)
        rest = rest.dropFirst(length)
      } else {
        plain.append(first)
        rest = rest.dropFirst()
      }
    }
    addPlain(plain)
  }

  mutating func add(_ text: some StringProtocol, _ font: Font) {
    guard !text.isEmpty else { return }
    if let last = runs.last, last.font == font {
      runs[runs.count - 1].text += text
    } else {
      runs.append(Run(text: String(text), font: font))
    }
  }

  /// What stands between marks at the beginning of a text; nil if it does not begin with one.
  private static func marked(
    _ text: Substring, after before: Character
  ) -> (inner: Substring, font: Font, length: Int)? {
    guard let mark = text.first, mark == "`" || mark == "_",
      let end = text.dropFirst().firstIndex(of: mark)
    else { return nil }
    let inner = text[text.index(after: text.startIndex)..<end]
    if mark == "`" { return (inner, .bold, inner.count + 2) }
    // Names have such lines within.
    let next = text[text.index(after: end)...].first ?? " "
    guard !before.isLetter, !next.isLetter, !inner.isEmpty, !inner.contains(" ") else { return nil }
    return (inner, .italic, inner.count + 2)
  }

  // MARK: What needs no marks

  private mutating func addPlain(_ text: String) {
    var isTyped = false
    for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { add(" ", isTyped ? .bold : .roman) }
      let isProgram = word == "nightjar" && Self.isCommand(text, behind: word)
      addWord(word, isTyped: isTyped || isProgram)
      isTyped = isProgram
    }
  }

  private mutating func addWord(_ word: Substring, isTyped: Bool) {
    let start = word.prefix { "(\"".contains($0) }
    let stem = Self.stem(word.dropFirst(start.count))
    add(start, .roman)
    if let page = Self.page(stem) {
      add(page, .bold)
      add(stem.dropFirst(page.count), .roman)
    } else {
      let isName = Self.isOption(stem) || Self.isVariable(stem) || Self.isPath(stem)
      add(stem, isTyped || isName ? .bold : .roman)
    }
    add(word.dropFirst(start.count + stem.count), .roman)
  }

  /// A word without the punctuation behind it.
  private static func stem(_ word: Substring) -> Substring {
    var stem = word
    while let last = stem.last, ".,;:)\"?".contains(last), page(stem) == nil { stem.removeLast() }
    return stem
  }

  /// The name in front of a section's number in brackets.
  private static func page(_ word: Substring) -> Substring? {
    guard word.last == ")", word.count > 3 else { return nil }
    let name = word.dropLast(3)
    let number = word.suffix(3).dropLast()
    guard number.first == "(", number.last?.isWholeNumber == true,
      name.allSatisfy({ $0.isLetter || $0.isNumber || ".-_".contains($0) })
    else { return nil }
    return name
  }

  private static func isOption(_ word: Substring) -> Bool {
    word.hasPrefix("--") && word.dropFirst(2).first?.isLetter == true
  }

  private static func isVariable(_ word: Substring) -> Bool {
    word.contains("_") && word.first?.isUppercase == true
      && word.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
  }

  private static func isPath(_ word: Substring) -> Bool {
    word.hasPrefix("/") && word.count > 1 || word.hasPrefix("~/")
      || word.hasPrefix("$") && word.contains("/")
  }

  /// Whether one of its commands follows the program's name.
  private static func isCommand(_ text: String, behind word: Substring) -> Bool {
    let next = text[word.endIndex...].dropFirst().prefix { $0.isLetter || $0 == "-" }
    return Nightjar.commandNames.contains(String(next))
  }
}

// MARK: - Usage

extension ManualText {
  /// Usage, such as `[--clock CLOCK]`: capitals stand for something, other words are typed.
  init(usage: some StringProtocol) {
    self.init()
    var rest = usage[...]
    while !rest.isEmpty {
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      let stands = word.contains { $0.isUppercase } && !word.contains { $0.isLowercase }
      if word.isEmpty {
        add(rest.prefix(1), .roman)
      } else {
        add(word, stands ? .italic : .bold)
      }
      rest = rest.dropFirst(max(word.count, 1))
    }
  }
}
