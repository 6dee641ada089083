package import NightjarClient
package import NightjarInterface

/// The exit code of the program. Scripts depend on the numbers, so the numbers must not change.
package enum ExitStatus: Int32, CaseIterable, Comparable {
  case fine = 0
  case refused = 1
  /// `wait`: the timer was cancelled or removed before it rang.
  case ended = 2
  case notFound = 3
  case noDaemon = 4
  case usage = 64
  /// `wait`: the time of --timeout is over. The number is the one that timeout(1) uses.
  case timedOut = 124

  package static func < (left: ExitStatus, right: ExitStatus) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The failure of a command: an exit code, a sentence for people, and the manual page that explains
/// it.
package struct CommandError: Error {
  package let status: ExitStatus
  package let message: Sentence
  /// Whether the sentence ends in a question, which suggests a correction.
  let isQuestion: Bool
  /// Whether the command has already printed all messages, so that the sentence is empty.
  package let isPrinted: Bool
  /// The manual page to which the program refers the user. If it is nil and the exit code is that
  /// of wrong usage, the program refers to the page of the command.
  package let topic: HelpTopic?
  /// What a caller may have to know of the failure; nil: nothing but the sentence.
  package var failure: Failure?

  package enum Failure: Equatable {
    /// A call got no answer.
    case call(ClientError)
    case noBridge
  }

  package init(
    _ status: ExitStatus, _ message: String, see topic: HelpTopic? = nil, failure: Failure? = nil
  ) {
    self.status = status
    self.message = Sentence(message)
    isQuestion = message.hasSuffix("?")
    isPrinted = message.isEmpty
    self.topic = topic
    self.failure = failure
  }

  /// The error if the command's own limit, such as that of `wait --timeout`, passed before the
  /// daemon answered. The message is empty, because the command prints one of its own.
  static let limitReached = CommandError(.timedOut, "")

  package static func usage(_ message: String, see topic: HelpTopic? = nil) -> CommandError {
    CommandError(.usage, message, see: topic)
  }
}
