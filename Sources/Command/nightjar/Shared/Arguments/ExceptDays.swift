import NightjarConfig
import NightjarModel
internal import NightjarParameters
import NightjarTime

/// Reads days on which an alarm does not ring. The user types them, or a file lists them.
enum ExceptDays {
  /// The largest size of a file of days, in bytes.
  static let fileBytes = 1 << 20

  // MARK: Typed

  /// The days of a text such as `2026-12-24` or `24.12.2026..1.1.2027`. Commas separate several
  /// days or ranges.
  ///
  /// - Parameter option: the option with which errors begin; nil: errors begin with no option.
  static func ranges(
    _ text: String, at wall: WallClock, option: String? = "--except"
  ) throws(CommandError) -> [DayRange] {
    var ranges: [DayRange] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      ranges.append(try range(trimmed(part), at: wall, option: option))
    }
    return ranges
  }

  /// The days of a text with one date, or with two dates and `..` between them.
  static func range(
    _ text: String, at wall: WallClock, option: String?
  ) throws(CommandError) -> DayRange {
    if let week = week(text, at: wall) { return week }
    if let days = wall.reader.weekdays(text) { throw everyWeek(text, days, at: wall, option) }
    guard let dots = dots(in: text) else {
      if let range = rangeWithoutDots(text, at: wall) {
        throw mistake("'\(text)' is no day; for a range write \(range.text)", option)
      }
      let date = try day(text, at: wall, option: option)
      return DayRange(date, date)
    }
    let words = (trimmed(text[..<dots.lowerBound]), trimmed(text[dots.upperBound...]))
    let days: (first: CivilDate, last: CivilDate)
    do throws(PhraseProblem) {
      days = try wall.reader.days(from: words.0, to: words.1)
    } catch { throw mistake("\(error)", option) }
    guard days.first.daysSinceEpoch <= days.last.daysSinceEpoch else {
      throw mistake("'\(text)' ends before it begins; write the first day in front", option)
    }
    try checkYear(of: days.first, words.0, option)
    try checkYear(of: days.last, words.1, option)
    return DayRange(days.first, days.last)
  }

  /// The days of this week from today on, or those of the next week; nil: the text is another one.
  private static func week(_ text: String, at wall: WallClock) -> DayRange? {
    let words = text.lowercased().split(separator: " ")
    guard words.count == 2, words[1] == "week", ["this", "next"].contains(words[0]) else {
      return nil
    }
    let today = wall.zone.civil(atUsec: wall.nowUsec).date
    let monday = today.daysSinceEpoch - today.weekday.rawValue + 7
    return words[0] == "next"
      ? DayRange(first: Int32(clamping: monday), last: Int32(clamping: monday + 6))
      : DayRange(first: Int32(clamping: today.daysSinceEpoch), last: Int32(clamping: monday - 1))
  }

  /// The dots between two days. In a text such as `24.12...1.1.`, the full stop of the first date
  /// is before them.
  private static func dots(in text: String) -> Range<String.Index>? {
    guard let dots = text.firstRange(of: "..") else { return nil }
    guard dots.upperBound < text.endIndex, text[dots.upperBound] == "." else { return dots }
    return text.index(after: dots.lowerBound)..<text.index(after: dots.upperBound)
  }

  /// The days of a text with two dates and a dash between them; nil: the text is another one, such
  /// as a date that contains dashes.
  private static func rangeWithoutDots(_ text: String, at wall: WallClock) -> DayRange? {
    guard (try? wall.reader.day(text)) == nil else { return nil }
    for index in text.indices where "-–—".contains(text[index]) {
      let (first, last) = (trimmed(text[..<index]), trimmed(text[text.index(after: index)...]))
      guard let days = try? wall.reader.days(from: first, to: last),
        days.first.daysSinceEpoch <= days.last.daysSinceEpoch
      else { continue }
      return DayRange(days.first, days.last)
    }
    return nil
  }

  /// The error for a day of the week. A user who types it may mean the next such day, but in a
  /// calendar it means every week.
  private static func everyWeek(
    _ text: String, _ days: Set<Weekday>, at wall: WallClock, _ option: String?
  ) -> CommandError {
    let today = wall.zone.civil(atUsec: wall.nowUsec).date.daysSinceEpoch
    let next = (today..<today + 7).lazy.map { CivilDate(daysSinceEpoch: $0) }
      .first { days.contains($0.weekday) }
    let others = PhraseWords.list(of: Set(Weekday.allCases).subtracting(days))
    let calendar =
      days.count == 7 ? "" : ", or leave it out of the alarm's calendar, such as '\(others) 9:00'"
    return mistake(
      "'\(text)' comes every week; write one day, such as \(next?.text ?? "2026-12-24")"
        + calendar, option)
  }

  private static func mistake(_ sentence: String, _ option: String?) -> CommandError {
    .usage(option.map { "\($0): \(sentence)" } ?? sentence, see: .time)
  }

  /// The day of a text that contains a single day.
  static func day(
    _ text: String, at wall: WallClock, option: String?
  ) throws(CommandError) -> CivilDate {
    let date: CivilDate
    do throws(PhraseProblem) { date = try wall.reader.day(text) } catch {
      throw mistake("\(error)", option)
    }
    try checkYear(of: date, text, option)
    return date
  }

  /// The last day on which an alarm rings. A day in the past is an error.
  static func lastDay(
    _ text: String, at wall: WallClock, option: String?
  ) throws(CommandError) -> CivilDate {
    let day = try day(text, at: wall, option: option)
    let today = wall.zone.civil(atUsec: wall.nowUsec).date
    guard day.daysSinceEpoch >= today.daysSinceEpoch else {
      throw mistake("'\(text)' is in the past; write today or a later day", option)
    }
    return day
  }

  private static func checkYear(
    of date: CivilDate, _ text: String, _ option: String?
  ) throws(CommandError) {
    guard !Limits.days.contains(Int32(clamping: date.daysSinceEpoch)) else { return }
    let years = CalendarExpression.years
    throw mistake("'\(text)' is not from \(years.lowerBound) to \(years.upperBound)", option)
  }

  /// - Throws: `CommandError` if there are more ranges than a timer may have.
  static func checked(_ ranges: [DayRange]) throws(CommandError) -> [DayRange] {
    guard ranges.count <= Limits.exceptRanges else {
      throw .usage(
        "that leaves out \(ranges.count) stretches of days; a timer has at most "
          + "\(Limits.exceptRanges)")
    }
    return ranges
  }

  /// - Throws: `CommandError` if the instant is on one of the days.
  static func check(
    _ usec: Int64, _ text: String, isOn days: [DayRange], in zone: ZoneRules
  ) throws(CommandError) {
    let date = zone.civil(atUsec: usec).date
    guard days.range(around: Int32(clamping: date.daysSinceEpoch)) != nil else { return }
    throw .usage(
      "'\(text)' rings once, on \(date.weekday.shortName) \(date.text), and that day is left out; "
        + "choose another day, or leave out --except and --except-file")
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let first = text.firstIndex(where: { !isBlank($0) }),
      let last = text.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(text[first...last])
  }

  // MARK: Files

  /// The days in a file. Days that are over are left out.
  ///
  /// - Throws: `CommandError` with the file and the line.
  static func file(_ path: String, at wall: WallClock) throws(CommandError) -> [DayRange] {
    let bytes = try InputFile.read(path, limit: fileBytes)
    let today = Int32(clamping: wall.zone.civil(atUsec: wall.nowUsec).date.daysSinceEpoch)
    let calendar = CalendarFile(bytes)
    let all: [DayRange]
    if calendar.isCalendar {
      do throws(CalendarProblem) { all = try calendar.days(from: today) } catch {
        throw .usage("\(path):\(error.line): \(error.sentence)")
      }
    } else {
      all = try lines(bytes, path: path, at: wall)
    }
    // The days of the last month are kept, because the user may set the clock back.
    return all.filter { $0.last >= today - 31 }
  }

  private static func lines(
    _ bytes: [UInt8], path: String, at wall: WallClock
  ) throws(CommandError) -> [DayRange] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("\(path) is no text in UTF-8")
    }
    var ranges: [DayRange] = []
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let words = trimmed(line.prefix { $0 != "#" })
      guard !words.isEmpty else { continue }
      ranges.append(try range(words, at: wall, option: "\(path):\(index + 1)"))
    }
    return ranges
  }
}
