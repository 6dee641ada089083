package import NightjarTime

/// When a timer rings, in words for people.
package struct RingTime {
  private let nowUsec: Int64
  private let zone: ZoneRules

  package init(nowUsec: Int64, zone: ZoneRules) { (self.nowUsec, self.zone) = (nowUsec, zone) }

  /// The words about an alarm that rings once, such as `rings once, tomorrow 09:30, in 16 h`.
  ///
  /// - Parameter namesZone: whether to name the zone.
  package func once(_ usec: Int64, namesZone: Bool) -> String {
    let zone = namesZone ? " \(zone.setting(atUsec: usec).abbreviation)" : ""
    return "rings once, \(point(usec))\(zone), \(distance(usec))"
  }

  /// The words about an alarm that repeats, such as `rings every Monday at 09:30, next Monday
  /// 09:30, in 6 d 2 h`.
  ///
  /// - Parameters:
  ///   - expression: its calendar; nil: it is not known.
  ///   - typed: its time as the user typed it, for a calendar without words of its own.
  ///   - zone: the name of its zone; nil: the machine's own.
  ///   - more: what else is known of its days, from a comma on; may be empty.
  ///   - nextUsec: when it rings next.
  package func again(
    _ expression: CalendarExpression?, typed: String, zone: String?, more: String = "",
    nextUsec: Int64
  ) -> String {
    let zone = zone.map { " (\($0))" } ?? ""
    let rings = "rings \(expression?.words ?? "by '\(typed)'")\(zone)\(more)"
    return "\(rings), next \(point(nextUsec)), \(distance(nextUsec))"
  }

  /// The words about a countdown, such as `rings at 14:32` or `rings tomorrow 09:30`. They have
  /// seconds if it rings within a minute.
  func countdown(_ usec: Int64) -> String {
    let isClose = usec - nowUsec < 60_000_000
    return days(to: usec) == 0
      ? "rings at \(LocalTime(usec: usec, in: zone).time.prefix(isClose ? 8 : 5))"
      : "rings \(point(isClose ? usec : usec - usec % 60_000_000))"
  }

  /// The time of an instant, such as `today 17:30`, `tomorrow 09:30`, `Monday 07:00` or `Thu 24 Dec
  /// 18:00`.
  private func point(_ usec: Int64) -> String {
    let time = LocalTime(usec: usec, in: zone)
    let day =
      switch days(to: usec) {
      case 0: "today"
      case 1: "tomorrow"
      case 2..<7: time.civil.date.weekday.name
      default: time.date(now: LocalTime(usec: nowUsec, in: zone))
      }
    return "\(day) \(time.alarmTime)"
  }

  /// The time until an instant, such as `in 1 d 16 h` or `in 26 min`.
  private func distance(_ usec: Int64) -> String {
    let (left, minute) = (usec - nowUsec, Int64(60_000_000))
    return "in \(SpanFormat.text(usec: left, units: (10 * minute..<60 * minute) ~= left ? 1 : 2))"
  }

  private func days(to usec: Int64) -> Int {
    func day(_ usec: Int64) -> Int { zone.civil(atUsec: usec).date.daysSinceEpoch }
    return day(usec) - day(nowUsec)
  }
}
