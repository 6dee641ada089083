import NightjarModel
import NightjarTime

/// An iCalendar file (RFC 5545). Its all-day events are converted to days. Events with a time of
/// day and cancelled events are left out.
struct CalendarFile {
  /// The number of years for which the days of yearly events are computed. The first is the current
  /// year.
  static let years = 10

  private let path: String
  private let lines: [(number: Int, text: String)]

  init(_ text: String, path: String) {
    self.path = path
    // A line that begins with a blank continues the line before it (RFC 5545, 3.1).
    var lines: [(number: Int, text: String)] = []
    let written = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in written.enumerated() {
      if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
        lines[lines.count - 1].text += line.dropFirst()
      } else if !line.isEmpty {
        lines.append((index + 1, String(line)))
      }
    }
    self.lines = lines
  }

  /// The days of all events.
  ///
  /// - Parameter today: the day from which the days of yearly events are computed.
  /// - Throws: `CommandError` with the line: an event repeats in another way than yearly, or has no
  ///   dates.
  func days(from today: Int32) throws(CommandError) -> [DayRange] {
    var ranges: [DayRange] = []
    var event: CalendarEvent?
    // The depth of the components inside the event, because an event may contain alarms.
    var depth = 0
    for (number, text) in lines {
      guard let property = CalendarProperty(text) else { continue }
      switch (property.name, property.value.uppercased()) {
      case ("BEGIN", "VEVENT") where event == nil: event = CalendarEvent(line: number)
      case ("BEGIN", _) where event != nil: depth += 1
      case ("END", "VEVENT") where depth == 0:
        if let event { ranges += try event.days(from: today, path: path) }
        event = nil
      case ("END", _) where event != nil: depth -= 1
      default: if depth == 0 { event?.take(property, line: number) }
      }
    }
    return ranges
  }
}

/// A property of a component, such as `DTSTART;VALUE=DATE:20261224`.
private struct CalendarProperty {
  /// The name of the property, in capitals.
  let name: String
  let value: String

  init?(_ line: String) {
    var isQuoted = false
    var colon: String.Index?
    for index in line.indices {
      if line[index] == "\"" { isQuoted.toggle() }
      if line[index] == ":", !isQuoted {
        colon = index
        break
      }
    }
    guard let colon else { return nil }
    name = line[..<colon].prefix { $0 != ";" }.uppercased()
    value = ExceptDays.trimmed(line[line.index(after: colon)...])
  }
}

/// An event whose lines are being read.
private struct CalendarEvent {
  /// The number of the line with which the event begins.
  let line: Int
  private var start: String?
  private var end: String?
  private var duration: String?
  private var rule: (text: String, line: Int)?
  private var excluded: [String] = []
  private var added: [String] = []
  private var summary = ""
  private var isCancelled = false

  init(line: Int) { self.line = line }

  mutating func take(_ property: CalendarProperty, line: Int) {
    switch property.name {
    case "DTSTART": start = property.value
    case "DTEND": end = property.value
    case "DURATION": duration = property.value
    case "RRULE": rule = (property.value, line)
    case "EXDATE": excluded += property.value.split(separator: ",").map(String.init)
    case "RDATE": added += property.value.split(separator: ",").map(String.init)
    case "SUMMARY": summary = Self.plain(property.value)
    case "STATUS": isCancelled = property.value.uppercased() == "CANCELLED"
    default: break
    }
  }

  /// A TEXT value without its escapes, which are `\,`, `\;`, `\\` and `\n` (RFC 5545, 3.3.11).
  private static func plain(_ text: String) -> String {
    var plain = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        plain.append(character == "n" || character == "N" ? " " : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        plain.append(character)
      }
    }
    return plain
  }

  func days(from today: Int32, path: String) throws(CommandError) -> [DayRange] {
    func problem(_ line: Int, _ reason: String) -> CommandError {
      .usage("\(path):\(line): the event '\(summary)' \(reason)")
    }
    guard !isCancelled, let start else { return [] }
    // An event with a time of day has no days.
    if start.contains("T") { return [] }
    guard let first = Self.date(start) else { throw problem(line, "has no date: '\(start)'") }
    guard let length = length(from: first), length > 0 else {
      throw problem(line, "ends before it begins")
    }
    var starts = [first]
    if let rule {
      guard let yearly = YearlyRule(rule.text, from: first) else {
        throw problem(
          rule.line,
          "repeats by '\(rule.text)', and only FREQ=YEARLY on its own date is understood; write its "
            + "days one by one")
      }
      starts = yearly.dates(from: CivilDate(daysSinceEpoch: Int(today)).year)
    }
    let leftOut = excluded.compactMap(Self.date)
    starts = starts.filter { !leftOut.contains($0) } + added.compactMap(Self.date)
    return starts.map { start in
      let day = Int32(clamping: start.daysSinceEpoch)
      return DayRange(first: day, last: day + length - 1)
    }.filter { Limits.days.contains($0.first) && Limits.days.contains($0.last) }
  }

  /// The length of the event in days, from DTEND, which is the day after its last one, or from
  /// DURATION. Nil: the length is not valid.
  private func length(from first: CivilDate) -> Int32? {
    if let end {
      return Self.date(end).map { Int32(clamping: $0.daysSinceEpoch - first.daysSinceEpoch) }
    }
    guard let duration else { return 1 }
    let text = duration.uppercased()
    guard text.hasPrefix("P"), let number = Int32(text.dropFirst().dropLast()), number < 10_000
    else {
      return nil
    }
    switch text.last {
    case "D": return number
    case "W": return number * 7
    default: return nil
    }
  }

  /// The date of a text such as `20261224`; nil: the text is not a date.
  fileprivate static func date(_ text: String) -> CivilDate? {
    guard text.utf8.count == 8 else { return nil }
    let (year, rest) = (text.prefix(4), text.dropFirst(4))
    return CivilDate(iso: "\(year)-\(rest.prefix(2))-\(rest.dropFirst(2))")
  }
}

/// The rule of an event that is on the same date every year, or every few years.
private struct YearlyRule {
  private let first: CivilDate
  private var interval = 1
  private var count: Int?
  private var until: CivilDate?

  /// Nil if the rule is of another kind. The rule may have an interval in years and an end, but no
  /// date other than that of `first`.
  init?(_ text: String, from first: CivilDate) {
    self.first = first
    var frequency = ""
    for part in text.uppercased().split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return nil }
      switch pair[0] {
      case "FREQ": frequency = pair[1]
      case "INTERVAL":
        guard let number = Int(pair[1]), number > 0 else { return nil }
        interval = number
      case "COUNT":
        guard let number = Int(pair[1]), number > 0 else { return nil }
        count = number
      case "UNTIL":
        guard let date = CalendarEvent.date(String(pair[1].prefix(8))) else { return nil }
        until = date
      case "BYMONTH": guard Int(pair[1]) == first.month else { return nil }
      case "BYMONTHDAY": guard Int(pair[1]) == first.day else { return nil }
      case "WKST": break
      default: return nil
      }
    }
    guard frequency == "YEARLY" else { return nil }
  }

  /// The dates in the year `year` and in later years.
  func dates(from year: Int) -> [CivilDate] {
    var dates: [CivilDate] = []
    var taken = 0
    for found in stride(from: first.year, to: year + CalendarFile.years, by: interval) {
      let date = CivilDate(year: found, month: first.month, day: first.day)
      // 29 February exists only in leap years.
      guard date.day <= CivilDate.daysInMonth(year: found, month: date.month) else { continue }
      if let until, date.daysSinceEpoch > until.daysSinceEpoch { break }
      taken += 1
      if let count, taken > count { break }
      if found >= year { dates.append(date) }
    }
    return dates
  }
}
