package import NightjarCore
internal import NightjarLedger
package import NightjarWire

/// What a call is refused with: an error of our interface, or one of Varlink's own.
package enum CallError: Error {
  case timerNotFound(String)
  case timerExists(String)
  case invalidTransition(name: String, TimerState, Operation)
  case notForKind(name: String, TimerKind, Operation)
  case neverElapses(name: String)
  case invalidValue(String, String)
  case limitExceeded(String, Int64)
  /// In doubt: what was asked for may be found to have happened all the same.
  case storageFailed(String, inDoubt: Bool = false)
  case eventsPruned(oldest: Int64)
  case ledgerChanged(String)
  case tooSlow(after: Int64?)
  case varlink(VarlinkError)

  /// A parameter is missing, of the wrong type, unknown or out of its range.
  package static func invalid(_ parameter: String) -> CallError {
    .varlink(.invalidParameter(parameter: parameter))
  }

  /// What the engine refused about the timer `name`.
  package init(_ error: EngineError, name: String, duration: String = "duration_usec") {
    switch error {
    case .timerNotFound: self = .timerNotFound(name)
    case .timerExists: self = .timerExists(name)
    case .invalidTransition(let state, let operation):
      self = .invalidTransition(name: name, state, operation)
    case .durationTooLong(let limit): self = .limitExceeded(duration, limit)
    case .durationNotPositive: self = .invalid(duration)
    case .notForKind(let kind, let operation): self = .notForKind(name: name, kind, operation)
    case .neverElapses: self = .neverElapses(name: name)
    case .tooManyLaps(let limit): self = .limitExceeded("laps", Int64(limit))
    case .problem(let problem): self = CallError(problem)
    case .tooManyTimers(let limit): self = .limitExceeded("timers", Int64(limit))
    }
  }

  /// What makes no sense about a timer.
  package init(_ problem: SpecProblem) {
    if let limit = problem.limit {
      self = .limitExceeded(limit.name, limit.most)
    } else if problem.part == .wake || problem.part == .durationUsec {
      self = .invalid(problem.part.rawValue)
    } else {
      self = .invalidValue(problem.part.rawValue, problem.reason)
    }
  }

  /// Appends the error as a reply.
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .timerNotFound(let name):
      writer.writeError(name: "org.nightjar.Timers.TimerNotFound") { $0.member("name", name) }
    case .timerExists(let name):
      writer.writeError(name: "org.nightjar.Timers.TimerExists") { $0.member("name", name) }
    case .invalidTransition(let name, let state, let operation):
      writer.writeError(name: "org.nightjar.Timers.InvalidTransition") {
        $0.member("name", name)
        $0.member("state", state.name)
        $0.member("operation", operation.name)
      }
    case .notForKind(let name, let kind, let operation):
      writer.writeError(name: "org.nightjar.Timers.NotForKind") {
        $0.member("name", name)
        $0.member("kind", kind.name)
        $0.member("operation", operation.name)
      }
    case .neverElapses(let name):
      writer.writeError(name: "org.nightjar.Timers.NeverElapses") { $0.member("name", name) }
    case .invalidValue(let parameter, let reason):
      writer.writeError(name: "org.nightjar.Timers.InvalidValue") {
        $0.member("parameter", parameter)
        $0.member("reason", reason)
      }
    case .limitExceeded(let limit, let value):
      writer.writeError(name: "org.nightjar.Timers.LimitExceeded") {
        $0.member("limit", limit)
        $0.member("value", value)
      }
    case .storageFailed(let reason, let inDoubt):
      writer.writeError(name: "org.nightjar.Timers.StorageFailed") {
        $0.member("reason", reason)
        $0.member("in_doubt", inDoubt)
      }
    case .eventsPruned(let oldest):
      writer.writeError(name: "org.nightjar.Timers.EventsPruned") { $0.member("oldest", oldest) }
    case .ledgerChanged(let name):
      writer.writeError(name: "org.nightjar.Timers.LedgerChanged") { $0.member("ledger", name) }
    case .tooSlow(let after):
      writer.writeError(name: "org.nightjar.Timers.TooSlow") { writer in
        if let after { writer.member("after", after) }
      }
    case .varlink(let error): writer.writeError(error)
    }
  }
}
