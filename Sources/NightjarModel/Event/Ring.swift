/// That a timer expired, and how late.
public struct Ring: Equatable, Sendable {
  /// The counter of `elapsed`.
  public var atElapsed: Int64
  /// How late, on its own timeline.
  public var lateUsec: Int64
  /// Why; nil: on time.
  public var cause: LateCause?
  /// The number of the span it expired in, or 0.
  public var span: Int64
  /// How it continues; nil: a timer that rings once has expired.
  public var next: Recurrence?
  /// Whether it is due only by a wall clock that was not vouched for.
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

/// How a timer continues after it expired: with another round, another step, or not at all.
public struct Recurrence: Equatable, Sendable {
  /// What continues.
  public enum Going: Equatable, Sendable {
    /// Until this deadline, on the timer's clock, so long after the last.
    case on(deadline: Int64, durationUsec: Int64)
    /// When a client asks for it.
    case waits
    /// Nothing: that was the last.
    case ends
  }

  /// Of one that repeats: how many times it has expired. Of a sequence: the step it is in then.
  public var position: Int64
  /// How many more expiries this event stands for.
  public var missed: Int64
  /// `TimerDetail.mark` from then on.
  public var mark: Int64
  /// Of a sequence: what the step is called that it is in then; else empty.
  public var step: String
  /// What continues.
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
