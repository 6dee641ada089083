/// The words with which people say times.
public enum PhraseWords {
  /// The day of the week that a word names: `monday`, `mondays`, `mon`, `tues`; nil: it names none.
  static func weekday(_ word: String) -> Weekday? {
    let word = word.hasSuffix(".") ? String(word.dropLast()) : word
    if let day = Weekday(word: word) { return day }
    if let day = shortDays[word] { return day }
    return word.hasSuffix("days") ? Weekday(word: String(word.dropLast())) : nil
  }

  private static let shortDays: [String: Weekday] = [
    "tues": .tuesday, "weds": .wednesday, "thur": .thursday, "thurs": .thursday,
  ]

  /// The set of days that a word names; nil: it names none.
  static func daySet(_ word: String) -> Set<Weekday>? {
    switch word {
    case "weekday", "weekdays", "workday", "workdays":
      [.monday, .tuesday, .wednesday, .thursday, .friday]
    case "weekend", "weekends": [.saturday, .sunday]
    default: nil
    }
  }

  static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// The number of the month that a word names, by the full name or the first three letters; nil:
  /// it names none.
  static func month(_ word: String) -> Int? {
    let word = word.hasSuffix(".") ? String(word.dropLast()) : word
    guard word.utf8.count >= 3 else { return nil }
    let index = months.firstIndex {
      word == $0 || word == $0.prefix(3) || word == "sept" && $0 == "september"
    }
    return index.map { $0 + 1 }
  }

  static func monthName(_ month: Int) -> String {
    let name = months[month - 1].prefix(3)
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// The whole number that a word names, in digits or as a word; nil: it names none. `withArticles`
  /// also accepts `a` and `an` as 1.
  static func number(_ word: String, withArticles: Bool = false) -> Int? {
    if withArticles, word == "a" || word == "an" { return 1 }
    if !word.isEmpty, word.utf8.count <= 6, word.utf8.allSatisfy(isDigit) { return Int(word) }
    if let number = numbers[word] { return number }
    let parts = word.split(separator: "-").map(String.init)
    return parts.count == 2 ? compound(parts[0], parts[1]) : nil
  }

  /// The number that two words name, such as `twenty five`; nil: they name none.
  static func compound(_ tens: String, _ ones: String) -> Int? {
    guard let tens = numbers[tens], let ones = numbers[ones], (20...90).contains(tens),
      tens % 10 == 0, (1...9).contains(ones)
    else { return nil }
    return tens + ones
  }

  private static let numbers = [
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90,
  ]

  private static let ordinals: Set<String> = [
    "first", "second", "third", "fourth", "fifth", "other",
  ]

  /// Whether a word is a number. A number beside a time may be part of a phrase that is not
  /// supported, such as `seven thirty` or `first monday`.
  public static func isNumberWord(_ word: String) -> Bool {
    let word = word.lowercased()
    return ordinals.contains(word) || word.first?.isLetter == true && number(word) != nil
  }

  /// The parts of a day, each with an example time for errors. The name of a part alone is not a
  /// time.
  static let partsOfDay: [String: String] = [
    "morning": "9:00", "afternoon": "15:00", "evening": "21:00",
  ]

  /// A part of the day that may also be a timer's name, unless it is beside a day or after `at`.
  static let night = "night"

  /// Whether a word is a part of a day, after words such as `in the`.
  static func isInDay(_ word: String) -> Bool { word == night || partsOfDay[word] != nil }

  /// Whether an hour from 0 to 23 belongs to a part of the day.
  static func isHour(_ hour: Int64, of part: String) -> Bool {
    switch part {
    case "morning": hour < 12
    case "afternoon": (12..<19).contains(hour)
    case night: hour < 6 || hour >= 16
    default: hour >= 16
    }
  }

  /// A word in lower case, with a plain apostrophe in place of those that other keyboards type.
  static func plain(_ word: String) -> String {
    String(word.lowercased().map { "’‘ʼ′`´＇".contains($0) ? "'" : $0 })
  }

  /// Other words that are used with times but are not times alone.
  private static let others: Set<String> = [
    "at", "on", "in", "next", "this", "coming", "last", "every", "each", "daily", "everyday",
    "today", "tomorrow", "yesterday", "tonight", "now", "noon", "midnight", "am", "pm", "o'clock",
    "half", "quarter", "past", "week", "hourly", "weekly", "monthly", "yearly", "for", "until",
    "once",
    "hour", "hours", "hr", "hrs", "minute", "minutes", "min", "mins", "second", "seconds", "sec",
    "secs", "day", "days", "weeks", "month", "months", "year", "years",
  ]

  /// Words for repeating days that are not supported, such as `nightly`, with the words to write
  /// instead: the days, and for some a part of the day to write after the time.
  static let unreadDays: [String: (days: String, part: String?)] = [
    "nightly": ("daily", nil), "nights": ("daily", nil), "weeknights": ("weekdays", nil),
    "mornings": ("daily", "morning"), "afternoons": ("daily", "afternoon"),
    "evenings": ("daily", "evening"),
  ]

  /// Whether a word is a list of days with one or two letters each, such as `m,t,w` or `mo-fr`.
  /// Such a list is not supported, because T may be Tuesday or Thursday.
  public static func isShortDayList(_ word: String) -> Bool {
    let items = word.lowercased().split(omittingEmptySubsequences: false) { ",-".contains($0) }
    return items.count > 1
      && items.allSatisfy { item in
        (1...2).contains(item.utf8.count)
          && Weekday.allCases.contains { $0.name.lowercased().hasPrefix(item) }
      }
  }

  public static func isPartOfDay(_ word: String) -> Bool { partsOfDay[word.lowercased()] != nil }

  /// Whether a word says that a time repeats.
  public static func isEvery(_ word: String) -> Bool {
    ["every", "each"].contains(word.lowercased())
  }

  /// Whether a word belongs to a time, so that the word alone cannot be a timer's name. A number
  /// belongs to a time only in forms such as 9am, 9:30 and 24.12.
  public static func isOfTime(_ word: String) -> Bool {
    let word = plain(word)
    if others.contains(word) || partsOfDay[word] != nil || weekday(word) != nil
      || daySet(word) != nil || month(word) != nil
    {
      return true
    }
    return word.first.map { "0123456789".contains($0) } == true && !word.utf8.allSatisfy(isDigit)
      && (ClockPhrase.read(word) != nil || ClockPhrase.excess(in: word) != nil
        || DatePhrase.isNumeric(word))
  }

  /// Days of the week in the form of a calendar expression: `mon..fri,sun`.
  public static func list(of days: Set<Weekday>) -> String {
    CalendarExpression(weekdays: days).description.prefix { $0 != " " }.lowercased()
  }

  /// Long words that are suggested to a user who misspells one of them.
  public static let longWords =
    Weekday.allCases.map { $0.name.lowercased() } + [
      "tomorrow", "weekdays", "weekends", "midnight",
    ]
}
