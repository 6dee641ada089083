package import NightjarClient
import NightjarConfig
package import NightjarVarlink

/// Whoever carries out calls: the daemon at the other end of a session, or that of a rehearsal.
package protocol Answering {
  /// Calls a method.
  ///
  /// - Throws: `CommandError` if there is nobody to answer; a refusal is an answer.
  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, NightjarError>

  /// Calls methods, in their order.
  ///
  /// - Throws: `CommandError` if there is nobody to answer; a refusal is an answer.
  func callAll(_ calls: [Call]) throws(CommandError) -> [Result<JSONValue, NightjarError>]

  /// A refusal, with the name that was probably meant where there is no timer of the name given.
  ///
  /// - Parameter isChange: whether a change was refused.
  func explained(_ refusal: NightjarError, isChange: Bool) -> CommandError

  /// The last event with which a timer of a name was started, from the ledger; nil: there is none, or there is no
  /// ledger.
  func lastStart(of name: String) throws(CommandError) -> Event?
}

extension Answering {
  package func lastStart(of name: String) throws(CommandError) -> Event? { nil }

  /// The refusal of a question.
  func explained(_ refusal: NightjarError) -> CommandError { explained(refusal, isChange: false) }

  /// Calls a method; a refusal is an error like any other.
  func call(_ call: Call) throws(CommandError) -> JSONValue {
    switch try answer(to: call) {
    case .success(let parameters): return parameters
    case .failure(let refusal): throw explained(refusal, isChange: !call.isQuestion)
    }
  }

  func timer(named name: String) throws(CommandError) -> NightjarTimer {
    try Session.timer(in: call(.get(name: name)))
  }

  /// Pages of timers as the daemon sends them, until there are no more.
  func forEachPage(
    prefix: String? = nil, states: [NightjarTimer.State] = [],
    _ body: (JSONValue) throws(CommandError) -> Void
  ) throws(CommandError) {
    var after: Int64?
    repeat {
      let page = try call(
        .list(prefix: prefix, states: states.isEmpty ? nil : states, after: after))
      try body(page)
      after = page["next"]?.integerValue
    } while after != nil
  }

  /// All timers, in no particular order. O(number of timers).
  func timers(
    prefix: String? = nil, states: [NightjarTimer.State] = []
  ) throws(CommandError) -> [NightjarTimer] {
    var timers: [NightjarTimer] = []
    try forEachPage(prefix: prefix, states: states) { (page) throws(CommandError) in
      timers += try Session.timers(in: page)
    }
    return timers
  }
}

extension CommandError {
  /// A refusal as a sentence with its remedy.
  ///
  /// - Parameters:
  ///   - device: the other machine that was asked; nil: this one.
  ///   - isChange: whether it was asked for a change.
  ///   - names: the timers that there are, of which one was probably meant.
  package init(
    explaining refusal: NightjarError, of device: String? = nil, isChange: Bool = false,
    names: () -> [String]
  ) {
    guard case .timerNotFound(let name) = refusal else {
      self.init(explaining: .refused(refusal), of: device, isChange: isChange)
      return
    }
    let near = NearName.nearest(to: name, among: names())
    let hint = near.map { "there is '\($0)'" } ?? "see \(Typed.nightjar) list"
    self.init(.notFound, "no timer called '\(name)'; \(hint)")
  }
}
