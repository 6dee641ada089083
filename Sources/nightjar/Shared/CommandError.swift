/// The exit code of the program. Scripts depend on the numbers, so they must not change.
package enum ExitStatus: Int32, Comparable {
  case fine = 0
  case refused = 1
  /// `wait`: the timer was cancelled or removed.
  case ended = 2
  case notFound = 3
  case noDaemon = 4
  case usage = 64
  /// `wait`: its own time-out, with the number that timeout(1) uses.
  case timedOut = 124

  package static func < (left: ExitStatus, right: ExitStatus) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The failure of a command: an exit code, one sentence for people, and the manual page with more.
package struct CommandError: Error, Equatable {
  package let status: ExitStatus
  /// Empty if everything has been printed already.
  package let message: String
  /// The page to refer to. Nil: for wrong usage, the page of the command.
  package let topic: HelpTopic?

  package init(_ status: ExitStatus, _ message: String, see topic: HelpTopic? = nil) {
    self.status = status
    self.message = message
    self.topic = topic
  }

  /// The command's own limit, such as that of `wait --timeout`, passed before the daemon answered.
  /// The command prints a message of its own for it.
  static let limitReached = CommandError(.timedOut, "")

  package static func usage(_ message: String, see topic: HelpTopic? = nil) -> CommandError {
    CommandError(.usage, message, see: topic)
  }
}
