import NightjarClient
import NightjarWire

extension Answering {
  /// Goes through what became of several calls: every refusal is told, and the worst one is thrown
  /// at the end, as the exit code alone.
  func forEachAnswer(
    in results: [Result<JSONValue, NightjarError>],
    _ body: (JSONValue) throws(CommandError) -> Void
  ) throws(CommandError) {
    var worst = ExitStatus.fine
    for result in results {
      switch result {
      case .success(let reply): try body(reply)
      case .failure(let refusal):
        let error = explained(refusal)
        Output.complain(error.message)
        worst = max(worst, error.status)
      }
    }
    if worst != .fine { throw CommandError(worst, "") }
  }
}
