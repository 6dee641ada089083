/// Writes durations for people, for clock displays and for systemd.
public enum SpanFormat {
  /// A duration for people: `4 min`, `1 h 30 min`, `2 d 3 h`, `1.5 s`, `250 ms`.
  ///
  /// The largest unit is the day. People do not count timers in weeks, months and years, and months
  /// differ in length. O(1).
  ///
  /// - Parameters:
  ///   - usec: the duration in microseconds; negative ones get a minus sign.
  ///   - units: the most units to write, from the largest that is not zero; nil: all units,
  ///     exactly. The rest is cut off, so with one unit, `3 min 59 s` is `3 min`, and seconds lose
  ///     their fraction. A time below a second is written in milliseconds if it is a whole number
  ///     of them (`250 ms`). Otherwise it is rounded to tenths of a second (`0.5 s`).
  ///   - hasDays: whether to write days. If not, hours count beyond 24.
  public static func text(usec: Int64, units: Int? = nil, hasDays: Bool = true) -> String {
    guard usec != 0 else { return "0 s" }
    let sign = usec < 0 ? "-" : ""
    var rest = usec.magnitude
    var parts: [String] = []
    let limit = units ?? Int.max
    for unit in hasDays ? [SpanUnit.day, .hour, .minute] : [.hour, .minute] {
      let count = rest / unit.usec
      // A unit that is 0 counts too. With two units, 2 d 0 h 5 s is "2 d" and not "2 d 5 s".
      guard count > 0 || !parts.isEmpty else { continue }
      parts.append(count > 0 ? "\(count) \(unit.canonicalName)" : "")
      rest %= unit.usec
      if parts.count >= limit { return sign + joined(parts) }
    }
    if units != nil, parts.isEmpty, rest < 1_000_000, rest % 1000 > 0 {
      let tenths = (rest + 50_000) / 100_000
      return sign + (tenths == 0 ? "under 0.1 s" : tenths == 10 ? "1 s" : "0.\(tenths) s")
    }
    let isTruncated = units != nil && (!parts.isEmpty || rest >= 1_000_000)
    parts.append(seconds(isTruncated ? rest / 1_000_000 * 1_000_000 : rest))
    return sign + joined(parts)
  }

  /// A duration in a sentence for people. Users type no parts of a millisecond: a duration with
  /// them was measured, and is rounded to whole seconds. O(1).
  public static func said(usec: Int64) -> String {
    guard usec % 1_000 != 0, usec.magnitude >= 1_000_000, usec.magnitude < 1 << 62 else {
      return text(usec: usec, units: usec % 1_000 == 0 ? nil : 1)
    }
    return text(usec: (usec + (usec < 0 ? -500_000 : 500_000)) / 1_000_000 * 1_000_000)
  }

  /// The remaining time as a countdown shows it: `MM:SS`, from an hour on `HH:MM:SS`. Hours count
  /// beyond 24.
  ///
  /// The time is rounded up to whole seconds, so a timer of 20 s starts with 00:20 and shows 00:00
  /// only when no time remains. O(1).
  ///
  /// - Parameter remainingUsec: the remaining time in microseconds; zero or less is 00:00.
  public static func clock(remainingUsec: Int64) -> String {
    let total = wholeSeconds(remainingUsec: remainingUsec)
    let (minutes, seconds) = (total / 60 % 60, total % 60)
    guard total >= 3_600 else { return "\(twoDigits(minutes)):\(twoDigits(seconds))" }
    return "\(twoDigits(total / 3_600)):\(twoDigits(minutes)):\(twoDigits(seconds))"
  }

  /// The remaining time as a countdown shows it to people: like `clock` below a day, and in days
  /// and hours from a day on: `31 d 2 h`. O(1).
  ///
  /// - Parameter remainingUsec: the remaining time in microseconds; zero or less is 00:00.
  public static func countdown(remainingUsec: Int64) -> String {
    days(usec: wholeSeconds(remainingUsec: remainingUsec) * 1_000_000)
      ?? clock(remainingUsec: remainingUsec)
  }

  /// A duration of at least a day for displays: `31 d 2 h`, rounded down; nil: it is shorter. O(1).
  public static func days(usec: Int64) -> String? {
    usec < Int64(SpanUnit.day.usec) ? nil : text(usec: usec, units: 2)
  }

  /// The time of a stopwatch as it shows it: `MM:SS.hh`, from an hour on `HH:MM:SS.hh`, rounded
  /// down. O(1).
  ///
  /// - Parameter usec: the measured time in microseconds; below zero it is 00:00.00.
  public static func stopwatch(usec: Int64) -> String {
    let hundredths = max(0, usec) / 10_000
    let (total, rest) = (hundredths / 100, hundredths % 100)
    let short = "\(twoDigits(total / 60 % 60)):\(twoDigits(total % 60)).\(twoDigits(rest))"
    return total < 3_600 ? short : "\(twoDigits(total / 3_600)):\(short)"
  }

  /// A duration for spreadsheets: `H:MM:SS`, rounded down. Hours count beyond 24. O(1).
  ///
  /// - Parameter usec: the duration in microseconds; below zero it is 0:00:00.
  public static func hours(usec: Int64) -> String {
    let total = max(0, usec) / 1_000_000
    return "\(total / 3_600):\(twoDigits(total / 60 % 60)):\(twoDigits(total % 60))"
  }

  /// The remaining time in whole seconds, rounded up. It is zero only when no time remains. O(1).
  ///
  /// - Parameter remainingUsec: the remaining time in microseconds; zero or less is 0.
  public static func wholeSeconds(remainingUsec: Int64) -> Int64 {
    guard remainingUsec > 0 else { return 0 }
    return (remainingUsec - 1) / 1_000_000 + 1
  }

  /// A duration in the form that `systemd-analyze timespan` prints: `1h 30min`, `1.500000s`, `2d
  /// 3h`. `ParsedSpan` can parse this form, except for 584542 years, which systemd prints but does
  /// not parse. O(1).
  public static func canonical(_ span: TimeSpan) -> String {
    guard case .usec(var rest) = span else { return "infinity" }
    guard rest > 0 else { return "0" }
    var parts: [String] = []
    for unit in SpanUnit.allCases.reversed() where rest >= unit.usec {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.usec)
      if rest < SpanUnit.minute.usec, remainder > 0 {
        // Below a minute, systemd writes one term with all decimal digits of its unit: 1.500000s.
        let digits = String(remainder)
        let width = String(unit.usec).utf8.count - 1
        let zeros = String(repeating: "0", count: width - digits.utf8.count)
        parts.append("\(count).\(zeros)\(digits)\(unit.canonicalName)")
        break
      }
      parts.append("\(count)\(unit.canonicalName)")
      rest = remainder
    }
    return parts.joined(separator: " ")
  }

  // MARK: Parts

  /// The text for less than a minute, in seconds, milliseconds or microseconds.
  private static func seconds(_ usec: UInt64) -> String {
    if usec >= 1_000_000 { return "\(decimal(usec, per: 1_000_000, digits: 6)) s" }
    if usec >= 1_000 { return "\(decimal(usec, per: 1_000, digits: 3)) ms" }
    return usec == 0 ? "" : "\(usec) µs"
  }

  private static func decimal(_ value: UInt64, per unit: UInt64, digits: Int) -> String {
    let (whole, fraction) = value.quotientAndRemainder(dividingBy: unit)
    guard fraction > 0 else { return "\(whole)" }
    var text = String(fraction)
    text = String(repeating: "0", count: digits - text.utf8.count) + text
    while text.last == "0" { text.removeLast() }
    return "\(whole).\(text)"
  }

  private static func joined(_ parts: [String]) -> String {
    parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func twoDigits(_ value: Int64) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
