import Glibc

/// A point in time as it reads in the local time zone (TZ, or the system's).
struct LocalTime {
  private let fields: tm

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter usec: microseconds since the epoch.
  init(usec: Int64) {
    // Rounded down also before the epoch.
    var seconds = time_t((usec >= 0 ? usec : usec - 999_999) / 1_000_000)
    var fields = tm()
    localtime_r(&seconds, &fields)
    self.fields = fields
  }

  /// The wall clock now, in microseconds since the epoch.
  static func nowUsec() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  /// `14:32:10`.
  var time: String {
    "\(twoDigits(fields.tm_hour)):\(twoDigits(fields.tm_min)):\(twoDigits(fields.tm_sec))"
  }

  /// `Tue 24 Nov 09:30:00`, with the year unless it is `now`'s.
  func dateAndTime(now: LocalTime) -> String { "\(date(now: now)) \(time)" }

  /// `Tue 24 Nov`, with the year unless it is `now`'s.
  func date(now: LocalTime) -> String {
    let weekday = Self.weekdays[Int(fields.tm_wday) % 7]
    let month = Self.months[Int(fields.tm_mon) % 12]
    let year = fields.tm_year == now.fields.tm_year ? "" : " \(fields.tm_year + 1_900)"
    return "\(weekday) \(fields.tm_mday) \(month)\(year)"
  }

  func isSameDay(as other: LocalTime) -> Bool {
    fields.tm_year == other.fields.tm_year && fields.tm_yday == other.fields.tm_yday
  }

  /// The time of a point in time today, else the date too.
  static func short(_ usec: Int64, nowUsec: Int64) -> String {
    let (point, now) = (LocalTime(usec: usec), LocalTime(usec: nowUsec))
    return point.isSameDay(as: now) ? point.time : point.dateAndTime(now: now)
  }

  private func twoDigits(_ value: Int32) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }
}
