import Glibc
package import NightjarTime

/// The civil time of an instant, in the local time zone (TZ, or the system's) or in another zone.
package struct LocalTime {
  /// The local time zone of this process.
  package static let zone = ZoneDatabase.local

  private let civil: CivilTime

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter usec: microseconds since the epoch.
  package init(usec: Int64, in zone: ZoneRules = LocalTime.zone) {
    civil = zone.civil(atUsec: usec)
  }

  /// The wall clock now, in microseconds since the epoch.
  package static func nowUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  /// The time, such as `14:32:10`.
  package var time: String {
    "\(twoDigits(civil.hour)):\(twoDigits(civil.minute)):\(twoDigits(civil.second))"
  }

  /// The time of an alarm, such as `09:30`. It has the seconds only if they are not zero.
  package var alarmTime: String { civil.second == 0 ? String(time.prefix(5)) : time }

  /// The name of the day of the week, such as `Monday`.
  var weekday: String { civil.date.weekday.name }

  /// The date, such as `Tue 24 Nov`. It has the year if the year is not that of `now`.
  func date(now: LocalTime?) -> String {
    let date = civil.date
    let year = date.year == now?.civil.date.year ? "" : " \(date.year)"
    return "\(date.weekday.shortName) \(date.day) \(Self.months[(date.month - 1) % 12])\(year)"
  }

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

  private func twoDigits(_ value: Int) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}

/// The current time and zone.
package struct WallClock {
  /// The current time, in microseconds since the epoch.
  package var nowUsec: Int64
  /// The time zone of the user.
  package var zone: ZoneRules
  /// The name of the user's zone, if that zone may differ from the machine's. In this case a
  /// request must contain the name. Nil: the zones are the same.
  var foreignZone: String?

  package init(nowUsec: Int64, zone: ZoneRules, foreignZone: String? = nil) {
    (self.nowUsec, self.zone, self.foreignZone) = (nowUsec, zone, foreignZone)
  }

  /// A reader of times that are relative to this time and zone, in the user's locale.
  package var reader: PhraseReader { PhraseReader(nowUsec: nowUsec, local: zone) }

  /// The current time, and the zone of this process.
  static var here: WallClock {
    // TZ may give this process another zone than the machine's. A calendar expression that names no
    // zone is meant in the zone of this process.
    WallClock(
      nowUsec: LocalTime.nowUsec(), zone: LocalTime.zone,
      foreignZone: getenv("TZ") == nil ? nil : LocalTime.zone.name)
  }
}
