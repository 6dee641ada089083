import Glibc
package import NightjarTime

/// A point in time as it reads on the wall: in the local time zone (TZ, or the system's), or in another.
package struct LocalTime {
  /// The zone that this process goes by.
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

  /// `Tue 24 Nov`, with the year unless it is `now`'s.
  func date(now: LocalTime?) -> String {
    let date = civil.date
    let year = date.year == now?.civil.date.year ? "" : " \(date.year)"
    return "\(date.weekday.shortName) \(date.day) \(Self.months[(date.month - 1) % 12])\(year)"
  }

  /// `Tue 24 Nov 2026`.
  package var fullDate: String { date(now: nil) }

  /// `Tue 24 Nov 09:30:00`, with the year unless it is `now`'s.
  func dateAndTime(now: LocalTime) -> String { "\(date(now: now)) \(time)" }

  package func isSameDay(as other: LocalTime) -> Bool { civil.date == other.civil.date }

  /// The time of a point in time today, else the date too.
  static func short(_ usec: Int64, nowUsec: Int64, in zone: ZoneRules = LocalTime.zone) -> String {
    let (point, now) = (LocalTime(usec: usec, in: zone), LocalTime(usec: nowUsec, in: zone))
    return point.isSameDay(as: now) ? point.time : point.dateAndTime(now: now)
  }

  /// `21:45` of today, `Thu 07:00` of the six days behind it, `12 Jan` of others, `Jan 2027` of other years.
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

/// What the clock on the wall shows, and where it hangs.
package struct Wall {
  /// Microseconds since the epoch.
  package var nowUsec: Int64
  /// The zone of whoever asks.
  package var zone: ZoneRules
  /// That zone's name, where it is not the machine's own: what is to go by it has to say so.
  var foreignZone: String?

  package init(nowUsec: Int64, zone: ZoneRules, foreignZone: String? = nil) {
    (self.nowUsec, self.zone, self.foreignZone) = (nowUsec, zone, foreignZone)
  }

  /// Reads times as they are said at that wall, by the user's locale.
  package var reader: PhraseReader { PhraseReader(nowUsec: nowUsec, local: zone) }

  /// As this process sees it.
  static var here: Wall {
    // An expression without a zone goes by the caller's, if that is not the machine's.
    Wall(
      nowUsec: LocalTime.nowUsec(), zone: LocalTime.zone,
      foreignZone: getenv("TZ") == nil ? nil : LocalTime.zone.name)
  }
}
