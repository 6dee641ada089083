/// A calendar with time zones. The engine asks it for the next instant of a repeating alarm. The
/// answer goes into the ledger, so that a replay needs no calendar.
public protocol Calendar: AnyObject {
  /// The first instant of `schedule` after `afterUsec`, both in microseconds of CLOCK_REALTIME;
  /// nil: there is no further instant.
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64?

  /// The local date and time in the zone of `schedule` at an instant, as a number below 2^57. It is
  /// the same number for the same date and time in any zone. If clocks show a local time twice, the
  /// second time has another number.
  func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64

  /// The instant of a local date and time as returned by `wall(_:atUsec:)`; nil: there is none.
  func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64?
}

/// Defaults for a calendar without time zones.
extension Calendar {
  public func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64 { usec }

  public func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64? { wall }
}

/// A calendar without instants, for tests and for engines without repeating alarms.
public final class NoCalendar: Calendar {
  public init() {}

  public func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? { nil }
}
