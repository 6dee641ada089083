package import NightjarClient
import NightjarConfig
import NightjarTime
package import Varlink

/// A receiver of calls: the daemon at the other end of a session, or the daemon of a rehearsal.
package protocol Answering {
  /// Calls a method.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func answer(to call: Call) throws(CommandError) -> Result<JSONValue, TimersError>

  /// Calls methods, in their order.
  ///
  /// - Throws: `CommandError` if no daemon answers; a refusal is an answer.
  func callAll(_ calls: [Call]) throws(CommandError) -> [Result<JSONValue, TimersError>]

  /// The error for a refusal. If there is no timer of that name, the error suggests the name that
  /// the user probably meant.
  ///
  /// - Parameter isChange: whether a change was refused.
  func explained(_ refusal: TimersError, isChange: Bool) -> CommandError

  /// The last event in the ledger that started a timer of this name; nil: there is none, or there
  /// is no ledger.
  func lastStart(of name: String) throws(CommandError) -> Wire.Event?
}

extension Answering {
  package func lastStart(of name: String) throws(CommandError) -> Wire.Event? { nil }

  /// The error for a refused query.
  func explained(_ refusal: TimersError) -> CommandError { explained(refusal, isChange: false) }

  /// Calls a method, and returns the reply. Throws the error for a refusal.
  func call(_ call: Call) throws(CommandError) -> JSONValue {
    switch try answer(to: call) {
    case .success(let parameters): return parameters
    case .failure(let refusal): throw explained(refusal, isChange: !call.isQuestion)
    }
  }

  func timer(named name: String) throws(CommandError) -> Wire.Timer {
    try Session.timer(in: call(Call(Wire.Get(name: name))))
  }

  /// Calls `body` with each page of timers, in the order of the daemon's replies.
  func forEachPage(
    prefix: String? = nil, states: [Wire.State] = [], ringing: [Wire.Ringing] = [],
    _ body: (JSONValue) throws(CommandError) -> Void
  ) throws(CommandError) {
    var question = Wire.List()
    (question.prefix, question.states) = (prefix, states.isEmpty ? nil : states)
    question.ringing = ringing.isEmpty ? nil : ringing
    repeat {
      let page = try call(Call(question))
      try body(page)
      question.after = page["next"]?.integerValue
    } while question.after != nil
  }

  /// All timers, in no particular order. O(number of timers).
  func timers(
    prefix: String? = nil, states: [Wire.State] = []
  ) throws(CommandError) -> [Wire.Timer] {
    var timers: [Wire.Timer] = []
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
  ///   - isChange: whether the call was a change.
  ///   - names: the names of the existing timers. If one of them is close to the name in the
  ///     refusal, the sentence suggests it.
  package init(
    explaining refusal: TimersError, of device: String? = nil, isChange: Bool = false,
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
