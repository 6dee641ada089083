/// A time of day in one word: `9`, `9am`, `930pm`, `9:30`, `9.30`, `9h30`, `0930`, `noon`.
enum ClockPhrase {
  /// The meaning of a word.
  enum Reading: Equatable {
    /// A time since midnight, in microseconds.
    case time(Int64)
    /// An hour, or hours and minutes, after which "am" or "pm" may follow in the next word. `usec`
    /// is the part beyond the hour.
    case open(hour: Int, usec: Int64)
    /// The word is meant as a time of day but is not valid, for this reason.
    case wrong(String)
  }

  /// The meaning of a word; nil: the word is not meant as a time of day, or is an invalid time in
  /// systemd's notation. The parser for systemd's notation reports the invalid time.
  static func read(_ word: String) -> Reading? {
    if word == "noon" { return .time(12 * hourUsec) }
    if word == "midnight" { return .time(0) }
    var rest = Substring(word)
    let digits = takeDigits(&rest)
    guard !digits.isEmpty, digits.count <= 4 else { return nil }
    var (hour, usec) = (Int(digits) ?? 0, Int64(0))
    if digits.count > 2 {
      guard let half = Half(rest),
        case let (first, minute) = hour.quotientAndRemainder(dividingBy: 100)
      else { return nil }
      guard digits.count == 4 || half != .none else { return nil }
      return reading(hour: first, usec: Int64(minute) * minuteUsec, minute: minute, half)
    }
    var minute = 0
    if let separator = rest.first, ":.h".contains(separator) {
      rest.removeFirst()
      let text = takeDigits(&rest)
      // A number with a final point, such as `24.`, is a day of a month. A number with `h`, such as
      // `9h`, is an hour.
      if text.isEmpty {
        return separator == "h" && rest.isEmpty
          ? reading(hour: hour, usec: 0, minute: 0, .none) : nil
      }
      guard text.count == 2 else {
        guard separator == ".", text.count == 1, Half(rest) != nil else { return nil }
        return .wrong("minutes have two digits, as in \(digits).30")
      }
      minute = Int(text) ?? 0
      usec = Int64(minute) * minuteUsec
      if separator == ":", rest.first == ":" {
        guard let seconds = takeSeconds(&rest) else { return nil }
        usec += seconds
      }
      // A time such as `25:00` is wrong, but the parser for systemd's notation reports it, with the
      // position.
      if separator == ":", hour > 23 || minute > 59 { return nil }
    }
    guard let half = Half(rest) else { return nil }
    hour = Int(digits) ?? 0
    return reading(hour: hour, usec: usec, minute: minute, half)
  }

  /// The hours and minutes in a list of times of day, such as `8:00,20:00`; nil: the word is no
  /// such list.
  static func list(_ word: String) -> [(hour: Substring, minute: Substring)]? {
    let times = word.split(separator: ",").map { $0.split(separator: ":") }
    guard times.count > 1, times.joined().joined().utf8.allSatisfy(isDigit),
      times.allSatisfy({ $0.count == 2 && $0[1].utf8.count == 2 })
    else { return nil }
    return times.map { ($0[0], $0[1]) }
  }

  /// The time of day with the half that the next word says.
  static func reading(hour: Int, usec: Int64, _ half: Half) -> Reading {
    reading(hour: hour, usec: usec, minute: 0, half)
  }

  /// The half of a day.
  enum Half {
    case none
    case am
    case pm

    /// The half that a text says: `am` or `pm`, or none for an empty text. Nil: any other text.
    init?(_ word: some StringProtocol) {
      switch word {
      case "": self = .none
      case "am", "a.m.": self = .am
      case "pm", "p.m.": self = .pm
      default: return nil
      }
    }
  }

  /// A time of day as text: `9:30`, with seconds if there are any.
  static func text(_ usec: Int64) -> String {
    let time = CivilTime(date: CivilDate(year: 1970, month: 1, day: 1), usecOfDay: usec)
    let text = "\(time.hour):\(padded(time.minute, 2))"
    return time.usecOfDay % minuteUsec == 0 ? text : time.clockText
  }

  /// Why a time such as `25:00` or `9:60:00` does not exist. Nil: the time exists, or the word has
  /// another form.
  static func excess(in word: String) -> String? {
    let fields = word.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { field in
      field.utf8.allSatisfy(isDigit) ? Int(field) : nil
    }
    guard (2...3).contains(fields.count), numbers.count == fields.count, fields[0].count <= 2,
      fields.dropFirst().allSatisfy({ $0.count == 2 })
    else { return nil }
    if numbers[0] > 23 { return hours }
    if numbers[1] > 59 { return minutes }
    return numbers.count > 2 && numbers[2] > 59 ? "the second is from 0 to 59" : nil
  }

  /// The sentence for a minute out of range.
  private static let minutes = "the minute is from 0 to 59"
  /// The sentence for an hour out of range.
  static let hours = "the hour is from 0 to 23"

  static let hourUsec: Int64 = 3_600_000_000
  static let minuteUsec: Int64 = 60_000_000

  private static func reading(hour: Int, usec: Int64, minute: Int, _ half: Half) -> Reading {
    guard half == .none || (1...12).contains(hour) else {
      return .wrong("with am or pm the hour is from 1 to 12")
    }
    guard hour <= 23 else { return .wrong(hours) }
    guard minute <= 59 else { return .wrong(minutes) }
    switch half {
    case .none: return .open(hour: hour, usec: usec)
    case .am: return .time(Int64(hour % 12) * hourUsec + usec)
    case .pm: return .time(Int64(hour % 12 + 12) * hourUsec + usec)
    }
  }

  private static func takeDigits(_ rest: inout Substring) -> Substring {
    let digits = rest.prefix { "0123456789".contains($0) }
    rest = rest.dropFirst(digits.count)
    return digits
  }

  /// Consumes seconds such as `:15` or `:15.5`. Returns them in microseconds.
  private static func takeSeconds(_ rest: inout Substring) -> Int64? {
    rest.removeFirst()
    let digits = takeDigits(&rest)
    guard digits.count == 2, let whole = Int64(digits), whole <= 59 else { return nil }
    guard rest.first == ".", rest.dropFirst().first.map({ "0123456789".contains($0) }) == true
    else {
      return whole * 1_000_000
    }
    rest.removeFirst()
    let fraction = (takeDigits(&rest) + "000000").prefix(6)
    return whole * 1_000_000 + (Int64(fraction) ?? 0)
  }
}
