import NightjarVarlink

/// Rows: in columns on a terminal, otherwise as fields separated by tabs.
struct Table {
  let header: [String]
  private var rows: [(fields: [String], style: Terminal.Style?)] = []

  init(header: [String]) { self.header = header }

  /// - Parameters:
  ///   - fields: the unescaped fields; the table escapes them, and measures the escaped text.
  ///   - style: the style of the second field, the state, on a terminal.
  mutating func add(_ fields: [String], style: Terminal.Style? = nil) {
    rows.append((fields.map { VisibleText.visible($0) }, style))
  }

  /// O(number of rows).
  var lines: [String] {
    Terminal.isOutput
      ? lines(width: Terminal.columns) : rows.map { $0.fields.joined(separator: "\t") }
  }

  /// Aligned columns, in lines of at most this width. A long text continues below, in its column.
  /// If there is still too little room, a row continues in a second, indented line. O(number of
  /// rows).
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
          // Continuation lines are dimmed, so that the beginnings of rows stand out.
          return column < parts[0].upperBound ? text : Terminal.styled(text, .dim)
        }
      }
  }

  /// The smallest useful width of a name or of words.
  private static let least = 16
  /// The smallest width of the column before the last, which has times or words: a date with its
  /// time stays on one line.
  private static let leastOfTimes = 19
  private static let gap = 2
  /// The indentation of a row's further lines.
  private static let indent = 2

  /// The columns of each line of a row. The last column, which has the words, is narrowed first,
  /// then the one before it, and then the names; none becomes empty.
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
      // Words get the rest of the line, if that is enough.
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
      // A long name is cut. A long text continues below, in the same column.
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
          // An empty field gets no style, because the trailing escape would keep the line from
          // being blank.
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
