internal import NightjarVarlink

/// Which timers there are, in one number: that of a mirror and that of the owner differ if one of them has a timer that
/// the other has not.
///
/// It is the exclusive or of one hash for each timer, so that a timer is added and taken off in O(1), in any order. The
/// hash is FNV-1a of its name, its id and its ledger: ids begin anew with another ledger. The number of its last event is left out: a timer that has another one has an event, whose
/// number shows a gap if it is lost.
public struct TimerDigest: Equatable, Sendable {
  private var bits: UInt64 = 0

  init() {}

  /// Adds the timer that a payload says, or takes it off if it is in. O(bytes).
  mutating func toggle(_ payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload), let name = json["name"]?.stringValue,
      let id = json["id"]?.integerValue, let ledger = json["ledger"]?.stringValue
    else { return }
    bits ^= FNV1a.hash("\(name)/\(id)/\(ledger)".utf8)
  }

  /// The number in hexadecimal, as a status has it.
  public var text: String { String(bits, radix: 16) }
}
