/// Estimates how far the clock of another machine is ahead of this machine's clock, from the
/// messages of that machine.
///
/// A message that was delayed, or that waited unread while this machine was stopped, shows too
/// small a difference. So the largest difference counts, until one of the clocks is set. (The clock
/// filter of NTP chooses the least delayed of several measurements in the same way: RFC 5905,
/// section 10.)
struct ForeignClock {
  /// If the difference is at most this, in microseconds, it counts as zero, because messages take
  /// time.
  static let toleranceUsec: Int64 = 1_000_000
  /// Two unsynchronised clocks drift apart by at most one part in this number. So an old
  /// measurement is reduced by the drift that is possible since it was made.
  private static let driftParts: Int64 = 10_000

  private var measured: (aheadUsec: Int64, nowUsec: Int64)?

  /// How far the other clock is ahead, in microseconds; 0 if the difference is at most
  /// `toleranceUsec`. Nil before the first measurement.
  var aheadUsec: Int64? {
    measured.map { $0.aheadUsec.magnitude > UInt64(Self.toleranceUsec) ? $0.aheadUsec : 0 }
  }

  /// Measures the difference with a message that has just arrived.
  ///
  /// - Parameters:
  ///   - sentUsec: when the message was sent, on the other machine's CLOCK_REALTIME.
  ///   - nowUsec: the present time on this machine's CLOCK_REALTIME.
  mutating func note(sentUsec: Int64, nowUsec: Int64) {
    let shownUsec = sentUsec - nowUsec
    let known = measured.map { $0.aheadUsec - max(0, nowUsec - $0.nowUsec) / Self.driftParts }
    measured = (max(shownUsec, known ?? shownUsec), nowUsec)
  }

  /// Discards the measurement, because one of the two clocks was set, or may have been set.
  mutating func reset() { measured = nil }
}
