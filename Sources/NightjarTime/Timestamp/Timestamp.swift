/// A point in time as somebody wrote it, such as `2026-12-24 18:00`, `tomorrow 9am` or `+1h`.
public struct Timestamp: Equatable, Sendable {
  /// Microseconds since the epoch.
  public let usec: Int64
  /// Whether only a time of day was written, which is today's.
  public let isTimeOfDay: Bool
  /// Whether a day of the week was written with it and no date: that day is today.
  let isOfWeekday: Bool

  /// Reads a point in time.
  ///
  /// The source is systemd.time(7), "Parsing Timestamps", and the behaviour of `systemd-analyze
  /// timestamp`, which the tests compare this with. Beyond it, what people write is taken: `9am`,
  /// `9:30 pm`, a time behind `today`, `tomorrow` or `yesterday`, a time zone's name, and ISO 8601
  /// with an offset (`2026-12-24T18:00:00+01:00`, `2026-12-24 18:00 -0600`). A day that its month does not have is refused. Where clocks are
  /// put forward past it, it is when they were; where they are put back to it, the first of the two.
  /// O(length of the text).
  ///
  /// - Parameters:
  ///   - text: what was written.
  ///   - now: what `now` is, in microseconds since the epoch.
  ///   - local: the local zone.
  ///   - zone: the zone of a name.
  /// - Throws: `TimeError`, with the position and what would be right.
  public init(
    _ text: String, now: Int64, local: ZoneRules,
    zone: (String) -> ZoneRules? = { ZoneDatabase.zone(named: $0) }
  ) throws(TimeError) {
    var parser = TimestampParser(text, now: now, local: local)
    self = try parser.parse(zone: zone)
  }

  init(usec: Int64, isTimeOfDay: Bool = false, isOfWeekday: Bool = false) {
    self.usec = usec
    self.isTimeOfDay = isTimeOfDay
    self.isOfWeekday = isOfWeekday
  }
}
