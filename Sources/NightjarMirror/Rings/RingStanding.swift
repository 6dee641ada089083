/// The state of a ring that its owner has not published. Instants are on the owner's
/// CLOCK_REALTIME.
public enum RingStanding: Equatable, Sendable {
  /// It rings here.
  case on(RingKey, dueUsec: Int64)
  /// It is due and does not ring here. Another machine may ring for it.
  case due(RingKey, dueUsec: Int64)
  /// It was dismissed, here or on another machine.
  case dismissed(dueUsec: Int64)
  /// It was snoozed until `untilUsec`, here or on another machine.
  case snoozed(untilUsec: Int64, dueUsec: Int64)
}
