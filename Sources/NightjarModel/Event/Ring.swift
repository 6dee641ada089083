/// An expiry of a timer, and how late it was handled.
public struct Ring: Equatable, Sendable {
  /// The counter of `elapsed` when it was handled.
  public var atElapsed: Int64
  /// How late it was handled, on the timer's timeline, in microseconds.
  public var lateUsec: Int64
  /// Why it was late; nil: it was on time.
  public var cause: LateCause?
  /// The number of the span in which the timer expired, or 0.
  public var span: Int64
  /// How the timer continues; nil: it rings only once.
  public var next: Recurrence?
  /// Whether it depends on a wall clock that the kernel did not vouch for.
  public var isEstimated: Bool

  /// Makes a ring.
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
  /// What comes next.
  public enum Going: Equatable, Sendable {
    /// The next round or step, up to this deadline on the timer's clock and with this length.
    case on(deadline: Int64, durationUsec: Int64)
    /// The next step, when a client requests it.
    case waits
    /// Nothing: this was the last.
    case ends
  }

  /// For a repeating timer: how often it has expired. For a sequence: its step after the expiry,
  /// counted through all rounds.
  public var position: Int64
  /// How many further expiries this event stands for.
  public var missed: Int64
  /// `TimerDetail.mark` after this event.
  public var mark: Int64
  /// The name of a sequence's step after the expiry; empty for other timers.
  public var step: String
  /// What comes next.
  public var going: Going

  /// Makes one.
  public init(
    position: Int64, missed: Int64, mark: Int64 = 0, step: String = "", going: Going
  ) {
    self.position = position
    self.missed = missed
    self.mark = mark
    self.step = step
    self.going = going
  }
}
