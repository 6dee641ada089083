import NightjarTime
import Varlink

/// A day, a week or a year of the history on a terminal.
struct PictureText {
  let picture: HistoryPicture
  let isUnicode: Bool
  /// The width of the picture, in columns.
  let width: Int
  /// The most rows over the hours of a day, the latest ones.
  var most = Int.max

  /// A sign and its style. The picture can be read without styles, too.
  private typealias Mark = (sign: String, style: StyledLine.Style)

  private static let dayHours = 24

  /// The lines: a title, the picture, and what its signs mean. O(columns × rows + segments).
  var lines: [StyledLine] {
    [StyledLine(picture.title, .bold), StyledLine()] + (picture.period == .year ? year : rows)
  }

  private func mark(_ kind: HistoryPicture.Kind) -> Mark {
    switch kind {
    case .paused: (isUnicode ? "▒" : "=", .init(ink: .yellow))
    case .running: (isUnicode ? "█" : "#", .init(ink: .green))
    case .asleep: (isUnicode ? "▓" : "+", .init(ink: .blue))
    case .late: (isUnicode ? "━" : "-", .init(ink: .red))
    }
  }

  private var night: Mark { (isUnicode ? "░" : ":", .dim) }

  private func ring(isLate: Bool) -> Mark {
    (isUnicode ? "●" : "*", isLate ? .init(ink: .red) : .bold)
  }

  private func text(_ marks: [Mark]) -> StyledLine {
    var (line, start) = (StyledLine(), 0)
    while start < marks.count {
      let end = marks[start...].firstIndex { $0.style != marks[start].style } ?? marks.count
      line.add(marks[start..<end].map(\.sign).joined(), marks[start].style)
      start = end
    }
    return line
  }

  // MARK: Rows over the hours of a day

  /// A line for each row, with the hours above them, and what the signs mean.
  var rows: [StyledLine] {
    let shown = picture.rows.suffix(most)
    let names = shown.map { VisibleText.visible($0.name) }
    let lengths = shown.map { TotalsText.length($0.workedUsec) }
    let nameWidth = min(TotalsText.widestName, names.map { DisplayWidth.of($0) }.max() ?? 0)
    let room = max(24, width - nameWidth - 4 - (lengths.map(\.count).max() ?? 0))
    let rows = zip(zip(names, lengths), shown).map { texts, row in
      var text = StyledLine("\(DisplayWidth.fitted(texts.0, to: nameWidth))  ")
      text.add(line(row, room))
      text.add("  \(texts.1)")
      return text
    }
    var top = StyledLine(String(repeating: " ", count: nameWidth + 2))
    top.add(hours(room), .dim)
    return [top] + rows + [StyledLine(), legend]
  }

  /// The hours above the rows, as many as there is room for.
  private func hours(_ room: Int) -> String {
    let step = [1, 3, 6, 12].first { room * $0 / Self.dayHours > 5 } ?? Self.dayHours
    var text = ""
    for hour in stride(from: 0, to: Self.dayHours, by: step) {
      text += String(repeating: " ", count: hour * room / Self.dayHours - text.count)
      text += (hour < 10 ? "0" : "") + "\(hour):00"
    }
    return text
  }

  private func line(_ row: HistoryPicture.Row, _ room: Int) -> StyledLine {
    var marks = [Mark](repeating: (" ", .plain), count: room)
    func paint(_ mark: Mark, _ range: Range<Int64>) {
      let place = picture.place(range)
      let last = min(room - 1, Int(place.upperBound * Double(room)))
      for column in Int(place.lowerBound * Double(room))...last { marks[column] = mark }
    }
    for range in picture.asleep(on: row.day) { paint(night, range) }
    for kind in HistoryPicture.Kind.allCases {
      for segment in row.segments where segment.kind == kind { paint(mark(kind), segment.range) }
    }
    for ring in row.rings {
      paint(self.ring(isLate: ring.late != nil), ring.usec..<ring.usec + 1)
    }
    return text(marks)
  }

  private var legend: StyledLine {
    let kinds = Set(picture.rows.flatMap(\.segments).map(\.kind))
    var parts: [(Mark, String)] = HistoryPicture.Kind.allCases.filter(kinds.contains).map {
      (mark($0), $0.words)
    }
    parts += [(night, "asleep"), (ring(isLate: false), "rang")]
    var line = StyledLine()
    for (mark, words) in parts {
      line.addBlanks(line.width == 0 ? 0 : 3)
      line.add(mark.sign, mark.style)
      line.add(" \(words)")
    }
    return line
  }

  // MARK: The days of a year

  /// The least and the most that is counted on a day: a sign for each level.
  private var levels: [Mark] {
    (isUnicode ? "·░▒▓█" : ".-=+#").enumerated().map {
      ("\($1)", $0 == 0 ? .dim : .init(ink: .green))
    }
  }

  /// A column for each week, and a line for each day of the week.
  private var year: [StyledLine] {
    let first = CivilDate(daysSinceEpoch: picture.dayNumbers.lowerBound).weekday.rawValue
    var months = "   "
    for row in picture.rows {
      let date = CivilDate(daysSinceEpoch: row.day)
      let column = 4 + (row.day - picture.dayNumbers.lowerBound + first) / 7
      guard date.day == 1, column >= months.count else { continue }
      months += String(repeating: " ", count: column - months.count)
      months += LocalTime.months[date.month - 1]
    }
    let lines = Weekday.allCases.map { weekday in
      let marks = stride(from: weekday.rawValue - first, to: picture.rows.count, by: 7).map {
        $0 < 0 ? (" ", .plain) : levels[picture.level(picture.rows[$0])]
      }
      var line = StyledLine("\(weekday.shortName) ")
      line.add(text(marks))
      return line
    }
    var legend = StyledLine("    less ")
    legend.add(text(levels))
    legend.add(" more")
    return [StyledLine(months, .dim)] + lines + [StyledLine(), legend]
  }
}
