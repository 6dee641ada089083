/// A bar chart of totals: a bar for each day and series. The length of a bar shows the time.
struct BarChart {
  /// The most series in a chart, because a chart with more is hard to read. If there are more, the
  /// last series of the chart is the sum of all that have no bar of their own.
  static let mostSeries = 6
  /// The most empty days in a row that get a line each. A longer gap gets a single line.
  private static let longestGap = 2
  private static let styles: [Terminal.Style] = [.green, .blue, .amber, .magenta, .cyan, .red]

  private let text: TotalsText
  private let grid: Totals.Grid
  /// The names of the series; empty if there is only one.
  private let names: [String]
  private let headWidth: Int
  private let nameWidth: Int
  /// The length of the longest bar, in columns.
  private let room: Int
  private let longestUsec: Int64

  /// - Parameter width: the width of the whole chart, in columns.
  init(_ text: TotalsText, width: Int) {
    self.text = text
    grid = text.totals.grid(columns: Self.mostSeries)
    names = grid.columns.count > 1 ? text.names(grid) : []
    let cells = grid.rows.flatMap(\.usec)
    longestUsec = max(1, cells.max() ?? 1)
    let sums = grid.rows.map(\.sumUsec) + [grid.sums.reduce(0, +)]
    let heads = grid.rows.map { text.day($0.day) } + sums.map(TotalsText.length)
    headWidth = heads.map(\.count).max() ?? 0
    nameWidth = names.map { DisplayWidth.of($0) + 2 }.max() ?? 0
    let valueWidth = cells.map { TotalsText.length($0).count }.max() ?? 0
    room = max(8, width - headWidth - 2 - nameWidth - 1 - valueWidth)
  }

  /// The lines of the chart; empty if no time was counted. O(days × series).
  var lines: [String] {
    guard let first = grid.rows.first, let last = grid.rows.last else { return [] }
    var blocks: [[String]] = []
    var next = first.day
    for row in grid.rows {
      blocks += empty(from: next, to: row.day)
      next = row.day + 1
      blocks.append(block(text.day(row.day), row.usec) { bar($0) })
    }
    let separator = names.isEmpty ? [] : [""]
    guard last.day > first.day else { return Array(blocks.joined(separator: separator)) }
    let total = block("Total", grid.sums) { _ in "" }
    return Array(blocks.joined(separator: separator)) + [""] + total
  }

  /// The lines of a day, with a bar each. If there are several bars, their sum is below the name of
  /// the day.
  private func block(_ head: String, _ usec: [Int64], bar: (Int64) -> String) -> [String] {
    let shown = usec.enumerated().filter { $0.element > 0 }
    let sum = shown.count > 1 ? TotalsText.length(usec.reduce(0, +)) : ""
    return shown.enumerated().map { index, cell in
      let words = [head, sum]
      let word = DisplayWidth.fitted(index < words.count ? words[index] : "", to: headWidth)
      let bar = bar(cell.element)
      return (index == 1 ? Terminal.styled(word, .dim) : word) + "  "
        + (names.isEmpty ? "" : DisplayWidth.fitted(names[cell.offset], to: nameWidth))
        + (bar.isEmpty ? "" : Terminal.styled(bar, style(cell.offset)) + " ")
        + TotalsText.length(cell.element)
    }
  }

  /// The lines for the days from `day` up to but without `end`, on which no time was counted.
  private func empty(from day: Int, to end: Int) -> [[String]] {
    let count = end - day
    guard count > Self.longestGap else { return (day..<end).map { [text.day($0)] } }
    return [[Terminal.styled("\(count) days without", .dim)]]
  }

  private func style(_ column: Int) -> Terminal.Style {
    grid.columns[column].value == nil ? .dim : Self.styles[column % Self.styles.count]
  }

  private func bar(_ usec: Int64) -> String {
    let part = Double(usec) / Double(longestUsec) * Double(room)
    // Even the smallest amount gets a visible bar.
    return Terminal.isUnicode
      ? Bar.blocks(eighths: max(1, Int((part * 8).rounded())))
      : Bar.ascii(columns: max(1, Int(part.rounded())))
  }
}
