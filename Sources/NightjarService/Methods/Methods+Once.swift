internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarVarlink

/// Changes that a client makes once, however often it sends the call; and only if a timer is as it knows it.
extension Methods {
  /// Carries out a change, unless it has an id that an earlier one had: then the answer is the one that was
  /// given to that. O(log of the answers that are kept) beside the change.
  ///
  /// - Parameters:
  ///   - request: the id; if it is nil, the change is carried out.
  ///   - change: makes the change and writes the reply, or throws what the call is refused with. It
  ///     is called only if the disk takes what is changed.
  func once(
    _ request: JSONText?, _ exchange: inout Exchange,
    _ change: (inout Exchange) throws(CallError) -> Void
  ) throws(CallError) -> Answer {
    let start = exchange.writer.bytes.count
    let id = try request.map { (text) throws(CallError) in
      try Self.id(text, "request", upTo: Limits.requestBytes)
    }
    if let id, let reply = try knownReply(toRequest: id, exchange) {
      exchange.writer.bytes += reply
      return .answerToRequest
    }
    try requireStorage()
    do throws(CallError) {
      if let id {
        try engine.answering(id) { () throws(CallError) in try change(&exchange) }
      } else {
        try change(&exchange)
      }
    } catch {
      exchange.writer.bytes.removeSubrange(start...)
      guard id != nil, error.isKept else { throw error }
      error.write(to: &exchange.writer)
    }
    guard let id else { return .reply }
    core.note(
      answer: Array(exchange.writer.bytes[start...]), toRequest: id,
      method: exchange.call.method.string, at: exchange.now)
    return .answerToRequest
  }

  /// The reply that an earlier call with this id got; nil: there was none.
  private func knownReply(
    toRequest id: String, _ exchange: Exchange
  ) throws(CallError) -> [UInt8]? {
    let known: AnsweredRequest?
    do { known = try core.answer(toRequest: id, at: exchange.now) } catch {
      throw .storageFailed(reason: error.description, inDoubt: false)
    }
    guard let known else { return nil }
    guard known.method == exchange.call.method.string else {
      throw .invalidValue(
        parameter: "request",
        reason: "a call of \(known.method) had this id; give each change an id of its own")
    }
    return known.reply
  }

  /// Refuses a change that could not be acknowledged: if the disk takes nothing, nothing changes.
  private func requireStorage() throws(CallError) {
    if let failure = core.journal.failure {
      throw .storageFailed(reason: failure.description, inDoubt: false)
    }
  }

  /// The slot of the timer of a name, if `ifSeq` is nil or the number of its last event.
  func slot(_ name: JSONText, ifSeq: Int64?) throws(CallError) -> Int {
    let slot = try slot(name)
    if let ifSeq { try check(ifSeq, slot, name.string) }
    return slot
  }

  /// Refuses a change of a timer that has had another event than the client knows of.
  ///
  /// - Parameter slot: if it is nil, there is no timer of that name.
  func check(_ ifSeq: Int64, _ slot: Int?, _ name: String) throws(CallError) {
    let seq = slot.map { engine.record(at: $0).lastSeq } ?? 0
    guard seq == ifSeq else { throw .timerChanged(name: name, seq: seq) }
  }
}

extension CallError {
  /// Whether the same call is refused with it for as long as its id is known. If the parameters are wrong, or
  /// the disk fails, nothing was decided.
  fileprivate var isKept: Bool {
    switch self {
    case .storageFailed, .varlink: false
    default: true
    }
  }
}
