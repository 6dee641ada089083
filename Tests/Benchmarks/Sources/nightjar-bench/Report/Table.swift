/// Findings as lines for people.
enum Table {
  private static let titles = [
    "work", "ours", "theirs", "ratio", "asked", "CPU each", "longest iteration",
  ]

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
    [
      finding.work,
      finding.unmeasured.map { "not measured: \($0)" } ?? text(finding.ours, finding.unit),
      finding.peer.map { "\($0.name) \(text($0.theirs, finding.unit))" } ?? "",
      finding.ratios.map { spread($0) { hundredths($0) } } ?? "", asked(finding),
      finding.processorNsec.map {
        "\(text($0.ours.median, .nanoseconds)) : \(text($0.theirs.median, .nanoseconds))"
      } ?? "", finding.longestPassUsec.map { "\($0) µs" } ?? "",
    ]
  }

  private static func asked(_ finding: Finding) -> String {
    let words =
      switch finding.asked {
      case nil: ""
      case .timesAsGood(let least): "≥ \(hundredths(least))"
      case .atMostTimes(let most): "≤ \(hundredths(most))"
      case .atMost(let most): "≤ \(text(most, finding.unit))"
      }
    return finding.isGood == false ? words + "  MISSED" : words
  }

  private static func text(_ values: [Double], _ unit: Finding.Unit) -> String {
    spread(values) { text($0, unit) }
  }

  private static func spread(_ values: [Double], _ text: (Double) -> String) -> String {
    guard values.count > 1 else { return text(values.median) }
    return "\(text(values.median)) [\(text(values.min() ?? 0))–\(text(values.max() ?? 0))]"
  }

  private static func text(_ value: Double, _ unit: Finding.Unit) -> String {
    switch unit {
    case .perSecond: value < 10_000 ? "\(Int(value))/s" : "\(Int(value / 1000))k/s"
    case .nanoseconds:
      switch value {
      case ..<10_000: "\(Int(value)) ns"
      case ..<10_000_000: "\(Int(value / 1000)) µs"
      default: "\(Int(value / 1_000_000)) ms"
      }
    case .bytes: value < 1_000_000 ? "\(Int(value)) B" : "\(number(value / 1_000_000)) MB"
    case .count: number(value)
    }
  }

  /// With two decimals if it is below 100 and not a whole number; otherwise without decimals.
  private static func number(_ value: Double) -> String {
    value < 100 && value != value.rounded() ? hundredths(value) : "\(Int(value))"
  }

  static func hundredths(_ value: Double) -> String {
    // The figure was compared with zero.
    guard value.isFinite else { return "–" }
    let rounded = Int((value * 100).rounded())
    return "\(rounded / 100).\(rounded / 10 % 10)\(rounded % 10)"
  }
}
