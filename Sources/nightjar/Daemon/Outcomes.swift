import NightjarClient
import NightjarVarlink

extension Answering {
  /// Goes through what became of several calls: every refusal is told, and the worst one is thrown
  /// at the end, as the exit code alone.
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
        // To suggest another name takes all names there are: of many refusals the first few are worth it.
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

/// The refusals of one command that come with the name that was probably meant.
enum ExplainedRefusals {
  static let most = 8
}
