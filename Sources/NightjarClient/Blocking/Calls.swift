import NightjarVarlink

extension Call {
  /// An operation on one timer that needs nothing but its name.
  package enum Operation: CaseIterable, Sendable {
    /// Holds a running timer.
    case pause
    /// Lets a paused timer go on.
    case resume
    /// Ends a running or paused timer before its time.
    case cancel
    /// Begins a timer's run anew.
    case restart
    /// Puts a fired timer away.
    case dismiss
    /// Puts a timer away in whatever state.
    case remove
    /// Goes on to the next step of a sequence.
    case advance
    /// Takes down what a stopwatch has measured.
    case lap
    /// Passes over the next expiry.
    case skip
    /// Takes that back.
    case unskip
  }

  /// Does something to one timer.
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
