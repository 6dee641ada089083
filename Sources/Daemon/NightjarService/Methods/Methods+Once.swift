internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import Varlink

/// Changes with a request id or with `if_seq`. A change with a request id is made once, even if the
/// client sends the call several times. A change with `if_seq` is made only if the timer's last
/// event is the one that the client knows.
extension Methods {
  /// Carries out a change. If an earlier change had the same request id, replies with the stored
  /// reply to that change instead. O(log of the stored replies) plus the cost of the change.
  ///
  /// - Parameters:
  ///   - request: the request id; nil: the change is always carried out.
  ///   - change: makes the change and writes the reply, or throws the reason for refusing it. It is
  ///     called only if the journal can write to disk.
  func performOnce(
    _ request: String?, _ exchange: inout Exchange,
    _ change: (inout Exchange) throws(TimersError) -> Void
  ) throws(TimersError) -> Answer {
    let start = exchange.writer.bytes.count
    let id = try request.map { (text) throws(TimersError) in
      try Self.id(text, "request", upTo: Limits.requestBytes)
    }
    if let id, let reply = try knownReply(toRequest: id, exchange) {
      exchange.writer.bytes += reply
      return .answerToRequest
    }
    try requireStorage()
    do throws(TimersError) {
      if let id {
        try engine.answering(id) { () throws(TimersError) in try change(&exchange) }
      } else {
        try change(&exchange)
      }
    } catch {
      exchange.writer.bytes.removeSubrange(start...)
      guard id != nil, error.isRemembered else { throw error }
      error.write(to: &exchange.writer)
    }
    guard let id else { return .reply }
    core.note(
      answer: Array(exchange.writer.bytes[start...]), toRequest: id,
      method: exchange.call.method.string, at: exchange.now)
    return .answerToRequest
  }

  /// The stored reply to an earlier call with this request id; nil: there was no such call.
  private func knownReply(
    toRequest id: String, _ exchange: Exchange
  ) throws(TimersError) -> [UInt8]? {
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

  /// Throws `StorageFailed` while the disk cannot be written: the daemon could not confirm the
  /// change, so it must not change anything.
  private func requireStorage() throws(TimersError) {
    if let failure = core.journal.failure {
      throw .storageFailed(reason: failure.description, inDoubt: false)
    }
  }

  /// The slot of the timer that a call changes. Throws if `if_seq` is given and is not the number
  /// of the timer's last event.
  func slot(_ call: some ChangeCall) throws(TimersError) -> Int {
    let slot = try slot(call.name)
    if let ifSeq = call.ifSeq { try check(ifSeq, slot, call.name) }
    return slot
  }

  /// Refuses a change if the timer's last event is not the one that the client knows.
  ///
  /// - Parameter slot: nil: there is no timer with this name.
  func check(_ ifSeq: Int64, _ slot: Int?, _ name: String) throws(TimersError) {
    let seq = slot.map { engine.timer(at: $0).lastEvent } ?? 0
    guard seq == ifSeq else { throw .timerChanged(name: name, seq: seq) }
  }
}

extension TimersError {
  /// Whether this error is stored as the reply to the request id, so that the client gets the error
  /// again if it repeats the call. If the parameters were wrong or the disk failed, the error is
  /// not stored, and the client may send the call again with the same id.
  fileprivate var isRemembered: Bool {
    switch self {
    case .storageFailed, .varlink: false
    default: true
    }
  }
}
