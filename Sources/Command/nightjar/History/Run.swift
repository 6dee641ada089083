import NightjarClient

/// One run of a timer: from its start to its end, with all its pauses, rings and snoozes.
struct Run: Equatable {
  /// The state of the run, or how it ended. The first five are states of a timer.
  enum State: String, CaseIterable {
    case running, paused, waiting, over, cancelled
    /// The timer is over, and did not ring at its last expiry, as its policies say.
    case missed
    /// The user advanced a sequence past its last step.
    case finished
    /// The timer was removed before its end.
    case removed
    /// The timer was restarted before its end.
    case restarted
    /// Another timer of the same name replaced the timer before its end.
    case replaced

    /// Whether the run can still change.
    var isActive: Bool { [.running, .paused, .waiting].contains(self) }
  }

  /// The time counted in a step of a sequence, over all rounds.
  struct StepTime: Equatable {
    let name: String
    let isBreak: Bool
    var countedUsec: Int64 = 0
  }

  /// The part of a run's counted time that belongs to a day.
  struct DayShare: Equatable {
    /// Days since 1970-01-01, in the local zone.
    let day: Int
    /// The step, as an index of `steps`; nil: the timer has no steps.
    let step: Int?
    /// When it was counted, in microseconds since the epoch.
    let range: Range<Int64>
    var usec: Int64 { range.upperBound - range.lowerBound }
  }

  /// A time on the wall clock, and the number of the event that recorded it.
  struct Instant: Equatable {
    /// In microseconds since the epoch.
    var usec: Int64
    let seq: Int64
  }

  struct RingTime: Equatable {
    var at: Instant
    let late: Lateness
  }

  /// How late an expiry, or the end of a snooze, was handled.
  struct Lateness: Equatable {
    let usec: Int64
    let cause: Wire.Cause?
    /// Whether it depends on a wall clock that was not synchronised.
    let isEstimated: Bool

    init(_ event: Wire.Event) {
      (usec, cause, isEstimated) = (event.lateUsec ?? 0, event.lateCause, event.estimated)
    }
  }

  let id: Int64
  /// The number of the event with which the run began. If the ledger no longer has that event, the
  /// timer's ID.
  let startSeq: Int64
  var name: String
  let kind: Wire.Kind
  let clock: Wire.Clock
  /// The labels that the timer had last in this run.
  var labels: WireMap<String>
  var state = State.running
  /// In microseconds since the epoch.
  let startedUsec: Int64
  /// In microseconds since the epoch; nil while the run can still change.
  var endedUsec: Int64?
  /// Whether the start is older than the ledger, so that its first rings and pauses are not known.
  var startsBeforeLedger = false
  /// The time that the run counted by its own clock, breaks included. Pauses, and the time after
  /// the deadline, are left out. Zero for an alarm.
  var countedUsec: Int64 = 0
  /// The part of `countedUsec` in breaks of a sequence.
  var breakUsec: Int64 { steps.reduce(0) { $1.isBreak ? $0 + $1.countedUsec : $0 } }
  /// The time in which the run was paused, in real time.
  var pausedUsec: Int64 = 0
  /// The sum of extensions minus the sum of reductions.
  var extendedUsec: Int64 = 0
  /// When the timer rang, in the order of the events.
  var ringTimes: [RingTime] = []
  var rings: Int64 { Int64(ringTimes.count) }
  /// The number of expiries without a ring of their own.
  var missed: Int64 = 0
  var laps: Int64 = 0
  /// How many rings nobody could see or hear.
  var unnoticed: Int64 = 0
  /// What the last ring lacked, such as `not seen`; nil: nothing.
  var lack: String?
  /// The lateness of the last ring; nil: the timer has not rung.
  var late: Lateness? { ringTimes.last?.late }
  /// The lateness of the last expiry that did not ring; nil: there is none.
  var missLate: Lateness?
  var steps: [StepTime] = []
  /// The counted time by day and step, in no particular order. A day may occur more than once.
  var days: [DayShare] = []
  /// When the run was paused, in microseconds since the epoch. Pauses may touch each other.
  var pauses: [Range<Int64>] = []

  /// The time that totals count for the run: without breaks.
  var workedUsec: Int64 { countedUsec - breakUsec }
}
