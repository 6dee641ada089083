extension CalendarExpression {
  /// The expression as a user would type it: `Mon..Fri 09:30`, `daily 09:30`, `every 24 Dec 18:00`,
  /// `monthly`, `*-*-01 12:00`. Leaves out parts that match every date, and seconds of 0.
  /// `PhraseReader` parses it to the same expression, unless it matches on a single day only.
  /// O(components).
  public var shortText: String {
    let words = description.split(separator: " ").map(String.init)
    // Days of the week and a zone are optional.
    guard let date = words.firstIndex(where: { $0.contains("-") && $0.first?.isLetter != true }),
      date + 1 < words.count
    else { return description }
    var time = words[date + 1]
    if second == CalendarField(values: [0]), time.hasSuffix(":00") { time.removeLast(3) }
    var parts = Array(words[..<date])
    if let name = firstOfPeriod {
      time = name
    } else if let day = dayOfYear, let hour = clock {
      parts.append("every \(day)")
      time = hour
    } else if !isOfEveryDate || ClockPhrase.list(time) != nil {
      parts.append(words[date])
    } else if weekdays.isEmpty, let hour = clock {
      parts.append("daily")
      time = hour
    } else if weekdays.isEmpty, time == "*:00" {
      time = "hourly"
    }
    return (parts + [time] + words[(date + 2)...]).joined(separator: " ")
  }

  /// systemd's word for an expression that matches only at the start of each month or year; nil for
  /// other expressions.
  private var firstOfPeriod: String? {
    guard weekdays.isEmpty, year.isEvery, day.single == 1, !countsFromEnd, clock == "00:00" else {
      return nil
    }
    if month.isEvery { return "monthly" }
    return month.single == 1 ? "yearly" : nil
  }

  /// The expression in words, such as `every Monday at 09:30` or `every day at noon`, followed by
  /// the zone; nil: there are no such words for the expression.
  public var words: String? {
    guard let rhythm else { return nil }
    let zone: String
    switch self.zone {
    case .local: zone = ""
    case .named(let name): zone = " (\(name))"
    case .setting(let setting): zone = " (\(setting.abbreviation))"
    }
    return rhythm + zone
  }

  /// The words without the zone.
  private var rhythm: String? {
    guard let clock else {
      let isHourly = isOfEveryDate && weekdays.isEmpty && hour.isEvery && minute.single == 0
      return isHourly && second.single == 0 ? "every hour" : nil
    }
    if isOfEveryDate { return "\(dayWords) at \(clock)" }
    guard weekdays.isEmpty, year.isEvery, !countsFromEnd, let day = day.single else { return nil }
    if month.isEvery { return "every month on day \(day) at \(clock)" }
    return dayOfYear.map { "every year on \($0) at \(clock)" }
  }

  /// The day of an expression that matches on one day of each year, such as `24 Dec`; nil for
  /// others.
  private var dayOfYear: String? {
    guard weekdays.isEmpty, year.isEvery, !countsFromEnd, let day = day.single,
      let month = month.single
    else { return nil }
    return "\(day) \(PhraseWords.monthName(month))"
  }

  private var dayWords: String {
    if weekdays.isEmpty { return "every day" }
    if weekdays == PhraseWords.daySet("weekdays") { return "from Monday to Friday" }
    if weekdays == PhraseWords.daySet("weekends") { return "every Saturday and Sunday" }
    let names = Weekday.allCases.filter(weekdays.contains).map(\.name)
    guard let last = names.last, names.count > 1 else { return "every \(names[0])" }
    return "every \(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  /// The time of an expression that matches at one time of day, such as `09:30`; nil for others.
  private var clock: String? {
    guard let hour = hour.single, let minute = minute.single, let usec = second.single else {
      return nil
    }
    let time = CivilTime(
      date: CivilDate(year: 1970, month: 1, day: 1),
      usecOfDay: Int64(hour * 60 + minute) * 60_000_000 + Int64(usec))
    return usec == 0 ? String(time.clockText.prefix(5)) : time.clockText
  }
}

extension CalendarField {
  /// The value of a field that matches exactly one; nil for others.
  fileprivate var single: Int? {
    guard components.count == 1, components[0].stop == nil, components[0].step == 0 else {
      return nil
    }
    return components[0].start
  }
}
