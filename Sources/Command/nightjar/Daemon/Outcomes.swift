import NightjarClient
import Varlink

extension Answering {
  /// Calls `body` with each reply, and prints every refusal. If there was a refusal, throws the
  /// highest exit status at the end, without a message.
  ///
  /// - Parameter isChange: whether the calls were changes.
  func forEachAnswer(
    in results: [Result<JSONValue, TimersError>], isChange: Bool = false,
    _ body: (JSONValue) throws(CommandError) -> Void
  ) throws(CommandError) {
    var worst = ExitStatus.fine
    var explanations = 0
    for result in results {
      switch result {
      case .success(let reply): try body(reply)
      case .failure(let refusal):
        // Only the first few refusals suggest a name, because a suggestion needs the names of all
        // timers.
        explanations += 1
        let error =
          if case .timerNotFound = refusal, explanations > ExplainedRefusals.most {
            CommandError(explaining: refusal) { [] }
          } else {
            explained(refusal, isChange: isChange)
          }
        Output.complain("\(error.message)")
        worst = max(worst, error.status)
      }
    }
    if worst != .fine { throw CommandError(worst, "") }
  }
}

/// The most refusals of one command that suggest a name.
enum ExplainedRefusals {
  static let most = 8
}
