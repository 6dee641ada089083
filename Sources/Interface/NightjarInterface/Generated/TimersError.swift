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
  /// A timer has that name that is active, or whose ring is snoozed.
  case timerExists(name: String)
  /// The operation is not possible now. kind, state, ringing and operation are words of Kind,
  /// State, Ringing and Operation; without ringing, no ring is open. possible: the operations that
  /// are possible now.
  case invalidTransition(
    name: String, kind: String, state: String, ringing: String?, operation: String,
    possible: [String]
  )
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

  /// Reads an error from a reply. A parameter that is missing or of another type becomes empty,
  /// zero or false.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: the error's parameters, an object.
  public init(name: String, parameters: JSONValue) {
    switch name {
    case "org.nightjar.Timers.TimerNotFound":
      self = .timerNotFound(name: parameters.field("name"))
    case "org.nightjar.Timers.NothingToUndo":
      self = .nothingToUndo(reason: parameters.field("reason"))
    case "org.nightjar.Timers.TimerChanged":
      self = .timerChanged(name: parameters.field("name"), seq: parameters.field("seq"))
    case "org.nightjar.Timers.HoldNotFound":
      self = .holdNotFound(hold: parameters.field("hold"))
    case "org.nightjar.Timers.OwnerAway":
      self = .ownerAway(
        device: parameters.field("device"), state: parameters.field("state"),
        sinceUsec: parameters.field("since_usec"), inDoubt: parameters.field("in_doubt")
      )
    case "org.nightjar.Timers.TimerExists":
      self = .timerExists(name: parameters.field("name"))
    case "org.nightjar.Timers.InvalidTransition":
      self = .invalidTransition(
        name: parameters.field("name"), kind: parameters.field("kind"),
        state: parameters.field("state"), ringing: parameters.field("ringing"),
        operation: parameters.field("operation"), possible: parameters.field("possible")
      )
    case "org.nightjar.Timers.NotForKind":
      self = .notForKind(
        name: parameters.field("name"), kind: parameters.field("kind"),
        operation: parameters.field("operation")
      )
    case "org.nightjar.Timers.NeverElapses":
      self = .neverElapses(name: parameters.field("name"))
    case "org.nightjar.Timers.InvalidValue":
      self = .invalidValue(
        parameter: parameters.field("parameter"), reason: parameters.field("reason")
      )
    case "org.nightjar.Timers.LimitExceeded":
      self = .limitExceeded(limit: parameters.field("limit"), value: parameters.field("value"))
    case "org.nightjar.Timers.StorageFailed":
      self = .storageFailed(
        reason: parameters.field("reason"), inDoubt: parameters.field("in_doubt")
      )
    case "org.nightjar.Timers.EventsPruned":
      self = .eventsPruned(oldest: parameters.field("oldest"))
    case "org.nightjar.Timers.LedgerChanged":
      self = .ledgerChanged(ledger: parameters.field("ledger"))
    case "org.nightjar.Timers.TooSlow":
      self = .tooSlow(after: parameters.field("after"))
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
        $0.field("name", name)
      }
    case .nothingToUndo(let reason):
      writer.writeError(name: "org.nightjar.Timers.NothingToUndo") {
        $0.field("reason", reason)
      }
    case .timerChanged(let name, let seq):
      writer.writeError(name: "org.nightjar.Timers.TimerChanged") {
        $0.field("name", name)
        $0.field("seq", seq)
      }
    case .holdNotFound(let hold):
      writer.writeError(name: "org.nightjar.Timers.HoldNotFound") {
        $0.field("hold", hold)
      }
    case .ownerAway(let device, let state, let sinceUsec, let inDoubt):
      writer.writeError(name: "org.nightjar.Timers.OwnerAway") {
        $0.field("device", device)
        $0.field("state", state)
        $0.field("since_usec", sinceUsec)
        $0.field("in_doubt", inDoubt)
      }
    case .timerExists(let name):
      writer.writeError(name: "org.nightjar.Timers.TimerExists") {
        $0.field("name", name)
      }
    case .invalidTransition(
      let name, let kind, let state, let ringing, let operation, let possible
    ):
      writer.writeError(name: "org.nightjar.Timers.InvalidTransition") {
        $0.field("name", name)
        $0.field("kind", kind)
        $0.field("state", state)
        $0.field("ringing", ringing)
        $0.field("operation", operation)
        $0.field("possible", possible)
      }
    case .notForKind(let name, let kind, let operation):
      writer.writeError(name: "org.nightjar.Timers.NotForKind") {
        $0.field("name", name)
        $0.field("kind", kind)
        $0.field("operation", operation)
      }
    case .neverElapses(let name):
      writer.writeError(name: "org.nightjar.Timers.NeverElapses") {
        $0.field("name", name)
      }
    case .invalidValue(let parameter, let reason):
      writer.writeError(name: "org.nightjar.Timers.InvalidValue") {
        $0.field("parameter", parameter)
        $0.field("reason", reason)
      }
    case .limitExceeded(let limit, let value):
      writer.writeError(name: "org.nightjar.Timers.LimitExceeded") {
        $0.field("limit", limit)
        $0.field("value", value)
      }
    case .storageFailed(let reason, let inDoubt):
      writer.writeError(name: "org.nightjar.Timers.StorageFailed") {
        $0.field("reason", reason)
        $0.field("in_doubt", inDoubt)
      }
    case .eventsPruned(let oldest):
      writer.writeError(name: "org.nightjar.Timers.EventsPruned") {
        $0.field("oldest", oldest)
      }
    case .ledgerChanged(let ledger):
      writer.writeError(name: "org.nightjar.Timers.LedgerChanged") {
        $0.field("ledger", ledger)
      }
    case .tooSlow(let after):
      writer.writeError(name: "org.nightjar.Timers.TooSlow") {
        $0.field("after", after)
      }
    case .varlink(let error): writer.writeError(error)
    case .other(let name, let parameters):
      writer.writeError(name: name, parameters: parameters)
    }
  }
}
