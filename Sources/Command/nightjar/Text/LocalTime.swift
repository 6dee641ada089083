import Glibc
import NightjarTime

extension LocalTime {
  /// The wall clock now, in microseconds since the epoch.
  package static func nowUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  /// The midnight of a day, which is given as days since 1970-01-01.
  init(day: Int) { self.init(usec: Int64(day) * CivilTime.dayUsec, in: .utc) }

  /// The date with the year, such as `Tue 24 Nov 2026`.
  package var fullDate: String { date(now: nil) }

  /// The date and the time, such as `Tue 24 Nov 09:30:00`. It has the year if the year is not that
  /// of `now`.
  func dateAndTime(now: LocalTime) -> String { "\(date(now: now)) \(time)" }

  package func isSameDay(as other: LocalTime) -> Bool { civil.date == other.civil.date }

  /// The time of an instant. If the instant is not on the same day as `nowUsec`, the date is before
  /// the time.
  static func short(
    _ usec: Int64, nowUsec: Int64, in zone: ZoneRules = LocalTime.zone, ofAlarm: Bool = false
  ) -> String {
    let (point, now) = (LocalTime(usec: usec, in: zone), LocalTime(usec: nowUsec, in: zone))
    let time = ofAlarm ? point.alarmTime : point.time
    return point.isSameDay(as: now) ? time : "\(point.date(now: now)) \(time)"
  }

  /// The time or the date, as briefly as possible: `21:45` for today, `Thu 07:00` for the six days
  /// before and after it, `12 Jan` for other days of this year, and `Jan 2027` for another year.
  func brief(now: LocalTime) -> String {
    let (date, today) = (civil.date, now.civil.date)
    let month = Self.months[(date.month - 1) % 12]
    switch date.daysSinceEpoch - today.daysSinceEpoch {
    case 0: return String(time.prefix(5))
    case -6..<7: return "\(date.weekday.shortName) \(time.prefix(5))"
    default: return date.year == today.year ? "\(date.day) \(month)" : "\(month) \(date.year)"
    }
  }
}

extension WallClock {
  /// The current time, and the zone of this process.
  static var here: WallClock {
    // TZ may give this process another zone than the machine's. A calendar expression that names no
    // zone is meant in the zone of this process.
    WallClock(
      nowUsec: LocalTime.nowUsec(), zone: LocalTime.zone,
      foreignZone: getenv("TZ") == nil ? nil : LocalTime.zone.name, program: Typed.nightjar)
  }
}
