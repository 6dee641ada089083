/// An interface in Varlink's language, parsed (https://varlink.org/Interface-Definition).
struct InterfaceText {
  enum Kind: String, CaseIterable {
    case type
    case method
    case error
  }

  struct Declaration {
    let kind: Kind
    let name: String
    let lines: [String]
    var comment: String
  }

  /// The comment above the interface itself.
  private(set) var comment = ""
  private(set) var declarations: [Declaration] = []

  /// Parses a correct interface; the comment before a declaration belongs to it.
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

  /// A declaration extends up to the next declaration or comment at the beginning of a line.
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
}
