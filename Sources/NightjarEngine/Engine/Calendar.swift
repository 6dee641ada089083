public import NightjarModel

/// Stands for the calendar and its zones. The engine asks it when an alarm repeats; what it answers
/// goes into the ledger, so that reading back needs no calendar.
public protocol Calendar: AnyObject {
  /// The first point after `afterUsec` at which `schedule` comes round, both microseconds of
  /// CLOCK_REALTIME; nil: it never comes again.
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64?
}

/// For cores that have no alarms that repeat.
public final class NoCalendar: Calendar {
  /// Makes one.
  public init() {}

  /// Never.
  public func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? { nil }
}
