/// How far the clock of another machine is ahead of this machine's, as its messages show.
///
/// A message that took long, or that waited unread while this machine was stopped, shows too little. So the message
/// counts that shows most, until one of the clocks is set. (The clock filter of NTP chooses the least delayed of
/// several measurements in the same way: RFC 5905, section 10.)
struct ForeignClock {
  /// A difference of two clocks up to this is not taken off, in microseconds: messages take time.
  static let toleranceUsec: Int64 = 1_000_000
  /// Two clocks that are not synchronised drift apart by at most one part in so many. An older measurement counts less
  /// by that.
  private static let driftParts: Int64 = 10_000

  private var measured: (aheadUsec: Int64, nowUsec: Int64)?

  /// In microseconds; 0 up to the tolerance. Nil if no message has shown it.
  var aheadUsec: Int64? {
    measured.map { $0.aheadUsec.magnitude > UInt64(Self.toleranceUsec) ? $0.aheadUsec : 0 }
  }

  /// A message arrived.
  ///
  /// - Parameters:
  ///   - sentUsec: when it was sent, on the other machine's CLOCK_REALTIME.
  ///   - nowUsec: this machine's.
  mutating func note(sentUsec: Int64, nowUsec: Int64) {
    let shownUsec = sentUsec - nowUsec
    let known = measured.map { $0.aheadUsec - max(0, nowUsec - $0.nowUsec) / Self.driftParts }
    measured = (max(shownUsec, known ?? shownUsec), nowUsec)
  }

  /// One of the two clocks was set, or nothing is known of what happened: what was measured does not count any more.
  mutating func reset() { measured = nil }
}
