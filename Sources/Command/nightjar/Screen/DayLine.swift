import NightjarTime

/// A time axis with the next rings as points on it.
struct DayLine {
  struct Point {
    let name: String
    /// Microseconds since the epoch.
    let usec: Int64
    let style: StyledLine.Style
  }

  /// The number of lines: the names, the axis and the times.
  static let height = 3

  private static let hourUsec: Int64 = 3_600_000_000
  /// The possible lengths of the axis, each with the distance between two of its times, in
  /// microseconds.
  private static let scales: [(length: Int64, step: Int64)] = [
    (hourUsec, hourUsec / 6), (3 * hourUsec, hourUsec / 2), (6 * hourUsec, hourUsec),
    (12 * hourUsec, 2 * hourUsec), (24 * hourUsec, 4 * hourUsec),
  ]
  private static let tickWidth = 5
  private static let longestName = 16

  private let points: [Point]
  private let nowUsec: Int64
  private let width: Int
  private let isUnicode: Bool
  private let zone: ZoneRules
  private let startUsec: Int64
  private let lengthUsec: Int64
  private let stepUsec: Int64
  private let firstTickUsec: Int64
  /// The number of rings that are later than the end of the axis.
  let later: Int

  /// - Parameters:
  ///   - points: the rings, in any order.
  ///   - width: the width of the axis, in columns.
  init(
    _ points: [Point], nowUsec: Int64, width: Int, isUnicode: Bool,
    zone: ZoneRules = LocalTime.zone
  ) {
    let civil = zone.civil(atUsec: nowUsec)
    let ofDay = Int64((civil.hour * 60 + civil.minute) * 60 + civil.second) * 1_000_000
    let midnight = nowUsec - nowUsec % 1_000_000 - ofDay
    // The axis begins shortly before now, so that most of it is in the future.
    func start(_ step: Int64) -> Int64 {
      midnight + ofDay / min(step, Self.hourUsec) * min(step, Self.hourUsec)
    }
    // The shortest length is used with which two thirds of the rings are on the axis. If all rings
    // had to be on it, a single distant ring would push the others into a corner.
    let longest = Self.scales[Self.scales.count - 1]
    let sorted = points.map(\.usec).sorted()
    let most = (2 * sorted.count + 2) / 3
    let last = sorted.isEmpty ? nowUsec : sorted[most - 1]
    let scale = Self.scales.first { start($0.step) + $0.length > last } ?? longest
    startUsec = start(scale.step)
    (lengthUsec, stepUsec) = (scale.length, scale.step)
    firstTickUsec = midnight + (startUsec - midnight + scale.step - 1) / scale.step * scale.step
    let lastUsec = startUsec + lengthUsec
    self.points = points.filter { $0.usec < lastUsec && $0.usec >= nowUsec - Self.hourUsec }
      .sorted { $0.usec < $1.usec }
    later = points.count { $0.usec >= lastUsec }
    (self.nowUsec, self.width, self.isUnicode, self.zone) = (nowUsec, width, isUnicode, zone)
  }

  /// The title of the axis, such as `next hour` or `next 6 hours`.
  var title: String {
    let hours = lengthUsec / Self.hourUsec
    return hours == 1 ? "next hour" : "next \(hours) hours"
  }

  /// The time until the mark for the present time moves by a column, in microseconds.
  var nextChangeUsec: Int64 {
    let next = startUsec + (Int64(column(nowUsec)) + 1) * lengthUsec / Int64(max(1, width))
    return max(1_000_000, next - nowUsec)
  }

  private func column(_ usec: Int64) -> Int {
    let part = Double(usec - startUsec) / Double(lengthUsec)
    return min(width - 1, max(0, Int((part * Double(width)).rounded(.down))))
  }

  /// The lines of the axis, `height` of them. O(width + points).
  var lines: [StyledLine] {
    guard width > 8 else { return [] }
    var marks = Array(
      repeating: (text: isUnicode ? "─" : "-", style: StyledLine.Style.dim), count: width)
    for tick in ticks { marks[tick.column] = (isUnicode ? "┴" : "+", .dim) }
    marks[column(nowUsec)] = (isUnicode ? "┃" : "|", .init(ink: .cyan, isBold: true))
    for point in points {
      var style = point.style
      style.isBold = true
      marks[column(max(point.usec, nowUsec))] = (isUnicode ? "●" : "*", style)
    }
    var axis = StyledLine()
    for mark in marks { axis.add(mark.text, mark.style) }
    return [names, axis, times]
  }

  private var ticks: [(column: Int, usec: Int64)] {
    stride(from: firstTickUsec, to: startUsec + lengthUsec, by: Int(stepUsec)).map {
      (column($0), $0)
    }
  }

  private var times: StyledLine {
    var line = StyledLine()
    for tick in ticks where tick.column >= line.width && tick.column + Self.tickWidth <= width {
      // A time that would touch the time before it is left out.
      guard line.width == 0 || tick.column > line.width else { continue }
      line.addBlanks(tick.column - line.width)
      line.add(String(LocalTime(usec: tick.usec, in: zone).time.prefix(Self.tickWidth)), .dim)
    }
    return line
  }

  /// The line with the names of the rings. Each name is above its point, and extends to the right
  /// or to the left of it. A name for which there is no room is left out, because the list of
  /// timers shows it.
  private var names: StyledLine {
    var groups: [(column: Int, name: String, style: StyledLine.Style, more: Int)] = []
    for point in points {
      let place = column(max(point.usec, nowUsec))
      if let last = groups.last, last.column == place {
        groups[groups.count - 1].more += 1
      } else {
        groups.append((place, point.name, point.style, 0))
      }
    }
    var line = StyledLine()
    for (index, group) in groups.enumerated() {
      let name = StyledLine.visible(group.name)
      let short =
        DisplayWidth.of(name) > Self.longestName
        ? DisplayWidth.fitted(name, to: Self.longestName) : name
      let text = short + (group.more > 0 ? " +\(group.more)" : "")
      let next = index + 1 < groups.count ? groups[index + 1].column : width + 1
      let free = line.width == 0 ? 0 : line.width + 1
      let columns = DisplayWidth.of(text)
      if group.column >= free, group.column + columns < next {
        line.addBlanks(group.column - line.width)
        line.add(text, group.style)
      } else if group.column + 1 - columns >= free {
        line.addBlanks(group.column + 1 - columns - line.width)
        line.add(text, group.style)
      } else if group.column >= free, next - 1 - group.column >= 4 {
        line.addBlanks(group.column - line.width)
        line.add(DisplayWidth.fitted(text, to: next - 1 - group.column), group.style)
      }
    }
    return line
  }
}
