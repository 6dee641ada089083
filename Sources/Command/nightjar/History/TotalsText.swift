import NightjarTime
import Varlink

/// Totals as a table: a row for each day, a column for each name or label value, and the sums.
struct TotalsText {
  let totals: Totals
  let nowUsec: Int64

  /// The most columns of a name. Longer names are cut off.
  static let widestName = 20
  /// The width of the narrowest useful column: `1 s` and two blanks.
  private static let narrowestColumn = 5

  /// The lines of the totals. On a terminal they are a table with as many columns as fit; otherwise
  /// there is a line for each day and series.
  func lines(width: Int) -> [String] {
    guard Terminal.isOutput else { return fields }
    var grid = totals.grid(columns: max(1, width / Self.narrowestColumn))
    guard !grid.rows.isEmpty else { return [] }
    var columns = columns(grid)
    while columns.width > width, grid.columns.count > 1 {
      grid = totals.grid(columns: grid.columns.count - 1)
      columns = self.columns(grid)
    }
    var table = Table(header: columns.rows[0])
    for row in columns.rows.dropFirst() { table.add(row) }
    return table.lines
  }

  /// The cells of a table, padded to their columns' widths, and the width of the table. The first
  /// row is the header.
  private func columns(_ grid: Totals.Grid) -> (rows: [[String]], width: Int) {
    let hasSum = grid.columns.count > 1
    var days = ["DAY"] + grid.rows.map { day($0.day) }
    var usec = grid.rows.map(\.usec)
    if usec.count > 1 {
      days.append("Total")
      usec.append(grid.sums)
    }
    let cells =
      [names(grid) + (hasSum ? ["ALL"] : [])]
      + usec.map { ($0 + (hasSum ? [$0.reduce(0, +)] : [])).map(Self.length) }
    // Numbers are aligned to the right.
    let widths = cells[0].indices.map { column in
      cells.map { DisplayWidth.of($0[column]) }.max() ?? 0
    }
    let rows = zip(days, cells).map { [$0] + zip($1, widths).map(Self.padded) }
    return (rows, widths.reduce(days.map { DisplayWidth.of($0) }.max() ?? 0) { $0 + 2 + $1 })
  }

  /// The lines for scripts, one for each day and series. The fields are the day, such as
  /// `2026-03-28`, the name or value, and the time as `H:MM:SS`.
  private var fields: [String] {
    cells { "\($1)\t\(totals.text($0))\t\(SpanFormat.hours(usec: $2))" }
  }

  /// The same data as in `fields`, with one JSON object on each line.
  var jsonLines: [String] { cells { totals.json($0, day: $1, usec: $2).text } }

  private func cells(_ line: (Totals.Series, _ day: String, _ usec: Int64) -> String) -> [String] {
    let grid = totals.grid()
    return grid.rows.flatMap { row in
      let day = CivilDate(daysSinceEpoch: row.day).text
      return zip(grid.columns, row.usec).filter { $1 > 0 }.map { line($0, day, $1) }
    }
  }

  /// The columns' names, cut off if they are long.
  func names(_ grid: Totals.Grid) -> [String] {
    grid.columns.enumerated().map { column, series in
      if grid.others > 1, column == grid.columns.count - 1 { return "\(grid.others) OTHERS" }
      return Self.shortened(totals.text(series))
    }
  }

  /// A name, cut off if it is long.
  static func shortened(_ text: String) -> String {
    guard DisplayWidth.of(text) > widestName else { return text }
    // If a wide character does not fit, `fitted` adds a blank in its place. Blanks at the end are
    // removed, because names are aligned to the right.
    let cut = DisplayWidth.fitted(text, to: widestName)
    return String(cut.prefix(through: cut.lastIndex { $0 != " " } ?? cut.startIndex))
  }

  /// The name of a day, such as `Mon 18 Nov`.
  func day(_ day: Int) -> String { LocalTime(day: day).date(now: LocalTime(usec: nowUsec)) }

  /// The length of a time, such as `33 h 20 min`, without days; an empty text for zero.
  static func length(_ usec: Int64) -> String {
    usec > 0 ? SpanFormat.text(usec: usec, units: 2, hasDays: false) : ""
  }

  static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
  }
}
