/// A date in one of the forms that people write: `24.12.`, `24.12.2026`, `24/12`, `24 Dec`, `Dec
/// 24, 2026`.
struct DatePhrase: Equatable {
  var day: Int
  var month: Int
  var year: Int?

  /// The meaning of a word.
  enum Reading: Equatable {
    case date(DatePhrase)
    /// A date in which each of the two numbers may be the day.
    case either(DatePhrase, DatePhrase)
    /// The word is meant as a date but is not valid, for this reason.
    case wrong(String)
  }

  /// Whether a word is a date in numbers.
  static func isNumeric(_ word: String) -> Bool { read(word, .unknown) != nil }

  /// The meaning of a date in numbers; nil: the word has another form.
  static func read(_ word: String, _ order: WrittenLocale.DateOrder) -> Reading? {
    for separator in ["-", ".", "/"] as [Character] where word.contains(separator) {
      let parts = word.split(separator: separator, omittingEmptySubsequences: false)
      let numbers = parts.filter { !$0.isEmpty }.map { part in
        part.utf8.count <= 4 && part.utf8.allSatisfy(isDigit) ? Int(part) : nil
      }
      guard parts.count == 3, numbers.allSatisfy({ $0 != nil }) || separator == "/" else {
        return separator == "/" && parts.count == 2
          ? slashed(parts, order, in: word) : nil
      }
      switch separator {
      case "-":
        guard let year = numbers[0], numbers.count == 3, parts[0].count == 4,
          let month = numbers[1],
          let day = numbers[2]
        else { return nil }
        return checked(DatePhrase(day: day, month: month, year: year), in: word)
      case ".":
        guard !parts[0].isEmpty, !parts[1].isEmpty, parts[0].count <= 2, parts[1].count <= 2,
          let day = numbers[0], let month = numbers[1]
        else { return nil }
        guard let year = year(parts[2]) else { return nil }
        return checked(DatePhrase(day: day, month: month, year: year.number), in: word)
      default: return slashed(parts, order, in: word)
      }
    }
    return nil
  }

  private static func slashed(
    _ parts: [Substring], _ order: WrittenLocale.DateOrder, in word: String
  ) -> Reading? {
    let numbers = parts.map { part in
      (1...4).contains(part.utf8.count) && part.utf8.allSatisfy(isDigit) ? Int(part) ?? 0 : -1
    }
    guard numbers.allSatisfy({ $0 >= 0 }), parts[0].count <= 2, parts[1].count <= 2,
      let year = parts.count == 3 ? year(parts[2]) : Year(number: nil)
    else { return nil }
    let dayFirst = DatePhrase(day: numbers[0], month: numbers[1], year: year.number)
    let monthFirst = DatePhrase(day: numbers[1], month: numbers[0], year: year.number)
    let (canBeDay, canBeMonth) = (dayFirst.month <= 12, monthFirst.month <= 12)
    guard canBeDay, canBeMonth, dayFirst != monthFirst else {
      return checked(canBeMonth && !canBeDay ? monthFirst : dayFirst, in: word)
    }
    switch order {
    case .day: return checked(dayFirst, in: word)
    case .month: return checked(monthFirst, in: word)
    case .unknown: return .either(dayFirst, monthFirst)
    }
  }

  private struct Year { var number: Int? }

  /// The year that a text of two or four digits names. An empty text names none.
  private static func year(_ text: Substring) -> Year? {
    if text.isEmpty { return Year(number: nil) }
    guard let number = Int(text), text.count == 2 || text.count == 4 else { return nil }
    return Year(number: text.count == 2 ? 2000 + number : number)
  }

  private static func checked(_ date: DatePhrase, in word: String) -> Reading {
    guard (1...12).contains(date.month) else {
      return .wrong("'\(word)' is no date; the month is from 1 to 12")
    }
    return date.absence.map(Reading.wrong) ?? .date(date)
  }

  /// Why the calendar does not have this day; nil: it has it.
  var absence: String? {
    // Without a year, February 29 is possible.
    let days = CivilDate.daysInMonth(year: year ?? 2000, month: month)
    return (1...days).contains(day) ? nil : "there is no \(words)"
  }

  /// The date in words: `24 Dec`, with the year if it was written.
  var words: String {
    "\(day) \(PhraseWords.monthName(month))" + (year.map { " \($0)" } ?? "")
  }

  /// The date in systemd's form: with a year, a date; without a year, a calendar expression such as
  /// `*-12-24`.
  var systemd: String {
    "\(year.map { padded($0, 4) } ?? "*")-\(padded(month, 2))-\(padded(day, 2))"
  }
}
