import Glibc
package import NightjarTime

/// An instant in local time: in the local time zone (TZ, or the system's), or in another.
package struct LocalTime {
  /// The zone of this process.
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

  /// `14:32:10`.
  package var time: String {
    "\(twoDigits(civil.hour)):\(twoDigits(civil.minute)):\(twoDigits(civil.second))"
  }

  /// `Tue 24 Nov`, with the year if it differs from that of `now`.
  func date(now: LocalTime?) -> String {
    let date = civil.date
    let year = date.year == now?.civil.date.year ? "" : " \(date.year)"
    return "\(date.weekday.shortName) \(date.day) \(Self.months[(date.month - 1) % 12])\(year)"
  }

  /// `Tue 24 Nov 2026`.
  package var fullDate: String { date(now: nil) }

  /// `Tue 24 Nov 09:30:00`, with the year if it differs from that of `now`.
  func dateAndTime(now: LocalTime) -> String { "\(date(now: now)) \(time)" }

  package func isSameDay(as other: LocalTime) -> Bool { civil.date == other.civil.date }

  /// The time of an instant; with the date unless it is today.
  static func short(_ usec: Int64, nowUsec: Int64, in zone: ZoneRules = LocalTime.zone) -> String {
    let (point, now) = (LocalTime(usec: usec, in: zone), LocalTime(usec: nowUsec, in: zone))
    return point.isSameDay(as: now) ? point.time : point.dateAndTime(now: now)
  }

  /// `21:45` for today, `Thu 07:00` for the next six days, `12 Jan` for other days, `Jan 2027` for
  /// other years.
  func brief(now: LocalTime) -> String {
    let (date, today) = (civil.date, now.civil.date)
    let month = Self.months[(date.month - 1) % 12]
    switch date.daysSinceEpoch - today.daysSinceEpoch {
    case 0: return String(time.prefix(5))
    case 1..<7: return "\(date.weekday.shortName) \(time.prefix(5))"
    default: return date.year == today.year ? "\(date.day) \(month)" : "\(month) \(date.year)"
    }
  }

  private func twoDigits(_ value: Int) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}

/// The current time and zone.
package struct Wall {
  /// Microseconds since the epoch.
  package var nowUsec: Int64
  /// The user's zone.
  package var zone: ZoneRules
  /// The zone's name, if the user's zone may differ from the machine's. Then a request must contain
  /// it.
  var foreignZone: String?

  package init(nowUsec: Int64, zone: ZoneRules, foreignZone: String? = nil) {
    (self.nowUsec, self.zone, self.foreignZone) = (nowUsec, zone, foreignZone)
  }

  /// Reads times relative to this time and zone, in the user's locale.
  package var reader: PhraseReader { PhraseReader(nowUsec: nowUsec, local: zone) }

  /// The current time, and the zone of this process.
  static var here: Wall {
    // TZ may give this process another zone than the machine's. A calendar expression without a
    // zone means the zone of this process.
    Wall(
      nowUsec: LocalTime.nowUsec(), zone: LocalTime.zone,
      foreignZone: getenv("TZ") == nil ? nil : LocalTime.zone.name)
  }
}
