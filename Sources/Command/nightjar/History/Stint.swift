/// A stretch of time that a run counts. A stint stores its start, its end and its planned length,
/// as the events show them. The counted time is computed after the last event, when all corrections
/// of reboots are known.
struct Stint {
  enum Start {
    case at(Reading)
    /// The reading at which the stint before was due.
    case whenDue
  }

  let counter: Counter
  /// The step of a sequence, as an index of the run's steps; nil: the timer has no steps.
  let step: Int?
  /// The position in the sequence or repetition, counted from 0 through all rounds.
  let position: Int64
  let start: Start
  /// The time from the start until the stint is due; nil: unknown.
  var limitUsec: Int64?
  /// Whether the stint continues the one before it. Its length is then the rest of that stint, plus
  /// `limitUsec`.
  let continues: Bool
  /// The reading at which the stint ended, whether it was due or not; nil: the stint has not ended.
  var end: Reading?
}

extension [Stint] {
  /// The time of each stint, as readings of its counter. O(stints × corrections).
  ///
  /// - Parameter now: the end of each stint that has not ended.
  func counted(by log: CounterLog, until now: Reading) -> [(stint: Stint, usec: Range<Int64>)] {
    var (dueUsec, endUsec): (Int64, Int64) = (0, 0)
    var leftUsec: Int64?
    var startSeq: Int64 = 0
    return map { stint in
      var began = dueUsec
      if case .at(let reading) = stint.start {
        (began, startSeq) = (log.corrected(reading, on: stint.counter), reading.seq)
      }
      // If the clock was ahead, the step before may have ended before it was due.
      var from = began
      if case .whenDue = stint.start { from = Swift.min(began, endUsec) }
      endUsec = log.corrected(stint.end ?? now, on: stint.counter, countedSince: startSeq)
      let limit =
        stint.continues ? leftUsec.map { $0 + (stint.limitUsec ?? 0) } : stint.limitUsec
      dueUsec = limit.map { began + $0 } ?? endUsec
      let until = Swift.max(from, Swift.min(endUsec, dueUsec))
      leftUsec = limit.map { $0 - (until - began) }
      return (stint, from..<until)
    }
  }
}
