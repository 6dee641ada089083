/// What tells how early a deadline was handled, if it was computed from a wall clock that was not
/// synchronised: then the lateness is only an estimate, until the clock is synchronised.
public struct Estimate: Equatable, Sendable {
  /// The number of the event that handled the deadline.
  public var seq: Int64
  /// The number of the event from which the deadline was counted.
  public var countedFrom: Int64
  /// A pause of the timer that did not change `countedFrom`; nil: there was none.
  public var interruption: Interruption?
  /// Whether the deadline was on the wall clock. If false, it was on the `elapsed` counter.
  public var isOnWall: Bool

  public init(
    seq: Int64 = 0, countedFrom: Int64 = 0, interruption: Interruption? = nil,
    isOnWall: Bool = false
  ) {
    self.seq = seq
    self.countedFrom = countedFrom
    self.interruption = interruption
    self.isOnWall = isOnWall
  }

  /// Whether a correction of the `elapsed` counter moves the deadline.
  func isMoved(by correction: SpanCorrection) -> Bool {
    !isOnWall && seq > correction.sinceSeq && countedFrom <= correction.sinceSeq
      && (interruption?.ranOver(correction) ?? true)
  }
}

extension Reached {
  /// Adds a correction of the `elapsed` counter to an estimated lateness.
  mutating func apply(_ correction: SpanCorrection) {
    if estimate?.isMoved(by: correction) == true { lateUsec += correction.byUsec }
  }

  /// The wall clock was set: by the new clock, the deadline was handled later. A deadline on the
  /// wall clock is still due when it was.
  mutating func step(byUsec: Int64) {
    guard let estimate else { return }
    atUsec += byUsec
    if estimate.isOnWall { lateUsec += byUsec }
  }
}

/// An estimated sound that a user answered before the daemon knew how early it was. The timer
/// forgets the data of an answered ring, so they are kept here.
public struct AnsweredRing: Equatable, Sendable {
  /// The last sound of the ring that the user answered.
  public var sound: Reached
  /// The number of the event that answered the ring.
  public var answeredSeq: Int64

  /// The most answered rings that are kept. If one more is answered, the ring with the largest
  /// lateness is dropped.
  public static let most = 16

  public init(_ sound: Reached, answeredSeq: Int64) {
    self.sound = sound
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
