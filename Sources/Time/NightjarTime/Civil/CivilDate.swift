/// A day of the Gregorian calendar, which is extended to all years.
public struct CivilDate: Equatable, Hashable, Sendable {
  /// The year of the common era; 0 and below are before it.
  public var year: Int
  /// The month, from 1 to 12.
  public var month: Int
  /// The day of the month, from 1 to 31.
  public var day: Int

  /// Makes a date. It need not exist in its month.
  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date that is `days` after 1970-01-01. O(1).
  ///
  /// Computes with eras of 400 years that begin on March 1, so that a leap day is the last day of
  /// its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
  public init(daysSinceEpoch days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01: the inverse of `init(daysSinceEpoch:)`. If `day` is
  /// beyond the end of the month, the excess counts into the next month. O(1).
  public var daysSinceEpoch: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Parses a date such as `2026-12-24` of the years 1970 to 2199; nil for any other text.
  public init?(iso text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      CalendarExpression.years.contains(year), (1...12).contains(month),
      (1...Self.daysInMonth(year: year, month: month)).contains(day)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The same day of a later month, or the last day of that month if it is shorter. O(1).
  func adding(months count: Int) -> CivilDate {
    let (years, month) = (month - 1 + count).quotientAndRemainder(dividingBy: 12)
    let length = Self.daysInMonth(year: year + years, month: month + 1)
    return CivilDate(year: year + years, month: month + 1, day: min(day, length))
  }

  /// The day of the week. O(1).
  public var weekday: Weekday { Weekday(daysSinceEpoch: daysSinceEpoch) }

  /// The number of days of a month. O(1).
  public static func daysInMonth(year: Int, month: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Whether a year has February 29. O(1).
  public static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }
}

/// A day of the week; the first is Monday.
public enum Weekday: Int, CaseIterable, Sendable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday

  /// 1970-01-01 was a Thursday.
  init(daysSinceEpoch days: Int) {
    let index = (days % 7 + 7 + 3) % 7
    self = Weekday.allCases[index]
  }

  /// Parses the full name of a day or its first three letters. Upper and lower case do not matter.
  init?(word: String) {
    let word = word.lowercased()
    let day = Weekday.allCases.first {
      $0.name.lowercased() == word || $0.shortName.lowercased() == word
    }
    guard let day else { return nil }
    self = day
  }

  /// The name of the day in English, such as `Monday`.
  public var name: String {
    switch self {
    case .monday: "Monday"
    case .tuesday: "Tuesday"
    case .wednesday: "Wednesday"
    case .thursday: "Thursday"
    case .friday: "Friday"
    case .saturday: "Saturday"
    case .sunday: "Sunday"
    }
  }

  /// The first three letters of the name, as systemd writes the day.
  public var shortName: String { String(name.prefix(3)) }
}

/// A local date and time, without a zone.
public struct CivilTime: Equatable, Hashable, Sendable {
  public var date: CivilDate
  /// Microseconds since midnight.
  public var usecOfDay: Int64

  /// A day of 24 hours, in microseconds.
  public static let dayUsec: Int64 = 86_400_000_000

  public init(date: CivilDate, usecOfDay: Int64) {
    self.date = date
    self.usecOfDay = usecOfDay
  }

  /// The local time in UTC at an instant, `utcUsec` microseconds since the epoch.
  public init(utcUsec: Int64) {
    var (days, rest) = utcUsec.quotientAndRemainder(dividingBy: Self.dayUsec)
    if rest < 0 { (days, rest) = (days - 1, rest + Self.dayUsec) }
    self.init(date: CivilDate(daysSinceEpoch: Int(days)), usecOfDay: rest)
  }

  /// The instant at which a clock that is set to UTC shows this time, in microseconds since the
  /// epoch.
  public var utcUsec: Int64 { Int64(date.daysSinceEpoch) * Self.dayUsec + usecOfDay }

  /// The hour, from 0 to 23.
  public var hour: Int { Int(usecOfDay / 3_600_000_000) }
  /// The minute, from 0 to 59.
  public var minute: Int { Int(usecOfDay / 60_000_000 % 60) }
  /// The second, from 0 to 59.
  public var second: Int { Int(usecOfDay / 1_000_000 % 60) }
  /// The microseconds after the whole second.
  public var usec: Int { Int(usecOfDay % 1_000_000) }
}
