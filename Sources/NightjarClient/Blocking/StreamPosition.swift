import NightjarVarlink

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
  /// Behind which number it began; nil: with what comes, or with what there is.
  private var startSeq: Int64?
  /// The ledger that these are of; nil before the daemon has said so.
  private var ledger: String?
  /// Whether all there was at the beginning has been told: before that, a number does not stand for it.
  private var isSynced: Bool
  private let call: Call
  private let goesOnByNumber: Bool

  /// - Parameters:
  ///   - goesOnByNumber: false: what goes on is the call once more.
  ///   - ledger: whose number the call begins behind, if that is known.
  init(_ call: Call, goesOnByNumber: Bool = true, ledger: String? = nil) {
    self.call = call
    self.goesOnByNumber = goesOnByNumber
    self.ledger = ledger ?? call.parameters["ledger"]?.stringValue
    startSeq = call.parameters["after"]?.integerValue
    isSynced = !call.isWatch || startSeq != nil
  }

  /// Whether the daemon has to be asked for its `Status` before the call: from then on it is known whose
  /// numbers these are, and behind which it begins, although no event may come for a long time. A watch
  /// is told both.
  var needsStatus: Bool { goesOnByNumber && !call.isWatch && ledger == nil }

  /// Takes the answer to `Status` into account.
  mutating func note(status: JSONValue) {
    ledger = status["storage"]?["ledger"]?.stringValue
    startSeq = startSeq ?? status["storage"]?["last_seq"]?.integerValue
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
  /// news. Who has asked for a certain ledger is not told of another's.
  ///
  /// - Returns: whether `continuation` is worth another try.
  mutating func beginAnew(after error: NightjarError) -> Bool {
    guard call.parameters["ledger"] == nil else { return false }
    switch error {
    case .ledgerChanged: break
    case .invalidParameter(name: "after"): guard lastSeq ?? 0 > 0 else { return false }
    default: return false
    }
    (lastSeq, startSeq, ledger) = (nil, 0, nil)
    return true
  }

  /// The call that goes on from here.
  var continuation: Call {
    guard goesOnByNumber, let seq = lastSeq ?? startSeq, case .object(let members) = call.parameters
    else { return call }
    var place = [JSONValue.Member("after", .integer(seq))]
    if let ledger { place.append(.init("ledger", .string(ledger))) }
    let others = members.filter { $0.key != "after" && $0.key != "ledger" }
    return Call(method: call.method, parameters: .object(others + place))
  }

  /// The pause behind one of `msec`.
  static func pause(behind msec: Int64) -> Int64 {
    min(max(msec * 2, pauseMsec.first), pauseMsec.longest)
  }
}

extension Call {
  fileprivate var isWatch: Bool { method.hasSuffix(".Watch") }
}
