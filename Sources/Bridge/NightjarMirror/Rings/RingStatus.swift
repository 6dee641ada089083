/// The state of a ring that its owner has not published. Instants are on the owner's
/// CLOCK_REALTIME.
public struct RingStatus: Equatable, Sendable {
  public enum Word: Equatable, Sendable {
    /// This machine rings for the timer, since then.
    case on(sinceUsec: Int64)
    /// The ring is due, since then, and this machine does not ring for it. Another machine may
    /// ring.
    case due(sinceUsec: Int64)
    /// The user has dismissed the ring, on this machine or another one.
    case dismissed
    /// The user has snoozed the ring, on this machine or another one.
    case snoozed(untilUsec: Int64)
  }

  public let key: RingKey
  /// When the ring's expiry was due.
  public let dueUsec: Int64
  public let word: Word
}
