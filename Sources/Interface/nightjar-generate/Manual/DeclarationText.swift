import VarlinkGenerator

/// A declaration in Varlink's interface language, wrapped to fit an indented example of a manual
/// page.
struct DeclarationText {
  /// The length of the longest line in characters: 80 columns minus the indentations of a page and
  /// of an example.
  static let width = 69

  private(set) var lines: [String] = []

  init(_ declaration: Declaration) {
    let name = declaration.name
    switch declaration.kind {
    case .method(let input, let output):
      write("method \(name)", input)
      append(" -> ")
      write("", output)
    case .error(let fields): write("error \(name) ", fields)
    case .type(.structure(let fields)): write("type \(name) ", fields)
    case .type(.enumeration(let words)):
      write("type \(name) ", words.map { ($0.name, $0.comment) })
    case .type(let other): append("type \(name) \(other)")
    }
  }

  private mutating func append(_ text: String) {
    if lines.isEmpty { lines.append("") }
    lines[lines.count - 1] += text
  }

  private mutating func write(_ head: String, _ fields: [Field]) {
    write(head, fields.map { ("\($0.name): \($0.type)", $0.comment) })
  }

  /// Writes parts in parentheses, such as the fields of a structure. All parts are on one line if
  /// they fit and none has a comment; otherwise each part has its own line.
  private mutating func write(_ head: String, _ parts: [(text: String, comment: [String])]) {
    let whole = "\(head)(\(parts.map(\.text).joined(separator: ", ")))"
    let isPlain = parts.allSatisfy(\.comment.isEmpty)
    if isPlain, (lines.last?.count ?? 0) + whole.count <= Self.width { return append(whole) }
    append("\(head)(")
    for (index, part) in parts.enumerated() {
      for line in Self.folded(part.comment) { lines.append("  # \(line)") }
      lines.append("  \(part.text)\(index + 1 < parts.count ? "," : "")")
    }
    lines.append(")")
  }

  private static func folded(_ comment: [String]) -> [String] {
    var lines: [String] = []
    for word in comment.joined(separator: " ").split(separator: " ") {
      if let last = lines.last, last.count + word.count + 5 <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
