internal import NightjarInterface
internal import Varlink

/// Why a request failed.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No process listens at the path, or the path cannot be reached; `code` is the errno.
  case daemonUnreachable(path: String, code: Int32)
  /// The daemon at the path belongs to another user. Nothing was sent to it.
  case anotherUsersDaemon(path: String)
  /// The daemon closed the connection, or the connection failed, before the answer was complete.
  case connectionLost
  /// The deadline passed before the answer arrived. After that, the connection cannot be used any
  /// more, except to continue a stream.
  case timedOut
  /// A message of the daemon violates Varlink or the interface.
  case protocolViolation(String)
  /// The task was cancelled before the answer arrived. The daemon may have made the change.
  case cancelled
  /// The daemon refused the request.
  case refused(TimersError)

  /// One sentence without a full stop, for the user.
  public var description: String {
    switch self {
    case .daemonUnreachable(let path, let code):
      "no daemon can be reached at \(path): \(systemMessage(code))"
    case .anotherUsersDaemon(let path):
      "the daemon at \(path) is another user's, and was sent nothing"
    case .connectionLost: "the daemon closed the connection before it had answered"
    case .timedOut: "the daemon did not answer in time"
    case .protocolViolation(let reason): "the daemon's answer makes no sense: \(reason)"
    case .cancelled: "the task was cancelled before the daemon had answered"
    case .refused(let error): error.description
    }
  }
}

extension TimersError: CustomStringConvertible {
  /// One sentence without a full stop, for the user.
  public var description: String {
    switch self {
    case .timerNotFound(let name): return "no timer called '\(name)'"
    case .timerChanged(let name, let seq):
      return seq == 0
        ? "there is no timer called '\(name)' any more"
        : "'\(name)' was changed since, by event \(seq); ask for it and decide anew"
    case .holdNotFound(let hold):
      return "there is no hold \(hold): it ended with its connection"
    case .ownerAway(let device, let state, _, let inDoubt):
      return Wire.AwayState.sentence(state, of: device)
        + (inDoubt ? "; whether the change was made is in doubt" : "")
    case .timerExists(let name): return "there is a timer called '\(name)' already"
    case .invalidTransition(let name, _, let state, let ringing, let operation, _):
      let states = [state] + (ringing.map { [$0] } ?? [])
      return "'\(name)' is \(states.joined(separator: " and ")), so \(operation) makes no sense"
    case .notForKind(let name, let kind, let operation):
      return
        "'\(name)' is \(kind == "alarm" ? "an" : "a") \(kind), and \(operation) means nothing for it"
    case .nothingToUndo(let reason): return reason
    case .neverElapses: return "that time is past, or never comes"
    case .invalidValue(_, let reason): return reason
    case .limitExceeded(let limit, let value): return "the limit '\(limit)' is \(value)"
    case .storageFailed(let reason, let inDoubt):
      return "the daemon could not write to its disk: \(reason)"
        + (inDoubt ? "; whether the change was made is in doubt" : "")
    case .eventsPruned(let oldest):
      return "those events are no longer kept; the oldest is number \(oldest)"
    case .ledgerChanged(let ledger):
      return "those numbers are of another ledger; the one there is now is called \(ledger)"
    case .tooSlow: return "the daemon's events were read too slowly"
    case .varlink(.invalidParameter(let name)): return "the daemon does not accept this '\(name)'"
    case .varlink(let error): return error.description
    case .other(let name, let parameters):
      return "the daemon answered with \(name) \(parameters.text)"
    }
  }
}
