/// Findings as lines for people.
enum Table {
  private static let titles = ["work", "ours", "theirs", "ratio", "floor"]

  /// The lines of a table, with its head. The figures are medians, with the lowest and the highest
  /// in brackets.
  static func lines(_ findings: [Finding]) -> [String] {
    aligned([titles] + findings.map(cells))
  }

  /// Rows of cells as lines, with aligned columns.
  static func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func cells(_ finding: Finding) -> [String] {
    let (row, ratios) = (finding.row, finding.ratios)
    return [
      row.work, text(finding.ours, row.unit),
      row.peer.map { "\($0) \(text(finding.theirs, row.unit))" } ?? "",
      ratios.isEmpty ? "" : spread(ratios) { hundredths($0) },
      floor(row) + (finding.isGood ? "" : "  MISSED"),
    ]
  }

  private static func floor(_ row: Row) -> String {
    switch row.floor {
    case nil: ""
    case .timesAsGood(let least): "≥ \(hundredths(least))"
    case .atMostTimes(let most): "≤ \(hundredths(most))"
    case .atMost(let most): "≤ \(text(most, row.unit))"
    }
  }

  private static func text(_ values: [Double], _ unit: Row.Unit) -> String {
    spread(values) { text($0, unit) }
  }

  private static func spread(_ values: [Double], _ text: (Double) -> String) -> String {
    guard values.count > 1 else { return text(values.median) }
    return "\(text(values.median)) [\(text(values.min() ?? 0))–\(text(values.max() ?? 0))]"
  }

  private static func text(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .perSecond: value < 10_000 ? "\(Int(value))/s" : "\(Int(value / 1000))k/s"
    case .nanoseconds:
      switch value {
      case ..<10_000: "\(Int(value)) ns"
      case ..<10_000_000: "\(Int(value / 1000)) µs"
      default: "\(Int(value / 1_000_000)) ms"
      }
    case .bytes:
      value < 1_000_000 ? "\(Int(value)) B" : "\(hundredths(value / 1_000_000)) MB"
    case .count: "\(Int(value))"
    }
  }

  static func hundredths(_ value: Double) -> String {
    let rounded = Int((value * 100).rounded())
    return "\(rounded / 100).\(rounded / 10 % 10)\(rounded % 10)"
  }
}
