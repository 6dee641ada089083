/// A unit of time, with all spellings that systemd 252 accepts.
enum SpanUnit: CaseIterable {
  case microsecond, millisecond, second, minute, hour, day, week, month, year

  /// The length of the unit in microseconds. Months and years are averages (30.44 and 365.25 days).
  var usec: UInt64 {
    switch self {
    case .microsecond: 1
    case .millisecond: 1_000
    case .second: 1_000_000
    case .minute: 60_000_000
    case .hour: 3_600_000_000
    case .day: 86_400_000_000
    case .week: 604_800_000_000
    case .month: 2_629_800_000_000
    case .year: 31_557_600_000_000
    }
  }

  /// The name of the unit in systemd's output.
  var canonicalName: String {
    switch self {
    case .microsecond: "us"
    case .millisecond: "ms"
    case .second: "s"
    case .minute: "min"
    case .hour: "h"
    case .day: "d"
    case .week: "w"
    case .month: "month"
    case .year: "y"
    }
  }

  /// All spellings with their units. The longest come first, so that `months` is not parsed as
  /// `month` and `s`, nor as `m` and `onths`.
  static let spellings: [(name: String, unit: SpanUnit)] = [
    ("seconds", .second), ("minutes", .minute),
    ("second", .second), ("minute", .minute), ("months", .month),
    ("month", .month), ("hours", .hour), ("weeks", .week), ("years", .year),
    ("msec", .millisecond), ("usec", .microsecond), ("hour", .hour), ("days", .day),
    ("week", .week), ("year", .year),
    ("sec", .second), ("min", .minute), ("day", .day), ("µs", .microsecond), ("μs", .microsecond),
    ("ms", .millisecond), ("hr", .hour), ("us", .microsecond),
    ("s", .second), ("m", .minute), ("h", .hour), ("d", .day), ("w", .week), ("M", .month),
    ("y", .year),
  ]

  /// The full words that people write after a number, such as `minutes`.
  static let pluralWords = spellings.map(\.name).filter { $0.utf8.count > 3 && $0.hasSuffix("s") }

  /// The unit at the beginning of `bytes`, and the length of its spelling in bytes. O(spellings).
  static func leading(_ bytes: ArraySlice<UInt8>) -> (unit: SpanUnit, length: Int)? {
    for (name, unit) in spellings where bytes.starts(with: name.utf8) {
      return (unit, name.utf8.count)
    }
    return nil
  }

  /// The spelling that the user probably meant with `word`; nil: none is similar. O(spellings).
  static func suggestion(for word: String) -> String? {
    let lowered = word.lowercased()
    if let known = abbreviations[lowered] { return known }
    for (name, _) in spellings where name.lowercased() == lowered { return name }
    guard lowered.utf8.count >= 2 else { return nil }
    for (name, _) in spellings where name.utf8.count >= 2 {
      if lowered.hasPrefix(name) || name.hasPrefix(lowered) { return name }
    }
    return nil
  }

  /// Common abbreviations that neither begin like a spelling nor extend one.
  private static let abbreviations: [String: String] = [
    "mins": "min", "secs": "sec", "hrs": "hr", "msecs": "msec", "usecs": "usec", "mo": "month",
    "mos": "months", "mon": "month", "mth": "month", "yr": "y", "yrs": "y", "wk": "w", "wks": "w",
    "std": "h", "mn": "min", "sek": "sec",
  ]
}
