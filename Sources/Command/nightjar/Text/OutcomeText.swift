import NightjarClient
import NightjarModel

struct OutcomeText {
  let outcome: Wire.Outcome?
  var exitStatus: Int64?
  var signal: Int64?
  var reason: String?

  /// - Parameter after: the words for the time that the command ran, such as ` after 2 s`; empty:
  ///   none.
  func words(after: String = "") -> String {
    switch outcome {
    case .exited? where exitStatus == 0: "done\(after)"
    case .exited?: "failed\(after), exit status \(exitStatus ?? 1)"
    case .signalled?: "ended by signal \(signal ?? 0)\(after)"
    case .timedOut?: "took too long, and was ended\(after)"
    case .notStarted?: "could not be started: \(reason ?? "the reason is not known")"
    case .givenUp?: "started again and again without a known end: given up"
    case .dropped?: "not started: too many others were waiting"
    case .unseen?: "ran on when the daemon ended"
    default: "ended"
    }
  }
}

extension OutcomeText {
  init(_ failure: Wire.CommandFailure) {
    self.init(
      outcome: failure.outcome, exitStatus: failure.exitStatus, signal: failure.signal,
      reason: failure.reason)
  }
}

extension Wire.Event {
  /// Whether the event is the end of a command that failed, so that the user should see it.
  var isFailedCommand: Bool {
    switch outcome {
    case .exited?: exitStatus != 0
    case .notStarted?: NightjarModel.ActionOutcome.notStarted(reason ?? "").isFailure
    case .signalled?, .timedOut?, .givenUp?, .dropped?: true
    default: false
    }
  }
}
