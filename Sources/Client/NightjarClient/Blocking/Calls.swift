import Varlink

extension Call {
  /// An operation on one timer whose only parameter is the timer's name.
  package enum Operation: CaseIterable, Sendable {
    /// Pauses a running timer.
    case pause
    /// Resumes a paused timer.
    case resume
    /// Ends a running or paused timer before its time.
    case cancel
    /// Restarts a timer's run from the beginning.
    case restart
    /// Dismisses a timer that fired.
    case dismiss
    /// Removes a timer in any state.
    case remove
    /// Advances a sequence to its next step.
    case advance
    /// Records the time that a stopwatch has measured.
    case lap
    /// Skips the next expiry of a repeating timer.
    case skip
    /// Withdraws the last skip.
    case unskip
  }

  /// A call of an operation on one timer.
  package static func perform(_ operation: Operation, name: String) -> Call {
    switch operation {
    case .pause: pause(name: name)
    case .resume: resume(name: name)
    case .cancel: cancel(name: name)
    case .restart: restart(name: name)
    case .dismiss: dismiss(name: name)
    case .remove: remove(name: name)
    case .advance: advance(name: name)
    case .lap: lap(name: name)
    case .skip: skip(name: name)
    case .unskip: unskip(name: name)
    }
  }
}
