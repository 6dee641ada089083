import Glibc
import NightjarClient
import NightjarInterface
import NightjarModel
import NightjarTime
import Varlink

extension CommandError {
  /// The program's name in advice about timers.
  private static let nightjar = Typed.nightjar

  /// Runs `body`. If `body` throws, throws the error as a sentence with its remedy.
  static func explaining<Result>(
    _ body: () throws(ClientError) -> Result
  ) throws(CommandError) -> Result {
    do throws(ClientError) { return try body() } catch { throw CommandError(explaining: error) }
  }

  /// A failure as a sentence with its remedy.
  ///
  /// - Parameters:
  ///   - device: the other machine that was asked; nil: this one.
  ///   - isChange: whether the failed call was a change.
  init(explaining error: ClientError, of device: String? = nil, isChange: Bool = false) {
    let status: ExitStatus =
      switch error {
      case .refused(.timerNotFound): .notFound
      // A call that reaches no daemon has the same exit status.
      case .refused(.ownerAway): .noDaemon
      case .refused, .protocolViolation: .refused
      default: .noDaemon
      }
    self.init(status, Self.sentence(of: error, device, isChange: isChange))
    if case .refused = error { return }
    failure = .call(error)
  }

  private static func sentence(
    of error: ClientError, _ device: String?, isChange: Bool
  ) -> String {
    switch (error, device) {
    case (.timedOut, let device?):
      let what = away(device, Wire.AwayState.silent.rawValue, sinceUsec: nil)
      return isChange
        ? inDoubt(what, device)
        : "\(what); try again, or wait longer with NIGHTJAR_TIMEOUT=10s"
    case (.connectionLost, let device?), (.cancelled, let device?):
      // The bridge to the other machine did not answer.
      let what = "nightjar-mqtt went away before \(device) had answered"
      return isChange ? inDoubt(what, device) : "\(what); try again"
    case (.daemonUnreachable(let path, ENAMETOOLONG), _):
      return "the socket's path is longer than a socket's path may be: \(path)"
    case (.daemonUnreachable(_, EACCES), _), (.daemonUnreachable(_, EPERM), _):
      return "\(error); it is another user's, and each user has a daemon of their own"
    case (.daemonUnreachable, _): return error.description
    case (.anotherUsersDaemon, _): return "\(error); each user has a daemon of their own"
    case (.connectionLost, nil), (.cancelled, nil):
      return "\(error); it is not known whether it was done; check with \(nightjar) list"
    case (.timedOut, nil):
      return isChange
        ? "\(error), and may still make the change; \(nightjar) list shows whether it has"
        : "\(error); \(nightjar) doctor looks for the reason, and NIGHTJAR_TIMEOUT=1min waits longer"
    case (.protocolViolation, let device):
      return "\(error); \(restart(device))"
    case (.refused(let refusal), _): return sentence(of: refusal, device, isChange: isChange)
    }
  }

  private static func inDoubt(_ sentence: String, _ device: String) -> String {
    "\(sentence); it is not known whether the change was made; check with nightjar "
      + "@\(device) list"
  }

  /// The error for an event number that is higher than the ledger's last number.
  ///
  /// - Parameter lastSeq: the ledger's last number; nil: unknown.
  static func beyondTheLedger(lastSeq: Int64?) -> CommandError {
    let end = lastSeq.map { "ends with number \($0)" } ?? "does not go that far"
    return CommandError(
      .refused,
      "the ledger \(end), so the number is from another ledger; begin with --after 0")
  }

  private static func sentence(
    of refusal: TimersError, _ asked: String?, isChange: Bool
  ) -> String {
    switch refusal {
    case .invalidTransition(
      let name, let kind, let state, let ringing, let operation, let possible):
      return transition(
        name, .init(rawValue: kind), .init(rawValue: state), hasRing: ringing != nil, operation,
        possible: possible)
    case .ownerAway(let device, let state, let sinceUsec, let inDoubt):
      let sentence = away(device, state, sinceUsec: sinceUsec)
      return inDoubt
        ? Self.inDoubt(sentence, device)
        : "\(sentence); " + (isChange ? "nothing was changed: " : "")
          + remedy(.init(rawValue: state))
    case .varlink(.permissionDenied)
    where asked.map { BridgePaths.isSession((try? Session.socketPath(.device($0))) ?? "") } ?? false:
      return
        "\(asked ?? "") is a session, whose timers are changed by their owners only; to change "
        + "your own timers, use their names without @\(asked ?? "")"
    case .varlink(.permissionDenied):
      return "\(asked ?? "that machine") does not let others do this; 'others' in [mqtt] of its "
        + "configuration says what they may, see nightjar-mqtt(1)"
    case .timerExists(let name):
      let word = Quoting.quoted(name)
      return
        "there is a timer called '\(name)'; \(nightjar) remove \(word) makes room for the new name"
    case .storageFailed(_, inDoubt: true):
      return "\(refusal): when the disk works again, check with \(nightjar) list whether the "
        + "change was made"
    case .storageFailed:
      return "\(refusal); nothing was changed: when the disk works again, try again"
    case .eventsPruned(let oldest): return "\(refusal), so use --after \(oldest - 1)"
    case .ledgerChanged(let ledger):
      return "\(refusal), so begin anew with --after 0 --ledger \(ledger)"
    case .limitExceeded("call_bytes", let most):
      return "the broker takes messages of at most \(most) bytes, and this needs a longer one; "
        + "nothing was changed"
    case .limitExceeded("answer_bytes", let most):
      return "the answer of \(asked ?? "that machine") is longer than the \(most) bytes that the "
        + "broker takes" + (isChange ? "; the change was made" : "")
    case .limitExceeded(let limit, let value) where limit.hasSuffix("_usec"):
      return
        "that is too long; the longest is \(SpanFormat.canonical(.usec(UInt64(max(0, value)))))"
    case .limitExceeded(let limit, let value):
      return "that is over a limit of the daemon's: \(limit) is at most \(value)"
    case .varlink(.invalidParameter("after")): return "\(beyondTheLedger(lastSeq: nil).message)"
    case .varlink(.invalidParameter("name")), .varlink(.invalidParameter("new_name")):
      return "\(refusal): a name has 1 to \(Limits.nameBytes) bytes, no control characters and no "
        + "empty part between its slashes"
    case .varlink(.interfaceNotFound), .varlink(.methodNotFound), .varlink(.methodNotImplemented),
      .varlink(.invalidParameter):
      return "\(refusal); \(restart(asked))"
    case .notForKind(let name, let kind, let operation):
      return notForKind(name: name, kind: .init(rawValue: kind), operation: operation)
    case .nothingToUndo(let reason):
      // The daemon's sentence suggests `nightjar remove`. For a timer of another machine, that
      // command needs the machine's name, which the daemon does not know.
      let advice = "never removes a timer: "
      return "nothing to undo: "
        + reason.replacing("\(advice)nightjar ", with: "\(advice)\(nightjar) ")
    case .neverElapses(let name):
      return
        "'\(name)' has no ring in the future; \(nightjar) alarm \(Quoting.quoted(name)) TIME --replace "
        + "starts it again; if the alarm repeats, you can also give it other days"
    case .invalidValue("ring", _):
      return
        "--exec-on, --exec-timeout and --env are settings of a command; add --exec or --shell"
    case .timerNotFound, .timerChanged, .holdNotFound, .varlink, .invalidValue, .tooSlow, .other:
      return refusal.description
    }
  }

  /// The remedy if a program does not understand the other: one of them may still run as it was
  /// before an upgrade. A unit that does not run is not started.
  private static func restart(_ device: String?) -> String {
    "it may be of another version than nightjar, so restart it"
      + (device.map { ", here and on \($0)" } ?? "")
      + ": systemctl --user try-restart nightjar.service nightjar-mqtt.service"
  }

  /// The remedy if the timers of another machine cannot be reached, by the machine's state.
  private static func remedy(_ state: Wire.AwayState) -> String {
    switch state {
    case .asleep, .offline: "try again when it is there"
    case .noBroker: "see nightjar mqtt status"
    case .silent, .noDaemon, .other: "try again"
    case .unknown: "nightjar mqtt status lists those that it knows"
    }
  }

  /// The reason why a machine does not answer, such as `laptop is asleep since 21:40`.
  static func away(
    _ device: String, _ state: String, sinceUsec: Int64?, nowUsec: Int64 = LocalTime.nowUsec()
  ) -> String {
    Wire.AwayState.sentence(
      state, of: device, since: sinceUsec.map { LocalTime.short($0, nowUsec: nowUsec) })
  }

  /// The sentence that says why an operation does not apply to a kind of timer.
  private static func notForKind(
    name: String, kind: Wire.Kind, operation: String
  ) -> String {
    let head = "cannot \(operation) '\(name)'"
    switch operation {
    case "skip" where kind == .sequence:
      return
        "\(head): it is a sequence; \(nightjar) advance \(Quoting.quoted(name)) begins its next "
        + "step"
    case "skip" where kind != .stopwatch:
      return "\(head): it rings only once; use \(nightjar) cancel \(Quoting.quoted(name))"
    case "unskip" where kind != .stopwatch: return nothingSkipped(name)
    case "skip", "unskip": return "\(head): \(article(kind)) never rings"
    case "lap": return "\(head): only a stopwatch has laps, and it is \(article(kind))"
    case "advance": return "\(head): only a sequence has steps, and it is \(article(kind))"
    case "extend", "shorten":
      return kind == .alarm
        ? "\(head): it rings by the calendar; give it another time with \(nightjar) edit "
          + "\(Quoting.quoted(name)) TIME"
        : "\(head): \(article(kind)) has no end"
    case "snooze", "dismiss": return "\(head): \(article(kind)) never rings"
    default: return "\(head): it is \(article(kind))"
    }
  }

  private static func nothingSkipped(_ name: String) -> String {
    "'\(name)' skips no ring that is still to come"
  }

  private static func article(_ kind: Wire.Kind) -> String {
    (kind == .alarm ? "an " : "a ") + kind.rawValue
  }

  /// The sentence that says why an operation is refused in a timer's present state, and which
  /// operation to use instead.
  private static func transition(
    _ name: String, _ kind: Wire.Kind, _ state: Wire.State, hasRing: Bool,
    _ operation: String, possible: [String]
  ) -> String {
    let head = "cannot \(operation) '\(name)'"
    let word = Quoting.quoted(name)
    func can(_ operation: Wire.Operation) -> Bool {
      possible.contains(operation.rawValue)
    }
    /// The advice to use one of these operations, as far as they are possible.
    func instead(_ operations: Wire.Operation...) -> String {
      let commands = operations.filter(can).map { "\(nightjar) \($0.rawValue) \(word)" }
      return commands.isEmpty ? "" : "; use \(commands.joined(separator: " or "))"
    }
    switch (state, operation) {
    case (.running, "unskip"), (.paused, "unskip"): return nothingSkipped(name)
    case (.running, "skip"), (.paused, "skip"):
      return "\(head): its next ring is its last" + instead(.cancel)
    case (.running, "dismiss"), (.paused, "dismiss"), (.waiting, "dismiss"):
      return "\(head): it is not ringing now; to end it and all its future rings, use \(nightjar) "
        + "cancel \(word)"
    case (.running, "snooze"), (.paused, "snooze"):
      var text = "\(head): it is not ringing now"
      if can(.extend) {
        let what = kind == .sequence ? "its step" : "it"
        text += "; \(nightjar) extend \(word) SPAN makes \(what) longer"
      }
      if can(.skip) { text += "; \(nightjar) skip \(word) leaves out its next ring" }
      return text
    case (.running, _): return "\(head): it is running"
    case (.paused, _): return "\(head): it is paused" + instead(.resume)
    case (.over, "cancel"), (.over, "stop"), (.over, "dismiss"):
      return "\(head): it is over" + (can(.dismiss) ? instead(.dismiss) : instead(.remove))
    case (.over, _):
      let ways = operation == "shorten" ? instead(.dismiss) : instead(.snooze, .restart)
      return "\(head): it \(hasRing ? "has rung" : "is over")\(ways)"
    case (.waiting, "extend"):
      return "\(head): its step is over" + instead(.snooze, .advance)
    case (.waiting, _): return "\(head): it waits" + instead(.advance)
    case (.cancelled, "dismiss"): return "\(head): it was cancelled" + instead(.remove)
    case (.cancelled, _): return "\(head): it was cancelled" + instead(.restart)
    case (.other, _): return "\(head): it is \(state.rawValue)"
    }
  }
}
