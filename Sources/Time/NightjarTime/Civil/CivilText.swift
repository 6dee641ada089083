extension CivilDate {
  /// The date as text: `2026-03-28`.
  public var text: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension CivilTime {
  /// The date as text: `2026-03-28`.
  var dateText: String { date.text }

  /// The time of day as text: `01:30:00`, with microseconds if there are any.
  var clockText: String {
    let text = "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    return usec > 0 ? "\(text).\(padded(usec, 6))" : text
  }

  /// An instant in the form of RFC 3339 in UTC: `2026-03-28T01:30:00Z`, with a fraction if there is
  /// one. O(1).
  ///
  /// - Parameter utcUsec: microseconds since the epoch, of the years 0 to 9999.
  public static func rfc3339(utcUsec: Int64) -> String {
    let time = CivilTime(utcUsec: utcUsec)
    return "\(time.dateText)T\(time.clockText)Z"
  }
}

extension ZoneRules {
  /// An instant in the form that systemd writes: `Sat 2026-03-28 02:30:00 CET`. O(log transitions).
  ///
  /// - Parameter usec: microseconds since the epoch.
  public func text(usec: Int64) -> String {
    let time = civil(atUsec: usec)
    let word = setting(atUsec: usec).abbreviation
    return "\(time.date.weekday.shortName) \(time.dateText) \(time.clockText) \(word)"
  }
}

/// A number with leading zeros.
func padded(_ value: Int, _ digits: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
