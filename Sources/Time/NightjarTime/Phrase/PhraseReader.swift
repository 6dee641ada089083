public enum TimeReading: Equatable, Sendable {
  /// An instant, in microseconds since the epoch.
  case once(usec: Int64)
  /// A calendar expression, which repeats.
  case repeating(CalendarExpression)
}

/// Whether a time is meant once or repeatedly.
public enum Repetition: Sendable {
  /// The text decides. Days of the week repeat, and so do all times that only a calendar expression
  /// can describe. A date, a day counted from today, and a time of day alone are meant once.
  case byRule
  case once
  case repeating
}

/// Reads times and durations, both as people say them and in systemd's notation.
///
/// All of Nightjar reads times through this type. Text that systemd's grammars accept has the same
/// meaning as in systemd, with one exception: `1h30` alone is an hour and a half here, but 1 h 30 s
/// in systemd. Other phrases are translated into systemd's words and then parsed.
public struct PhraseReader {
  /// The present time, in microseconds since the epoch.
  public var nowUsec: Int64
  /// The zone for times that name none.
  public var local: ZoneRules
  /// How the user writes numbers and dates.
  public var locale: WrittenLocale
  let find: (String) -> ZoneRules?

  /// Makes a reader for a present time and a zone.
  ///
  /// - Parameter find: returns the zone with a name.
  public init(
    nowUsec: Int64, local: ZoneRules, locale: WrittenLocale = .here,
    zone find: @escaping (String) -> ZoneRules? = { ZoneDatabase.zone(named: $0) }
  ) {
    (self.nowUsec, self.local, self.locale, self.find) = (nowUsec, local, locale, find)
  }

  /// Reads the time at which an alarm rings.
  ///
  /// - Throws: `PhraseProblem` if the text is not a time, is past, or has two meanings.
  public func time(
    _ text: String, _ repetition: Repetition = .byRule
  ) throws(PhraseProblem) -> TimeReading {
    try refuseMonths(text)
    try refuseListedTimes(text)
    if let expression = calendarOfDays(text) {
      return try decided(expression, text, repetition)
    }
    // On a Monday, systemd reads `Mon 9am` as today's date.
    if let point = fromNow(text) ?? timestamp(text), !point.isOfWeekday {
      return try decided(point, text, repetition)
    }
    if let expression = calendar(text) { return try decided(expression, text, repetition) }
    return try phrase(text, repetition)
  }

  /// Reads a point in time. A time of day without a day is the time today. The result may be past.
  ///
  /// - Throws: `PhraseProblem` if the text is not a point in time, or repeats.
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
        "'\(text)' repeats; write a date, or a day such as yesterday")
    case .from, .after, .next, .this, .date:
      return try instant(parts, zone, text)
    }
  }

  /// Reads a day: `2026-12-24`, `24.12.2026`, `24 Dec`, `tomorrow`, `friday`. If the text has no
  /// year, or only a day of the week, the result is the first such day from today on.
  ///
  /// - Throws: `PhraseProblem` if the text is not a day.
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
    case .after(let months): return today.adding(months: months)
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

  /// The first day from `day` on with this date; if the date has a year, that day. Nil: there is no
  /// such day.
  private static func first(_ date: DatePhrase, from day: CivilDate) -> CivilDate? {
    // The next February 29 may be eight years away.
    (date.year.map { $0...$0 } ?? day.year...day.year + 8).lazy.filter { year in
      date.day <= CivilDate.daysInMonth(year: year, month: date.month)
        && CalendarExpression.years.contains(year)
    }.map { CivilDate(year: $0, month: date.month, day: date.day) }
      .first { date.year != nil || $0.daysSinceEpoch >= day.daysSinceEpoch }
  }

  /// Reads the first and last day of a range. If the first has no year, it is the latest such day
  /// before the last. For example, `24 Dec..1 Jan` is the range around today, or else the next one.
  /// Exception: if `first` would then be over half a year before `last`, both get the same year.
  /// The last day may then be before the first.
  ///
  /// - Throws: `PhraseProblem` if one of the texts is not a day.
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

  /// The days of the week that a text names without a date or time: `sat`, `weekends`, `mon..fri`;
  /// nil: the text is something else.
  public func weekdays(_ text: String) -> Set<Weekday>? {
    guard let parts = try? parts(text), parts.time == nil, parts.weekday == nil,
      case .weekdays(let days) = parts.day
    else { return nil }
    return days
  }

  /// The words for repeating days without a time of day, such as `weekdays` and `every monday`. The
  /// result does not contain the zone. Nil: the text is something else, or systemd accepts it, such
  /// as `Mon..Fri`, because its time is midnight in systemd.
  public func daysWithoutTime(_ text: String) -> String? {
    guard calendar(text) == nil, let parts = try? parts(text), parts.time == nil else { return nil }
    switch parts.day {
    case .weekdays, .every, .date: return splitZone(text).text
    case .from, .after, .next, .this, nil: return nil
    }
  }

  /// Reads a calendar expression. It need not repeat, and may never match. A time of day alone
  /// means every day.
  ///
  /// - Throws: `PhraseProblem` if the text is not such an expression.
  public func expression(_ text: String) throws(PhraseProblem) -> CalendarExpression {
    if let expression = calendar(text) { return expression }
    guard case .repeating(let expression) = try time(text, .repeating) else {
      throw mistake(in: text)
    }
    return expression
  }

  /// The next instant of an expression; nil: there is none. May read a zone file.
  public func next(of expression: CalendarExpression) -> Int64? {
    guard let rules = try? rules(of: expression) else { return nil }
    return expression.next(afterUsec: nowUsec, in: rules)
  }

  /// Reads a duration.
  ///
  /// - Throws: `PhraseProblem` if the text is not a duration.
  public func length(_ text: String) throws(PhraseProblem) -> ParsedSpan {
    let mistake: TimeError
    do throws(TimeError) {
      return try ParsedSpan(phrase: text, locale: locale)
    } catch {
      mistake = error
    }
    throw timeInsteadOfLength(text) ?? PhraseProblem(mistake.description)
  }

  /// The problem of a duration with a decimal comma, if the locale of this reader has a decimal
  /// point; nil: the text is something else.
  public func decimalComma(in text: String) -> PhraseProblem? {
    guard (try? ParsedSpan(phrase: LengthPhrase.withPoints(text))) != nil else { return nil }
    do throws(TimeError) {
      _ = try ParsedSpan(phrase: text, locale: locale)
      return nil
    } catch { return error.kind == .decimalComma ? PhraseProblem(error.description) : nil }
  }

  /// The problem of a text that is a time where a duration is expected; nil: the text is not a
  /// time.
  public func timeInsteadOfLength(_ text: String) -> PhraseProblem? {
    // In a text such as `1:5`, the user meant minutes and seconds, so the error of the duration is
    // more helpful.
    guard !text.allSatisfy({ $0.isNumber || $0 == ":" }), (try? time(text)) != nil else {
      return nil
    }
    return PhraseProblem(
      "'\(text)' is a time, not a time span", choices: [.init(text, command: .alarm)])
  }

  /// The problem of a text such as `1h30` alone, which may be a duration or a time of day; nil: the
  /// text is something else.
  ///
  /// Only hours from 0 to 5 are ambiguous, because few alarms ring so early, but many naps take so
  /// long. From `6h00` on, the text is a time of day, and so is `01h30`. With `--repeat`, a
  /// duration is not possible.
  public func bareLength(_ text: String, _ repetition: Repetition) -> PhraseProblem? {
    let bytes = Array(text.lowercased().utf8)
    guard repetition != .repeating, bytes.count == 4, bytes[1] == UInt8(ascii: "h"),
      (UInt8(ascii: "0")...UInt8(ascii: "5")).contains(bytes[0]),
      (UInt8(ascii: "0")...UInt8(ascii: "5")).contains(bytes[2]), isDigit(bytes[3])
    else { return nil }
    let time = String(text.map { $0 == "h" || $0 == "H" ? ":" : $0 })
    return .ambiguous(text, .init(time, "a time of day"), .init("in \(text)", "from now"))
  }

  /// Whether a text names a zone, or has an offset from UTC, for its time.
  public func namesZone(_ text: String) -> Bool {
    if let expression = calendar(text), expression.zone != .local { return true }
    return timestamp(text)?.hasOffset ?? false || splitZone(text).zone != nil
  }
}

extension ParsedSpan {
  /// Reads a time span as systemd does, and as people say it: `1h30`, `4mins`, `half an hour`; and
  /// `1,5h` if the locale has a decimal comma.
  ///
  /// - Throws: `TimeError`, with the position and the remedy.
  public init(phrase text: String, locale: WrittenLocale = .neutral) throws(TimeError) {
    let text = locale.hasDecimalComma ? LengthPhrase.withPoints(text) : text
    let words = LengthPhrase(text).words.joined(separator: " ")
    if words != text, let span = try? ParsedSpan(words) {
      self = span
    } else {
      self = try ParsedSpan(text)
    }
  }
}

// MARK: - systemd's grammars

extension PhraseReader {
  func timestamp(_ text: String) -> Timestamp? {
    try? Timestamp(text, now: nowUsec, local: local, zone: find)
  }

  func calendar(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: local, isZone: { find($0) != nil })
  }

  /// A calendar expression with days of the week and no date; nil: the text is something else. On
  /// one of these days, systemd would also accept the text as a point in time.
  private func calendarOfDays(_ text: String) -> CalendarExpression? {
    guard let expression = calendar(text), expression.isOfWeekdays else { return nil }
    return expression
  }

  /// Refuses a text with a duration in the unit `M`, which may mean months or minutes.
  ///
  /// - Throws: `PhraseProblem`, with both meanings.
  private func refuseMonths(_ text: String) throws(PhraseProblem) {
    let (start, span, end) = Self.lengthParts(text)
    guard let length = try? ParsedSpan(phrase: span, locale: locale), length.monthsTerm != nil
    else {
      return
    }
    func choice(_ unit: SpanUnit, _ meaning: String) -> PhraseProblem.Choice {
      .init("\(start)\(MonthsTerm.written(out: span, as: unit))\(end)", meaning)
    }
    throw .ambiguous(text, choice(.minute, "minutes"), choice(.month, "months"))
  }

  /// Refuses a list of times of day, such as `8:00,20:00`, which systemd reads as 8:00 and 8:20.
  /// After a date, it is read like systemd.
  ///
  /// - Throws: `PhraseProblem`, with both meanings.
  private func refuseListedTimes(_ text: String) throws(PhraseProblem) {
    var words = text.split(separator: " ").map(String.init)
    guard !text.contains("*"), let place = words.firstIndex(where: { ClockPhrase.list($0) != nil }),
      case let word = words[place], let times = ClockPhrase.list(word)
    else { return }
    func choice(_ time: String, _ meaning: [String]) -> PhraseProblem.Choice {
      words[place] = time
      return .init(words.joined(separator: " "), meaning.joined(separator: " and "))
    }
    let (hour, minute) = times[0]
    var choices: [PhraseProblem.Choice] = []
    if times.allSatisfy({ $0.minute == minute }) {
      let hours = times.map(\.hour).joined(separator: ",")
      choices.append(choice("\(hours):\(minute)", times.map { "\($0.hour):\($0.minute)" }))
    }
    if let systemd = calendar(text) {
      guard systemd.isOfWeekdays || systemd.isOfEveryDay else { return }
      let second = times[1].minute == "00" ? "" : ":\(times[1].minute)"
      let minutes = [String(minute), padded(Int(times[1].hour) ?? 0, 2)].sorted()
      choices.append(choice("*-*-* \(word)", minutes.map { "\(hour):\($0)\(second)" }))
    }
    choices = choices.filter { calendar($0.words) != nil }
    guard choices.count < 2 else { throw .ambiguous(text, choices) }
    throw PhraseProblem("'\(text)' has several times; start one alarm for each", choices: choices)
  }

  /// Splits a text into a duration and the words before and after it, as in `in 5min`, `+5min` and
  /// `5min ago`. Adds `in` to a duration alone.
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

  /// The words that may stand after a duration in place of `in` before it.
  static let fromNow = " from now"

  /// Reads `+1h` or `1h left`, with the duration as people say it; nil: the text is something else.
  private func fromNow(_ text: String) -> Timestamp? {
    let span: Substring
    if text.hasPrefix("+") {
      span = text.dropFirst()
    } else if text.hasSuffix(" left") {
      span = text.dropLast(5)
    } else {
      return nil
    }
    // A text such as `+1:30` could contain a time of day, so it is refused, as in systemd.
    guard let length = try? ParsedSpan(phrase: String(span), locale: locale), length.clock == nil,
      case .usec(let usec) = length.span, let usec = Int64(exactly: usec)
    else { return nil }
    return timestamp("+\(usec)us")
  }

  /// Returns the error of the parser for timestamps or of the parser for calendar expressions,
  /// whichever came farther in the text.
  func mistake(in text: String) -> PhraseProblem {
    let (first, second) = (timestampError(text), calendarError(text))
    // These characters are only in calendar expressions.
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

// MARK: - Once or repeating

extension PhraseReader {
  private func decided(
    _ expression: CalendarExpression, _ text: String, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    guard let rules = try? rules(of: expression) else { throw mistake(in: text) }
    guard let next = expression.next(afterUsec: nowUsec, in: rules) else {
      // A date with a wrong day of the week. As a calendar expression, the text would never match.
      if let error = timestampError(text), error.kind == .otherWeekday {
        throw PhraseProblem("'\(text)' is no time: \(error)")
      }
      throw PhraseProblem("'\(text)' never comes again; see nightjar analyze calendar '\(text)'")
    }
    return repetition == .once ? .once(usec: next) : .repeating(expression)
  }

  private func decided(
    _ point: Timestamp, _ text: String, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    if repetition == .repeating {
      guard point.isTimeOfDay else { throw comesOnce(point, text) }
      // systemd's calendar expressions have no am and pm.
      if let expression = calendar(text) { return .repeating(expression) }
      return try phrase(text, repetition)
    }
    if point.usec <= nowUsec, point.isTimeOfDay, let tomorrow = timestamp("tomorrow \(text)") {
      return .once(usec: tomorrow.usec)
    }
    return .once(usec: try checked(point.usec, text))
  }

  /// - Throws: `PhraseProblem` if the time is past.
  func checked(_ usec: Int64, _ text: String) throws(PhraseProblem) -> Int64 {
    guard usec <= nowUsec else { return usec }
    let (past, now) = (local.civil(atUsec: usec), local.civil(atUsec: nowUsec))
    let date = past.date == now.date ? "" : "\(past.date.weekday.shortName) \(past.dateText) "
    let second = past.usecOfDay / 1_000_000 * 1_000_000
    let clock = CivilTime(date: past.date, usecOfDay: second).clockText
    let lowered = text.lowercased()
    let remedy =
      lowered.hasPrefix("today ")
      ? "write tomorrow\(text.dropFirst(5))"
      : lowered == "today"
        ? "write a time after it, such as today 17:30" : "write a time in the future"
    throw PhraseProblem(
      "'\(text)' is in the past: it was \(date)\(clock); \(remedy)", isPast: true)
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
      "'\(text)' is a single time; leave out --repeat"
        + (other.isEmpty ? "" : ", or write \(other)"))
  }

  /// The rules of the zone of an expression. May read a zone file.
  public func rules(of expression: CalendarExpression) throws(TimeError) -> ZoneRules {
    if case .named(let name) = expression.zone, let rules = find(name) { return rules }
    return try expression.zone.rules(local: local)
  }
}
