/// A point in time as the user wrote it, such as `2026-12-24 18:00`, `tomorrow 9am` or `+1h`.
public struct Timestamp: Equatable, Sendable {
  /// The instant, in microseconds since the epoch.
  public let usec: Int64
  /// Whether the text has only a time of day, which then means today.
  public let isTimeOfDay: Bool
  /// Whether the text has a day of the week without a date. In this case the day is today.
  let isOfWeekday: Bool
  /// Whether the text has an offset from UTC, so that the local zone does not matter.
  let hasOffset: Bool

  /// Parses a point in time.
  ///
  /// The source is systemd.time(7), "Parsing Timestamps"; the tests compare the result with
  /// `systemd-analyze timestamp`. In addition, it accepts `9am`, `9:30 pm`, a time after `today`,
  /// `tomorrow` or `yesterday`, and the name of a time zone. It also accepts ISO 8601 with an
  /// offset (`2026-12-24T18:00:00+01:00`, `2026-12-24 18:00 -0600`). A day that its month does not
  /// have is refused. A local time that clocks skip means the moment when they were put
  /// forward. A local time that clocks show twice means the first time. O(length of the text).
  ///
  /// - Parameters:
  ///   - text: the point in time as written.
  ///   - now: the present time, in microseconds since the epoch.
  ///   - zone: returns the zone with a name.
  /// - Throws: `TimeError`, with the position and the remedy.
  public init(
    _ text: String, now: Int64, local: ZoneRules,
    zone: (String) -> ZoneRules? = { ZoneDatabase.zone(named: $0) }
  ) throws(TimeError) {
    var parser = TimestampParser(text, now: now, local: local)
    self = try parser.parse(zone: zone)
  }

  init(
    usec: Int64, isTimeOfDay: Bool = false, isOfWeekday: Bool = false, hasOffset: Bool = false
  ) {
    self.usec = usec
    self.isTimeOfDay = isTimeOfDay
    self.isOfWeekday = isOfWeekday
    self.hasOffset = hasOffset
  }
}
