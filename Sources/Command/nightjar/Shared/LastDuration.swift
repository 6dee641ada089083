import NightjarClient
import Varlink

extension Answering {
  /// The duration of the last timer that was started with this name.
  ///
  /// - Returns: the duration in microseconds. Nil if the searched part of the ledger has no start
  ///   of a timer of that name, or if that timer was no countdown.
  func lastDurationUsec(of name: String) throws(CommandError) -> Int64? {
    let start: Wire.Event?
    switch try answer(to: Call(Wire.Why(name: name))) {
    case .success(let reply):
      let story = try CommandError.explaining { () throws(ClientError) in try Wire.Why.Reply(reply)
      }
      start = story.events.first { $0.type == .started }
    case .failure(.timerNotFound): start = try lastStart(of: name)
    case .failure(let refusal): throw explained(refusal)
    }
    return start?.kind == .countdown ? start?.durationUsec : nil
  }
}

extension Session {
  /// The last start of a timer of this name among the last `LedgerReader.searchedEvents` events of
  /// the ledger; nil: there is none. O(events searched).
  func lastStart(of name: String) throws(CommandError) -> Wire.Event? {
    let storage = try status().storage
    let oldest = max(storage.oldestSeq, storage.lastSeq - LedgerReader.searchedEvents)
    var start: Wire.Event?
    try LedgerReader(session: self).read(after: max(0, oldest - 1)) { _, event in
      if event.type == .started, event.name == name { start = event }
    }
    return start
  }
}
