// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

public import Varlink

/// A refusal by the service: an error of `org.nightjar.Timers`, or another.
public enum NightjarError: Error, Equatable, Sendable {
  /// There is no timer of that name.
  case timerNotFound(name: String)
  /// There is no change that can be undone. reason: one sentence that says why.
  case nothingToUndo(reason: String)
  /// The number of the timer's last event differs from if_seq. seq: the number of its last event; 0
  /// if there is no such timer.
  case timerChanged(name: String, seq: Int64)
  /// No client has a hold with this number, because the connection of the hold was closed.
  case holdNotFound(hold: Int64)
  /// The timers belong to another machine of the person, device, which cannot be reached. Only a
  /// socket of the bridge nightjar-mqtt replies with this. state: why, a word of AwayState.
  /// since_usec: since when it is asleep or offline. in_doubt: the change was sent, and may have
  /// been made.
  case ownerAway(device: String, state: String, sinceUsec: Int64?, inDoubt: Bool = false)
  /// An active timer has that name.
  case timerExists(name: String)
  /// The operation is not possible in this state. kind, state and operation are words of Kind,
  /// State and Operation. snoozed: the timer counts down a snooze. possible: the operations that
  /// are possible now.
  case invalidTransition(
    name: String,
    kind: String,
    state: String,
    snoozed: Bool = false,
    operation: String,
    possible: [String] = [])
  /// The operation does not exist for this kind of timer. kind and operation are words of Kind and
  /// Operation.
  case notForKind(name: String, kind: String, operation: String)
  /// The point in time is past, or the calendar expression has no time to come.
  case neverElapses(name: String)
  /// A parameter has a value that is not allowed. reason: one sentence that says what would be
  /// right.
  case invalidValue(parameter: String, reason: String)
  /// A limit is exceeded. limit is its name, and value is the most that it allows.
  case limitExceeded(limit: String, value: Int64)
  /// The change could not be written to the disk and was not made. reason: what went wrong. With
  /// in_doubt, the change may turn out to have been made, after a loss of power or when the disk
  /// works again. Call Get before you repeat it.
  case storageFailed(reason: String, inDoubt: Bool = false)
  /// The ledger does not have these events any more. oldest is the first that it has.
  case eventsPruned(oldest: Int64)
  /// The numbers are those of another ledger. The daemon has begun the present one, whose name is
  /// ledger, since.
  case ledgerChanged(ledger: String)
  /// The stream has ended, because the client read its Watch or Events too slowly while memory for
  /// all such clients was short. The client misses no event if it calls again with this value of
  /// after. If after is absent, it calls without after, or with the number of the last event that
  /// it has read.
  case tooSlow(after: Int64?)
  /// A parameter is missing, unknown, of the wrong type or out of range.
  case invalidParameter(name: String)
  /// An error that is none of these, with its full name.
  case other(name: String, parameters: JSONValue)

  /// Reads an error from a reply. A parameter that is missing becomes empty, zero or false.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: the error's parameters, an object.
  package init(name: String, parameters: JSONValue) {
    switch name {
    case "org.nightjar.Timers.TimerNotFound":
      self = .timerNotFound(
        name: parameters["name"]?.stringValue ?? "")
    case "org.nightjar.Timers.NothingToUndo":
      self = .nothingToUndo(
        reason: parameters["reason"]?.stringValue ?? "")
    case "org.nightjar.Timers.TimerChanged":
      self = .timerChanged(
        name: parameters["name"]?.stringValue ?? "",
        seq: parameters["seq"]?.integerValue ?? 0)
    case "org.nightjar.Timers.HoldNotFound":
      self = .holdNotFound(
        hold: parameters["hold"]?.integerValue ?? 0)
    case "org.nightjar.Timers.OwnerAway":
      self = .ownerAway(
        device: parameters["device"]?.stringValue ?? "",
        state: parameters["state"]?.stringValue ?? "",
        sinceUsec: parameters["since_usec"]?.integerValue,
        inDoubt: parameters["in_doubt"]?.boolValue ?? false)
    case "org.nightjar.Timers.TimerExists":
      self = .timerExists(
        name: parameters["name"]?.stringValue ?? "")
    case "org.nightjar.Timers.InvalidTransition":
      self = .invalidTransition(
        name: parameters["name"]?.stringValue ?? "",
        kind: parameters["kind"]?.stringValue ?? "",
        state: parameters["state"]?.stringValue ?? "",
        snoozed: parameters["snoozed"]?.boolValue ?? false,
        operation: parameters["operation"]?.stringValue ?? "",
        possible: parameters["possible"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    case "org.nightjar.Timers.NotForKind":
      self = .notForKind(
        name: parameters["name"]?.stringValue ?? "",
        kind: parameters["kind"]?.stringValue ?? "",
        operation: parameters["operation"]?.stringValue ?? "")
    case "org.nightjar.Timers.NeverElapses":
      self = .neverElapses(
        name: parameters["name"]?.stringValue ?? "")
    case "org.nightjar.Timers.InvalidValue":
      self = .invalidValue(
        parameter: parameters["parameter"]?.stringValue ?? "",
        reason: parameters["reason"]?.stringValue ?? "")
    case "org.nightjar.Timers.LimitExceeded":
      self = .limitExceeded(
        limit: parameters["limit"]?.stringValue ?? "",
        value: parameters["value"]?.integerValue ?? 0)
    case "org.nightjar.Timers.StorageFailed":
      self = .storageFailed(
        reason: parameters["reason"]?.stringValue ?? "",
        inDoubt: parameters["in_doubt"]?.boolValue ?? false)
    case "org.nightjar.Timers.EventsPruned":
      self = .eventsPruned(
        oldest: parameters["oldest"]?.integerValue ?? 0)
    case "org.nightjar.Timers.LedgerChanged":
      self = .ledgerChanged(
        ledger: parameters["ledger"]?.stringValue ?? "")
    case "org.nightjar.Timers.TooSlow":
      self = .tooSlow(
        after: parameters["after"]?.integerValue)
    case "org.varlink.service.InvalidParameter":
      self = .invalidParameter(name: parameters["parameter"]?.stringValue ?? "")
    default: self = .other(name: name, parameters: parameters)
    }
  }
}
