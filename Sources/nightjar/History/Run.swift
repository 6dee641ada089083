import NightjarClient

/// One run of a timer: from its start to its end, with all its pauses, rings and snoozes.
struct Run: Equatable {
  /// The state of the run, or how it ended. The first five are states of a timer.
  enum State: String, CaseIterable {
    case running, paused, waiting, fired, cancelled
    /// It expired in the background, and its policy was not to ring.
    case skipped
    /// A sequence that was advanced past its last step.
    case finished
    /// It was removed before its end.
    case removed
    /// It was restarted before its end.
    case restarted
    /// It was replaced by another timer of its name before its end.
    case replaced

    /// Whether the run can still change.
    var isActive: Bool {
      switch self {
      case .running, .paused, .waiting: true
      case .fired, .cancelled, .skipped, .finished, .removed, .restarted, .replaced: false
      }
    }
  }

  /// The time counted in a step of a sequence, over all rounds.
  struct StepTime: Equatable {
    let name: String
    let isBreak: Bool
    var countedUsec: Int64 = 0
  }

  /// The part of the counted time that fell on a day.
  struct DayShare: Equatable {
    /// Days since 1970-01-01, in the local zone.
    let day: Int
    /// The step, as an index of `steps`; nil: it has none.
    let step: Int?
    var usec: Int64
  }

  let id: Int64
  /// The number of the event with which it began; if that is older than the ledger, the timer's ID.
  let startSeq: Int64
  var name: String
  let kind: NightjarTimer.Kind
  let clock: NightjarTimer.Clock
  /// The last labels.
  var labels: [NightjarTimer.Label]
  var state = State.running
  /// In microseconds since the epoch.
  let startedUsec: Int64
  /// In microseconds since the epoch; nil while the run can still change.
  var endedUsec: Int64?
  /// The start is older than the ledger, so only the later part of the run is known.
  var isCut = false
  /// The time it counted, breaks included: running, not paused, not overdue. Zero for an alarm.
  var countedUsec: Int64 = 0
  /// The part of `countedUsec` in breaks of a sequence.
  var breakUsec: Int64 { steps.reduce(0) { $1.isBreak ? $0 + $1.countedUsec : $0 } }
  /// How long it was paused, in real time.
  var pausedUsec: Int64 = 0
  /// The sum of extensions minus the sum of reductions.
  var extendedUsec: Int64 = 0
  var rings: Int64 = 0
  /// The number of expiries that had no ring of their own.
  var missed: Int64 = 0
  var laps: Int64 = 0
  /// The lateness of its last expiry.
  var lateUsec: Int64 = 0
  var lateCause: Cause?
  /// The time of the last ring depended on a wall clock that was not synchronised.
  var isEstimated = false
  var steps: [StepTime] = []
  /// In no particular order; a day may occur more than once.
  var days: [DayShare] = []
  /// Its time depends on computed readings, because the ledger has no counters for a part of it.
  var isReckoned = false

  /// The time for totals: without breaks.
  var workedUsec: Int64 { countedUsec - breakUsec }
}
