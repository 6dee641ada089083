import NightjarClient
import NightjarWire

extension Session {
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

/// One change made to each of several timers.
struct Change {
  /// What to ask for each timer.
  let call: (String) -> Call
  /// What the user calls it, where the daemon has another name for it.
  var command: String?
  /// What to say when it was done, behind the timer's name.
  let echo: (NightjarTimer) -> String
  /// What to ask instead where the daemon refuses; nil lets the refusal stand.
  var instead: (NightjarError) -> Call? = { _ in nil }

  func run(on names: [String], isJSON: Bool, session: Session) throws(CommandError) {
    var results = try session.callAll(names.map(call))
    var retries: [(index: Int, call: Call)] = []
    for (index, result) in results.enumerated() {
      if case .failure(let refusal) = result, let call = instead(refusal) {
        retries.append((index, call))
      }
    }
    for (retry, result) in zip(retries, try session.callAll(retries.map(\.call))) {
      results[retry.index] = result
    }
    try session.forEachAnswer(in: results.map { $0.mapError(asAsked) }) {
      (reply) throws(CommandError) in
      guard !isJSON else { return Output.line(reply.text) }
      let timer = try Session.timer(in: reply)
      Output.line("\(timer.name): \(echo(timer))")
    }
  }

  /// A refusal of what the user asked for, not of what the daemon was asked for instead.
  private func asAsked(_ refusal: NightjarError) -> NightjarError {
    guard let command else { return refusal }
    switch refusal {
    case .invalidTransition(let name, let state, _):
      return .invalidTransition(name: name, state: state, operation: command)
    case .notForKind(let name, let kind, _):
      return .notForKind(name: name, kind: kind, operation: command)
    default: return refusal
    }
  }
}
