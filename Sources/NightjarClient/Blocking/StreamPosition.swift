import NightjarVarlink

/// The position of a stream of replies: the number of the last event. Another stream can continue
/// from there.
struct StreamPosition {
  /// The first and the longest pause between attempts to reach a daemon that has gone. Each pause
  /// is twice the one before.
  static let pauseMsec: (first: Int64, longest: Int64) = (20, 500)
  /// How long a daemon may be away. An upgrade takes less, even with a slow disk.
  static let longestAbsenceUsec: Int64 = 60_000_000

  /// The number of the last event that was seen; nil before the first.
  private(set) var lastSeq: Int64?
  /// The event number after which the stream began; nil if it began with new events or with initial
  /// states.
  private var startSeq: Int64?
  /// The ledger of these numbers; nil until the daemon has named it.
  private var ledger: String?
  /// Whether all initial states have been read. Until then, no event number is a position from
  /// which the stream can continue.
  private var isSynced: Bool
  private let call: Call
  private let goesOnByNumber: Bool

  /// - Parameters:
  ///   - goesOnByNumber: if false, the continuation is the same call once more.
  ///   - ledger: the ledger to which the call's parameter `after` belongs, if known.
  init(_ call: Call, goesOnByNumber: Bool = true, ledger: String? = nil) {
    self.call = call
    self.goesOnByNumber = goesOnByNumber
    self.ledger = ledger ?? call.parameters["ledger"]?.stringValue
    startSeq = call.parameters["after"]?.integerValue
    isSynced = !call.isWatch || startSeq != nil
  }

  /// Whether the caller must call `Status` before the stream begins. Its reply has the name of the
  /// ledger and the number of the last event. With them the stream can be continued, even if no
  /// event has come yet. A watch reports both by itself.
  var needsStatus: Bool { goesOnByNumber && !call.isWatch && ledger == nil }

  /// Takes the reply to `Status` into account.
  mutating func note(status: JSONValue) {
    ledger = status["storage"]?["ledger"]?.stringValue
    startSeq = startSeq ?? status["storage"]?["last_seq"]?.integerValue
  }

  /// Takes a reply into account.
  mutating func note(_ reply: JSONValue) {
    if let name = reply["ledger"]?.stringValue { ledger = name }
    // Both an event and the end of the initial states have a number.
    if reply["synced"] == true { isSynced = true }
    guard isSynced else { return }
    if let seq = reply["event"]?["seq"]?.integerValue ?? reply["seq"]?.integerValue {
      lastSeq = seq
    }
  }

  /// Takes a refusal into account. The old ledger is gone in two cases: the daemon says that the
  /// number belongs to another ledger, or that its ledger does not have this number yet. The stream
  /// then begins anew with the new ledger, unless the call names a particular ledger.
  ///
  /// - Returns: whether to try again with `continuation`.
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

  /// The call that continues from here.
  var continuation: Call {
    guard goesOnByNumber, let seq = lastSeq ?? startSeq, case .object(let members) = call.parameters
    else { return call }
    var place = [JSONValue.Member("after", .integer(seq))]
    if let ledger { place.append(.init("ledger", .string(ledger))) }
    let others = members.filter { $0.key != "after" && $0.key != "ledger" }
    return Call(method: call.method, parameters: .object(others + place))
  }

  /// The pause that follows a pause of `msec`.
  static func pause(behind msec: Int64) -> Int64 {
    min(max(msec * 2, pauseMsec.first), pauseMsec.longest)
  }
}

extension Call {
  fileprivate var isWatch: Bool { method.hasSuffix(".Watch") }
}
