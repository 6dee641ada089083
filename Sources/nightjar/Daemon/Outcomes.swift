import NightjarClient
import NightjarVarlink

extension Answering {
  /// Handles the results of several calls. Prints every refusal. At the end, throws the worst exit
  /// code, without a message.
  ///
  /// - Parameter isChange: whether the calls were changes.
  func forEachAnswer(
    in results: [Result<JSONValue, NightjarError>], isChange: Bool = false,
    _ body: (JSONValue) throws(CommandError) -> Void
  ) throws(CommandError) {
    var worst = ExitStatus.fine
    var explanations = 0
    for result in results {
      switch result {
      case .success(let reply): try body(reply)
      case .failure(let refusal):
        // Suggesting a name requires all names. Only the first few refusals get a suggestion.
        explanations += 1
        let error =
          if case .timerNotFound = refusal, explanations > ExplainedRefusals.most {
            CommandError(explaining: refusal) { [] }
          } else {
            explained(refusal, isChange: isChange)
          }
        Output.complain(error.message)
        worst = max(worst, error.status)
      }
    }
    if worst != .fine { throw CommandError(worst, "") }
  }
}

/// The number of refusals in one command that suggest a name.
enum ExplainedRefusals {
  static let most = 8
}
