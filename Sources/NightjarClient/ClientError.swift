public import NightjarWire

/// Why a request came to nothing.
public enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nobody listens at the path, or it cannot be reached; `code` is the system's errno.
  case daemonUnreachable(path: String, code: Int32)
  /// The daemon there is another user's, and closes the connection of everyone else.
  case anotherUsersDaemon(path: String)
  /// The daemon closed the connection, or the connection broke, before the answer was complete.
  case connectionLost
  /// The deadline passed before the answer came. The connection is of no further use, except for a
  /// stream, which may be read on.
  case timedOut
  /// What came is not what Varlink or the interface has it.
  case protocolViolation(String)
  /// The task was cancelled before the answer came; what was asked for may have been done.
  case cancelled
  /// The daemon understood, and refused.
  case refused(NightjarError)

  /// One sentence without a full stop, for people.
  public var description: String {
    switch self {
    case .daemonUnreachable(let path, let code):
      "no daemon can be reached at \(path): \(systemMessage(code))"
    case .anotherUsersDaemon(let path):
      "the daemon at \(path) refuses us; it is another user's"
    case .connectionLost: "the daemon closed the connection before it had answered"
    case .timedOut: "the daemon did not answer in time"
    case .protocolViolation(let reason): "the daemon's answer makes no sense: \(reason)"
    case .cancelled: "the task was cancelled before the daemon had answered"
    case .refused(let error): error.description
    }
  }
}

/// A refusal by the daemon: an error of `org.nightjar.Timers`, or one of Varlink's own.
public enum NightjarError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no timer of that name.
  case timerNotFound(name: String)
  /// A timer of that name runs or is paused already.
  case timerExists(name: String)
  /// The operation makes no sense in the state the timer is in.
  case invalidTransition(name: String, state: String, operation: String)
  /// The operation means nothing for this kind of timer.
  case notForKind(name: String, kind: String, operation: String)
  /// The point in time is past, or the calendar has none to come.
  case neverElapses(name: String)
  /// What was asked for makes no sense; `reason` says what would.
  case invalidValue(parameter: String, reason: String)
  /// A limit of the daemon's was met; `value` is where it stands.
  case limitExceeded(limit: String, value: Int64)
  /// The daemon could not commit the change to disk. In doubt: it may be found to have happened all the
  /// same, after a loss of power or when the disk takes it after all, so ask before repeating it.
  case storageFailed(reason: String, inDoubt: Bool = false)
  /// The events asked for are no longer kept; `oldest` is the first that is.
  case eventsPruned(oldest: Int64)
  /// The ledger that was asked for is not there any more: another was begun, of this name.
  case ledgerChanged(ledger: String)
  /// A parameter is missing, unknown, of the wrong type or out of range.
  case invalidParameter(name: String)
  /// An error that this library does not know, with its full name.
  case other(name: String, parameters: JSONValue)

  /// Reads an error from a reply. A parameter that is missing becomes empty or zero.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: the error's parameters, an object.
  package init(name: String, parameters: JSONValue) {
    func text(_ key: String) -> String { parameters[key]?.stringValue ?? "" }
    func number(_ key: String) -> Int64 { parameters[key]?.integerValue ?? 0 }
    switch name {
    case "org.nightjar.Timers.TimerNotFound": self = .timerNotFound(name: text("name"))
    case "org.nightjar.Timers.TimerExists": self = .timerExists(name: text("name"))
    case "org.nightjar.Timers.InvalidTransition":
      self = .invalidTransition(
        name: text("name"), state: text("state"), operation: text("operation"))
    case "org.nightjar.Timers.NotForKind":
      self = .notForKind(name: text("name"), kind: text("kind"), operation: text("operation"))
    case "org.nightjar.Timers.NeverElapses": self = .neverElapses(name: text("name"))
    case "org.nightjar.Timers.InvalidValue":
      self = .invalidValue(parameter: text("parameter"), reason: text("reason"))
    case "org.nightjar.Timers.LimitExceeded":
      self = .limitExceeded(limit: text("limit"), value: number("value"))
    case "org.nightjar.Timers.StorageFailed":
      self = .storageFailed(
        reason: text("reason"), inDoubt: parameters["in_doubt"]?.boolValue ?? false)
    case "org.nightjar.Timers.EventsPruned": self = .eventsPruned(oldest: number("oldest"))
    case "org.nightjar.Timers.LedgerChanged": self = .ledgerChanged(ledger: text("ledger"))
    case "org.varlink.service.InvalidParameter":
      self = .invalidParameter(name: text("parameter"))
    default: self = .other(name: name, parameters: parameters)
    }
  }

  /// One sentence without a full stop, for people.
  public var description: String {
    switch self {
    case .timerNotFound(let name): return "no timer called '\(name)'"
    case .timerExists(let name): return "there is a timer called '\(name)' already"
    case .invalidTransition(let name, let state, let operation):
      return "'\(name)' is \(state), so \(operation) makes no sense"
    case .notForKind(let name, let kind, let operation):
      return
        "'\(name)' is \(kind == "alarm" ? "an" : "a") \(kind), and \(operation) means nothing for it"
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
    case .invalidParameter(let name): return "the daemon does not accept this '\(name)'"
    case .other(let name, let parameters):
      if let known = VarlinkError(name: name, parameters: parameters) { return known.description }
      return "the daemon answered with \(name) \(parameters.text)"
    }
  }
}
