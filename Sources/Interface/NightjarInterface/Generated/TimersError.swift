// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit.

public import Varlink

/// The errors of org.nightjar.Timers.
public enum TimersError: WireFailure, Equatable {
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
  case ownerAway(device: String, state: String, sinceUsec: Int64?, inDoubt: Bool)
  /// An active timer has that name.
  case timerExists(name: String)
  /// The operation is not possible in this state. kind, state and operation are words of Kind,
  /// State and Operation. snoozed: the timer counts down a snooze. possible: the operations that
  /// are possible now.
  case invalidTransition(
    name: String,
    kind: String,
    state: String,
    snoozed: Bool,
    operation: String,
    possible: [String])
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
  case storageFailed(reason: String, inDoubt: Bool)
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
  /// An error of `org.varlink.service`.
  case varlink(VarlinkError)
  /// An error that is none of these, with its full name.
  case other(name: String, parameters: JSONValue)

  /// Reads an error from a reply. A parameter that is missing becomes empty, zero or false.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: the error's parameters, an object.
  public init(name: String, parameters: JSONValue) {
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
    default:
      self =
        VarlinkError(name: name, parameters: parameters).map { .varlink($0) }
        ?? .other(name: name, parameters: parameters)
    }
  }

  /// Appends the error as a reply.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .timerNotFound(let name):
      writer.writeError(name: "org.nightjar.Timers.TimerNotFound") {
        $0.member("name", name)
      }
    case .nothingToUndo(let reason):
      writer.writeError(name: "org.nightjar.Timers.NothingToUndo") {
        $0.member("reason", reason)
      }
    case .timerChanged(let name, let seq):
      writer.writeError(name: "org.nightjar.Timers.TimerChanged") {
        $0.member("name", name)
        $0.member("seq", seq)
      }
    case .holdNotFound(let hold):
      writer.writeError(name: "org.nightjar.Timers.HoldNotFound") {
        $0.member("hold", hold)
      }
    case .ownerAway(let device, let state, let sinceUsec, let inDoubt):
      writer.writeError(name: "org.nightjar.Timers.OwnerAway") {
        $0.member("device", device)
        $0.member("state", state)
        if let sinceUsec { $0.member("since_usec", sinceUsec) }
        $0.member("in_doubt", inDoubt)
      }
    case .timerExists(let name):
      writer.writeError(name: "org.nightjar.Timers.TimerExists") {
        $0.member("name", name)
      }
    case .invalidTransition(let name, let kind, let state, let snoozed, let operation, let possible):
      writer.writeError(name: "org.nightjar.Timers.InvalidTransition") {
        $0.member("name", name)
        $0.member("kind", kind)
        $0.member("state", state)
        $0.member("snoozed", snoozed)
        $0.member("operation", operation)
        $0.member("possible", possible)
      }
    case .notForKind(let name, let kind, let operation):
      writer.writeError(name: "org.nightjar.Timers.NotForKind") {
        $0.member("name", name)
        $0.member("kind", kind)
        $0.member("operation", operation)
      }
    case .neverElapses(let name):
      writer.writeError(name: "org.nightjar.Timers.NeverElapses") {
        $0.member("name", name)
      }
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
      writer.writeError(name: "org.nightjar.Timers.EventsPruned") {
        $0.member("oldest", oldest)
      }
    case .ledgerChanged(let ledger):
      writer.writeError(name: "org.nightjar.Timers.LedgerChanged") {
        $0.member("ledger", ledger)
      }
    case .tooSlow(let after):
      writer.writeError(name: "org.nightjar.Timers.TooSlow") {
        if let after { $0.member("after", after) }
      }
    case .varlink(let error): writer.writeError(error)
    case .other(let name, let parameters):
      writer.writeError(name: name, parameters: parameters)
    }
  }
}
