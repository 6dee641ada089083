/// A ring of which only a wall clock that is not vouched for says that it was due, or how late it was: what
/// tells, once the clock is vouched for, how early it was.
public struct EstimatedRing: Equatable, Sendable {
  /// The number of the event with which it rang.
  public var rangSeq: Int64
  /// The number of the event from which its deadline was counted.
  public var setSeq: Int64
  /// A pause over which its deadline was counted; nil: there was none.
  public var interruption: Interruption?
  /// It was by the wall clock, not by the counter of `elapsed`.
  public var isOnWall: Bool
  /// How late it was, as far as is known; below zero: it was early.
  public var lateUsec: Int64

  /// Makes one.
  public init(
    rangSeq: Int64, setSeq: Int64, interruption: Interruption?, isOnWall: Bool, lateUsec: Int64
  ) {
    self.rangSeq = rangSeq
    self.setSeq = setSeq
    self.interruption = interruption
    self.isOnWall = isOnWall
    self.lateUsec = lateUsec
  }

  /// The counter of `elapsed` is corrected. Nothing changes for a ring by another timeline, or where the
  /// deadline moves along.
  mutating func take(_ correction: SpanCorrection) {
    guard !isOnWall, rangSeq > correction.sinceSeq, setSeq <= correction.sinceSeq,
      interruption?.ranOver(correction) ?? true
    else { return }
    lateUsec += correction.byUsec
  }
}

/// A ring that somebody answered before it was known how early it was: its timer does not tell any more.
public struct AnsweredRing: Equatable, Sendable {
  /// The ring.
  public var ring: EstimatedRing
  /// The number of the event that answered it.
  public var answeredSeq: Int64

  /// At most so many are kept: the earliest, as far as is known.
  public static let most = 16

  /// Makes one.
  public init(_ ring: EstimatedRing, answeredSeq: Int64) {
    self.ring = ring
    self.answeredSeq = answeredSeq
  }
}

extension Interruption {
  /// Whether a timer that was paused so ran on over all that is corrected.
  func ranOver(_ correction: SpanCorrection) -> Bool {
    let untilSeq = max(correction.sinceSeq, correction.untilSeq)
    return isEmpty || untilSeq < pausedSeq || correction.sinceSeq >= resumedSeq
  }
}
