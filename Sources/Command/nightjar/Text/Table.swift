import Varlink

/// A table. On a terminal it has aligned columns, and otherwise tabs between its fields.
struct Table {
  let header: [String]
  private var rows: [(fields: [String], style: Terminal.Style?)] = []

  init(header: [String]) { self.header = header }

  /// - Parameters:
  ///   - fields: the fields without escaping. The table escapes them, and measures the escaped
  ///     text.
  ///   - style: the style of the second field on a terminal. That field is the state.
  mutating func add(_ fields: [String], style: Terminal.Style? = nil) {
    rows.append((fields.map { VisibleText.visible($0) }, style))
  }

  /// The lines of the table. O(rows).
  var lines: [String] {
    Terminal.isOutput
      ? lines(width: Terminal.columns) : rows.map { $0.fields.joined(separator: "\t") }
  }

  /// The lines of the table with aligned columns. No line is longer than `width`. A long text
  /// continues on the next line, in its column. If there is still too little room, the last columns
  /// of each row are on a second, indented line. O(rows).
  func lines(width: Int) -> [String] {
    var widths = header.map { DisplayWidth.of($0) }
    for row in rows {
      for (column, field) in row.fields.enumerated() {
        widths[column] = max(widths[column], DisplayWidth.of(field))
      }
    }
    let parts = Self.parts(&widths, in: width)
    let head = Self.lines(header, parts, widths) { _, text in Terminal.styled(text, .bold) }
    return head
      + rows.flatMap { row in
        Self.lines(row.fields, parts, widths) { column, text in
          if column == 1 { return Terminal.styled(text, row.style) }
          // The second line of a row is dimmed, so that the first line is easy to find.
          return column < parts[0].upperBound ? text : Terminal.styled(text, .dim)
        }
      }
  }

  /// The least width of the column of names, and of the last column.
  private static let least = 16
  /// The least width of the column before the last. That column has times or words, and a date with
  /// its time must stay on one line.
  private static let leastOfTimes = 19
  private static let gap = 2
  /// The indentation of the second line of a row.
  private static let indent = 2

  /// The columns of each line of a row. If the width is too small, the last column becomes
  /// narrower, then the column before it, and then the column of names. Every column keeps at least
  /// one character.
  static func parts(_ widths: inout [Int], in width: Int) -> [Range<Int>] {
    let last = widths.count - 1
    let words = widths[last]
    var excess = widths.reduce(0, +) + gap * last - width
    for (column, least) in [(last, least), (last - 1, leastOfTimes), (0, least)]
    where column >= 0 && excess > 0 && widths[column] > least {
      let taken = min(excess, widths[column] - least)
      widths[column] -= taken
      excess -= taken
    }
    guard excess > 0 else { return [0..<widths.count] }
    var parts: [Range<Int>] = []
    var (start, used) = (0, 0)
    for column in widths.indices {
      // The last column needs only its least width to stay on the line. It then gets the rest of
      // the line.
      let wanted = column == last ? min(widths[column], least) : widths[column]
      if column > start, used + gap + wanted > width {
        parts.append(start..<column)
        (start, used) = (column, 0)
      }
      used += column > start ? gap : start > 0 ? indent : 0
      if column == last { widths[column] = words }
      widths[column] = min(widths[column], max(1, width - used))
      used += widths[column]
    }
    return parts + [start..<widths.count]
  }

  private static func lines(
    _ fields: [String], _ parts: [Range<Int>], _ widths: [Int], style: (Int, String) -> String
  ) -> [String] {
    parts.flatMap { part in
      // A name that is too long is cut. A long text in one of the last two columns continues on the
      // next line.
      let cells = part.map { column -> [String] in
        let (field, width) = (fields[column], widths[column])
        guard DisplayWidth.of(field) > width else { return [field] }
        return column >= max(1, fields.count - 2)
          ? TextWrap.lines(field, width: width) : [DisplayWidth.fitted(field, to: width)]
      }
      return (0..<(cells.map(\.count).max() ?? 0)).compactMap { row in
        var line = String(repeating: " ", count: part.lowerBound > 0 ? indent : 0)
        for (column, cell) in zip(part, cells) {
          let field = row < cell.count ? cell[row] : ""
          // An empty field gets no style, because the escape sequence would stay at the end of a
          // line that is otherwise blank.
          line += field.isEmpty ? "" : style(column, field)
          guard column < part.upperBound - 1 else { continue }
          line += String(repeating: " ", count: widths[column] - DisplayWidth.of(field) + gap)
        }
        while line.last == " " { line.removeLast() }
        return line.isEmpty ? nil : line
      }
    }
  }
}
