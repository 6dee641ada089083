/// The text of a line or a paragraph of mdoc, with the macro of each part.
///
/// On these pages `Fl` is an option, `Ar` a placeholder, `Cm` any other literal word (a value, a
/// key, a field, an event), `Ic` a command line, `Ev` a variable, `Pa` a path, `Dv` a signal or a
/// constant, `Xr` another page, `Sx` a section of the same page.
struct ManualText: Equatable {
  struct Part: Equatable {
    let text: String
    /// A macro such as `Fl`; nil: none.
    let macro: String?
    /// No space precedes it.
    let isGlued: Bool
  }

  private(set) var parts: [Part] = []
  private var isNextGlued = false

  /// The text without macros.
  var plain: String {
    parts.reduce(into: "") { text, part in
      if !text.isEmpty, !part.isGlued { text += " " }
      text += part.text
    }
  }

  /// The texts that use one of these macros.
  func texts(_ macros: String...) -> [String] {
    parts.filter { part in part.macro.map(macros.contains) ?? false }.map(\.text)
  }

  mutating func add(_ text: String, _ macro: String? = nil, isGlued: Bool = false) {
    parts.append(Part(text: text, macro: macro, isGlued: isGlued || isNextGlued))
    isNextGlued = false
  }

  /// The next part follows without a space.
  mutating func glueNext() { isNextGlued = true }
}

// MARK: - mdoc

/// A line that the tests cannot read: change the page, or extend this parser.
struct UnknownMdoc: Error, CustomStringConvertible {
  let description: String

  init(_ what: String) { description = "the tests do not read \(what); see ManualText" }
}

extension ManualText {
  /// Macros whose arguments are one text.
  private static let fonts: Set<String> = [
    "Ar", "Cm", "Dv", "Em", "Ev", "Ic", "Lk", "Nm", "Pa", "Sx", "Sy", "Xr",
  ]
  /// Macros that enclose the rest of their line.
  private static let around = ["Op": ("[", "]"), "Bq": ("[", "]"), "Pq": ("(", ")")]
  private static let others: Set<String> = ["Fl", "No", "Ns", "Oo", "Oc"]
  private static let closing: Set<String> = [".", ",", ":", ";", ")", "]", "?", "!"]
  private static let opening: Set<String> = ["(", "["]

  /// Adds a line of text.
  mutating func addLine(_ line: Substring) throws(UnknownMdoc) {
    add(try Self.unescaped(line))
  }

  /// Adds a line with macros, without its dot.
  /// - Parameter name: the page's name, for `Nm`.
  mutating func addMacros(_ line: Substring, name: String) throws(UnknownMdoc) {
    var words = try Self.words(line)
    var ends: [String] = []
    // Punctuation at the end of a line comes after the enclosing characters.
    var punctuation: [Substring] = []
    if words.contains(where: { Self.around[String($0)] != nil }) {
      while let last = words.last, Self.closing.contains(String(last)) {
        punctuation.insert(words.removeLast(), at: 0)
      }
    }
    var rest = words[...]
    while let word = rest.popFirst() {
      let macro = String(word)
      if let (start, end) = Self.around[macro] {
        add(start)
        glueNext()
        ends.insert(end, at: 0)
      } else if Self.fonts.contains(macro) || macro == "Fl" || macro == "No" {
        try addArguments(of: macro, &rest, name: name)
      } else if macro == "Ns" {
        glueNext()
      } else if macro == "Oo" {
        add("[")
        glueNext()
      } else if macro == "Oc" {
        add("]", isGlued: true)
      } else if Self.closing.contains(macro) || macro == "|" {
        add(macro, isGlued: macro != "|")
      } else if word.first?.isUppercase == true, word.count == 2, words.first == word {
        throw UnknownMdoc("the macro \(word)")
      } else {
        add(try Self.unescaped(word))
      }
    }
    for end in ends + punctuation.map(String.init) { add(end, isGlued: true) }
  }

  /// Adds the arguments up to the next macro, without punctuation.
  private mutating func addArguments(
    of macro: String, _ rest: inout ArraySlice<Substring>, name: String
  ) throws(UnknownMdoc) {
    var texts: [String] = []
    var isEmpty = true
    while let word = rest.first, Self.opening.contains(String(word)) {
      add(String(word))
      glueNext()
      rest.removeFirst()
    }
    while let word = rest.first, !Self.isMacro(word) {
      rest.removeFirst()
      if Self.closing.contains(String(word)) || word == "|" {
        addTexts(texts, macro)
        texts = []
        add(String(word), isGlued: word != "|")
      } else {
        texts.append(try Self.unescaped(word))
        isEmpty = false
      }
    }
    switch macro {
    case "Nm" where isEmpty: texts = [name]
    case "Fl" where isEmpty: texts = [""]
    case _ where isEmpty: throw UnknownMdoc("\(macro) with nothing behind it")
    default: break
    }
    addTexts(texts, macro)
  }

  private mutating func addTexts(_ texts: [String], _ macro: String) {
    guard !texts.isEmpty else { return }
    switch macro {
    case "Fl": for text in texts { add("-\(text)", macro) }
    case "No": add(texts.joined(separator: " "))
    case "Xr" where texts.count == 2: add("\(texts[0])(\(texts[1]))", macro)
    default: add(texts.joined(separator: " "), macro)
    }
  }

  private static func isMacro(_ word: Substring) -> Bool {
    fonts.contains(String(word)) || around[String(word)] != nil || others.contains(String(word))
  }

  /// The words of a line with macros; quotes protect spaces.
  static func words(_ line: Substring) throws(UnknownMdoc) -> [Substring] {
    guard !line.contains(" \"") else { throw UnknownMdoc("quotes in \(line)") }
    return line.split(separator: " ")
  }

  static func unescaped(_ text: Substring) throws(UnknownMdoc) -> String {
    let text = text.replacing("\\&", with: "").replacing("\\:", with: "")
      .replacing("\\(dq", with: "\"")
    guard !text.replacing("\\e", with: "").contains("\\") else {
      throw UnknownMdoc("the escape in \(text)")
    }
    return String(text.replacing("\\e", with: "\\"))
  }
}
