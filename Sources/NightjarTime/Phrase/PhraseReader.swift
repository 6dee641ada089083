/// When something is to happen, as it was said.
public enum TimeReading: Equatable, Sendable {
  /// At one instant, in microseconds since the epoch.
  case once(usec: Int64)
  /// Whenever the calendar comes round.
  case repeating(CalendarExpression)
}

/// Whether a time repeats.
public enum Repetition: Sendable {
  /// A weekday or a set of days repeats, and so does what only a calendar expression can say; a date, a
  /// day counted from today and a bare time come once.
  case byRule
  case once
  case repeating
}

/// Reads times and lengths of time as people say them, and as systemd has them.
///
/// This is the one way in which Nightjar reads a time. What systemd's grammars accept means what it
/// means there; `1h30` alone is an hour and a half, where systemd has 30 s. Other phrases are put into
/// systemd's words, and these are read.
public struct PhraseReader {
  /// What `now` is, in microseconds since the epoch.
  public var nowUsec: Int64
  /// The zone that times go by where they name none.
  public var local: ZoneRules
  /// How numbers and dates are written.
  public var locale: WrittenLocale
  let find: (String) -> ZoneRules?

  /// Reads as of a moment and a place.
  ///
  /// - Parameter find: the zone of a name.
  public init(
    nowUsec: Int64, local: ZoneRules, locale: WrittenLocale = .here,
    zone find: @escaping (String) -> ZoneRules? = { ZoneDatabase.zone(named: $0) }
  ) {
    (self.nowUsec, self.local, self.locale, self.find) = (nowUsec, local, locale, find)
  }

  /// When an alarm rings.
  ///
  /// - Throws: `PhraseProblem`: it is none, is past, or has two readings.
  public func time(
    _ text: String, _ repetition: Repetition = .byRule
  ) throws(PhraseProblem) -> TimeReading {
    try refuseMonths(text)
    if let expression = calendarOfDays(text) {
      return try decided(expression, text, repetition)
    }
    // On a Monday, systemd takes Mon 9am for today's.
    if let point = fromNow(text) ?? timestamp(text), !point.isOfWeekday {
      return try decided(point, text, repetition)
    }
    if let expression = calendar(text) { return try decided(expression, text, repetition) }
    return try phrase(text, repetition)
  }

  /// A point in time: a time without a day is today's, and it may be past.
  ///
  /// - Throws: `PhraseProblem`: it is none, or comes again and again.
  public func point(_ text: String) throws(PhraseProblem) -> Int64 {
    let lowered = text.lowercased()
    let isFromNow = lowered.hasPrefix("in ") && !lowered.hasPrefix("in the ")
    if isFromNow || lowered.hasSuffix(Self.fromNow), case .once(let usec) = try time(text) {
      return usec
    }
    try refuseMonths(text)
    if let point = fromNow(text) ?? timestamp(text) { return point.usec }
    let parts = try parts(text)
    let (_, zone) = splitZone(text)
    switch parts.day {
    case nil:
      return try timestamp("\(clock(parts))\(suffix(zone))", in: text).usec
    case .weekdays, .every:
      throw PhraseProblem(
        "'\(text)' comes again and again; write a date, or a day such as yesterday")
    case .from, .next, .this, .date:
      return try instant(parts, zone, text)
    }
  }

  /// A day: `2026-12-24`, `24.12.2026`, `24 Dec`, `tomorrow`, `friday`. Where the year or the week is not said,
  /// it is the first such day from today on.
  ///
  /// - Throws: `PhraseProblem`: it is none.
  public func day(_ text: String) throws(PhraseProblem) -> CivilDate {
    if let date = CivilDate(iso: text) { return date }
    let none = PhraseProblem("'\(text)' is no day; write a date such as 2026-12-24")
    guard let parts = try? parts(text, isDay: true), parts.time == nil || parts.time == 0,
      parts.openHour == nil
    else { throw none }
    let today = local.civil(atUsec: nowUsec).date
    func first(_ day: Weekday, from: Int) -> CivilDate {
      let days = (day.rawValue - today.weekday.rawValue + 7 - from) % 7 + from
      return CivilDate(daysSinceEpoch: today.daysSinceEpoch + days)
    }
    switch parts.day {
    case .from(let days): return CivilDate(daysSinceEpoch: today.daysSinceEpoch + days)
    case .this(let day): return first(day, from: 0)
    case .next(let day): return first(day, from: 1)
    case .weekdays(let days) where days.count == 1:
      return days.first.map { first($0, from: 0) } ?? today
    case .date(let date):
      guard let found = Self.first(date, from: today) else { throw none }
      return found
    case .weekdays, .every, nil: throw none
    }
  }

  /// The first day of a date from a day on, or the only one; nil: there is none.
  private static func first(_ date: DatePhrase, from day: CivilDate) -> CivilDate? {
    // A leap day may be eight years away.
    (date.year.map { $0...$0 } ?? day.year...day.year + 8).lazy.filter { year in
      date.day <= CivilDate.daysInMonth(year: year, month: date.month)
        && CalendarExpression.years.contains(year)
    }.map { CivilDate(year: $0, month: date.month, day: date.day) }
      .first { date.year != nil || $0.daysSinceEpoch >= day.daysSinceEpoch }
  }

  /// The first and the last of several days. Where the first is said without a year, it is the one before the
  /// last: of `24 Dec..1 Jan` the present days are meant on one of them, and else the next ones. The last may be
  /// before the first if that would be more than half a year before it.
  ///
  /// - Throws: `PhraseProblem`: one of them is none.
  public func days(
    from first: String, to last: String
  ) throws(PhraseProblem) -> (first: CivilDate, last: CivilDate) {
    guard let date = dateWithoutYear(first) else {
      let begin = try day(first)
      if let date = dateWithoutYear(last), let end = Self.first(date, from: begin) {
        return (begin, end)
      }
      return (begin, try day(last))
    }
    let end = try day(last)
    var year = end.year
    if (date.month, date.day) > (end.month, end.day) {
      let begin = CivilDate(year: year - 1, month: date.month, day: min(date.day, 28))
      if end.daysSinceEpoch - begin.daysSinceEpoch <= 183 { year -= 1 }
    }
    guard date.day <= CivilDate.daysInMonth(year: year, month: date.month) else {
      let words = DatePhrase(day: date.day, month: date.month, year: year).words
      throw PhraseProblem("there is no \(words)")
    }
    return (CivilDate(year: year, month: date.month, day: date.day), end)
  }

  private func dateWithoutYear(_ text: String) -> DatePhrase? {
    guard CivilDate(iso: text) == nil, let parts = try? parts(text, isDay: true),
      parts.time == nil, case .date(let date) = parts.day, date.year == nil
    else { return nil }
    return date
  }

  /// The days of the week that a text names without a date or a time, of every week: `sat`, `weekends`,
  /// `mon..fri`; nil: it is something else.
  public func weekdays(_ text: String) -> Set<Weekday>? {
    guard let parts = try? parts(text), parts.time == nil, parts.weekday == nil,
      case .weekdays(let days) = parts.day
    else { return nil }
    return days
  }

  /// The words of days that come again and have no time of day, such as `weekdays` and `every monday`, without a
  /// zone behind them; nil: it is something else. What systemd accepts, such as `Mon..Fri`, has a time there,
  /// which is midnight.
  public func daysWithoutTime(_ text: String) -> String? {
    guard calendar(text) == nil, let parts = try? parts(text), parts.time == nil else { return nil }
    switch parts.day {
    case .weekdays, .every, .date: return splitZone(text).text
    case .from, .next, .this, nil: return nil
    }
  }

  /// A calendar expression, which may come once or never; of a time of day it is every day's.
  ///
  /// - Throws: `PhraseProblem`: it is none.
  public func expression(_ text: String) throws(PhraseProblem) -> CalendarExpression {
    if let expression = calendar(text) { return expression }
    guard case .repeating(let expression) = try time(text, .repeating) else {
      throw mistake(in: text)
    }
    return expression
  }

  /// When an expression comes next; nil if it does not. Reads a zone's file.
  public func next(of expression: CalendarExpression) -> Int64? {
    guard let rules = try? rules(of: expression) else { return nil }
    return expression.next(afterUsec: nowUsec, in: rules)
  }

  /// A length of time.
  ///
  /// - Throws: `PhraseProblem`: it is none.
  public func length(_ text: String) throws(PhraseProblem) -> ParsedSpan {
    let mistake: TimeError
    do throws(TimeError) {
      return try ParsedSpan(said: text, locale: locale)
    } catch {
      mistake = error
    }
    throw timeInsteadOfLength(text) ?? PhraseProblem(mistake.description)
  }

  /// That a length has a decimal comma, where people of this place write a point; nil: the text is something else.
  public func decimalComma(in text: String) -> PhraseProblem? {
    guard (try? ParsedSpan(said: LengthPhrase.withPoints(text))) != nil else { return nil }
    do throws(TimeError) {
      _ = try ParsedSpan(said: text, locale: locale)
      return nil
    } catch { return error.kind == .decimalComma ? PhraseProblem(error.description) : nil }
  }

  /// That a time was written where a length is wanted; nil if it is no time either.
  public func timeInsteadOfLength(_ text: String) -> PhraseProblem? {
    // 1:5 is meant as minutes and seconds, and what is wrong with it is said of these.
    guard !text.allSatisfy({ $0.isNumber || $0 == ":" }), (try? time(text)) != nil else {
      return nil
    }
    return PhraseProblem(
      "'\(text)' is a time, and no length", choices: [.init(text, command: .alarm)])
  }

  /// That `1h30` alone has two readings: a length for start, and a time of day; nil: the text is something else.
  ///
  /// Few alarms ring in the first hours of a day, and naps are so long. From 6h00 on it is a time of day, and
  /// 01h30 is one. What repeats has no length.
  public func bareLength(_ text: String, _ repetition: Repetition) -> PhraseProblem? {
    let bytes = Array(text.lowercased().utf8)
    guard repetition != .repeating, bytes.count == 4, bytes[1] == UInt8(ascii: "h"),
      (UInt8(ascii: "0")...UInt8(ascii: "5")).contains(bytes[0]),
      (UInt8(ascii: "0")...UInt8(ascii: "5")).contains(bytes[2]), isDigit(bytes[3])
    else { return nil }
    let time = String(text.map { $0 == "h" || $0 == "H" ? ":" : $0 })
    return .ambiguous(text, .init(time, "a time of day"), .init("in \(text)", "from now"))
  }

  /// Whether a time names a zone of its own.
  public func namesZone(_ text: String) -> Bool {
    if let expression = calendar(text), expression.zone != .local { return true }
    return splitZone(text).zone != nil
  }
}

extension ParsedSpan {
  /// Reads a time span as systemd does, and as people say it: `1h30`, `4mins`, `half an hour`, and
  /// `1,5h` where the locale writes it so.
  ///
  /// - Throws: `TimeError`, with the position and what would be right.
  public init(said text: String, locale: WrittenLocale = .neutral) throws(TimeError) {
    let text = locale.hasDecimalComma ? LengthPhrase.withPoints(text) : text
    let words = LengthPhrase(text).words.joined(separator: " ")
    if words != text, let span = try? ParsedSpan(words) {
      self = span
    } else {
      self = try ParsedSpan(text)
    }
  }
}

// MARK: - systemd's own

extension PhraseReader {
  func timestamp(_ text: String) -> Timestamp? {
    try? Timestamp(text, now: nowUsec, local: local, zone: find)
  }

  func calendar(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: local, isZone: { find($0) != nil })
  }

  /// An expression with days of the week and no date, which would be a point in time as well on such a
  /// day.
  private func calendarOfDays(_ text: String) -> CalendarExpression? {
    guard let expression = calendar(text), expression.isOfWeekdays else { return nil }
    return expression
  }

  /// A length of time with `M` in it, wherever one is read: months, or minutes.
  ///
  /// - Throws: `PhraseProblem`, with both readings.
  private func refuseMonths(_ text: String) throws(PhraseProblem) {
    let (start, span, end) = Self.lengthParts(text)
    guard let length = try? ParsedSpan(said: span, locale: locale), length.monthsTerm != nil else {
      return
    }
    func choice(_ unit: SpanUnit, _ meaning: String) -> PhraseProblem.Choice {
      .init("\(start)\(MonthsTerm.written(out: span, as: unit))\(end)", meaning)
    }
    throw .ambiguous(text, choice(.minute, "minutes"), choice(.month, "months"))
  }

  /// What stands around a length of time, in words that say what it is counted from: `in 5min`, `+5min`,
  /// `5min ago`. A length alone gets an `in`.
  private static func lengthParts(_ text: String) -> (start: String, span: String, end: String) {
    let lowered = text.lowercased()
    for start in ["in ", "+", "-"] where lowered.hasPrefix(start) {
      return (String(text.prefix(start.count)), String(text.dropFirst(start.count)), "")
    }
    for end in [" left", " ago"] where lowered.hasSuffix(end) {
      return ("", String(text.dropLast(end.count)), String(text.suffix(end.count)))
    }
    return (
      "in ", String(lowered.hasSuffix(fromNow) ? text.dropLast(fromNow.count) : text[...]), ""
    )
  }

  /// What may stand behind a length, in place of `in` before it.
  static let fromNow = " from now"

  /// `+1h`, `1h left`: the span is read as people say it.
  private func fromNow(_ text: String) -> Timestamp? {
    let span: Substring
    if text.hasPrefix("+") {
      span = text.dropFirst()
    } else if text.hasSuffix(" left") {
      span = text.dropLast(5)
    } else {
      return nil
    }
    // 1:30 would be read as a time of day beside points in time: systemd's parser says so.
    guard let length = try? ParsedSpan(said: String(span), locale: locale), length.clock == nil,
      case .usec(let usec) = length.span, let usec = Int64(exactly: usec)
    else { return nil }
    return timestamp("+\(usec)us")
  }

  /// What systemd's parsers find wrong: the sentence of whichever came farther.
  func mistake(in text: String) -> PhraseProblem {
    let (first, second) = (timestampError(text), calendarError(text))
    // Only expressions have these.
    let isExpression = text.firstPlace(of: "..") != nil || text.contains("*")
    let farthest =
      isExpression ? second : [first, second].compactMap { $0 }.max { $0.position < $1.position }
    return PhraseProblem(
      "'\(text)' is no time: \(farthest?.description ?? "write one such as 17:30")")
  }

  private func timestampError(_ text: String) -> TimeError? {
    Self.error { () throws(TimeError) in
      _ = try Timestamp(text, now: nowUsec, local: local, zone: find)
    }
  }

  private func calendarError(_ text: String) -> TimeError? {
    Self.error { () throws(TimeError) in
      _ = try CalendarExpression(text, local: local, isZone: { find($0) != nil })
    }
  }

  private static func error(_ body: () throws(TimeError) -> Void) -> TimeError? {
    do throws(TimeError) {
      try body()
      return nil
    } catch { return error }
  }
}

// MARK: - Once or again and again

extension PhraseReader {
  private func decided(
    _ expression: CalendarExpression, _ text: String, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    guard let rules = try? rules(of: expression) else { throw mistake(in: text) }
    guard let next = expression.next(afterUsec: nowUsec, in: rules) else {
      // A date and another day of the week: as an expression, that never comes.
      if let error = timestampError(text), error.kind == .otherWeekday {
        throw PhraseProblem("'\(text)' is no time: \(error)")
      }
      throw PhraseProblem("'\(text)' never comes again; nightjar analyze calendar '\(text)' tells")
    }
    return repetition == .once ? .once(usec: next) : .repeating(expression)
  }

  private func decided(
    _ point: Timestamp, _ text: String, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    if repetition == .repeating {
      guard point.isTimeOfDay else { throw comesOnce(point, text) }
      // A clock of twelve hours is none of systemd's calendar's.
      if let expression = calendar(text) { return .repeating(expression) }
      return try phrase(text, repetition)
    }
    if point.usec <= nowUsec, point.isTimeOfDay, let tomorrow = timestamp("tomorrow \(text)") {
      return .once(usec: tomorrow.usec)
    }
    return .once(usec: try checked(point.usec, text))
  }

  /// - Throws: `PhraseProblem`: it is past.
  func checked(_ usec: Int64, _ text: String) throws(PhraseProblem) -> Int64 {
    guard usec <= nowUsec else { return usec }
    let (past, now) = (local.civil(atUsec: usec), local.civil(atUsec: nowUsec))
    let date = past.date == now.date ? "" : "\(past.date.weekday.shortName) \(past.dateText) "
    let second = past.usecOfDay / 1_000_000 * 1_000_000
    let clock = CivilTime(date: past.date, usecOfDay: second).clockText
    let lowered = text.lowercased()
    let remedy =
      lowered.hasPrefix("today ")
      ? "; write tomorrow\(text.dropFirst(5))"
      : lowered == "today" ? "; write a time behind it, such as today 17:30" : ""
    throw PhraseProblem("'\(text)' is past: it was \(date)\(clock)\(remedy)", isPast: true)
  }

  private func comesOnce(_ point: Timestamp, _ text: String) -> PhraseProblem {
    let lowered = text.lowercased()
    if lowered.hasPrefix("+") || lowered.hasSuffix(" left") { return comesOnce(text, "") }
    if lowered.hasPrefix("tomorrow") || lowered.hasPrefix("today") {
      let time = local.civil(atUsec: point.usec).usecOfDay
      return comesOnce(text, "daily \(ClockPhrase.text(time))")
    }
    guard let expression = calendar(text), expression.zone == .local, !text.hasPrefix("@") else {
      return comesOnce(text, "")
    }
    let civil = local.civil(atUsec: point.usec)
    let date = DatePhrase(day: civil.date.day, month: civil.date.month)
    return comesOnce(text, "\(date.systemd) \(ClockPhrase.text(civil.usecOfDay))")
  }

  func comesOnce(_ text: String, _ other: String) -> PhraseProblem {
    PhraseProblem(
      "'\(text)' comes once; leave out --repeat" + (other.isEmpty ? "" : ", or write \(other)"))
  }

  /// The zone's rules by which an expression goes.
  public func rules(of expression: CalendarExpression) throws(TimeError) -> ZoneRules {
    if case .named(let name) = expression.zone, let rules = find(name) { return rules }
    return try expression.zone.rules(local: local)
  }
}
