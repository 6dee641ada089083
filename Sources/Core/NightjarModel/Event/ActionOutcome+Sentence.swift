extension ActionOutcome {
  /// How a command ended, as the end of a sentence that begins with the command's name. For the log
  /// and popups.
  package var sentence: String {
    switch self {
    case .exited(0): "is done"
    case .exited(let status): "failed with exit status \(status)"
    case .signalled(let number): "was ended by signal \(number)"
    case .timedOut: "took too long, and was ended"
    case .notStarted(let reason): "could not be started: \(reason)"
    case .givenUp:
      "was started \(Limits.actionAttempts) times, but its end was never seen: given up"
    case .dropped:
      "was not started: too many of its kind are waiting; others may be dropped as well"
    case .unseen: "was still running when the daemon ended"
    }
  }
}
