/// Reads calendar expressions with systemd's own grammar: `[weekdays] [date] [time] [zone]`, or one
/// of its words, or `@` and seconds since the epoch.
struct CalendarParser {
  private let text: String
  private var bytes: [UInt8]
  private var index = 0

  /// The limits of a field, and what it is called.
  private struct Limits {
    var name: String
    var range: ClosedRange<Int>
    var example: String
  }

  private static let year = Limits(name: "year", range: CalendarExpression.years, example: "2027")
  private static let month = Limits(name: "month", range: 1...12, example: "1..6")
  private static let day = Limits(name: "day", range: 1...31, example: "1,15")
  /// Counted from the end of the month; the shortest has 28 days.
  private static let dayFromEnd = Limits(name: "day", range: 1...28, example: "1")
  private static let hour = Limits(name: "hour", range: 0...23, example: "9..17")
  private static let minute = Limits(name: "minute", range: 0...59, example: "0/15")
  private static let second = Limits(name: "second", range: 0...59, example: "0")

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func parse(
    local: ZoneRules, isZone: (String) -> Bool
  ) throws(TimeError) -> CalendarExpression {
    guard !bytes.isEmpty else {
      throw TimeError(.empty, at: 1, "the expression is empty; write one such as Mon..Fri 9:30")
    }
    let zone = try takeZone(local: local, isZone: isZone)
    if let known = word(zone) { return known }
    if bytes.first == UInt8(ascii: "@") { return try epoch() }
    let weekdays = try weekdays()
    if !weekdays.isEmpty { skipSpaces() }
    var date = (
      year: CalendarField(), month: CalendarField(), day: CalendarField(), fromEnd: false
    )
    var time = (
      hour: CalendarField(values: [0]), minute: CalendarField(values: [0]),
      second: CalendarField(values: [0])
    )
    if index < bytes.count, looksLikeDate {
      date = try self.date()
      guard index == bytes.count || bytes[index] == UInt8(ascii: " ") else { throw unexpected() }
      skipSpaces()
    }
    if index < bytes.count { time = try self.time() }
    guard index == bytes.count else { throw unexpected() }
    return CalendarExpression(
      weekdays: weekdays, year: date.year, month: date.month, day: date.day,
      countsFromEnd: date.fromEnd, hour: time.hour, minute: time.minute, second: time.second,
      zone: zone)
  }

  // MARK: Words

  /// The words that stand for a whole expression.
  private func word(_ zone: CalendarExpression.Zone) -> CalendarExpression? {
    func at(month: [Int]? = nil, day: [Int]? = nil, weekdays: Set<Weekday> = [])
      -> CalendarExpression
    {
      CalendarExpression(
        weekdays: weekdays, month: month.map { CalendarField(values: $0) } ?? CalendarField(),
        day: day.map { CalendarField(values: $0) } ?? CalendarField(), zone: zone)
    }
    switch String(decoding: bytes, as: UTF8.self).lowercased() {
    case "minutely":
      return CalendarExpression(hour: CalendarField(), minute: CalendarField(), zone: zone)
    case "hourly": return CalendarExpression(hour: CalendarField(), zone: zone)
    case "daily": return at()
    case "weekly": return at(weekdays: [.monday])
    case "monthly": return at(day: [1])
    case "quarterly": return at(month: [1, 4, 7, 10], day: [1])
    case "semiannually", "semi-annually", "biannually", "bi-annually":
      return at(month: [1, 7], day: [1])
    // systemd takes the misspelling, and has to.
    case "yearly", "annually", "anually": return at(month: [1], day: [1])
    default: return nil
    }
  }

  /// `@1800000000`: one instant.
  private mutating func epoch() throws(TimeError) -> CalendarExpression {
    index = 1
    _ = take("+")
    let seconds = try number("a number of seconds since 1970")
    guard index == bytes.count else { throw unexpected() }
    let civil = CivilTime(utcUsec: Int64(seconds) * 1_000_000)
    guard CalendarExpression.years.contains(civil.date.year) else {
      throw TimeError(
        .outOfRange, at: 2, "that is behind the year \(CalendarExpression.years.upperBound)")
    }
    return CalendarExpression(
      year: CalendarField(values: [civil.date.year]),
      month: CalendarField(values: [civil.date.month]),
      day: CalendarField(values: [civil.date.day]), hour: CalendarField(values: [civil.hour]),
      minute: CalendarField(values: [civil.minute]),
      second: CalendarField(values: [civil.second * 1_000_000]), zone: .named("UTC"))
  }

  // MARK: The zone

  /// Takes the last word, if it is a zone.
  private mutating func takeZone(
    local: ZoneRules, isZone: (String) -> Bool
  ) throws(TimeError) -> CalendarExpression.Zone {
    guard let space = bytes.lastIndex(of: UInt8(ascii: " ")), space + 1 < bytes.count,
      isLetter(bytes[space + 1])
    else { return .local }
    let word = String(decoding: bytes[(space + 1)...], as: UTF8.self)
    let upper = word.uppercased()
    let zone: CalendarExpression.Zone
    if upper == "UTC" {
      zone = .named("UTC")
    } else if let setting = local.presentSettings.first(where: {
      $0.abbreviation.uppercased() == upper
    }) {
      zone = .setting(setting)
    } else if isZone(word) {
      zone = .named(word)
    } else {
      throw TimeError(
        .unknownZone, at: position(space + 1),
        "\(ZoneDatabase.absence(of: word)) (at \(position(space + 1)))")
    }
    bytes.removeSubrange(space...)
    return zone
  }

  // MARK: Days of the week

  private mutating func weekdays() throws(TimeError) -> Set<Weekday> {
    guard let first = bytes.first, isLetter(first) else { return [] }
    var days: Set<Weekday> = []
    while index < bytes.count, bytes[index] != UInt8(ascii: " ") {
      let start = index
      let from = try weekday()
      var to = from
      if take("..") || take("-") { to = try weekday() }
      guard from.rawValue <= to.rawValue else {
        throw TimeError(
          .unexpected, at: position(start),
          "a range of days at \(position(start)) that goes over the weekend; the week begins on "
            + "Monday: write \(from.shortName)..Sun,Mon..\(to.shortName)")
      }
      days.formUnion(Weekday.allCases[from.rawValue...to.rawValue])
      guard take(",") else { break }
    }
    guard index == bytes.count || bytes[index] == UInt8(ascii: " ") else { throw unexpected() }
    return days
  }

  private mutating func weekday() throws(TimeError) -> Weekday {
    let start = index
    while index < bytes.count, isLetter(bytes[index]) { index += 1 }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    for day in Weekday.allCases
    where [day.name.lowercased(), day.shortName.lowercased()].contains(word.lowercased()) {
      return day
    }
    guard !word.isEmpty else {
      index = start
      throw TimeError(
        .unknownWeekday, at: position(start),
        "expected a day of the week at \(position(start)), such as Mon or Monday")
    }
    throw TimeError(
      .unknownWeekday, at: position(start),
      "'\(word)' at \(position(start)) is no day of the week; they are Mon Tue Wed Thu Fri Sat Sun")
  }

  // MARK: Date and time

  /// A date has a `-` or a `~` before any `:` or space.
  private var looksLikeDate: Bool {
    for byte in bytes[index...] {
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
    // Two parts are a month and a day, three have the year in front.
    let parts = bytes[index...].prefix { $0 != UInt8(ascii: " ") }
      .filter { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "~") }.count
    var year = CalendarField()
    if parts >= 2 {
      year = try field(Self.year)
      guard take("-") else { throw unexpected() }
    }
    let month = try field(Self.month)
    let fromEnd = take("~")
    guard fromEnd || take("-") else { throw unexpected() }
    let day = try field(fromEnd ? Self.dayFromEnd : Self.day, fromEnd: fromEnd)
    return (year, month, day, fromEnd)
  }

  private mutating func time() throws(TimeError) -> (
    hour: CalendarField, minute: CalendarField, second: CalendarField
  ) {
    let hour = try field(Self.hour)
    guard take(":") else {
      guard index == bytes.count else { throw unexpected() }
      throw TimeError(
        .unexpected, at: position(index), "expected ':' and minutes at \(position(index))")
    }
    let minute = try field(Self.minute)
    let second = take(":") ? try field(Self.second, scale: 1_000_000) : CalendarField(values: [0])
    return (hour, minute, second)
  }

  /// `*`, or components with commas between them.
  private mutating func field(
    _ limits: Limits, scale: Int = 1, fromEnd: Bool = false
  ) throws(TimeError) -> CalendarField {
    if take("*") { return CalendarField() }
    var components: [CalendarField.Component] = []
    repeat {
      components.append(try component(limits, scale: scale, fromEnd: fromEnd))
    } while take(",")
    // Every whole second is every second.
    if scale > 1, components == [CalendarField.Component(start: 0, stop: nil, step: scale)] {
      return CalendarField()
    }
    return CalendarField(components)
  }

  private mutating func component(
    _ limits: Limits, scale: Int, fromEnd: Bool
  ) throws(TimeError) -> CalendarField.Component {
    let begin = index
    let start = try value(limits, scale: scale)
    try check(start, limits, scale: scale, at: begin)
    var (stop, step): (Int?, Int) = (nil, 0)
    var stopAt = index
    if take("..") {
      stopAt = index
      let value = try value(limits, scale: scale)
      guard value >= start else {
        throw TimeError(
          .outOfRange, at: position(stopAt),
          "a range at \(position(begin)) that ends before it begins; write the smaller one first")
      }
      (stop, step) = (value, scale)
    }
    if take("/") {
      let at = index
      step = try number("a step behind '/'", scale: scale)
      guard step > 0 else {
        throw TimeError(.outOfRange, at: position(at), "a step of 0 at \(position(at))")
      }
      let last = limits.range.upperBound * scale + scale - 1
      let isReached = fromEnd ? start - step >= 1 : step <= last - start
      guard stop != nil || isReached else {
        throw TimeError(
          .outOfRange, at: position(at),
          "the step at \(position(at)) goes beyond the last \(limits.name) at once; leave it out")
      }
    }
    let component = CalendarField.Component(start: start, stop: stop, step: step).ending
    // What counts is the last value that is reached.
    if let stop = component.stop { try check(stop, limits, scale: scale, at: stopAt) }
    return component
  }

  private func check(
    _ value: Int, _ limits: Limits, scale: Int, at index: Int
  ) throws(TimeError) {
    let upper = limits.range.upperBound * scale + scale - 1
    guard (limits.range.lowerBound * scale...upper).contains(value) else {
      throw TimeError(
        .outOfRange, at: position(index),
        "the \(limits.name) at \(position(index)) is from \(limits.range.lowerBound) to "
          + "\(limits.range.upperBound)")
    }
  }

  private mutating func value(_ limits: Limits, scale: Int) throws(TimeError) -> Int {
    var value = try number("a \(limits.name) such as \(limits.example)", scale: scale)
    if limits.range == Self.year.range {
      // Two digits are a year of 1970 to 2069.
      if value < 70 { value += 2000 } else if value < 100 { value += 1900 }
    }
    return value
  }

  /// Digits; with a `scale`, digits behind a point as well, rounded to the microsecond.
  private mutating func number(_ what: String, scale: Int = 1) throws(TimeError) -> Int {
    let start = index
    var value = 0
    while index < bytes.count, isDigit(bytes[index]) {
      value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      guard value < 1 << 40 else {
        throw TimeError(
          .outOfRange, at: position(start), "the number at \(position(start)) is too large")
      }
      index += 1
    }
    guard index > start else {
      throw TimeError(
        .missingNumber, at: position(index), "expected \(what) at \(position(index))")
    }
    guard scale > 1 else { return value }
    value *= scale
    let isFraction =
      index + 1 < bytes.count && bytes[index] == UInt8(ascii: ".") && isDigit(bytes[index + 1])
    guard isFraction else { return value }
    index += 1
    var (fraction, unit) = (0, scale)
    while index < bytes.count, isDigit(bytes[index]) {
      let digit = Int(bytes[index] - UInt8(ascii: "0"))
      if unit == 1, digit >= 5 { fraction += 1 }
      unit /= 10
      fraction += digit * unit
      index += 1
    }
    return value + fraction
  }

  // MARK: Looking around

  private mutating func take(_ token: String) -> Bool {
    guard bytes[index...].starts(with: token.utf8) else { return false }
    index += token.utf8.count
    return true
  }

  private mutating func skipSpaces() {
    while index < bytes.count, bytes[index] == UInt8(ascii: " ") { index += 1 }
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
  }

  private func unexpected() -> TimeError {
    let place = position(index)
    guard index < bytes.count else {
      return TimeError(.unexpected, at: place, "the expression ends too soon, at \(place)")
    }
    let character = String(decoding: bytes[index...], as: UTF8.self).first ?? " "
    return TimeError(
      .unexpected, at: place,
      "unexpected '\(character)' at \(place); write an expression such as Mon..Fri 9:30 or "
        + "*-*-1 12:00")
  }

  /// The number of the character that the byte at `index` begins, from 1.
  private func position(_ index: Int) -> Int {
    String(decoding: bytes[..<min(index, bytes.count)], as: UTF8.self).unicodeScalars.count + 1
  }
}
