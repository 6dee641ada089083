/// A calendar expression of systemd.time(7), "Calendar Events", for example `Mon..Fri *-*-*
/// 09:30:00 Europe/Berlin`.
public struct CalendarExpression: Equatable, Sendable {
  /// The years that systemd supports in calendar expressions.
  public static let years = 1970...2199

  /// The days of the week; empty: every day.
  let weekdays: Set<Weekday>
  let year: CalendarField
  let month: CalendarField
  /// The day of the month, counted from 1. If it `countsFromEnd`, 1 is the last day of the month.
  /// It does not count from the end if every day matches.
  let day: CalendarField
  let countsFromEnd: Bool
  let hour: CalendarField
  let minute: CalendarField
  /// The second, in microseconds.
  let second: CalendarField
  /// The zone of the expression's local times.
  public let zone: ZoneWord

  /// Parses a calendar expression.
  ///
  /// The grammar is that of systemd.time(7), "Calendar Events". The tests compare the result with
  /// `systemd-analyze calendar`. O(length of the text).
  ///
  /// - Parameters:
  ///   - text: the expression as written, such as `Mon..Fri 9:30` or `daily`.
  ///   - local: the local zone; its present abbreviations are allowed as zones.
  ///   - isZone: whether the database has a zone with this name.
  /// - Throws: `TimeError`, with the position and the remedy.
  public init(
    _ text: String, local: ZoneRules,
    isZone: (String) -> Bool = { ZoneDatabase.zone(named: $0) != nil }
  ) throws(TimeError) {
    var parser = CalendarParser(text)
    self = try parser.parse(local: local, isZone: isZone)
  }

  init(
    weekdays: Set<Weekday> = [], year: CalendarField = CalendarField(),
    month: CalendarField = CalendarField(), day: CalendarField = CalendarField(),
    countsFromEnd: Bool = false, hour: CalendarField = CalendarField(values: [0]),
    minute: CalendarField = CalendarField(values: [0]),
    second: CalendarField = CalendarField(values: [0]), zone: ZoneWord = .local
  ) {
    self.weekdays = weekdays.count == Weekday.allCases.count ? [] : weekdays
    self.year = year
    self.month = month
    self.day = day
    self.countsFromEnd = countsFromEnd && !day.isEvery
    self.hour = hour
    self.minute = minute
    self.second = second
    self.zone = zone
  }
}

extension CalendarExpression {
  /// The days and the zone of this expression, with the times of day of another one.
  public func at(_ time: CalendarExpression) -> CalendarExpression {
    CalendarExpression(
      weekdays: weekdays, year: year, month: month, day: day, countsFromEnd: countsFromEnd,
      hour: time.hour, minute: time.minute, second: time.second,
      zone: time.zone == .local ? zone : time.zone)
  }

  /// Whether the expression names days of the week but no dates.
  var isOfWeekdays: Bool { !weekdays.isEmpty && isOfEveryDate }

  /// Whether the expression matches on every day, at any times of day.
  public var isOfEveryDay: Bool { weekdays.isEmpty && isOfEveryDate }

  /// Whether the expression names no dates.
  var isOfEveryDate: Bool { year.isEvery && month.isEvery && day.isEvery }
}

// MARK: - Description

extension CalendarExpression: CustomStringConvertible {
  /// The normalized form, as systemd writes it: `Mon..Fri *-*-* 09:30:00`.
  public var description: String {
    var text = weekdays.isEmpty ? "" : "\(weekdayText) "
    text += "\(Self.text(year, digits: 4))-\(Self.text(month))"
    text += "\(countsFromEnd ? "~" : "-")\(Self.text(day)) "
    text += "\(Self.text(hour)):\(Self.text(minute)):\(secondText)"
    switch zone {
    case .local: break
    case .named(let name): text += " \(name)"
    case .setting(let setting): text += " \(setting.abbreviation)"
    }
    return text
  }

  /// Three or more consecutive days are written as a range.
  private var weekdayText: String {
    var parts: [String] = []
    var index = 0
    let days = Weekday.allCases
    while index < days.count {
      var end = index
      while end < days.count, weekdays.contains(days[end]) { end += 1 }
      if end - index >= 3 {
        parts.append("\(days[index].shortName)..\(days[end - 1].shortName)")
      } else {
        parts += days[index..<end].map(\.shortName)
      }
      index = max(end, index + 1)
    }
    return parts.joined(separator: ",")
  }

  private static func text(_ field: CalendarField, digits: Int = 2) -> String {
    guard !field.isEvery else { return "*" }
    return field.components.map { component in
      var text = padded(component.start, digits)
      if let stop = component.stop { text += "..\(padded(stop, digits))" }
      if component.step > 0, component.stop == nil || component.step > 1 {
        text += "/\(component.step)"
      }
      return text
    }.joined(separator: ",")
  }

  private var secondText: String {
    guard !second.isEvery else { return "*" }
    return second.components.map { component in
      func text(_ usec: Int, digits: Int) -> String {
        let (whole, fraction) = usec.quotientAndRemainder(dividingBy: 1_000_000)
        let text = padded(whole, digits)
        return fraction == 0 ? text : "\(text).\(padded(fraction, 6))"
      }
      var words = text(component.start, digits: 2)
      if let stop = component.stop { words += "..\(text(stop, digits: 2))" }
      if component.step > 0, component.stop == nil || component.step != 1_000_000 {
        words += "/\(text(component.step, digits: 1))"
      }
      return words
    }.joined(separator: ",")
  }
}
