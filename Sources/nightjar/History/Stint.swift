/// A stretch of time that a run counts. It stores the start, the end and the planned length, as the
/// events show them. Its counted time is computed at the end, when all corrections of reboots are
/// known.
struct Stint {
  /// How the stint begins.
  enum Start {
    /// A reading at an event.
    case at(Reading)
    /// The time at which the stint before was due.
    case whenDue
  }

  let counter: Counter
  /// The step of a sequence, as an index of the run's steps.
  let step: Int?
  /// The position in the sequence or repetition, counted from 0 through all rounds.
  let position: Int64
  let start: Start
  /// The time until it is due; nil: unknown.
  var limitUsec: Int64?
  /// The stint continues the one before it: its length is the rest of that stint, plus `limitUsec`.
  let goesOn: Bool
  /// When it ended, due or not; nil: it has not ended.
  var end: Reading?
}

extension [Stint] {
  /// The time of each stint, as readings of its counter. O(stints × corrections).
  ///
  /// - Parameter now: the end of stints that have not ended.
  func counted(by log: CounterLog, until now: Reading) -> [(stint: Stint, usec: Range<Int64>)] {
    var (dueUsec, endUsec): (Int64, Int64) = (0, 0)
    var leftUsec: Int64?
    var startSeq: Int64 = 0
    return map { stint in
      var began = dueUsec
      if case .at(let reading) = stint.start {
        (began, startSeq) = (log.corrected(reading, on: stint.counter), reading.seq)
      }
      // A clock that was ahead may have ended a step before it was due.
      var from = began
      if case .whenDue = stint.start { from = Swift.min(began, endUsec) }
      endUsec = log.corrected(stint.end ?? now, on: stint.counter, countedSince: startSeq)
      let limit =
        stint.goesOn ? leftUsec.map { $0 + (stint.limitUsec ?? 0) } : stint.limitUsec
      dueUsec = limit.map { began + $0 } ?? endUsec
      let until = Swift.max(from, Swift.min(endUsec, dueUsec))
      leftUsec = limit.map { $0 - (until - began) }
      return (stint, from..<until)
    }
  }
}
