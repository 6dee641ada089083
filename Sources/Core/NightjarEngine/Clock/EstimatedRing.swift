/// A ring that was computed from a wall clock that was not synchronised: an estimated ring. The
/// ring may have come too early, or its lateness may be wrong. When the clock is synchronised,
/// these data show how early the ring was.
public struct EstimatedRing: Equatable, Sendable {
  /// The number of the event that recorded the ring.
  public var rangSeq: Int64
  /// The number of the event that set the deadline for which the timer rang.
  public var setSeq: Int64
  /// A pause of the timer that did not change `setSeq`; nil: there was none.
  public var interruption: Interruption?
  /// Whether the deadline was on the wall clock. If false, the deadline was on the `elapsed`
  /// counter.
  public var isOnWall: Bool
  /// How late the ring was, as far as the daemon knows; negative if the ring was early.
  public var lateUsec: Int64

  public init(
    rangSeq: Int64, setSeq: Int64, interruption: Interruption?, isOnWall: Bool, lateUsec: Int64
  ) {
    self.rangSeq = rangSeq
    self.setSeq = setSeq
    self.interruption = interruption
    self.isOnWall = isOnWall
    self.lateUsec = lateUsec
  }

  /// Adds a correction of the `elapsed` counter to the lateness. Changes nothing if the deadline
  /// was on another timeline, or was corrected by the same amount.
  mutating func apply(_ correction: SpanCorrection) {
    guard !isOnWall, rangSeq > correction.sinceSeq, setSeq <= correction.sinceSeq,
      interruption?.ranOver(correction) ?? true
    else { return }
    lateUsec += correction.byUsec
  }
}

/// An estimated ring (see `EstimatedRing`) that a user answered before the daemon knew how early it
/// was. The timer forgets the data of an answered ring, so they are kept here.
public struct AnsweredRing: Equatable, Sendable {
  /// The ring that the user answered.
  public var ring: EstimatedRing
  /// The number of the event that answered the ring.
  public var answeredSeq: Int64

  /// The most answered rings that are kept. If one more is answered, the ring with the largest
  /// lateness is dropped.
  public static let most = 16

  public init(_ ring: EstimatedRing, answeredSeq: Int64) {
    self.ring = ring
    self.answeredSeq = answeredSeq
  }
}

extension Interruption {
  /// Whether the timer ran during all of the time that the correction is about. Then a pause of the
  /// timer does not matter.
  func ranOver(_ correction: SpanCorrection) -> Bool {
    let untilSeq = max(correction.sinceSeq, correction.untilSeq)
    return isEmpty || untilSeq < pausedSeq || correction.sinceSeq >= resumedSeq
  }
}
