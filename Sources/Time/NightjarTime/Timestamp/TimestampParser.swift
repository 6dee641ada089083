/// Parses points in time: `[weekday] [date] [time] [zone]`, words, and spans from now.
struct TimestampParser {
  private let now: Int64
  private let local: ZoneRules
  private var cursor: TextCursor

  /// The last year, as in systemd.
  private static let lastYear = 9999
  private static let endUsec =
    Int64(CivilDate(year: lastYear + 1, month: 1, day: 1).daysSinceEpoch) * CivilTime.dayUsec

  init(_ text: String, now: Int64, local: ZoneRules) {
    self.now = now
    self.local = local
    cursor = TextCursor(text)
  }

  mutating func parse(zone find: (String) -> ZoneRules?) throws(TimeError) -> Timestamp {
    // As in systemd, only a text that begins with a date or time may have leading spaces.
    if let usec = try fromNow() { return try checked(Timestamp(usec: usec)) }
    cursor.skipSpaces()
    guard !cursor.isAtEnd else {
      throw TimeError(
        .empty, at: 1, "the point in time is empty; write one such as 17:30 or tomorrow 9:00")
    }
    let (rules, days) = try takeZone(find)
    var date = CivilDate(daysSinceEpoch: days.civil(atUsec: now).date.daysSinceEpoch)
    if let days = takeRelativeDay() {
      date = CivilDate(daysSinceEpoch: date.daysSinceEpoch + days)
      cursor.skipSpaces()
      let time = cursor.isAtEnd ? 0 : try time()
      return try finish(date, time, rules)
    }
    let weekdayAt = cursor.position
    let weekday = try takeWeekday()
    cursor.skipSpaces()
    let hasDate = looksLikeDate
    if hasDate { date = try takeDate() }
    if let weekday, date.weekday != weekday {
      throw TimeError(
        .otherWeekday, at: weekdayAt,
        "\(dateText(date)) is a \(date.weekday.name), not a \(weekday.name) (at \(weekdayAt))")
    }
    var offset: Int?
    var time: Int64 = 0
    if !cursor.isAtEnd {
      if hasDate {
        let isISO = cursor.take("T") || cursor.take("t")
        guard isISO || cursor.next == UInt8(ascii: " ") else { throw unexpected() }
        if !isISO { cursor.skipSpaces() }
        time = try self.time(isISO: isISO)
        offset = try takeOffset()
      } else {
        time = try self.time()
      }
    } else if !hasDate {
      throw unexpected()
    }
    guard cursor.isAtEnd else { throw unexpected() }
    if let offset {
      let usec = CivilTime(date: date, usecOfDay: time).utcUsec - Int64(offset) * 1_000_000
      return try checked(Timestamp(usec: usec, hasOffset: true))
    }
    let found = try finish(date, time, rules)
    return Timestamp(
      usec: found.usec, isTimeOfDay: !hasDate, isOfWeekday: !hasDate && weekday != nil)
  }

  /// The instant at which clocks show this date and time, or an error.
  private func finish(
    _ date: CivilDate, _ time: Int64, _ rules: ZoneRules
  ) throws(TimeError) -> Timestamp {
    guard cursor.isAtEnd else { throw unexpected() }
    // A minute may have 61 seconds here. The excess counts into the next minute.
    let civil = CivilTime(utcUsec: CivilTime(date: date, usecOfDay: time).utcUsec)
    switch rules.read(civil) {
    case .once(let usec): return try checked(Timestamp(usec: usec))
    case .never(let end): return try checked(Timestamp(usec: end))
    case .twice(let first, _): return try checked(Timestamp(usec: first))
    }
  }

  private func checked(_ timestamp: Timestamp) throws(TimeError) -> Timestamp {
    guard timestamp.usec >= 0 else {
      throw TimeError(.outOfRange, at: 1, "that is before 1970")
    }
    guard timestamp.usec < Self.endUsec else {
      throw TimeError(.outOfRange, at: 1, "that is behind the year \(Self.lastYear)")
    }
    return timestamp
  }

  // MARK: From now

  /// Parses `now`, `+1h`, `-5min`, `5min ago`, `1h left` or `@1800000000`; nil: the text is
  /// something else.
  private mutating func fromNow() throws(TimeError) -> Int64? {
    let rest = String(decoding: cursor.rest, as: UTF8.self)
    if rest == "now" { return now }
    if let first = rest.first, first == "+" || first == "-" {
      let span = try span(rest.dropFirst(), at: cursor.position + 1)
      return try add(first == "-" ? -span : span)
    }
    if rest.hasPrefix("@") { return try span(rest.dropFirst(), at: cursor.position + 1) }
    for (word, sign) in [(" ago", Int64(-1)), (" left", 1)] where rest.hasSuffix(word) {
      return try add(sign * span(rest.dropLast(word.count), at: cursor.position))
    }
    return nil
  }

  private func span(_ text: Substring, at place: Int) throws(TimeError) -> Int64 {
    // A text such as `1:30` could also mean a time of day here, so a clock's notation is refused.
    if let colon = text.unicodeScalars.firstIndex(of: ":") {
      let place = place + text.unicodeScalars[..<colon].count
      throw TimeError(
        .clockNotation, at: place,
        "unexpected ':' at \(place); a length of time has units here, such as 1min 30s or 1h 30min")
    }
    // Blanks replace the text before the span, so that an error has the position in the whole text.
    let span = try ParsedSpan(String(repeating: " ", count: place - 1) + text).span
    guard case .usec(let usec) = span, let usec = Int64(exactly: usec) else {
      throw TimeError(
        .outOfRange, at: place, "the span at \(place) is too long for a point in time")
    }
    return usec
  }

  private func add(_ usec: Int64) throws(TimeError) -> Int64 {
    let (sum, overflow) = now.addingReportingOverflow(usec)
    guard !overflow else { throw TimeError(.outOfRange, at: 1, "that is too far from now") }
    // A time before the epoch becomes the epoch, as in systemd.
    return max(0, sum)
  }

  // MARK: Words

  private mutating func takeRelativeDay() -> Int? {
    for (word, days) in [("today", 0), ("yesterday", -1), ("tomorrow", 1)] {
      let begin = cursor.index
      guard cursor.take(word) else { continue }
      if cursor.isAtEnd || cursor.next == UInt8(ascii: " ") { return days }
      cursor.index = begin
    }
    return nil
  }

  /// Splits off the last word if it is a zone. Returns the rules for the time of day, and the rules
  /// that decide which day is today. These are the same, except for an abbreviation such as CEST: a
  /// user may write CEST in winter, so the local rules decide which day is today.
  private mutating func takeZone(
    _ find: (String) -> ZoneRules?
  ) throws(TimeError) -> (rules: ZoneRules, days: ZoneRules) {
    // `am`, `pm` and the `Z` of ISO 8601 are not zones.
    let end = String(decoding: cursor.rest, as: UTF8.self).lowercased()
    guard !end.hasSuffix(" am"), !end.hasSuffix(" pm"), !end.hasSuffix(" z"),
      let (word, place) = cursor.takeLastWord()
    else { return (local, local) }
    var found: ZoneRules?
    let zone = try ZoneWord(word, at: place, local: local) { name in
      found = find(name)
      return found != nil
    }
    switch zone {
    case .local: return (local, local)
    case .setting(let setting): return (ZoneRules(setting), local)
    case .named: return (found ?? .utc, found ?? .utc)
    }
  }

  private mutating func takeWeekday() throws(TimeError) -> Weekday? {
    let place = cursor.position
    let word = cursor.takeWord()
    guard !word.isEmpty else { return nil }
    guard let day = Weekday(word: word) else {
      throw TimeError(
        .unexpected, at: place,
        "'\(word)' at \(place) is no time; write one such as 17:30, tomorrow 9:00 or 2026-12-24 18:00"
      )
    }
    guard cursor.next == UInt8(ascii: " ") else { throw unexpected() }
    return day
  }

  // MARK: Date and time

  /// Whether digits and then a `-` come next.
  private var looksLikeDate: Bool {
    let digits = cursor.rest.prefix(while: isDigit)
    return !digits.isEmpty && cursor.rest.dropFirst(digits.count).first == UInt8(ascii: "-")
  }

  private mutating func takeDate() throws(TimeError) -> CivilDate {
    let start = cursor.index
    var year = try number(0...Self.lastYear, "year", digits: 1...4)
    // Two digits are a year from 1969 to 2068, as in strptime(3).
    if cursor.index - start <= 2 { year += year < 69 ? 2000 : 1900 }
    guard cursor.take("-") else { throw unexpected() }
    let month = try number(1...12, "month", digits: 1...2)
    guard cursor.take("-") else { throw unexpected() }
    let dayAt = cursor.position
    let day = try number(1...31, "day", digits: 1...2)
    let days = CivilDate.daysInMonth(year: year, month: month)
    guard day <= days else {
      throw TimeError(
        .outOfRange, at: dayAt, "day \(day) at \(dayAt): that month has \(days) days")
    }
    return CivilDate(year: year, month: month, day: day)
  }

  /// Parses a time of day, in microseconds: `17:30`, `17:30:15.5`, `9am`, `9:30 pm`.
  ///
  /// - Parameter isISO: whether the text is ISO 8601, in which an hour alone is allowed.
  private mutating func time(isISO: Bool = false) throws(TimeError) -> Int64 {
    let start = cursor.position
    let hour = try number(0...23, "hour", digits: 1...2)
    var (minute, usec) = (0, 0)
    let hasMinutes = cursor.take(":")
    if hasMinutes {
      minute = try number(0...59, "minute", digits: 1...2)
      if cursor.take(":") { usec = try seconds() }
    }
    let half = takeHalfOfDay()
    guard hasMinutes || half != nil || isISO else {
      throw TimeError(
        .unexpected, at: cursor.position,
        "expected minutes, am or pm at \(cursor.position), such as \(hour):00")
    }
    var clockHour = hour
    if let half {
      guard (1...12).contains(hour) else {
        throw TimeError(
          .outOfRange, at: start,
          "with am or pm the hour at \(start) is from 1 to 12")
      }
      clockHour = hour % 12 + (half == "pm" ? 12 : 0)
    }
    return Int64(clockHour * 3_600 + minute * 60) * 1_000_000 + Int64(usec)
  }

  /// Parses seconds with a fraction. 60 and 61 are leap seconds, which count into the next minute.
  private mutating func seconds() throws(TimeError) -> Int {
    let whole = try number(0...61, "second", digits: 1...2)
    return whole * 1_000_000 + (cursor.takeFraction() ?? 0)
  }

  private mutating func takeHalfOfDay() -> String? {
    let rest = String(decoding: cursor.rest, as: UTF8.self).lowercased()
    for word in ["am", "pm", " am", " pm"] where rest == word {
      cursor.index = cursor.bytes.count
      return String(word.suffix(2))
    }
    return nil
  }

  /// Parses an offset from UTC: the `Z` of ISO 8601, or a number such as `+02:00`, `-0600` or
  /// `+02`. Returns it in seconds; nil: there is no offset. Spaces may come before it.
  private mutating func takeOffset() throws(TimeError) -> Int? {
    let begin = cursor.index
    cursor.skipSpaces()
    if cursor.take("Z") || cursor.take("z") { return 0 }
    let sign = cursor.take("-") ? -1 : cursor.take("+") ? 1 : 0
    guard sign != 0 else {
      cursor.index = begin
      return nil
    }
    let hours = try twoDigits(0...23, "hour of the offset")
    guard cursor.take(":") || !cursor.isAtEnd else { return sign * hours * 3_600 }
    return sign * (hours * 3_600 + (try twoDigits(0...59, "minute of the offset")) * 60)
  }

  /// Parses two digits; more digits may follow.
  private mutating func twoDigits(
    _ range: ClosedRange<Int>, _ what: String
  ) throws(TimeError) -> Int {
    let place = cursor.position
    let digits = cursor.rest.prefix(2).prefix(while: isDigit)
    guard digits.count == 2, let value = Int(String(decoding: digits, as: UTF8.self)) else {
      throw TimeError(.missingNumber, at: place, "expected a \(what) of two digits at \(place)")
    }
    cursor.index += 2
    guard range.contains(value) else {
      throw TimeError(
        .outOfRange, at: place,
        "the \(what) at \(place) is from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private mutating func number(
    _ range: ClosedRange<Int>, _ what: String, digits: ClosedRange<Int>
  ) throws(TimeError) -> Int {
    let (start, place) = (cursor.index, cursor.position)
    guard let value = cursor.takeNumber() else {
      throw TimeError(.missingNumber, at: place, "expected a \(what) at \(place)")
    }
    guard digits.contains(cursor.index - start), range.contains(value) else {
      throw TimeError(
        .outOfRange, at: place,
        "the \(what) at \(place) is from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  // MARK: Errors

  private func dateText(_ date: CivilDate) -> String {
    CivilTime(date: date, usecOfDay: 0).dateText
  }

  private func unexpected() -> TimeError {
    cursor.unexpected(
      in: "point in time", such: "one such as 17:30, tomorrow 9:00 or 2026-12-24 18:00")
  }
}
