/// Swift source under construction, line by line, in the layout of swift-format.
package struct SwiftText {
  private var lines: [String] = []
  private(set) var depth = 0

  /// - Parameters:
  ///   - source: the name of the file from which the source is generated.
  ///   - program: the program that generates it.
  ///   - imports: the import declarations as whole lines, such as `public import Module`.
  package init(
    madeFrom source: String, by program: String = "varlink-swift", importing imports: [String] = []
  ) {
    lines = ["// Made from \(source) by \(program). Do not edit."]
    if !imports.isEmpty { lines += [""] + imports }
  }

  /// The source as text, with a line feed at its end.
  package var text: String { lines.joined(separator: "\n") + "\n" }

  package mutating func line(_ text: String = "") {
    lines.append(text.isEmpty ? "" : String(repeating: "  ", count: depth) + text)
  }

  /// Adds a block: `head {`, the body, and `}`.
  package mutating func block(_ head: String, _ body: (inout SwiftText) -> Void) {
    line("\(head) {")
    indented(body)
    line("}")
  }

  mutating func indented(_ body: (inout SwiftText) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Adds a documentation comment, wrapped to the line length. If the comment is empty, adds
  /// nothing.
  package mutating func documentation(_ comment: [String]) {
    var row = ""
    for word in comment.joined(separator: " ").split(separator: " ") {
      if !row.isEmpty, row.count + word.count + 1 > Self.width - 2 * depth - 4 {
        line("/// \(row)")
        row = ""
      }
      row += row.isEmpty ? "\(word)" : " \(word)"
    }
    if !row.isEmpty { line("/// \(row)") }
  }

  /// The longest line in columns: `lineLength` of .swift-format.
  package static let width = 100
}

extension SwiftText {
  /// Adds `head(a, b)`, on several lines if it is too long for one. Without parts, adds `head`.
  mutating func call(_ head: String, _ parts: [String], after: String = "") {
    let line = head + (parts.isEmpty ? "" : "(\(parts.joined(separator: ", ")))") + after
    guard line.count > Self.width - 2 * depth else { return self.line(line) }
    self.line("\(head)(")
    fill(parts, lastComma: "")
    self.line(")\(after)")
  }

  /// Adds `head a, b]`, on several lines if it is too long for one.
  mutating func list(_ head: String, _ parts: [String]) {
    let line = "\(head)\(parts.joined(separator: ", "))]"
    guard line.count > Self.width - 2 * depth else { return self.line(line) }
    self.line(head)
    fill(parts, lastComma: ",")
    self.line("]")
  }

  private mutating func fill(_ parts: [String], lastComma: String) {
    var row = ""
    for (index, part) in parts.enumerated() {
      let part = part + (index + 1 < parts.count ? "," : lastComma)
      if !row.isEmpty, row.count + part.count + 1 > Self.width - 2 * depth - 2 {
        line("  \(row)")
        row = ""
      }
      row += row.isEmpty ? part : " \(part)"
    }
    line("  \(row)")
  }
}
