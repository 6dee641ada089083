public import NightjarModel

/// Stands for the calendar and its zones. The engine asks it when an alarm repeats; what it answers
/// goes into the ledger, so that reading back needs no calendar.
public protocol Calendar: AnyObject {
  /// The first point after `afterUsec` at which `schedule` comes round, both microseconds of
  /// CLOCK_REALTIME; nil: it never comes again.
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64?

  /// What the clocks of the zone of `schedule` show at an instant: the same number for the same date and
  /// time of day in any zone, and another one where clocks show them a second time. It is below 2^57.
  func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64

  /// The instant at which they show that; nil: there is none.
  func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64?
}

/// Of a calendar without zones.
extension Calendar {
  /// The instant itself.
  public func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64 { usec }

  /// The instant itself.
  public func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64? { wall }
}

/// For cores that have no alarms that repeat.
public final class NoCalendar: Calendar {
  /// Makes one.
  public init() {}

  /// Never.
  public func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? { nil }
}
