/// Parses calendar expressions with systemd's grammar. An expression is `[weekdays] [date] [time]
/// [zone]`, a word such as `daily`, or `@` and seconds since the epoch.
struct CalendarParser {
  private var cursor: TextCursor

  /// The range of a field, its name, and an example for errors.
  private struct Limits {
    var name: String
    var range: ClosedRange<Int>
    var example: String
  }

  private static let year = Limits(name: "year", range: CalendarExpression.years, example: "2027")
  private static let month = Limits(name: "month", range: 1...12, example: "1..6")
  private static let day = Limits(name: "day", range: 1...31, example: "1,15")
  /// The limits for a day that is counted from the end of the month. It is at most 28, the length
  /// of the shortest month.
  private static let dayFromEnd = Limits(name: "day", range: 1...28, example: "1")
  private static let hour = Limits(name: "hour", range: 0...23, example: "9..17")
  private static let minute = Limits(name: "minute", range: 0...59, example: "0/15")
  private static let second = Limits(name: "second", range: 0...59, example: "0")

  init(_ text: String) { cursor = TextCursor(text) }

  mutating func parse(
    local: ZoneRules, isZone: (String) -> Bool
  ) throws(TimeError) -> CalendarExpression {
    guard !cursor.isAtEnd else {
      throw TimeError(.empty, at: 1, "the expression is empty; write one such as Mon..Fri 9:30")
    }
    var zone = ZoneWord.local
    if let (word, place) = cursor.takeLastWord() {
      zone = try ZoneWord(word, at: place, local: local, isZone: isZone)
    }
    if let known = word(zone) { return known }
    if cursor.take("@") { return try epoch() }
    let weekdays = try weekdays()
    if !weekdays.isEmpty { cursor.skipSpaces() }
    var date = (
      year: CalendarField(), month: CalendarField(), day: CalendarField(), fromEnd: false
    )
    var time = (
      hour: CalendarField(values: [0]), minute: CalendarField(values: [0]),
      second: CalendarField(values: [0])
    )
    if !cursor.isAtEnd, looksLikeDate {
      date = try self.date()
      guard cursor.isAtEnd || cursor.next == UInt8(ascii: " ") else { throw unexpected() }
      cursor.skipSpaces()
    }
    if !cursor.isAtEnd { time = try self.time() }
    guard cursor.isAtEnd else { throw unexpected() }
    return CalendarExpression(
      weekdays: weekdays, year: date.year, month: date.month, day: date.day,
      countsFromEnd: date.fromEnd, hour: time.hour, minute: time.minute, second: time.second,
      zone: zone)
  }

  // MARK: Words

  /// The words that stand for a whole expression, such as `daily`.
  private func word(_ zone: ZoneWord) -> CalendarExpression? {
    func at(month: [Int]? = nil, day: [Int]? = nil, weekdays: Set<Weekday> = [])
      -> CalendarExpression
    {
      CalendarExpression(
        weekdays: weekdays, month: month.map { CalendarField(values: $0) } ?? CalendarField(),
        day: day.map { CalendarField(values: $0) } ?? CalendarField(), zone: zone)
    }
    switch String(decoding: cursor.bytes, as: UTF8.self).lowercased() {
    case "minutely":
      return CalendarExpression(hour: CalendarField(), minute: CalendarField(), zone: zone)
    case "hourly": return CalendarExpression(hour: CalendarField(), zone: zone)
    case "daily": return at()
    case "weekly": return at(weekdays: [.monday])
    case "monthly": return at(day: [1])
    case "quarterly": return at(month: [1, 4, 7, 10], day: [1])
    case "semiannually", "semi-annually", "biannually", "bi-annually":
      return at(month: [1, 7], day: [1])
    // systemd accepts this misspelling, so it must be accepted here.
    case "yearly", "annually", "anually": return at(month: [1], day: [1])
    default: return nil
    }
  }

  /// Parses `@1800000000`: one instant.
  private mutating func epoch() throws(TimeError) -> CalendarExpression {
    _ = cursor.take("+")
    let seconds = try number("a number of seconds since 1970")
    guard cursor.isAtEnd else { throw unexpected() }
    let civil = CivilTime(utcUsec: Int64(seconds) * 1_000_000)
    guard CalendarExpression.years.contains(civil.date.year) else {
      throw TimeError(
        .outOfRange, at: 2,
        "the number at 2 is behind the year \(CalendarExpression.years.upperBound)")
    }
    return CalendarExpression(
      year: CalendarField(values: [civil.date.year]),
      month: CalendarField(values: [civil.date.month]),
      day: CalendarField(values: [civil.date.day]), hour: CalendarField(values: [civil.hour]),
      minute: CalendarField(values: [civil.minute]),
      second: CalendarField(values: [civil.second * 1_000_000]), zone: .named("UTC"))
  }

  // MARK: Days of the week

  private mutating func weekdays() throws(TimeError) -> Set<Weekday> {
    guard let first = cursor.next, isLetter(first) else { return [] }
    var days: Set<Weekday> = []
    while let next = cursor.next, next != UInt8(ascii: " ") {
      let start = cursor.index
      let from = try weekday()
      var to = from
      if cursor.take("..") || cursor.take("-") { to = try weekday() }
      guard from.rawValue <= to.rawValue else {
        throw TimeError(
          .unexpected, at: cursor.position(start),
          "a range of days at \(cursor.position(start)) that goes over the weekend; the week begins on "
            + "Monday: write \(from.shortName)..Sun,Mon..\(to.shortName)")
      }
      days.formUnion(Weekday.allCases[from.rawValue...to.rawValue])
      guard cursor.take(",") else { break }
    }
    guard cursor.isAtEnd || cursor.next == UInt8(ascii: " ") else { throw unexpected() }
    return days
  }

  private mutating func weekday() throws(TimeError) -> Weekday {
    let place = cursor.position
    let word = cursor.takeWord()
    if let day = Weekday(word: word) { return day }
    throw TimeError(
      .unknownWeekday, at: place,
      word.isEmpty
        ? "expected a day of the week at \(place), such as Mon or Monday"
        : "'\(word)' at \(place) is no day of the week; they are Mon Tue Wed Thu Fri Sat Sun")
  }

  // MARK: Date and time

  /// Whether a `-` or `~` comes before any `:` or space, as in a date.
  private var looksLikeDate: Bool {
    for byte in cursor.rest {
      switch byte {
      case UInt8(ascii: "-"), UInt8(ascii: "~"): return true
      case UInt8(ascii: ":"), UInt8(ascii: " "): return false
      default: break
      }
    }
    return false
  }

  private mutating func date() throws(TimeError) -> (
    year: CalendarField, month: CalendarField, day: CalendarField, fromEnd: Bool
  ) {
    // Two parts are a month and a day; with three, the year comes first.
    let parts = cursor.rest.prefix { $0 != UInt8(ascii: " ") }
      .filter { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "~") }.count
    var year = CalendarField()
    if parts >= 2 {
      year = try field(Self.year)
      guard cursor.take("-") else { throw unexpected() }
    }
    let month = try field(Self.month)
    let fromEnd = cursor.take("~")
    guard fromEnd || cursor.take("-") else { throw unexpected() }
    let day = try field(fromEnd ? Self.dayFromEnd : Self.day, fromEnd: fromEnd)
    return (year, month, day, fromEnd)
  }

  private mutating func time() throws(TimeError) -> (
    hour: CalendarField, minute: CalendarField, second: CalendarField
  ) {
    let hour = try field(Self.hour)
    guard cursor.take(":") else {
      guard cursor.isAtEnd else { throw unexpected() }
      throw TimeError(
        .unexpected, at: cursor.position, "expected ':' and minutes at \(cursor.position)")
    }
    let minute = try field(Self.minute)
    let second =
      cursor.take(":") ? try field(Self.second, scale: 1_000_000) : CalendarField(values: [0])
    return (hour, minute, second)
  }

  /// Parses `*`, or components separated by commas.
  private mutating func field(
    _ limits: Limits, scale: Int = 1, fromEnd: Bool = false
  ) throws(TimeError) -> CalendarField {
    if cursor.take("*") { return CalendarField() }
    var components: [CalendarField.Component] = []
    repeat {
      components.append(try component(limits, scale: scale, fromEnd: fromEnd))
    } while cursor.take(",")
    // If one component matches every whole second, other components add no match.
    if scale > 1, components.contains(.init(start: 0, stop: nil, step: scale)) {
      return CalendarField()
    }
    return CalendarField(components)
  }

  private mutating func component(
    _ limits: Limits, scale: Int, fromEnd: Bool
  ) throws(TimeError) -> CalendarField.Component {
    let begin = cursor.index
    let start = try value(limits, scale: scale)
    try check(start, limits, scale: scale, at: begin)
    var (stop, step): (Int?, Int) = (nil, 0)
    var stopAt = cursor.index
    if cursor.take("..") {
      stopAt = cursor.index
      let value = try value(limits, scale: scale)
      guard value >= start else {
        throw TimeError(
          .outOfRange, at: cursor.position(stopAt),
          "a range that ends before it begins, at \(cursor.position(stopAt)); write the smaller one first"
        )
      }
      (stop, step) = (value, scale)
    }
    let hasStep = cursor.take("/")
    if let stop, scale > 1, !hasStep, stop - start < scale {
      throw TimeError(
        .outOfRange, at: cursor.position(begin),
        "the range at \(cursor.position(begin)) is shorter than a second; write one value, or a step "
          + "such as 0..0.9/0.1")
    }
    if hasStep {
      let at = cursor.index
      step = try number("a step behind '/'", scale: scale)
      guard step > 0 else {
        throw TimeError(
          .outOfRange, at: cursor.position(at), "a step of 0 at \(cursor.position(at))")
      }
      let last = limits.range.upperBound * scale + scale - 1
      let isReached = fromEnd ? start - step >= 1 : step <= last - start
      guard stop != nil || isReached else {
        throw TimeError(
          .outOfRange, at: cursor.position(at),
          "the step at \(cursor.position(at)) goes beyond the last \(limits.name) at once; leave it out"
        )
      }
    }
    let component = CalendarField.Component(start: start, stop: stop, step: step).ending
    // The last value that matches must be in the range. The written end of the range may be
    // outside.
    if let stop = component.stop { try check(stop, limits, scale: scale, at: stopAt) }
    return component
  }

  private func check(
    _ value: Int, _ limits: Limits, scale: Int, at index: Int
  ) throws(TimeError) {
    let upper = limits.range.upperBound * scale + scale - 1
    guard (limits.range.lowerBound * scale...upper).contains(value) else {
      throw TimeError(
        .outOfRange, at: cursor.position(index),
        "the \(limits.name) at \(cursor.position(index)) is from \(limits.range.lowerBound) to "
          + "\(limits.range.upperBound)")
    }
  }

  private mutating func value(_ limits: Limits, scale: Int) throws(TimeError) -> Int {
    var value = try number("a \(limits.name) such as \(limits.example)", scale: scale)
    if limits.range == Self.year.range {
      // Two digits are a year from 1970 to 2069.
      if value < 70 { value += 2000 } else if value < 100 { value += 1900 }
    }
    return value
  }

  /// Parses digits. With a `scale`, also digits after a decimal point, rounded to the microsecond.
  private mutating func number(_ what: String, scale: Int = 1) throws(TimeError) -> Int {
    let place = cursor.position
    guard let whole = cursor.takeNumber() else {
      throw TimeError(.missingNumber, at: place, "expected \(what) at \(place)")
    }
    guard whole < 1 << 40 else {
      throw TimeError(.outOfRange, at: place, "the number at \(place) is too large")
    }
    guard scale > 1 else { return whole }
    return whole * scale + (cursor.takeFraction() ?? 0)
  }

  private func unexpected() -> TimeError {
    cursor.unexpected(in: "expression", such: "one such as Mon..Fri 9:30 or *-*-1 12:00")
  }
}
