import NightjarTime

/// A recurrence rule, such as `FREQ=YEARLY;BYDAY=4TH;BYMONTH=11` (RFC 5545, 3.3.10), of an event on
/// whole days. Days are counted from 1970-01-01.
struct CalendarRule {
  /// A part of a rule that is not understood, such as `BYDAY=XX`.
  struct Problem: Error { let part: String }

  /// The raw value is the largest number of days in a period.
  private enum Frequency: Int {
    case daily = 1
    case weekly = 7
    case monthly = 31
    case yearly = 366
  }

  private static let frequencies: [String: Frequency] = [
    "DAILY": .daily, "WEEKLY": .weekly, "MONTHLY": .monthly, "YEARLY": .yearly,
  ]

  private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  /// The parts that are numbers. A number below zero counts from the end of the period. Some
  /// programs write COUNT=-1 where there is no count.
  private static let bounds = [
    "INTERVAL": 1...1_000_000, "COUNT": -1...1_000_000, "BYMONTH": 1...12, "BYMONTHDAY": -31...31,
    "BYYEARDAY": -366...366, "BYWEEKNO": -53...53, "BYSETPOS": -366...366,
  ]

  private var frequency: Frequency?
  private var until: Int?
  private var weekStart: Int? = 0
  private var numbers: [String: [Int]] = [:]
  /// BYDAY: `-1FR` is the last Friday of the month or the year, and `FR` (0) is every Friday.
  private var weekdays: [(ordinal: Int, weekday: Int)] = []

  /// - Parameter zone: the zone of the event. UNTIL may be in UTC.
  init(_ text: String, zone: ZoneRules?) throws(Problem) {
    for part in text.uppercased().split(separator: ";") {
      let name = String(part.prefix { $0 != "=" })
      let value = String(part.dropFirst(name.count + 1))
      let items = value.split(separator: ",", omittingEmptySubsequences: false)
      let isKnown: Bool
      switch name {
      case "FREQ":
        frequency = Self.frequencies[value]
        isKnown = frequency != nil
      case "UNTIL":
        until = CalendarTime(value, zone: zone)?.midnight
        isKnown = until != nil
      case "WKST":
        weekStart = Self.weekdays.firstIndex(of: value)
        isKnown = weekStart != nil
      case "BYDAY":
        weekdays = items.compactMap(Self.weekday)
        isKnown = weekdays.count == items.count
      // They are to be ignored on whole days.
      case "BYHOUR", "BYMINUTE", "BYSECOND": isKnown = true
      default:
        let found = items.compactMap { Int($0) }
        numbers[name] = found
        isKnown =
          found.count == items.count
          && found.allSatisfy { $0 != 0 && Self.bounds[name]?.contains($0) == true }
      }
      guard isKnown else { throw Problem(part: String(part)) }
    }
    guard let frequency else { throw Problem(part: text) }
    guard frequency.rawValue > 7 || weekdays.allSatisfy({ $0.ordinal == 0 }) else {
      throw Problem(part: "BYDAY")
    }
  }

  /// A day of BYDAY, such as `MO` or `-1MO`.
  private static func weekday(_ text: Substring) -> (ordinal: Int, weekday: Int)? {
    guard let weekday = weekdays.firstIndex(of: String(text.suffix(2))) else { return nil }
    if text.count == 2 { return (0, weekday) }
    guard let ordinal = Int(text.dropLast(2)), ordinal != 0, (-53...53).contains(ordinal) else {
      return nil
    }
    return (ordinal, weekday)
  }

  /// The days of the rule, in order. `first` is always one of them, and COUNT counts it. Empty: the
  /// rule ends before `first`. Days before `window` may be left out.
  func days(from first: Int, in window: ClosedRange<Int>) -> [Int] {
    guard let frequency, first <= until ?? first else { return [] }
    let last = min(until ?? window.upperBound, window.upperBound)
    let interval = numbers["INTERVAL"]?.last ?? 1
    let count = numbers["COUNT"]?.last.flatMap { $0 > 0 ? $0 : nil }
    let rule = completed(from: first)
    var days = [first]
    // Without COUNT, the periods before the window need not be computed.
    let far = (window.lowerBound - first) / frequency.rawValue / interval - 1
    var step = count == nil ? max(0, far) * interval : 0
    while days.count < count ?? .max, rule.begin(step, from: first) <= last {
      let period = rule.begin(step, from: first)..<rule.begin(step + 1, from: first)
      let found = period.filter(rule.contains)
      let chosen = found.indices.filter { rule.has($0 + 1, of: found.count, "BYSETPOS") }
      let room = (count ?? .max) - days.count
      days += chosen.map { found[$0] }.filter { first < $0 && $0 <= last }.prefix(room)
      step += interval
    }
    return days
  }

  /// The rule with the parts that it leaves to the first day. FREQ=YEARLY alone is the same date
  /// every year.
  private func completed(from first: Int) -> CalendarRule {
    let date = CivilDate(daysSinceEpoch: first)
    var rule = self
    guard weekdays.isEmpty, numbers["BYMONTHDAY"] == nil, numbers["BYYEARDAY"] == nil else {
      return rule
    }
    if frequency == .weekly || numbers["BYWEEKNO"] != nil {
      rule.weekdays = [(0, date.weekday.rawValue)]
    } else if frequency != .daily {
      rule.numbers["BYMONTHDAY"] = [date.day]
      if frequency == .yearly, numbers["BYMONTH"] == nil { rule.numbers["BYMONTH"] = [date.month] }
    }
    return rule
  }

  /// The first day of the day, week, month or year that is `steps` after that of `first`.
  private func begin(_ steps: Int, from first: Int) -> Int {
    let date = CivilDate(daysSinceEpoch: first)
    let months = frequency == .yearly ? steps * 12 : date.month - 1 + steps
    switch frequency {
    case .daily: return first + steps
    case .weekly: return first - daysIntoWeek(first) + steps * 7
    default:
      return CivilDate(year: date.year + months / 12, month: months % 12 + 1, day: 1).daysSinceEpoch
    }
  }

  /// The number of days since the last WKST.
  private func daysIntoWeek(_ day: Int) -> Int {
    (CivilDate(daysSinceEpoch: day).weekday.rawValue - (weekStart ?? 0) + 7) % 7
  }

  /// Whether every part of the rule has the day, without BYSETPOS.
  private func contains(_ day: Int) -> Bool {
    let date = CivilDate(daysSinceEpoch: day)
    let daysOfMonth = CivilDate.daysInMonth(year: date.year, month: date.month)
    guard has(date.month, of: 12, "BYMONTH"), has(date.day, of: daysOfMonth, "BYMONTHDAY") else {
      return false
    }
    let (dayOfYear, daysOfYear) = Self.place(of: day)
    // A week is of the year that has its fourth day.
    let fourth = Self.place(of: day - daysIntoWeek(day) + 3)
    let week = (fourth.day + 6) / 7
    guard has(dayOfYear, of: daysOfYear, "BYYEARDAY"),
      has(week, of: week + (fourth.all - fourth.day) / 7, "BYWEEKNO")
    else { return false }
    let isOfMonth = frequency == .monthly || numbers["BYMONTH"] != nil
    let (place, all) = isOfMonth ? (date.day, daysOfMonth) : (dayOfYear, daysOfYear)
    let ordinals = [0, (place + 6) / 7, -(all - place + 7) / 7]
    return weekdays.isEmpty
      || weekdays.contains { $0.weekday == date.weekday.rawValue && ordinals.contains($0.ordinal) }
  }

  /// The number of the day in its year, and the number of days of that year.
  private static func place(of day: Int) -> (day: Int, all: Int) {
    let year = CivilDate(daysSinceEpoch: day).year
    let begin = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
    return (day - begin + 1, CivilDate.isLeap(year) ? 366 : 365)
  }

  /// Whether a part has a number, which the part may count from the end. A part that the rule lacks
  /// has every number.
  private func has(_ number: Int, of all: Int, _ name: String) -> Bool {
    guard let list = numbers[name] else { return true }
    return list.contains(number) || list.contains(number - all - 1)
  }
}
