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
  ///   - change: makes the change and writes the reply, or throws what the call is refused with.
  func once(
    _ request: JSONText?, _ exchange: inout Exchange,
    _ change: (inout Exchange) throws(CallError) -> Void
  ) throws(CallError) -> Answer {
    let start = exchange.writer.bytes.count
    guard let request else {
      do { try change(&exchange) } catch {
        exchange.writer.bytes.removeSubrange(start...)
        throw error
      }
      return .reply
    }
    let id = try Self.id(request, "request", upTo: Limits.requestBytes)
    let method = exchange.call.method.string
    let known: AnsweredRequest?
    do { known = try core.answer(toRequest: id, at: exchange.now) } catch {
      throw .storageFailed(reason: error.description, inDoubt: false)
    }
    if let known {
      guard known.method == method else {
        throw .invalidValue(
          parameter: "request",
          reason: "a call of \(known.method) had this id; give each change an id of its own")
      }
      exchange.writer.bytes += known.reply
      return .answerToRequest
    }
    try requireStorage()
    do {
      try engine.answering(id) { () throws(CallError) in try change(&exchange) }
    } catch {
      exchange.writer.bytes.removeSubrange(start...)
      guard error.isKept else { throw error }
      error.write(to: &exchange.writer)
    }
    core.note(
      answer: Array(exchange.writer.bytes[start...]), toRequest: id, method: method,
      at: exchange.now)
    return .answerToRequest
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
