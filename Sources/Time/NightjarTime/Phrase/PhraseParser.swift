/// The day and the time of day in a phrase.
struct PhraseParts {
  enum Day: Equatable {
    case weekdays(Set<Weekday>)
    case every
    /// The day that is this many days after today.
    case from(today: Int)
    /// The same day of a later month, or the last day of that month if it is shorter.
    case after(months: Int)
    case next(Weekday)
    /// The first such day of the week, today or later.
    case this(Weekday)
    case date(DatePhrase)
  }

  var day: Day?
  /// The day of the week that was written beside a date.
  var weekday: Weekday?
  /// The time of day, in microseconds since midnight.
  var time: Int64?
  /// Whether the phrase has the word "every", which makes a date repeat each year.
  var isEvery = false
  /// Whether the time is midnight, or after midnight and at night. With a day, it may then be at
  /// the beginning or the end of the day.
  var isMidnight = false
  /// `morning`, `afternoon`, `evening` or `night`, if the phrase has it. It decides whether an hour
  /// without am or pm is in the morning or not.
  var partOfDay: String?
  /// Whether the phrase has the word `tonight`. An hour without am or pm may then be in the
  /// evening.
  var isTonight = false
  /// An hour that was written without am or pm.
  var openHour: Int?
  /// A year in the phrase that may also be a time of day: 2026 is 20:26.
  var openYear: Int?
}

struct PhraseParser {
  enum Stop: Error {
    case problem(PhraseProblem)
    /// The words are not a spoken phrase. The parsers for systemd's notation may find the mistake
    /// in them.
    case foreign
  }

  private let text: String
  /// The words as the user wrote them, without commas at the end. `words` has them in lower case.
  private let written: [String]
  private let words: [String]
  private let locale: WrittenLocale
  /// Whether the caller wants only a day. A number that may be a year or a time of day is then a
  /// year.
  private let isDay: Bool
  private var index = 0
  private var parts = PhraseParts()

  init(_ text: String, locale: WrittenLocale, isDay: Bool) {
    self.text = text
    self.locale = locale
    self.isDay = isDay
    written = text.split(separator: " ").map { word in
      String(word.hasSuffix(",") && word.count > 1 ? word.dropLast() : word)
    }
    words = written.map(PhraseWords.plain)
  }

  static func parts(
    of text: String, locale: WrittenLocale, isDay: Bool
  ) throws(Stop) -> PhraseParts {
    var parser = PhraseParser(text, locale: locale, isDay: isDay)
    while parser.index < parser.words.count { try parser.takeNext() }
    try parser.finish()
    return parser.parts
  }

  // MARK: Words

  private func word(_ offset: Int = 0) -> String {
    words.indices.contains(index + offset) ? words[index + offset] : ""
  }

  private func stop(_ reason: String, _ choices: PhraseProblem.Choice...) -> Stop {
    .problem(PhraseProblem(reason, choices: choices))
  }

  private mutating func takeNext() throws(Stop) {
    let word = word()
    switch word {
    case "at" where self.word(1) == PhraseWords.night:
      try set(partOfDay: PhraseWords.night, taking: 2)
    case "at", "@":
      guard index + 1 < words.count else {
        throw stop("'\(word)' lacks a time of day; write one such as 17:30")
      }
      index += 1
    case "on", "the":
      guard index + 1 < words.count else {
        throw stop("'\(word)' lacks a day; write one such as on friday")
      }
      guard word == "on" || standsForDay(at: 1) else {
        throw stop("'the' may stand only in front of a date, such as the 24th of December")
      }
      index += 1
    case "and", "&":
      guard index > 0, index + 1 < words.count else { throw unknown(written[index]) }
      index += 1
    case "o'clock":
      guard parts.openHour != nil else { throw unknown(written[index]) }
      index += 1
    case "in" where self.word(1) == "the" && PhraseWords.isInDay(self.word(2)):
      try set(partOfDay: self.word(2), taking: 3)
    case "in": try takeDaysFromNow()
    case "day" where self.word(1) == "after" && self.word(2) == "tomorrow":
      try set(.from(today: 2))
      index += 3
    case "next", "this", "coming": try takeNextDay()
    case "every", "each": try takeEvery()
    case "daily", "everyday":
      parts.isEvery = true
      try set(.every)
      index += 1
    case "today", "tonight":
      parts.isTonight = word == "tonight"
      try set(.from(today: 0))
      index += 1
    case "tomorrow":
      try set(.from(today: 1))
      index += 1
    case "yesterday":
      try set(.from(today: -1))
      index += 1
    case "half", "quarter", "a": try takePartOfHour()
    case "am", "pm": throw stop("'\(word)' stands behind an hour, as in 9\(word)")
    default: try takeOther()
    }
  }

  private mutating func takeOther() throws(Stop) {
    let word = word()
    if try takeWeekdays() { return }
    if try takeDate() { return }
    if try takeMinutesOfHour() { return }
    if try takeTime() { return }
    // Beside a day, `night` is a part of it. Otherwise it may be the name of a timer.
    let isNight = word == PhraseWords.night && (parts.day != nil || parts.isEvery)
    if isNight || PhraseWords.partsOfDay[word] != nil {
      return try set(partOfDay: word, taking: 1)
    }
    // If the word is alone, the parser for systemd's notation reports the mistake, with the
    // position.
    if words.count > 1, let reason = ClockPhrase.excess(in: word) {
      throw stop("'\(word)' is not a time of day; \(reason)")
    }
    // Only systemd's notation uses these characters.
    guard !word.contains(where: { "*~:/".contains($0) }), word.firstPlace(of: "..") == nil,
      word.first.map({ "0123456789@+-".contains($0) }) != true || !word.contains("-")
    else { throw .foreign }
    if let choice = withReadDays(word) { throw stop("'\(word)' is not supported", choice) }
    if PhraseWords.isShortDayList(word) {
      throw stop(
        "'\(word)' is no list of days; write three letters of each, such as mon,tue,wed")
    }
    throw unknown(written[index])
  }

  /// The text with `nightly` or a similar word replaced by words that this parser understands.
  ///
  /// - Returns: the new text; nil: the word is not such a word, or the parser does not understand
  ///   another part of the text either.
  private func withReadDays(_ word: String) -> PhraseProblem.Choice? {
    guard let (days, part) = PhraseWords.unreadDays[word] else { return nil }
    guard words.count > 1 else {
      return .init("\(days) \(part.flatMap { PhraseWords.partsOfDay[$0] } ?? "22:00")")
    }
    let end = part.map { ["in", "the", $0] } ?? []
    // If the text names other days too, the parser understands it only without `days`.
    for words in [[days], []] {
      var meant = written
      meant.replaceSubrange(index...index, with: words)
      let text = (meant + end).joined(separator: " ")
      if (try? Self.parts(of: text, locale: locale, isDay: isDay)) != nil { return .init(text) }
    }
    return nil
  }

  /// Whether the word at an offset belongs to a day, as in `24th of December`, and not to a time of
  /// day such as `9:00`.
  private func standsForDay(at offset: Int) -> Bool {
    let month = word(offset + (word(offset + 1) == "of" ? 2 : 1))
    return clock(at: offset) == nil
      || Self.dayOfMonth(word(offset)) != nil && PhraseWords.month(month) != nil
  }

  private func unknown(_ word: String) -> Stop {
    .problem(PhraseProblem(unknown: word))
  }

  // MARK: Days

  private mutating func set(_ day: PhraseParts.Day) throws(Stop) {
    switch (parts.day, day) {
    case (nil, _): parts.day = day
    case (.weekdays(let some), .weekdays(let more)): parts.day = .weekdays(some.union(more))
    case (.weekdays(let days), .date) where days.count == 1 && parts.weekday == nil:
      parts.weekday = days.first
      parts.day = day
    case (.date, .weekdays(let days)) where days.count == 1 && parts.weekday == nil:
      parts.weekday = days.first
    default: throw stop("'\(text)' has two days; write one of them")
    }
  }

  /// Parses `in 3 days at 9:00`. `PhraseReader` handles `in` with a time span, such as `in 5
  /// minutes`.
  private mutating func takeDaysFromNow() throws(Stop) {
    guard index + 1 < words.count else {
      throw stop("'in' lacks a time span; write one such as in 5 minutes")
    }
    guard let number = PhraseWords.number(word(1), withArticles: true) else { throw .foreign }
    switch word(2) {
    case "day", "days": try set(.from(today: number))
    case "week", "weeks": try set(.from(today: number * 7))
    case "month", "months": try set(.after(months: number))
    case "year", "years": try set(.after(months: number * 12))
    default: throw .foreign
    }
    index += 3
  }

  private mutating func takeNextDay() throws(Stop) {
    let (first, second) = (word(), word(1))
    guard !second.isEmpty else {
      throw stop("'\(first)' lacks a day; write one such as next monday")
    }
    if PhraseWords.isInDay(second) {
      guard first == "this" else { throw noTime(second) }
      try set(.from(today: 0))
      return try set(partOfDay: second, taking: 2)
    }
    guard let day = PhraseWords.weekday(second), !second.hasSuffix("days") else {
      throw stop("'\(first) \(second)' is no day; write one such as next monday")
    }
    try set(first == "next" ? .next(day) : .this(day))
    index += 2
  }

  private mutating func takeEvery() throws(Stop) {
    let second = word(1)
    let both = "\(word()) \(second)"
    parts.isEvery = true
    switch second {
    case "": throw stop("'\(word())' lacks a day; write one such as every monday")
    case "day":
      try set(.every)
      index += 2
    case "other", "second":
      throw stop("'\(both)' is not supported; write the dates, or every monday")
    case "hour", "minute":
      let number = second == "hour" ? "1h" : "1min"
      throw .problem(
        .ambiguous(
          both,
          .init(second == "hour" ? "hourly" : "minutely", "on the \(second)"),
          .init("\(number) --repeat", "from now on", command: .start)))
    case "week": throw stop("'\(both)' lacks a day; write one such as every monday")
    case "month":
      throw stop("'\(both)' lacks a day; write monthly, or one such as *-*-15 9:00")
    case "year": throw stop("'\(both)' lacks a day; write one such as *-12-24 18:00")
    default:
      // Take the text from `written`, because 5M is not the same as 5m.
      let rest = written[(index + 1)...].joined(separator: " ")
      if let length = try? ParsedSpan(phrase: rest, locale: locale), length.bareNumber == nil,
        length.clock == nil
      {
        let both = "\(word()) \(rest)"
        guard length.monthsTerm == nil else {
          func choice(_ unit: SpanUnit, _ meaning: String) -> PhraseProblem.Choice {
            let span = MonthsTerm.written(out: rest, as: unit)
            return .init("\(span) --repeat", meaning, command: .start)
          }
          throw .problem(
            .ambiguous(both, choice(.minute, "minutes"), choice(.month, "months")))
        }
        throw stop("'\(both)' is not a time of day", .init("\(rest) --repeat", command: .start))
      }
      index += 1
    }
  }

  /// Parses `monday`, `weekdays`, `mon-fri`, `mon,wed` or `monday to friday`.
  private mutating func takeWeekdays() throws(Stop) -> Bool {
    if let days = PhraseWords.daySet(word()) {
      try set(.weekdays(days))
      index += 1
      return true
    }
    guard let first = PhraseWords.weekday(word()) else { return try takeWeekdayList() }
    var days: Set<Weekday> = [first]
    if ["to", "through", "-"].contains(word(1)), let last = PhraseWords.weekday(word(2)) {
      guard first.rawValue <= last.rawValue else {
        throw overWeekend("\(word()) \(word(1)) \(word(2))", first, last)
      }
      days = Set(Weekday.allCases[first.rawValue...last.rawValue])
      index += 2
    }
    try set(.weekdays(days))
    index += 1
    return true
  }

  private func overWeekend(_ words: String, _ first: Weekday, _ last: Weekday) -> Stop {
    stop(
      "'\(words)' goes over the weekend; the week begins on Monday: write "
        + "\(first.shortName.lowercased())..sun,mon..\(last.shortName.lowercased())")
  }

  /// Parses `mon,wed`, `mon-fri` or `mon..fri,sun`.
  private mutating func takeWeekdayList() throws(Stop) -> Bool {
    var days: Set<Weekday> = []
    for item in word().split(separator: ",", omittingEmptySubsequences: false) {
      let range = item.firstPlace(of: "..") ?? item.firstPlace(of: "-")
      let ends = (range.map { [item[..<$0.lowerBound], item[$0.upperBound...]] } ?? [item])
        .map { PhraseWords.weekday(String($0)) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil else { return false }
      guard first.rawValue <= last.rawValue else { throw overWeekend(word(), first, last) }
      days.formUnion(Weekday.allCases[first.rawValue...last.rawValue])
    }
    guard !days.isEmpty else { return false }
    try set(.weekdays(days))
    index += 1
    return true
  }

  // MARK: Dates

  private mutating func takeDate() throws(Stop) -> Bool {
    switch DatePhrase.read(word(), locale.dateOrder) {
    case .date(let date):
      try set(.date(date))
      index += 1
      return true
    case .either(let first, let second):
      func words(with date: DatePhrase) -> String {
        var words = self.words
        words[index] = date.words
        return words.joined(separator: " ")
      }
      throw .problem(
        .ambiguous(
          text, .init(words(with: first), "day first"), .init(words(with: second), "month first")))
    case .wrong(let reason): throw stop(reason)
    case nil: return try takeNamedMonth()
    }
  }

  /// Parses `24 Dec`, `24th of December 2026` or `Dec 24, 2026`.
  private mutating func takeNamedMonth() throws(Stop) -> Bool {
    var date: DatePhrase
    if let month = PhraseWords.month(word()) {
      guard let day = Self.dayOfMonth(word(1)) else {
        throw stop(
          "'\(text)' lacks a day of the month; write one such as 24 \(PhraseWords.monthName(month))"
        )
      }
      date = DatePhrase(day: day, month: month)
      index += 2
    } else if let day = Self.dayOfMonth(word()) {
      let offset = word(1) == "of" ? 2 : 1
      guard let month = PhraseWords.month(word(offset)) else { return false }
      date = DatePhrase(day: day, month: month)
      index += offset + 1
    } else {
      return false
    }
    if word().count == 4, let year = PhraseWords.number(word()), year >= 1970 {
      date.year = year
      if case .open = ClockPhrase.read(word()) { parts.openYear = year }
      index += 1
    }
    if let absence = date.absence { throw stop(absence) }
    try set(.date(date))
    return true
  }

  /// The day of a month that a word names: `24`, `24.` or `24th`; nil: it names none.
  private static func dayOfMonth(_ word: String) -> Int? {
    var digits = word[...]
    for ending in [".", "st", "nd", "rd", "th"] where digits.hasSuffix(ending) {
      digits = digits.dropLast(ending.count)
      break
    }
    return digits.count <= 2
      ? PhraseWords.number(String(digits)).flatMap {
        digits.allSatisfy(\.isNumber) ? $0 : nil
      } : nil
  }

  // MARK: Times of day

  private mutating func set(time usec: Int64, taking count: Int) throws(Stop) {
    guard parts.time == nil else {
      if let choice = withDate { throw stop("'\(text)' has two times", choice) }
      throw stop("'\(text)' has two times; start one alarm for each")
    }
    parts.time = usec
    index += count
  }

  private mutating func set(partOfDay part: String, taking count: Int) throws(Stop) {
    guard parts.partOfDay == nil else {
      throw stop("'\(text)' has two parts of a day; write one of them")
    }
    parts.partOfDay = part
    index += count
  }

  private func noTime(_ part: String) -> Stop {
    let example = PhraseWords.partsOfDay[part] ?? "22:00"
    return stop("'\(part)' is not a time of day; write one such as \(example)")
  }

  private mutating func takeTime() throws(Stop) -> Bool {
    let word = word()
    guard let (reading, count) = clock(at: 0) else {
      // A number such as 930 could also be a year or a number of seconds.
      if word.count == 3, let number = PhraseWords.number(word) {
        let time = "\(number / 100):\(padded(number % 100, 2))"
        throw stop(
          "'\(word)' is not a time of day; write \(number % 100 < 60 ? time : "one such as 9:30")")
      }
      return false
    }
    switch reading {
    case .time(let usec): try set(time: usec, taking: count)
    case .open(let hour, let usec):
      try set(time: Int64(hour) * ClockPhrase.hourUsec + usec, taking: count)
      parts.openHour = hour
    case .wrong(let reason):
      // In a phrase such as `24 Foo`, the user meant a date, and the month is wrong.
      if PhraseWords.number(word) != nil, index + 1 < words.count,
        !PhraseWords.isOfTime(self.word(1)),
        self.word(1).first?.isLetter == true
      {
        throw unknown(written[index + 1])
      }
      if Self.isDate(word + "."), parts.day == nil, let choice = withDate,
        reason == ClockPhrase.hours || isBesideTime
      {
        throw stop("'\(word)' is not a time of day", choice)
      }
      throw stop("'\(word)' is not a time of day; \(reason)")
    }
    parts.isMidnight = word == "midnight"
    return true
  }

  /// Whether the word is a date with a final point: `24.12.`
  private static func isDate(_ word: String) -> Bool {
    guard word.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }) else { return false }
    if case .date = DatePhrase.read(word, .unknown) { return true }
    return false
  }

  /// Whether another word of the phrase is a time of day.
  private var isBesideTime: Bool {
    words.indices.contains { other in
      switch other == index ? nil : ClockPhrase.read(words[other]) {
      case .time, .open: true
      case .wrong, nil: false
      }
    }
  }

  /// The user's text with a point after the word that is then a date: `24.12` becomes `24.12.`.
  /// Nil: there is no such word, or more than one such word.
  private var withDate: PhraseProblem.Choice? {
    let dates = words.indices.filter { words[$0].contains(".") && Self.isDate(words[$0] + ".") }
    guard let date = dates.first, dates.count == 1 else { return nil }
    var meant = written
    meant[date] += "."
    return .init(meant.joined(separator: " "), "a date")
  }

  /// Parses a time of day in one word, or in two if the second is am or pm.
  private func clock(at offset: Int) -> (ClockPhrase.Reading, count: Int)? {
    var reading = ClockPhrase.read(word(offset))
    // The number 930 alone has several meanings, but `930 pm` is always a time.
    if reading == nil, let half = ClockPhrase.Half(word(offset + 1)), half != .none,
      let reading = ClockPhrase.read(word(offset) + word(offset + 1))
    {
      return (reading, 2)
    }
    if reading == nil, word(offset).first?.isNumber == false,
      let number = PhraseWords.number(word(offset))
    {
      reading = ClockPhrase.read("\(number)")
    }
    guard let reading else { return nil }
    if case .open(let hour, let usec) = reading, let half = ClockPhrase.Half(word(offset + 1)),
      half != .none
    {
      return (ClockPhrase.reading(hour: hour, usec: usec, half), 2)
    }
    return (reading, 1)
  }

  /// Parses `half past 9` or `a quarter to ten`.
  private mutating func takePartOfHour() throws(Stop) {
    let start = word() == "a" ? 1 : 0
    let (part, relation) = (word(start), word(start + 1))
    let minutes: Int64? =
      switch (part, relation) {
      case ("half", "past"): 30
      case ("quarter", "past"): 15
      case ("quarter", "to"): -15
      default: nil
      }
    guard let minutes else { throw unknown(written[index]) }
    let example = minutes < 0 ? "quarter to 10" : "\(part) past 9"
    try takeHour(at: start + 2, shiftedBy: minutes, example: example)
  }

  /// Parses `10 past 9`, `twenty five minutes past 9` or `20 to ten`. Before "to", it accepts only
  /// minutes that people use with clocks, because "7 to 9" means something else.
  private mutating func takeMinutesOfHour() throws(Stop) -> Bool {
    var (next, number) = (1, PhraseWords.number(word()))
    if let both = PhraseWords.compound(word(), word(1)) { (next, number) = (2, both) }
    guard let number else { return false }
    if ["minute", "minutes", "min", "mins"].contains(word(next)) { next += 1 }
    switch word(next) {
    case "past":
      guard (1...59).contains(number) else {
        throw stop(
          "'\(word())' is no number of minutes past an hour; write one such as 10 past 9")
      }
      try takeHour(at: next + 1, shiftedBy: Int64(number), example: "10 past 9")
    case "to" where [5, 10, 20, 25].contains(number):
      try takeHour(at: next + 1, shiftedBy: -Int64(number), example: "10 to 9")
    default: return false
    }
    return true
  }

  /// Parses the hour to which `minutes` are added.
  ///
  /// - Parameter start: the offset of the hour from the current word.
  private mutating func takeHour(
    at start: Int, shiftedBy minutes: Int64, example: String
  ) throws(Stop) {
    guard let (reading, count) = clock(at: start), word(start) != "noon", word(start) != "midnight"
    else { throw stop("'\(text)' lacks an hour; write one such as \(example)") }
    let offset = minutes * ClockPhrase.minuteUsec
    func shifted(_ usec: Int64) -> Int64 {
      (usec + offset + CivilTime.dayUsec) % CivilTime.dayUsec
    }
    switch reading {
    case .time(let usec): try set(time: shifted(usec), taking: start + count)
    case .open(let hour, let usec):
      let time = shifted(Int64(hour) * ClockPhrase.hourUsec + usec)
      try set(time: time, taking: start + count)
      parts.openHour = hour
    case .wrong(let reason): throw stop("'\(word(start))' is not a time of day; \(reason)")
    }
  }

  // MARK: The whole phrase

  private mutating func finish() throws(Stop) {
    if parts.day == nil, parts.time != nil, parts.isEvery { parts.day = .every }
    if let part = parts.partOfDay { try finish(partOfDay: part) }
    guard parts.day != nil || parts.time != nil else { throw .foreign }
    if parts.isTonight { try finishTonight() }
    if parts.isEvery, case .date(let date) = parts.day, date.year != nil {
      throw stop("'\(text)' is one day, because it has a year; leave out the year")
    }
    if !isDay, let year = parts.openYear, parts.time == nil, case .date(let date) = parts.day {
      let day = DatePhrase(day: date.day, month: date.month).words
      throw .problem(
        .ambiguous(
          text, .init("\(day) \(year) 0:00", "a year"),
          .init("\(day) \(year / 100):\(padded(year % 100, 2))", "a time of day")))
    }
    if parts.isMidnight { try finishMidnight() }
  }

  /// Adjusts the hour to the part of the day: `9 in the evening` is 21:00. Twelve o'clock belongs
  /// to the afternoon, and at night it is midnight.
  private mutating func finish(partOfDay part: String) throws(Stop) {
    guard var time = parts.time else { throw noTime(part) }
    let (noon, isNight) = (12 * ClockPhrase.hourUsec, part == PhraseWords.night)
    if let hour = parts.openHour, hour > 0, part != "morning" {
      if isNight, time >= noon, hour <= 12 {
        time -= noon
      } else if time < noon, !isNight || time >= noon / 2 {
        time += noon
      }
    }
    guard PhraseWords.isHour(time / ClockPhrase.hourUsec, of: part) else {
      let example = PhraseWords.partsOfDay[part] ?? "22:00"
      throw stop(
        "\(ClockPhrase.text(time)) is not \(isNight ? "at" : "in the") \(part); write a time alone, "
          + "such as \(example)")
    }
    parts.time = time
    parts.openHour = nil
    if isNight, time < noon { parts.isMidnight = true }
  }

  /// `tonight` is the coming night: twelve o'clock is its midnight, and other hours without am or
  /// pm are refused.
  private mutating func finishTonight() throws(Stop) {
    guard let time = parts.time else {
      throw stop("'\(text)' lacks a time; write one such as today 20:00")
    }
    guard parts.partOfDay == nil else { return }
    let hour = time / ClockPhrase.hourUsec
    if parts.openHour != nil, (1..<12).contains(hour) {
      let evening = ClockPhrase.text(time + 12 * ClockPhrase.hourUsec)
      let meant = hour < 5 ? "tomorrow \(ClockPhrase.text(time))" : "today \(evening)"
      throw stop("'\(text)' has no am or pm; write \(meant)")
    }
    try finish(partOfDay: PhraseWords.night)
  }

  /// Decides whether midnight, or a time soon after it, is at the beginning or the end of the day.
  private mutating func finishMidnight() throws(Stop) {
    let time = ClockPhrase.text(parts.time ?? 0)
    let word = parts.time == 0 ? "midnight" : time
    func choices(_ begin: String, _ end: String) -> Stop {
      .problem(
        .ambiguous(
          text, .init("\(begin) \(time)", "as the day begins"),
          .init("\(end) \(time)", "as it ends")))
    }
    switch parts.day {
    case nil, .every: return
    case .from(today: 0): parts.day = .from(today: 1)
    case .from(today: 1): throw choices("tomorrow", "in 2 days at")
    case .after:
      throw stop(
        "in '\(text)', \(word) may be the beginning or the end of the day; write the date, such as "
          + "24 Dec \(time)")
    case .from(let days): throw choices("in \(days) days at", "in \(days + 1) days at")
    case .next(let day), .this(let day):
      throw stop(
        "in '\(text)', \(word) may be the beginning or the end of \(day.name); "
          + "write the date, such as 24 Dec \(time)")
    case .weekdays(let days):
      guard days.count < 7 else { return }
      let later = Set(days.map { Weekday.allCases[($0.rawValue + 1) % 7] })
      throw choices(PhraseWords.list(of: days), PhraseWords.list(of: later))
    case .date(let date):
      let year = date.year ?? 2000
      let next = CivilDate(
        daysSinceEpoch: CivilDate(year: year, month: date.month, day: date.day).daysSinceEpoch + 1)
      let end = DatePhrase(
        day: next.day, month: next.month, year: date.year.map { _ in next.year })
      throw choices(date.words, end.words)
    }
  }
}
