import NightjarInterface
import NightjarTime
import Varlink

/// A day, a week or a year of the history as a drawing in SVG, and as a page with that drawing. It
/// needs no other file and no script, and follows the colours that the reader prefers.
///
/// The hours of a day are 1,440 units wide: a unit is a minute.
struct PictureSVG {
  let picture: HistoryPicture

  /// The colours of each class, on light and on dark ground.
  static let colors: [(name: String, light: String, dark: String)] = [
    ("ground", "#ffffff", "#15171c"), ("ink", "#1f2328", "#e6e8ee"),
    ("soft", "#57606a", "#9aa3b2"), ("line", "#d0d7de", "#3a404c"),
    ("night", "#e3e6f0", "#252a3a"), ("paused", "#d4a72c", "#bb8009"),
    ("running", "#1a7f37", "#3fb950"), ("asleep", "#5b7fd0", "#5a7bc4"),
    ("late", "#cf222e", "#ff6b68"), ("ring", "#1f2328", "#e6e8ee"),
  ]

  private static let (left, day, right, margin) = (300, 1440, 180, 24)
  private static let (top, rowHeight, barHeight) = (110, 44, 28)
  private static let width = left + day + right
  /// The width of a day in a year, with the gap to the next one.
  private static let cell = 33

  var page: String {
    let title = Markup.escaped(picture.title)
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>
      body{margin:2em auto;max-width:1200px}
      svg{width:100%;height:auto}
      body{background:\(Self.colors[0].light)}
      @media(prefers-color-scheme:dark){body{background:\(Self.colors[0].dark)}}
      </style>
      \(svg)</html>

      """
  }

  /// O(rows + segments), or O(days).
  var svg: String {
    let (body, height) = picture.period == .year ? year : rows
    let rules = [false, true].map { isDark in
      Self.colors.map { ".\($0.name){fill:\(isDark ? $0.dark : $0.light)}" }.joined()
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width / 2)" height="\(height / 2)" \
      viewBox="0 0 \(Self.width) \(height)" role="img">
      <title>\(Markup.escaped(picture.title))</title>
      <style>
      text{font:24px system-ui,sans-serif}
      .title{font-size:32px;font-weight:600}
      \(rules[0])
      @media(prefers-color-scheme:dark){\(rules[1])}
      </style>
      <rect class="ground" width="\(Self.width)" height="\(height)"/>
      \(Self.text("ink title", Self.margin, 44, picture.title))
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  private static func element(
    _ tag: String, _ name: String, _ numbers: KeyValuePairs<String, Int>, more: String = "",
    _ content: String
  ) -> String {
    let numbers = numbers.map { " \($0)=\"\($1)\"" }.joined()
    return "<\(tag) class=\"\(name)\"\(numbers)\(more)>\(content)</\(tag)>"
  }

  private static func escaped(_ text: String) -> String {
    Markup.escaped(VisibleText.visible(text))
  }

  /// - Parameter anchor: which end of the text is at `x`: `start`, `middle` or `end`.
  private static func text(
    _ name: String, _ x: Int, _ y: Int, _ text: String, anchor: String = "start"
  ) -> String {
    element("text", name, ["x": x, "y": y], more: " text-anchor=\"\(anchor)\"", escaped(text))
  }

  /// What a browser shows when the pointer rests on the element around it.
  private static func title(_ text: String) -> String { "<title>\(escaped(text))</title>" }

  private static func rectangle(
    _ name: String, _ x: Int, _ y: Int, _ width: Int, _ height: Int, more: String = "",
    _ content: String = ""
  ) -> String {
    element("rect", name, ["x": x, "y": y, "width": width, "height": height], more: more, content)
  }

  private static func circle(
    _ name: String, _ x: Int, _ y: Int, _ radius: Int, _ content: String = ""
  ) -> String {
    element("circle", name, ["cx": x, "cy": y, "r": radius], content)
  }

  // MARK: Rows over the hours of a day

  private var rows: (body: [String], height: Int) {
    let bottom = Self.top + picture.rows.count * Self.rowHeight
    var body: [String] = []
    for hour in stride(from: 0, through: 24, by: 3) {
      let x = Self.left + hour * 60
      body.append(Self.text("soft", x, 90, "\(hour):00", anchor: "middle"))
      body.append(Self.rectangle("line", x, Self.top - 8, 1, bottom - Self.top + 16))
    }
    for (index, row) in picture.rows.enumerated() {
      body += elements(row, y: Self.top + index * Self.rowHeight)
    }
    return (body + legend(y: bottom + 50), bottom + 80)
  }

  private func elements(_ row: HistoryPicture.Row, y: Int) -> [String] {
    func bar(_ name: String, _ range: Range<Int64>, _ content: String = "") -> String {
      let place = picture.place(range)
      let x = Int(place.lowerBound * Double(Self.day))
      let end = Int((place.upperBound * Double(Self.day)).rounded(.up))
      let isNight = name == "night"
      return Self.rectangle(
        name, Self.left + x, isNight ? y : y + (Self.rowHeight - Self.barHeight) / 2,
        max(3, end - x), isNight ? Self.rowHeight : Self.barHeight, content)
    }
    var elements = picture.asleep(on: row.day).map { bar("night", $0) }
    let name = TotalsText.shortened(VisibleText.visible(row.name))
    elements.append(Self.text("ink", Self.margin, y + 30, name))
    let length = TotalsText.length(row.workedUsec)
    if !length.isEmpty {
      let x = Self.width - Self.margin
      elements.append(Self.text("soft", x, y + 30, length, anchor: "end"))
    }
    for kind in HistoryPicture.Kind.allCases {
      for segment in row.segments where segment.kind == kind {
        let times = "\(time(segment.range.lowerBound)) to \(time(segment.range.upperBound))"
        let about = "\(segment.name): \(kind.words), \(times)"
        elements.append(bar(kind.rawValue, segment.range, Self.title(about)))
      }
    }
    for ring in row.rings {
      let x = Self.left + Int(picture.place(ring.usec) * Double(Self.day))
      let about = "\(ring.name): rang at \(time(ring.usec))\(ring.late.map { ", \($0)" } ?? "")"
      elements.append(
        Self.circle("ring", x, y + Self.rowHeight / 2, 7, Self.title(about)))
    }
    return elements
  }

  private func time(_ usec: Int64) -> String { LocalTime(usec: usec, in: picture.days.zone).time }

  private func legend(y: Int) -> [String] {
    let kinds = HistoryPicture.Kind.allCases.map { ($0.rawValue, $0.words) }
    return (kinds + [("night", "asleep"), ("ring", "rang")]).enumerated().flatMap {
      let x = Self.left + $0 * 260
      return [
        Self.rectangle($1.0, x, y - 20, 24, 24), Self.text("soft", x + 34, y, $1.1),
      ]
    }
  }

  // MARK: The days of a year

  /// A column for each week, and a line for each day of the week.
  private var year: (body: [String], height: Int) {
    let (first, left) = (picture.dayNumbers.lowerBound, 100)
    let offset = CivilDate(daysSinceEpoch: first).weekday.rawValue
    func square(_ x: Int, _ y: Int, level: Int, _ content: String = "") -> String {
      let more = level == 0 ? "" : " fill-opacity=\"\([".35", ".55", ".75", "1"][level - 1])\""
      let name = level == 0 ? "night" : "running"
      return Self.rectangle(name, x, y, Self.cell - 5, Self.cell - 5, more: more, content)
    }
    var body = [Weekday.monday, .wednesday, .friday].map {
      Self.text("soft", Self.margin, Self.top + $0.rawValue * Self.cell + 22, $0.shortName)
    }
    for row in picture.rows {
      let date = CivilDate(daysSinceEpoch: row.day)
      let (week, weekday) = (row.day - first + offset).quotientAndRemainder(dividingBy: 7)
      let (x, y) = (left + week * Self.cell, Self.top + weekday * Self.cell)
      if date.day == 1 {
        body.append(Self.text("soft", x, 94, LocalTime.months[date.month - 1]))
      }
      let length = TotalsText.length(row.workedUsec)
      let late = row.rings.count { $0.late != nil }
      let about = [row.name, length, late > 0 ? "\(late) rang late" : ""].filter { !$0.isEmpty }
      let title = Self.title(about.joined(separator: ", "))
      body.append(square(x, y, level: picture.level(row), title))
      if late > 0 { body.append(Self.circle("late", x + 21, y + 7, 5)) }
    }
    let y = Self.top + 7 * Self.cell + 30
    body.append(Self.text("soft", left, y + 22, "less"))
    for level in 0...4 { body.append(square(left + 60 + level * Self.cell, y, level: level)) }
    body.append(Self.text("soft", left + 240, y + 22, "more"))
    body.append(Self.circle("late", left + 360, y + 14, 5))
    body.append(Self.text("soft", left + 376, y + 22, "a ring was late"))
    return (body, y + 60)
  }
}
