/// Something that can be asked of a timer.
public enum Operation: Sendable, CaseIterable {
  case pause, resume, cancel, restart, extend, snooze, dismiss, remove, update

  /// The name on the wire and on the command line.
  public var name: StaticString {
    switch self {
    case .pause: "pause"
    case .resume: "resume"
    case .cancel: "cancel"
    case .restart: "restart"
    case .extend: "extend"
    case .snooze: "snooze"
    case .dismiss: "dismiss"
    case .remove: "remove"
    case .update: "update"
    }
  }

  /// Whether it is legal in `state`: the whole table, for the tests and for the manual.
  public func isLegal(in state: TimerState) -> Bool {
    switch (self, state) {
    case (.pause, .running), (.resume, .paused): true
    case (.cancel, .running), (.cancel, .paused): true
    case (.extend, .running), (.extend, .paused): true
    case (.snooze, .fired), (.dismiss, .fired): true
    case (.restart, _), (.remove, _), (.update, _): true
    case (.pause, .paused), (.pause, .fired), (.pause, .cancelled): false
    case (.resume, .running), (.resume, .fired), (.resume, .cancelled): false
    case (.cancel, .fired), (.cancel, .cancelled): false
    case (.extend, .fired), (.extend, .cancelled): false
    case (.snooze, .running), (.snooze, .paused), (.snooze, .cancelled): false
    case (.dismiss, .running), (.dismiss, .paused), (.dismiss, .cancelled): false
    }
  }
}

/// Why the engine refuses an operation. Nothing has changed then.
public enum EngineError: Error, Equatable, Sendable {
  /// No timer has this name.
  case timerNotFound
  /// A timer of this name runs or is paused.
  case timerExists
  /// Not in this state.
  case invalidTransition(TimerState, Operation)
  /// A duration would be over the longest.
  case durationTooLong(Int64)
  /// A duration or a snooze that is not over zero.
  case durationNotPositive(Int64)
  /// There are as many timers as there may be.
  case tooManyTimers(Int)
}
