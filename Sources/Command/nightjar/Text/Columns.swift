import Varlink

/// Lines with a label and an escaped value. The values of all lines begin in the same column.
enum Columns {
  static func lines(_ rows: [(label: String, value: String)]) -> [String] {
    let width = rows.map(\.label.count).max() ?? 0
    return rows.map { label, value in
      "\(label):\(String(repeating: " ", count: width - label.count + 1))\(VisibleText.visible(value))"
    }
  }

  /// Lines with a label, wrapped to the width. If a value takes several lines, all its lines begin
  /// in the same column.
  static func wrapped(_ lines: [String], width: Int) -> [String] {
    lines.flatMap { TextWrap.lines($0, width: width, indent: indent(of: $0)) }
  }

  /// The column in which the value begins, in a line of the form `Label:   value`.
  static func indent(of line: String) -> Int {
    guard let colon = line.firstIndex(of: ":") else { return 0 }
    let rest = line[line.index(after: colon)...]
    return line.distance(from: line.startIndex, to: colon) + 1 + rest.prefix { $0 == " " }.count
  }
}
