package import NightjarEngine
package import NightjarInterface
internal import NightjarLedger
package import NightjarModel
internal import NightjarParameters
internal import Varlink

extension TimersError {
  /// The error for what the engine refused, on the timer with this name.
  ///
  /// - Parameter timer: the timer. Only operations on a timer are refused because of its state.
  package init(
    _ error: EngineError, name: String, duration: String = "duration_usec",
    timer: (slot: Int, engine: Engine, now: Moment)? = nil
  ) {
    switch error {
    case .timerNotFound: self = .timerNotFound(name: name)
    case .timerExists: self = .timerExists(name: name)
    case .invalidTransition(_, let operation):
      guard let timer else { preconditionFailure("no timer refuses '\(operation.name)'") }
      let refusing = timer.engine.timer(at: timer.slot)
      self = .invalidTransition(
        name: name, kind: "\(refusing.spec.kind.name)",
        state: "\(refusing.state.name)",
        ringing: refusing.ring.map { Wire.Ringing($0.state).rawValue },
        operation: "\(operation.name)",
        possible: timer.engine.possibleOperations(timer.slot, at: timer.now).map { "\($0.name)" })
    case .tooManySkips(let limit): self = .limitExceeded(limit: "skips", value: Int64(limit))
    case .durationTooLong(let limit): self = .limitExceeded(limit: duration, value: limit)
    case .durationNotPositive: self = .invalid(duration)
    case .notForKind(let kind, let operation):
      self = .notForKind(name: name, kind: "\(kind.name)", operation: "\(operation.name)")
    case .neverElapses: self = .neverElapses(name: name)
    case .tooManyLaps(let limit): self = .limitExceeded(limit: "laps", value: Int64(limit))
    case .nothingToUndo(let refusal): self = .nothingToUndo(reason: refusal.reason)
    case .problem(let problem): self = TimersError(problem)
    case .tooManyTimers(let limit): self = .limitExceeded(limit: "timers", value: Int64(limit))
    }
  }
}

extension UndoRefusal {
  /// The reason in one sentence, without a full stop.
  var reason: String {
    switch self {
    case .noChange:
      "no change by a person within the last minute is left to undo; a restart of the daemon "
        + "forgets them all"
    case .started(let name):
      "the last change started '\(name)', and an undo never removes a timer: nightjar remove "
        + "'\(name)' does, and another undo takes back the change before it"
    case .changedSince(let name): "'\(name)' was changed again since, or rang"
    case .clockSet(let name): "the clock of '\(name)' was set since"
    case .spanEnded(let name): "a background span ended since '\(name)' was changed"
    case .nameTaken(let name): "there is another timer called '\(name)' now"
    case .tooMany: "there are as many timers as there may be"
    case .tooLarge: "the last change was one of more than \(Limits.undoTimers) timers"
    }
  }
}
