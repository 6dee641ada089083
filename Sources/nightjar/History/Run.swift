import NightjarClient

/// One run of a timer: from its start to its end, with all its pauses, rings and snoozes.
struct Run: Equatable {
  /// How far it has come, or how it ended. The first five are the states of a timer.
  enum State: String, CaseIterable {
    case running, paused, waiting, fired, cancelled
    /// It came due unseen, and its policy was not to ring.
    case skipped
    /// A sequence that was told to go on behind its last step.
    case finished
    /// It was put away before its end.
    case removed
    /// It was begun anew before its end.
    case restarted
    /// Another timer of its name was started before its end.
    case replaced

    /// Something may still come.
    var isActive: Bool {
      switch self {
      case .running, .paused, .waiting: true
      case .fired, .cancelled, .skipped, .finished, .removed, .restarted, .replaced: false
      }
    }
  }

  /// How long a step of a sequence was counted, through all rounds.
  struct StepTime: Equatable {
    let name: String
    let isBreak: Bool
    var countedUsec: Int64 = 0
  }

  /// How much of the time counted fell on a day.
  struct DayShare: Equatable {
    /// Days since 1970-01-01, in the local zone.
    let day: Int
    /// The step, as an index of `steps`; nil: it has none.
    let step: Int?
    var usec: Int64
  }

  let id: Int64
  /// The number of the event that it began with; of one that is older than the ledger its ID.
  let startSeq: Int64
  var name: String
  let kind: NightjarTimer.Kind
  let clock: NightjarTimer.Clock
  /// As they were last.
  var labels: [NightjarTimer.Label]
  var state = State.running
  /// In microseconds since the epoch.
  let startedUsec: Int64
  /// Likewise; nil while something may still come.
  var endedUsec: Int64?
  /// Its start is older than the ledger: nothing is told of it but what came since.
  var isCut = false
  /// The time it counted, breaks included: running, not paused, not overdue. An alarm counts none.
  var countedUsec: Int64 = 0
  /// Of that, the breaks of a sequence.
  var breakUsec: Int64 { steps.reduce(0) { $1.isBreak ? $0 + $1.countedUsec : $0 } }
  /// How long it was paused, in real time.
  var pausedUsec: Int64 = 0
  /// By how much it was extended, less by how much it was shortened.
  var extendedUsec: Int64 = 0
  var rings: Int64 = 0
  /// How often it came due beyond that.
  var missed: Int64 = 0
  var laps: Int64 = 0
  /// Of the last time it came due.
  var lateUsec: Int64 = 0
  var lateCause: Cause?
  /// It rang only by a wall clock that was not vouched for.
  var isEstimated = false
  var steps: [StepTime] = []
  /// In no particular order; a day may come twice.
  var days: [DayShare] = []
  /// What it counted rests on readings of the counters that were reckoned, for the ledger has none.
  var isReckoned = false

  /// The time that totals go by: without breaks.
  var workedUsec: Int64 { countedUsec - breakUsec }
}
