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
    Terminal.isOutput
      ? lines(width: Terminal.columns) : rows.map { $0.fields.joined(separator: "\t") }
  }

  /// Columns below one another, in lines that are no longer than this. Words that are too long go on below;
  /// where there is too little room even so, a row goes on in a line below its own. O(number of rows).
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
          // What goes on below stands back behind what a row begins with.
          return column < parts[0].upperBound ? text : Terminal.styled(text, .dim)
        }
      }
  }

  /// A name or words of fewer columns say too little.
  private static let least = 16
  /// The column in front of the last has times or words: a date with its time stays on one line.
  private static let leastOfTimes = 19
  private static let gap = 2
  /// What a line is indented by that goes on with a row.
  private static let indent = 2

  /// The columns of each line of a row. The last column, which has the words, is made narrower first, then the
  /// one in front of it, and then that of the names, but none to nothing.
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
      // Words have what is left, if that is something.
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
      // A long name is cut. The rest of a long text stands below it, in the same column.
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
          // What has a style is not blank, and would be a line.
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
