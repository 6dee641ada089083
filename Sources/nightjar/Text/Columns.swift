import NightjarVarlink

/// Labelled lines with escaped values, which are aligned.
enum Columns {
  static func lines(_ rows: [(label: String, value: String)]) -> [String] {
    let width = rows.map(\.label.count).max() ?? 0
    return rows.map { label, value in
      "\(label):\(String(repeating: " ", count: width - label.count + 1))\(VisibleText.visible(value))"
    }
  }

  /// Labelled lines, wrapped to the width. Further lines of a value begin in the same column as its
  /// first line.
  static func wrapped(_ lines: [String], width: Int) -> [String] {
    lines.flatMap { TextWrap.lines($0, width: width, indent: indent(of: $0)) }
  }

  /// The column in which the value of `Label:   value` begins.
  static func indent(of line: String) -> Int {
    guard let colon = line.firstIndex(of: ":") else { return 0 }
    let rest = line[line.index(after: colon)...]
    return line.distance(from: line.startIndex, to: colon) + 1 + rest.prefix { $0 == " " }.count
  }
}
