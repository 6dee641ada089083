import NightjarVarlink

/// Rows for a terminal, in columns; for anything else, fields with tabs between them.
struct Table {
  let header: [String]
  private var rows: [(fields: [String], style: Terminal.Style?)] = []

  init(header: [String]) { self.header = header }

  /// - Parameters:
  ///   - fields: as they are; those of the table are made visible, which is how wide they are.
  ///   - style: how the second field, the state, stands out on a terminal.
  mutating func add(_ fields: [String], style: Terminal.Style? = nil) {
    rows.append((fields.map { VisibleText.visible($0) }, style))
  }

  /// O(number of rows).
  var lines: [String] {
    guard Terminal.isOutput else { return rows.map { $0.fields.joined(separator: "\t") } }
    var widths = header.map { DisplayWidth.of($0) }
    for row in rows {
      for (column, field) in row.fields.enumerated() {
        widths[column] = max(widths[column], DisplayWidth.of(field))
      }
    }
    let head = Self.line(header, widths: widths) { _, text in Terminal.styled(text, .bold) }
    return [head]
      + rows.map { row in
        Self.line(row.fields, widths: widths) { column, text in
          column == 1 ? Terminal.styled(text, row.style) : text
        }
      }
  }

  private static func line(
    _ fields: [String], widths: [Int], style: (Int, String) -> String
  ) -> String {
    var line = ""
    for (column, field) in fields.enumerated() {
      let isLast = column == fields.count - 1
      let padding = isLast ? 0 : widths[column] - DisplayWidth.of(field) + 2
      line += style(column, field) + String(repeating: " ", count: padding)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
