/// The state of a ring that its owner has not published. Instants are on the owner's
/// CLOCK_REALTIME.
public enum RingStatus: Equatable, Sendable {
  /// This machine rings for the timer.
  case on(RingKey, dueUsec: Int64)
  /// The ring is due, and this machine does not ring for it. Another machine may ring.
  case due(RingKey, dueUsec: Int64)
  /// The user has dismissed the ring, on this machine or another one.
  case dismissed(dueUsec: Int64)
  /// The user has snoozed the ring until `untilUsec`, on this machine or another one.
  case snoozed(untilUsec: Int64, dueUsec: Int64)
}
