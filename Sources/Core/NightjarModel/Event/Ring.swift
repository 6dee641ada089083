/// An expiry of a timer, and how late it was handled.
public struct Ring: Equatable, Sendable {
  /// The reading of `elapsed` when the expiry was handled.
  public var atElapsed: Int64
  /// How late the expiry was handled, on the timer's timeline, in microseconds.
  public var lateUsec: Int64
  /// Why the expiry was handled late; nil: it was on time.
  public var cause: LateCause?
  /// The number of the background span in which the timer expired; 0: it expired in none.
  public var span: Int64
  /// How the timer continues; nil: it rings only once.
  public var next: Recurrence?
  /// Whether the expiry or its lateness was computed from a wall clock that was not synchronised
  /// (see `WallClockState` in the engine).
  public var isEstimated: Bool

  public init(
    atElapsed: Int64, lateUsec: Int64, cause: LateCause?, span: Int64, next: Recurrence? = nil,
    isEstimated: Bool = false
  ) {
    self.isEstimated = isEstimated
    self.atElapsed = atElapsed
    self.lateUsec = lateUsec
    self.cause = cause
    self.span = span
    self.next = next
  }
}

/// How a timer continues after it expired: with another round or step, or not at all.
public struct Recurrence: Equatable, Sendable {
  /// What the timer does next.
  public enum Continuation: Equatable, Sendable {
    /// The next round or step, up to this deadline on the timer's clock and with this length.
    case runs(deadline: Int64, durationUsec: Int64)
    /// The next step begins when a client requests it.
    case waits
    /// The timer ends, because this was its last expiry.
    case ends
  }

  /// For a repeating timer: how often it has expired. For a sequence: its step after the expiry,
  /// counted through all rounds.
  public var position: Int64
  /// How many expiries without a ring of their own this event records.
  public var missed: Int64
  /// After this event, the last handled instant of a repeating alarm, or what a countdown notes for
  /// its next snooze.
  public var mark: Int64
  /// The name of a sequence's step after the expiry; empty for other timers.
  public var step: String
  public var continuation: Continuation

  public init(
    position: Int64, missed: Int64, mark: Int64 = 0, step: String = "", continuation: Continuation
  ) {
    self.position = position
    self.missed = missed
    self.mark = mark
    self.step = step
    self.continuation = continuation
  }
}
