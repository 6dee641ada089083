internal import Varlink

/// A number computed from a set of timers. Two sets have different digests if one set has a timer
/// that the other set lacks. So a mirror can be compared with its owner.
///
/// The digest is the exclusive or of a hash for each timer. So a timer can be added or removed in
/// O(1), in any order. The hash is FNV-1a of the timer's name, its ID and its ledger. The ledger is
/// needed because IDs start again with another ledger. The number of the last event is not
/// included: if an event is lost, the gap in the numbers of events shows it.
public struct TimerDigest: Equatable, Sendable {
  private var bits: UInt64 = 0

  init() {}

  /// Adds the timer in a payload to the digest; if the digest includes the timer, removes it.
  /// O(bytes).
  mutating func toggle(_ payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload), let name = json["name"]?.stringValue,
      let id = json["id"]?.integerValue, let ledger = json["ledger"]?.stringValue
    else { return }
    bits ^= FNV1a.hash("\(name)/\(id)/\(ledger)".utf8)
  }

  /// The digest in hexadecimal, for a status.
  public var text: String { String(bits, radix: 16) }
}
