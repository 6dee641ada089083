package import NightjarTime

/// The civil time of an instant, in the local time zone (TZ, or the system's) or in another zone.
package struct LocalTime {
  /// The local time zone of this process.
  package static let zone = ZoneDatabase.local

  package let civil: CivilTime

  package static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter usec: microseconds since the epoch.
  package init(usec: Int64, in zone: ZoneRules = LocalTime.zone) {
    civil = zone.civil(atUsec: usec)
  }

  /// The time, such as `14:32:10`.
  package var time: String {
    "\(twoDigits(civil.hour)):\(twoDigits(civil.minute)):\(twoDigits(civil.second))"
  }

  /// The time of an alarm, such as `09:30`. It has the seconds only if they are not zero.
  package var alarmTime: String { civil.second == 0 ? String(time.prefix(5)) : time }

  /// The date, such as `Tue 24 Nov`. It has the year if the year is not that of `now`.
  package func date(now: LocalTime?) -> String {
    let date = civil.date
    let year = date.year == now?.civil.date.year ? "" : " \(date.year)"
    return "\(date.weekday.shortName) \(date.day) \(Self.months[(date.month - 1) % 12])\(year)"
  }

  private func twoDigits(_ value: Int) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
