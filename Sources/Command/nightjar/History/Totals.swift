import ArgumentParser
import NightjarClient
import Varlink

/// The time counted on each day, grouped by name or by a label. Breaks are left out, unless steps
/// are listed.
struct Totals {
  /// The property by which time is grouped.
  enum Key: Equatable, ExpressibleByArgument {
    case name
    case label(String)

    init?(argument: String) { self = .label(argument) }
  }

  /// A group of the time.
  struct Series: Hashable {
    /// The timer's name, or the value of its label; nil: the timer lacks the label.
    let value: String?
    /// The name of the step; nil if steps are not listed separately.
    let step: String?

    /// The series of timers without the label is last.
    fileprivate var order: (Int, String, String) { (value == nil ? 1 : 0, value ?? "", step ?? "") }
  }

  let key: Key
  /// Whether the steps of sequences are listed separately, with the breaks.
  let listsSteps: Bool
  /// Whether any run had the label.
  private(set) var hasKey = false
  /// In microseconds, by day and series.
  private var days: [Int: [Series: Int64]] = [:]

  init(by key: Key, listsSteps: Bool = false) {
    self.key = key
    self.listsSteps = listsSteps
  }

  /// Adds a run. O(its days × its steps).
  mutating func add(_ run: Run) {
    let value: String?
    switch key {
    case .name: value = run.name
    case .label(let key): value = run.labels.first { $0.key == key }?.value
    }
    if value != nil { hasKey = true }
    for share in run.days where share.usec > 0 {
      let step = share.step.map { run.steps[$0] }
      if step?.isBreak == true, !listsSteps { continue }
      let series = Series(value: value, step: listsSteps ? step?.name : nil)
      days[share.day, default: [:]][series, default: 0] += share.usec
    }
  }
}

// MARK: - The results

extension Totals {
  /// The totals as a grid: a row for each day with any time, a column for each series.
  struct Grid {
    struct Row {
      /// Days since 1970-01-01.
      let day: Int
      /// In microseconds, in the order of the columns.
      let usec: [Int64]
      var sumUsec: Int64 { usec.reduce(0, +) }
    }

    /// The series, in the order of their times. The series with the most time is first.
    let columns: [Series]
    /// The number of series whose sum is in the last column; 0: the last column is a single series.
    let others: Int
    let rows: [Row]

    var sums: [Int64] {
      columns.indices.map { column in rows.reduce(0) { $0 + $1.usec[column] } }
    }
  }

  /// - Parameter columns: the largest number of columns. If there are more series, the last column
  ///   is the sum of all those that have no column.
  /// - Complexity: O(days × series + series × log series).
  func grid(columns limit: Int = .max) -> Grid {
    var sums: [Series: Int64] = [:]
    for day in days.values { sums.merge(day, uniquingKeysWith: +) }
    let order = sums.sorted {
      $0.value == $1.value ? $0.key.order < $1.key.order : $0.value > $1.value
    }.map(\.key)
    let shown = order.count <= limit ? order.count : limit - 1
    let rows = days.sorted { $0.key < $1.key }.map { day, usec in
      let single = order.prefix(shown).map { usec[$0] ?? 0 }
      let rest = usec.values.reduce(0, +) - single.reduce(0, +)
      return Grid.Row(day: day, usec: shown < order.count ? single + [rest] : single)
    }
    return Grid(
      columns: Array(order.prefix(limit)), others: order.count - shown, rows: rows)
  }

  /// The name of the series, such as `tea`, `pomodoro: work` or `(no project)`.
  func text(_ series: Series) -> String {
    let value: String
    switch key {
    case .name: value = series.value ?? ""
    case .label(let key): value = series.value ?? "(no \(key))"
    }
    return VisibleText.visible(series.step.map { "\(value): \($0)" } ?? value)
  }

  func json(_ series: Series, day: String, usec: Int64) -> JSONValue {
    let value = series.value.map(JSONValue.string) ?? .null
    let group: [(String, JSONValue?)] =
      switch key {
      case .name: [("name", value)]
      case .label(let key): [("label", .string(key)), ("value", value)]
      }
    return .members(
      [("day", .string(day))] + group + [
        ("step", series.step.map(JSONValue.string)), ("counted_usec", .integer(usec)),
      ])
  }
}
