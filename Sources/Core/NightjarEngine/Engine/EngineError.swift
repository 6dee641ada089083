public import NightjarModel

/// Why the engine refuses an operation. The operation has changed nothing.
public enum EngineError: Error, Equatable, Sendable {
  /// No timer has this name.
  case timerNotFound
  /// A timer of this name runs, is paused, or waits.
  case timerExists
  /// The operation is not possible in this state of the timer.
  case invalidTransition(TimerState, Operation)
  /// The operation does not exist for this kind of timer.
  case notForKind(TimerKind, Operation)
  /// A deadline would be further away than the longest duration, in microseconds.
  case durationTooLong(Int64)
  /// The length of a snooze is not above zero, in microseconds.
  case durationNotPositive(Int64)
  /// The limit on the number of timers is reached.
  case tooManyTimers(Int)
  /// The limit on the number of laps is reached.
  case tooManyLaps(Int)
  /// The limit on the number of skipped expiries is reached.
  case tooManySkips(Int)
  /// The instant at which the timer would ring is past, or the schedule has no further instant.
  case neverElapses
  /// There is no change that can be undone.
  case nothingToUndo(UndoRefusal)
  /// The specification is invalid.
  case problem(SpecProblem)
}

/// Why a change cannot be undone.
public enum UndoRefusal: Equatable, Sendable {
  /// No person changed anything within the last minute, or the change is undone already.
  case noChange
  /// The last change started a timer of this name. A start is never undone.
  case started(String)
  /// The timer of this name was changed again, or rang, after the change.
  case changedSince(String)
  /// The wall clock, by which the timer of this name runs, was set after the change.
  case clockSet(String)
  /// Another timer has this name now.
  case nameTaken(String)
  /// A background span ended after the change. Without the change, it would have paused the timer
  /// of this name or restarted its step.
  case spanEnded(String)
  /// The limit on the number of timers is reached.
  case tooMany
  /// The change was about more timers than the history stores.
  case tooLarge
}
