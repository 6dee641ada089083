import NightjarClient
import Varlink

/// The time counted on each day, grouped by name or by a label. Breaks are left out, unless steps
/// are listed.
struct Totals {
  /// The property by which time is grouped.
  enum Key: Equatable {
    case name
    case label(String)
  }

  /// A group of the time.
  struct Series: Hashable {
    /// The timer's name, or the value of its label; nil: the timer lacks the label.
    let value: String?
    /// The name of the step; nil if steps are not listed separately.
    let step: String?
  }

  private struct Place: Hashable {
    let day: Int
    let series: Int
  }

  let key: Key
  /// Whether the steps of sequences are listed separately, with the breaks.
  let listsSteps: Bool
  /// Whether any run had the label.
  private(set) var hasKey = false
  private var indices: [Series: Int] = [:]
  private var series: [Series] = []
  private var cells: [Place: Int64] = [:]

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
      let series = index(Series(value: value, step: listsSteps ? step?.name : nil))
      cells[Place(day: share.day, series: series), default: 0] += share.usec
    }
  }

  private mutating func index(_ wanted: Series) -> Int {
    if let index = indices[wanted] { return index }
    indices[wanted] = series.count
    series.append(wanted)
    return series.count - 1
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
      var usec: [Int64]
      var sumUsec: Int64 { usec.reduce(0, +) }
    }

    /// The series, in the order of their times. The series with the most time is first.
    var columns: [Series]
    /// The number of series whose sum is in the last column; 0: the last column is a single series.
    var others = 0
    var rows: [Row]

    var sums: [Int64] {
      columns.indices.map { column in rows.reduce(0) { $0 + $1.usec[column] } }
    }
  }

  /// - Parameter columns: the largest number of columns. If there are more series, the last column
  ///   is the sum of all those that have no column.
  /// - Complexity: O(days × columns + series × log series).
  func grid(columns limit: Int = .max) -> Grid {
    var sums = [Int64](repeating: 0, count: series.count)
    for (place, usec) in cells { sums[place.series] += usec }
    let order = series.indices.sorted {
      sums[$0] == sums[$1] ? isBefore(series[$0], series[$1]) : sums[$0] > sums[$1]
    }
    let shown = order.count <= limit ? order.count : limit - 1
    let width = min(order.count, limit)
    var column = [Int](repeating: width - 1, count: series.count)
    for (place, index) in order.prefix(shown).enumerated() { column[index] = place }
    var rows: [Int: [Int64]] = [:]
    for (place, usec) in cells {
      rows[place.day, default: [Int64](repeating: 0, count: width)][column[place.series]] += usec
    }
    return Grid(
      columns: order.prefix(width).map { series[$0] }, others: order.count - shown,
      rows: rows.sorted { $0.key < $1.key }.map { Grid.Row(day: $0.key, usec: $0.value) })
  }

  /// Whether a series comes before another. The series of timers without the label is last.
  private func isBefore(_ left: Series, _ right: Series) -> Bool {
    guard left.value == right.value else {
      guard let first = left.value, let second = right.value else { return right.value == nil }
      return first < second
    }
    return (left.step ?? "") < (right.step ?? "")
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
    var members: [JSONValue.Member] = [.init("day", .string(day))]
    switch key {
    case .name: members.append(.init("name", .string(series.value ?? "")))
    case .label(let key):
      members.append(.init("label", .string(key)))
      members.append(.init("value", series.value.map(JSONValue.string) ?? .null))
    }
    if let step = series.step { members.append(.init("step", .string(step))) }
    members.append(.init("counted_usec", .integer(usec)))
    return .object(members)
  }
}
