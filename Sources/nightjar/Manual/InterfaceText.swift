import NightjarWire

/// An interface in Varlink's language, taken apart (https://varlink.org/Interface-Definition).
struct InterfaceText {
  /// What a declaration declares.
  enum Kind: String, CaseIterable {
    case type
    case method
    case error
  }

  struct Declaration {
    let kind: Kind
    let name: String
    /// As it is written.
    let lines: [String]
    /// What stands above it.
    var comment: String
  }

  /// What stands above the interface itself.
  private(set) var comment = ""
  private(set) var declarations: [Declaration] = []

  /// Reads one that is correct; what is in front of a declaration belongs to it.
  init(_ text: String) {
    var comments: [String] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") {
        comments.append(line.drop { $0 == "#" || $0 == " " }.description)
      } else if line.hasPrefix("interface ") {
        comment = comments.joined(separator: " ")
        comments = []
      } else if let (kind, name) = Self.head(line) {
        declarations.append(
          Declaration(
            kind: kind, name: name, lines: Self.lines(of: line, in: text),
            comment: comments.joined(separator: " ")))
        comments = []
      }
    }
  }

  private static func head(_ line: Substring) -> (kind: Kind, name: String)? {
    let words = line.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let kind = Kind(rawValue: String(words[0])) else { return nil }
    return (kind, String(words[1].prefix { $0.isLetter || $0.isNumber }))
  }

  /// A declaration goes on up to the next that begins a line, be it a comment.
  private static func lines(of first: Substring, in text: String) -> [String] {
    var lines = [String(first)]
    for line in text[first.endIndex...].dropFirst().split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      guard line.hasPrefix(" ") || line.hasPrefix(")") else { break }
      lines.append(String(line))
    }
    return lines
  }

  /// The words of an enumeration, each with what stands above it.
  func words(of type: String) -> [(name: String, comment: String)] {
    var words: [(name: String, comment: String)] = []
    var comments: [String] = []
    for line in declarations.first(where: { $0.name == type })?.lines.dropFirst().dropLast() ?? [] {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("#") {
        comments.append(text.drop { $0 == "#" || $0 == " " }.description)
      } else {
        words.append((text.prefix { $0 != "," }.description, comments.joined(separator: " ")))
        comments = []
      }
    }
    return words
  }

  /// Its part of a manual page: the declarations of a kind, each with what is said about it.
  func blocks(_ kind: Kind) -> [ManualBlock] {
    declarations.filter { $0.kind == kind }.flatMap { declaration -> [ManualBlock] in
      let words = marked(declaration)
      return [.subsection(declaration.name), .example(Self.folded(declaration.lines))]
        + (words.isEmpty ? [] : [.paragraph([words])])
    }
  }

  /// A comment with the names in it in bold: those of what is declared, and those that a sentence
  /// begins with or explains behind a colon.
  private func marked(_ declaration: Declaration) -> String {
    let declared = Set(declarations.map(\.name))
    var beginsSentence = true
    return declaration.comment.split(separator: " ").map { word in
      let name = word.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      let isExplained = beginsSentence || word == "\(name):"
      let isName =
        name.contains("_") || declared.contains(String(name))
        || isExplained && name.first?.isLowercase == true
      beginsSentence = word.hasSuffix(".")
      return isName ? "`\(name)`\(word.dropFirst(name.count))" : String(word)
    }.joined(separator: " ")
  }

  /// As much of an example as fits on a page of 80 columns.
  private static let width = 69

  /// Lines that are longer than a page is wide go on in the next, behind a comma.
  private static func folded(_ lines: [String]) -> [String] {
    lines.flatMap { line -> [String] in
      var folded: [String] = []
      var rest = line[...]
      while rest.count > width, let comma = rest.prefix(width).lastIndex(of: ",") {
        folded.append(String(rest[...comma]))
        rest = "   \(rest[rest.index(after: comma)...])"
      }
      return folded + [String(rest)]
    }
  }
}
