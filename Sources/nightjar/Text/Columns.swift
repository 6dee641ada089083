import NightjarVarlink

/// Labelled lines, the values below one another and made visible.
enum Columns {
  static func lines(_ rows: [(label: String, value: String)]) -> [String] {
    let width = rows.map(\.label.count).max() ?? 0
    return rows.map { label, value in
      "\(label):\(String(repeating: " ", count: width - label.count + 1))\(VisibleText.visible(value))"
    }
  }

  /// Labelled lines, broken where they are longer than the width. The rest of a value stands below its beginning.
  static func wrapped(_ lines: [String], width: Int) -> [String] {
    lines.flatMap { TextWrap.lines($0, width: width, indent: indent(of: $0)) }
  }

  /// Where the value of `Label:   value` begins.
  static func indent(of line: String) -> Int {
    guard let colon = line.firstIndex(of: ":") else { return 0 }
    let rest = line[line.index(after: colon)...]
    return line.distance(from: line.startIndex, to: colon) + 1 + rest.prefix { $0 == " " }.count
  }
}
