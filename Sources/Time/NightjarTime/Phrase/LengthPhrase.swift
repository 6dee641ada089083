/// Translates durations as people say them into systemd's time spans: `half an hour` becomes `0.5
/// hour`.
struct LengthPhrase {
  /// The result of the translation. Words that were not understood are unchanged.
  private(set) var words: [String] = []
  private let input: [String]
  private var index = 0

  /// - Parameter text: the duration as written, with decimal points.
  init(_ text: String) {
    input = text.split(separator: " ").map(String.init)
    while index < input.count { takeTerm() }
  }

  /// The text with decimal commas (between digits) replaced by points.
  static func withPoints(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for index in bytes.indices.dropFirst().dropLast() where bytes[index] == UInt8(ascii: ",") {
      guard isDigit(bytes[index - 1]), isDigit(bytes[index + 1]) else { continue }
      bytes[index] = UInt8(ascii: ".")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The months in the terms with months and years, such as 18 in `1.5year` and in `1.5 years`.
  var months: Double {
    let units = ["month": 1.0, "months": 1, "year": 12, "years": 12, "y": 12]
    var (sum, number) = (0.0, 0.0)
    for word in words {
      let digits = word.prefix { "0123456789.".contains($0) }
      number = Double(digits) ?? number
      sum += number * (units[String(word.dropFirst(digits.count))] ?? 0)
    }
    return sum
  }

  // MARK: Terms

  private func word(_ offset: Int) -> String {
    index + offset < input.count ? input[index + offset].lowercased() : ""
  }

  private func unit(_ offset: Int) -> String? {
    index + offset < input.count ? SpanUnit.spelling(of: input[index + offset]) : nil
  }

  private mutating func takeTerm() {
    if takeFraction() || takeHalf() || takeQuarter() || takeCount() { return }
    // `and` between two terms is dropped. In other places it stays, and the parser for systemd's
    // notation refuses it.
    if word(0) == "and", index > 0, index + 1 < input.count {
      index += 1
      return
    }
    words.append(Self.joined(input[index]))
    index += 1
  }

  private mutating func take(_ count: Int, as term: String) -> Bool {
    words.append(term)
    index += count
    return true
  }

  /// Fractions as people write them, with their decimal digits.
  private static let fractions = ["1/2": "5", "1/4": "25", "3/4": "75"]

  /// Translates `2 1/2 hours`, `1/2 an hour` or `3/4 of an hour`.
  private mutating func takeFraction() -> Bool {
    var (next, whole) = (0, 0)
    if let number = PhraseWords.number(word(0)) { (next, whole) = (1, number) }
    guard let fraction = Self.fractions[word(next)] else { return false }
    next += 1
    if whole == 0, word(next) == "of" { next += 1 }
    if whole == 0, ["a", "an"].contains(word(next)) { next += 1 }
    guard let unit = unit(next) else { return false }
    return take(next + 1, as: "\(whole).\(fraction)\(unit)")
  }

  /// Translates `half an hour`, `a half hour` or `half hour`.
  private mutating func takeHalf() -> Bool {
    let start = word(0) == "a" ? 1 : 0
    guard word(start) == "half" else { return false }
    let article = ["a", "an"].contains(word(start + 1)) ? 1 : 0
    guard let unit = unit(start + article + 1) else { return false }
    return take(start + article + 2, as: "0.5\(unit)")
  }

  /// Translates `a quarter of an hour` or `quarter hour`.
  private mutating func takeQuarter() -> Bool {
    let start = word(0) == "a" ? 1 : 0
    guard word(start) == "quarter" else { return false }
    var next = start + 1
    if word(next) == "of" { next += 1 }
    if ["a", "an"].contains(word(next)) { next += 1 }
    guard let unit = unit(next) else { return false }
    return take(next + 1, as: "0.25\(unit)")
  }

  /// Translates `two and a half hours`, `an hour and a half`, `an hour` or `4 mins`.
  private mutating func takeCount() -> Bool {
    if let number = PhraseWords.compound(word(0), word(1)), let unit = unit(2) {
      return take(3, as: "\(number)\(unit)")
    }
    guard let number = PhraseWords.number(word(0), withArticles: true) else { return false }
    func isHalf(_ offset: Int) -> Bool {
      word(offset) == "and" && word(offset + 1) == "a" && word(offset + 2) == "half"
    }
    if isHalf(1), let unit = unit(4) { return take(5, as: "\(number).5\(unit)") }
    guard let unit = unit(1) else { return false }
    return isHalf(2)
      ? take(5, as: "\(number).5\(unit)") : take(2, as: "\(number)\(unit)")
  }

  /// Translates the units in a word of digits and units to systemd's spelling: `4Mins` becomes
  /// `4min`. If a number without a unit follows hours, it is minutes, and after minutes it is
  /// seconds: `1h30` becomes `1h30min`.
  private static func joined(_ word: String) -> String {
    var (text, rest, lastUnit) = ("", word[...], String?.none)
    while let first = rest.first {
      let isNumber = "0123456789.".contains(first)
      let run = rest.prefix { "0123456789.".contains($0) == isNumber }
      rest = rest.dropFirst(run.count)
      guard isNumber else {
        lastUnit = SpanUnit.spelling(of: String(run))
        text += lastUnit ?? String(run)
        continue
      }
      text += run
      guard rest.isEmpty, run.count <= 2, !run.contains("."), let unit = lastUnit,
        let smaller = SpanUnit.smaller(than: unit)
      else { continue }
      text += smaller
    }
    return text
  }
}

extension SpanUnit {
  /// systemd's spelling of a unit that people may spell in another way; nil: the word is not a
  /// unit. A capital `M` stays as it is, because systemd reads it as months, but users often mean
  /// minutes (see `MonthsTerm`).
  static func spelling(of word: String) -> String? {
    if spellings.contains(where: { $0.name == word }) { return word }
    let lowered = word.lowercased()
    return plurals[lowered] ?? spellings.first { $0.name.lowercased() == lowered }?.name
  }

  /// The unit of a number without a unit that directly follows a term with this unit.
  static func smaller(than word: String) -> String? {
    switch spellings.first(where: { $0.name == word })?.unit {
    case .hour: "min"
    case .minute: "s"
    default: nil
    }
  }

  /// Plurals of abbreviations, and other abbreviations that systemd does not have.
  private static let plurals = [
    "mins": "min", "secs": "sec", "hrs": "hr", "msecs": "msec", "usecs": "usec", "yr": "year",
    "yrs": "year", "wk": "week", "wks": "week",
  ]
}
