/// What the shell is told. The numbers are part of what users see.
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

/// Why a command failed: what the shell is told, one sentence for people, and where they can read more.
package struct CommandError: Error, Equatable {
  package let status: ExitStatus
  /// Empty where everything has been said already.
  package let message: String
  /// The page that says more; nil: where the usage is wrong, the page of the command does.
  package let topic: HelpTopic?

  package init(_ status: ExitStatus, _ message: String, see topic: HelpTopic? = nil) {
    self.status = status
    self.message = message
    self.topic = topic
  }

  /// The command's own limit, such as that of `wait --timeout`, came before the daemon's answer.
  /// The command that has the limit says so.
  static let limitReached = CommandError(.timedOut, "")

  package static func usage(_ message: String, see topic: HelpTopic? = nil) -> CommandError {
    CommandError(.usage, message, see: topic)
  }
}
