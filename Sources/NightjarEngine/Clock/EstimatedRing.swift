/// A ring that was computed from a wall clock that the kernel did not vouch for. It may have come
/// too early, or its lateness may be wrong. When the kernel vouches for the clock, these data tell
/// how early the ring was.
public struct EstimatedRing: Equatable, Sendable {
  /// The number of the event that recorded the ring.
  public var rangSeq: Int64
  /// The number of the event from which its deadline was counted.
  public var setSeq: Int64
  /// A pause that did not change `setSeq`; nil: there was none.
  public var interruption: Interruption?
  /// Whether its deadline was on the wall clock; if false, it was on the `elapsed` counter.
  public var isOnWall: Bool
  /// How late the ring was, as far as known; negative: it was early.
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

  /// Applies a correction of the `elapsed` counter. Does not change a ring on another timeline, or
  /// a ring whose deadline was corrected as well.
  mutating func take(_ correction: SpanCorrection) {
    guard !isOnWall, rangSeq > correction.sinceSeq, setSeq <= correction.sinceSeq,
      interruption?.ranOver(correction) ?? true
    else { return }
    lateUsec += correction.byUsec
  }
}

/// An estimated ring that a user answered before the daemon knew how early it was. The timer no
/// longer has the data of the ring, so they are kept here.
public struct AnsweredRing: Equatable, Sendable {
  /// The ring.
  public var ring: EstimatedRing
  /// The number of the event that answered it.
  public var answeredSeq: Int64

  /// The most answered rings that are kept. If there is one more, the ring with the largest
  /// lateness is dropped.
  public static let most = 16

  /// Makes one.
  public init(_ ring: EstimatedRing, answeredSeq: Int64) {
    self.ring = ring
    self.answeredSeq = answeredSeq
  }
}

extension Interruption {
  /// Whether the correction is only about time in which the timer ran. Then the pause does not
  /// matter.
  func ranOver(_ correction: SpanCorrection) -> Bool {
    let untilSeq = max(correction.sinceSeq, correction.untilSeq)
    return isEmpty || untilSeq < pausedSeq || correction.sinceSeq >= resumedSeq
  }
}
