import NightjarInterface
import Varlink

/// The position of a stream of replies: the number of the last event that was read. Another stream
/// can continue after that event.
struct StreamPosition {
  /// The number of the last event that was read; nil before the first event.
  private(set) var lastSeq: Int64?
  /// The event number after which the stream began; nil if it began with new events or with initial
  /// states.
  private var startSeq: Int64?
  /// The ledger to which these numbers belong; nil until the daemon has named the ledger.
  private var ledger: String?
  /// Whether all initial states have been read. Until then, no event number is a position from
  /// which the stream can continue.
  private var isSynced: Bool
  private let call: Call
  private let continuesBySeq: Bool

  /// - Parameters:
  ///   - continuesBySeq: whether the continuation begins after the last event; if false, it is the
  ///     same call once more.
  ///   - ledger: the ledger to which the call's parameter `after` belongs, if known.
  init(_ call: Call, continuesBySeq: Bool = true, ledger: String? = nil) {
    self.call = call
    self.continuesBySeq = continuesBySeq
    self.ledger = ledger ?? call.parameters["ledger"]?.stringValue
    startSeq = call.parameters["after"]?.integerValue
    isSynced = !call.isWatch || startSeq != nil
  }

  /// Whether the caller must call `Status` before the stream begins. The reply to `Status` contains
  /// the name of the ledger and the number of the last event. With these, the stream can be
  /// continued even if no event has arrived yet. A watch needs no `Status`, because its replies
  /// contain both.
  var needsStatus: Bool { continuesBySeq && !call.isWatch && ledger == nil }

  /// Updates the position with the reply to `Status`.
  mutating func note(status: Wire.Status.Reply) {
    ledger = status.storage.ledger
    startSeq = startSeq ?? status.storage.lastSeq
  }

  /// Updates the position with a reply of the stream. A reply of `Events` has an event, as a reply
  /// of `Watch` has. The rest of the reply is the reader's, who may pass it on unread.
  mutating func note(_ reply: JSONValue) {
    if let name = reply["ledger"]?.stringValue { ledger = name }
    if reply["synced"] == true { isSynced = true }
    guard isSynced else { return }
    // An event and the end of the initial states both have a number.
    if let seq = reply["event"]?["seq"]?.integerValue ?? reply["seq"]?.integerValue {
      lastSeq = seq
    }
  }

  /// Updates the position after a refusal. A stream that was too slow continues. The old ledger
  /// does not exist any more in two cases: the daemon says that the number belongs to another
  /// ledger, or the daemon's ledger does not have this number yet. The stream then begins again
  /// with the new ledger, unless the call names a particular ledger.
  ///
  /// - Returns: whether the caller should call again with `continuation`.
  mutating func continues(after error: TimersError) -> Bool {
    if case .tooSlow = error { return true }
    guard call.parameters["ledger"] == nil else { return false }
    switch error {
    case .ledgerChanged: break
    case .varlink(.invalidParameter(parameter: "after")):
      guard lastSeq ?? 0 > 0 else { return false }
    default: return false
    }
    (lastSeq, startSeq, ledger) = (nil, 0, nil)
    return true
  }

  /// The call with which another stream continues at this position.
  var continuation: Call {
    guard continuesBySeq, let seq = lastSeq ?? startSeq, case .object(let members) = call.parameters
    else { return call }
    var place = [JSONValue.Member("after", .integer(seq))]
    if let ledger { place.append(.init("ledger", .string(ledger))) }
    let others = members.filter { $0.key != "after" && $0.key != "ledger" }
    return Call(method: call.method, parameters: .object(others + place))
  }
}

extension Call {
  fileprivate var isWatch: Bool { method.hasSuffix(".Watch") }
}
