public import NightjarModel

/// Why the engine refuses an operation. Nothing has changed then.
public enum EngineError: Error, Equatable, Sendable {
  /// No timer has this name.
  case timerNotFound
  /// A timer of this name runs, is paused, or waits.
  case timerExists
  /// Not in this state.
  case invalidTransition(TimerState, Operation)
  /// Not for what it does.
  case notForKind(TimerKind, Operation)
  /// A deadline would be further away than the longest duration.
  case durationTooLong(Int64)
  /// A snooze that is not over zero.
  case durationNotPositive(Int64)
  /// There are as many timers as there may be.
  case tooManyTimers(Int)
  /// There are as many laps as there may be.
  case tooManyLaps(Int)
  /// It counts down a snooze.
  case snoozed(Operation)
  /// It passes over as many rings to come as it may.
  case tooManySkips(Int)
  /// The point in time is past, or the calendar has none to come.
  case neverElapses
  /// No change can be taken back.
  case nothingToUndo(UndoRefusal)
  /// What was asked for makes no sense.
  case problem(SpecProblem)
}

/// Why nothing can be taken back.
public enum UndoRefusal: Equatable, Sendable {
  /// No person changed anything within the last minute, or it was taken back.
  case noChange
  /// The last change started a timer of this name, and that is never taken back.
  case started(String)
  /// A timer of this name was changed again since, or rang.
  case changedSince(String)
  /// The clock by which a timer of this name goes was set since.
  case clockSet(String)
  /// Another timer has this name now.
  case nameTaken(String)
  /// A background span ended since, after which a timer of this name would have been paused or begun anew.
  case spanEnded(String)
  /// There are as many timers as there may be.
  case tooMany
  /// The change was one of more timers than are kept.
  case tooLarge
}
