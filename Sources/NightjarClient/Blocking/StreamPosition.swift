import NightjarWire

/// How far a stream of replies has got, by the number of the last event that was seen: where it is cut,
/// another goes on from there.
struct StreamPosition {
  /// The first pause before another look for a daemon that has gone, and the longest; each is twice the
  /// one before.
  static let pauseMsec: (first: Int64, longest: Int64) = (20, 500)
  /// How long a daemon may be away. An upgrade with a slow disk takes less.
  static let longestAbsenceUsec: Int64 = 60_000_000

  /// The number of the last event that was seen; nil before the first.
  private(set) var lastSeq: Int64?
  /// The ledger that it is of; nil before the daemon has said so.
  private var ledger: String?
  /// Whether all there was at the beginning has been told: before that, a number does not stand for it.
  private var isSynced: Bool
  private let call: Call
  private let goesOnByNumber: Bool

  /// - Parameter goesOnByNumber: false: what goes on is the call once more.
  init(_ call: Call, goesOnByNumber: Bool = true) {
    self.call = call
    self.goesOnByNumber = goesOnByNumber
    isSynced = !call.method.hasSuffix(".Watch") || call.parameters["after"] != nil
  }

  /// Takes a reply into account.
  mutating func note(_ reply: JSONValue) {
    if let name = reply["ledger"]?.stringValue { ledger = name }
    // An event has a number, and so has the word that all there is has been told.
    if reply["synced"] == true { isSynced = true }
    guard isSynced else { return }
    if let seq = reply["event"]?["seq"]?.integerValue ?? reply["seq"]?.integerValue {
      lastSeq = seq
    }
  }

  /// Takes a refusal into account, if it is that of a number of another ledger, or of one that the
  /// daemon's does not have yet: the one it was of is gone, another was begun, and all that is in it is
  /// news.
  ///
  /// - Returns: whether `continuation` is worth another try.
  mutating func beginAnew(after error: NightjarError) -> Bool {
    switch error {
    case .invalidParameter(name: "after"): guard let lastSeq, lastSeq > 0 else { return false }
    case .ledgerChanged: guard ledger != nil, lastSeq != nil else { return false }
    default: return false
    }
    (lastSeq, ledger) = (0, nil)
    return true
  }

  /// The call that goes on from here.
  var continuation: Call {
    guard goesOnByNumber, let lastSeq, case .object(let members) = call.parameters else {
      return call
    }
    var place = [JSONValue.Member("after", .integer(lastSeq))]
    if let ledger { place.append(.init("ledger", .string(ledger))) }
    let others = members.filter { $0.key != "after" && $0.key != "ledger" }
    return Call(method: call.method, parameters: .object(others + place))
  }

  /// The pause behind one of `msec`.
  static func pause(behind msec: Int64) -> Int64 {
    min(max(msec * 2, pauseMsec.first), pauseMsec.longest)
  }
}
