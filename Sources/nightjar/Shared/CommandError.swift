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

/// Why a command failed: what the shell is told, and one sentence for people.
package struct CommandError: Error, Equatable {
  package let status: ExitStatus
  /// Empty where everything has been said already.
  package let message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The command's own limit, such as that of `wait --timeout`, came before the daemon's answer.
  /// The command that has the limit says so.
  static let limitReached = CommandError(.timedOut, "")

  package static func usage(_ message: String) -> CommandError { CommandError(.usage, message) }
}
