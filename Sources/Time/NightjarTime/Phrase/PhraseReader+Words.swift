/// Translates phrases that systemd's grammars do not accept into systemd's words.
extension PhraseReader {
  func phrase(
    _ text: String, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    let lowered = text.lowercased()
    if lowered.hasPrefix("in "), !lowered.hasPrefix("in the "), !isDays(lowered) {
      return try after(text, said: String(text.dropFirst(3)), blanks: 3, repetition)
    }
    if lowered.hasSuffix(Self.fromNow) {
      let said = String(text.dropLast(Self.fromNow.count))
      return try after(text, said: said, blanks: 0, repetition)
    }
    try refuseLength(text)
    let parts = try parts(text)
    let (_, zone) = splitZone(text)
    switch parts.day {
    case nil:
      let time = "\(clock(parts))\(suffix(zone))"
      if repetition == .repeating { return .repeating(try calendar(time, in: text)) }
      let today = try timestamp(time, in: text).usec
      guard today <= nowUsec else { return .once(usec: today) }
      return .once(usec: try timestamp("tomorrow \(time)", in: text).usec)
    case .weekdays, .every:
      let expression = try calendar(systemd(parts, zone), in: text)
      guard repetition == .once else { return .repeating(expression) }
      return .once(usec: try next(expression, text))
    case .from, .after, .next, .this:
      guard repetition != .repeating else { throw comesOnce(text, again(parts)) }
      if parts.isMidnight, parts.day == .from(today: 1) {
        // Before dawn, `tonight at 1` may be in the present night or in the next.
        var present = parts
        present.day = .from(today: 0)
        if try instant(present, zone, text) > nowUsec {
          let time = "\(ClockPhrase.text(parts.time ?? 0))\(suffix(zone))"
          throw .ambiguous(
            text, .init("today \(time)", "this night"), .init("tomorrow \(time)", "the next"))
        }
      }
      return .once(usec: try checked(instant(parts, zone, text), text))
    case .date(let date):
      if repetition == .repeating || parts.isEvery {
        guard date.year == nil else {
          let other = DatePhrase(day: date.day, month: date.month).systemd
          throw comesOnce(text, "\(other) \(ClockPhrase.text(parts.time ?? 0))")
        }
        let expression = try calendar(systemd(parts, zone), in: text)
        guard repetition == .once else { return .repeating(expression) }
        return .once(usec: try next(expression, text))
      }
      return .once(usec: try checked(instant(parts, zone, text), text))
    }
  }

  /// Parses the words of a phrase without the zone at its end.
  ///
  /// - Parameter isDay: whether the caller wants only a day and no time.
  func parts(_ text: String, isDay: Bool = false) throws(PhraseProblem) -> PhraseParts {
    do throws(PhraseParser.Stop) {
      return try PhraseParser.parts(of: splitZone(text).text, locale: locale, isDay: isDay)
    } catch {
      switch error {
      case .problem(let problem): throw problem
      case .foreign: throw mistake(in: text)
      }
    }
  }

  // MARK: From now on

  private func isDays(_ text: String) -> Bool {
    let words = text.split(separator: " ")
    let units = ["day", "days", "week", "weeks", "month", "months", "year", "years"]
    guard words.count > 3, units.contains(String(words[2])) else { return false }
    // In `in 3 days 9`, the last number is an hour, and no seconds.
    let length = try? ParsedSpan(phrase: String(text.dropFirst(3)), locale: locale)
    return length.map { $0.bareNumber != nil } ?? true
  }

  /// Parses `in 5 minutes` and `5 minutes from now`.
  ///
  /// - Parameters:
  ///   - said: the duration.
  ///   - blanks: the number of characters before the duration in `text`.
  private func after(
    _ text: String, said: String, blanks: Int, _ repetition: Repetition
  ) throws(PhraseProblem) -> TimeReading {
    let length: ParsedSpan
    do throws(TimeError) {
      // Blanks replace the word `in`, so that the position in an error is the position in the whole
      // text.
      let blanks = String(repeating: " ", count: blanks)
      length = try ParsedSpan(phrase: blanks + said, locale: locale)
    } catch {
      try refuseLengthAndTime(said, text)
      throw PhraseProblem("'\(text)' is no time: \(error)")
    }
    if let number = length.bareNumber, !said.contains(" "), said == number {
      throw .ambiguous(
        text, .init("in \(number)min", "minutes"), .init("in \(number)s", "seconds"))
    }
    if let problem = clockBehindIn(length, text) { throw problem }
    guard case .usec(let usec) = length.span, let usec = Int64(exactly: usec),
      let point = timestamp("+\(usec)us")
    else { throw PhraseProblem("'\(text)' is too far from now") }
    let months = LengthPhrase(locale.hasDecimalComma ? LengthPhrase.withPoints(said) : said).months
    if months > 0 {
      guard repetition != .repeating else { throw comesOnce(text, "") }
      guard let whole = Int(exactly: months) else {
        throw PhraseProblem("'\(text)' has a part of a month; write days, such as in 45 days")
      }
      let rest = usec - Int64(whole) * Int64(SpanUnit.month.usec)
      let now = local.civil(atUsec: nowUsec)
      let date = now.date.adding(months: whole)
      return .once(usec: try timestamp("\(date.text) \(now.clockText)", in: text).usec + rest)
    }
    guard repetition != .repeating else {
      throw PhraseProblem(
        "'\(text)' is a single time; for every \(SpanFormat.text(usec: usec)) write nightjar start "
          + "\(said) --repeat")
    }
    return .once(usec: point.usec)
  }

  /// The problem of a phrase such as `in 8:00`, which may mean minutes and seconds, hours and
  /// minutes, or a time of day. Nil: the phrase is not like this, or has a fraction of a second.
  private func clockBehindIn(_ length: ParsedSpan, _ text: String) -> PhraseProblem? {
    guard let clock = length.clock, clock.layout == .minutesSeconds,
      case .usec(let usec) = length.span, usec > 0, usec % 1_000_000 == 0,
      usec <= UInt64(Int64.max) / 60
    else { return nil }
    func choice(_ usec: UInt64, _ meaning: String) -> PhraseProblem.Choice {
      .init("in \(SpanFormat.canonical(.usec(usec)))", meaning)
    }
    let (hasSeconds, hasMinutes) = (usec % 60_000_000 != 0, usec >= 60_000_000)
    let minutes = !hasSeconds ? "minutes" : hasMinutes ? "minutes and seconds" : "seconds"
    let hours = !hasSeconds ? "hours" : hasMinutes ? "hours and minutes" : "minutes"
    var choices = [choice(usec, minutes), choice(usec * 60, hours)]
    if case .open = ClockPhrase.read(clock.text) {
      choices.append(.init(clock.text, "a time of day"))
    }
    return .ambiguous(text, choices)
  }

  /// Refuses phrases such as `in an hour at 9`, which has both a duration and a time.
  private func refuseLengthAndTime(_ said: String, _ text: String) throws(PhraseProblem) {
    guard let at = said.lowercased().firstPlace(of: " at ") else { return }
    let count = said.lowercased().distance(from: said.lowercased().startIndex, to: at.lowerBound)
    let (length, time) = (said.prefix(count), said.dropFirst(count + 1))
    guard let span = try? ParsedSpan(phrase: String(length), locale: locale),
      span.monthsTerm == nil, (try? self.time(String(time))) != nil
    else { return }
    throw PhraseProblem(
      "'\(text)' says how long and when", choices: [.init("in \(length)"), .init(String(time))])
  }

  /// Refuses a duration where a time is expected.
  private func refuseLength(_ text: String) throws(PhraseProblem) {
    let lowered = text.lowercased()
    if lowered.hasSuffix("h"), let hour = PhraseWords.number(String(lowered.dropLast())),
      hour <= 23
    {
      throw .ambiguous(
        text, .init("\(hour):00", "a time of day"), .init("in \(text)", "from now"))
    }
    if let number = PhraseWords.number(text), text.count == 3, number % 100 < 60 {
      throw .ambiguous(
        text, .init("\(number / 100):\(padded(number % 100, 2))", "a time of day"),
        .init("in \(text)s", "from now"))
    }
    guard ClockPhrase.read(lowered) == nil,
      let length = try? ParsedSpan(phrase: text, locale: locale),
      length.bareNumber == nil, length.clock == nil
    else { return }
    throw PhraseProblem(
      "'\(text)' is a time span, not a time",
      choices: [.init("in \(text)"), .init(text, command: .start)])
  }

  // MARK: Translating to systemd's words

  func clock(_ parts: PhraseParts) -> String {
    let time = CivilTime(
      date: CivilDate(year: 1970, month: 1, day: 1), usecOfDay: parts.time ?? 0)
    return time.clockText
  }

  func suffix(_ zone: String?) -> String { zone.map { " \($0)" } ?? "" }

  /// The words as a calendar expression for systemd's grammar.
  private func systemd(
    _ parts: PhraseParts, _ zone: String?, on day: DatePhrase? = nil
  ) -> String {
    let time = "\(clock(parts))\(suffix(zone))"
    if let day { return "\(day.systemd) \(time)" }
    switch parts.day {
    case .weekdays(let days):
      return days.sorted { $0.rawValue < $1.rawValue }.map(\.shortName).joined(separator: ",")
        + " \(time)"
    case .date(let date): return "\(date.systemd) \(time)"
    case .every, .from, .after, .next, .this, nil: return time
    }
  }

  /// The text for every day or every week, as an alternative for the user.
  private func again(_ parts: PhraseParts) -> String {
    let time = ClockPhrase.text(parts.time ?? 0)
    switch parts.day {
    case .next(let day), .this(let day): return "\(day.shortName.lowercased()) \(time)"
    case .from, .after, .every, .weekdays, .date, nil: return "daily \(time)"
    }
  }

  func instant(
    _ parts: PhraseParts, _ zone: String?, _ text: String
  ) throws(PhraseProblem) -> Int64 {
    let rules = zone.flatMap(zoneRules) ?? local
    let today = rules.civil(atUsec: nowUsec).date
    func at(_ date: CivilDate) throws(PhraseProblem) -> Int64 {
      try timestamp("\(date.text) \(clock(parts))\(suffix(zone))", in: text).usec
    }
    func at(_ days: Int) throws(PhraseProblem) -> Int64 {
      try at(CivilDate(daysSinceEpoch: today.daysSinceEpoch + days))
    }
    switch parts.day {
    case .from(let days): return try at(days)
    case .after(let months): return try at(today.adding(months: months))
    case .next(let day), .this(let day):
      let days = (day.rawValue - today.weekday.rawValue + 7) % 7
      if case .next = parts.day { return try at(days == 0 ? 7 : days) }
      let usec = try at(days)
      return usec > nowUsec ? usec : try at(days + 7)
    case .date(let date):
      let usec =
        date.year == nil
        ? try next(calendar(systemd(parts, zone), in: text), text)
        : try timestamp(systemd(parts, zone), in: text).usec
      let found = rules.civil(atUsec: usec).date
      if let weekday = parts.weekday, found.weekday != weekday {
        // If the day of the week is right for the date in this year, report that this date is past.
        let present = DatePhrase(day: date.day, month: date.month, year: today.year)
        if date.year == nil, present.absence == nil,
          CivilDate(year: today.year, month: date.month, day: date.day).weekday == weekday
        {
          _ = try checked(timestamp(systemd(parts, zone, on: present), in: text).usec, text)
        }
        let words = DatePhrase(day: found.day, month: found.month, year: found.year).words
        throw PhraseProblem("\(words) is a \(found.weekday.name), not a \(weekday.name)")
      }
      return usec
    case .weekdays, .every, nil:
      return try next(calendar(systemd(parts, zone), in: text), text)
    }
  }

  private func next(
    _ expression: CalendarExpression, _ text: String
  ) throws(PhraseProblem) -> Int64 {
    guard let rules = try? rules(of: expression),
      let next = expression.next(afterUsec: nowUsec, in: rules)
    else { throw PhraseProblem("'\(text)' never comes again") }
    return next
  }

  /// Parses a translated phrase with systemd's grammar. Throws only if the year is out of range.
  func timestamp(_ text: String, in phrase: String) throws(PhraseProblem) -> Timestamp {
    do throws(TimeError) {
      return try Timestamp(text, now: nowUsec, local: local, zone: find)
    } catch { throw PhraseProblem("'\(phrase)' is no time: \(error)") }
  }

  private func calendar(
    _ text: String, in phrase: String
  ) throws(PhraseProblem) -> CalendarExpression {
    do throws(TimeError) {
      return try CalendarExpression(text, local: local, isZone: { find($0) != nil })
    } catch { throw PhraseProblem("'\(phrase)' is no time: \(error)") }
  }

  // MARK: The zone

  /// Splits off a zone at the end of a text, if there is one. A word that belongs to a time never
  /// counts as a zone.
  func splitZone(_ text: String) -> (text: String, zone: String?) {
    var words = text.split(separator: " ")
    guard words.count > 1, let last = words.last.map(String.init), !PhraseWords.isOfTime(last),
      PhraseWords.number(last) == nil, zoneRules(last) != nil
    else { return (text, nil) }
    words.removeLast()
    return (words.joined(separator: " "), last)
  }

  private func zoneRules(_ word: String) -> ZoneRules? {
    guard word.utf8.first.map(isLetter) == true,
      let zone = try? ZoneWord(word, at: 1, local: local, isZone: { find($0) != nil })
    else { return nil }
    switch zone {
    case .local: return nil
    case .setting(let setting): return ZoneRules(setting)
    case .named(let name): return find(name)
    }
  }
}
