internal import NightjarModel
internal import Varlink

/// The rings of this machine's timers that are in progress, each with the key under which other
/// machines know it.
struct OwnRings {
  private struct Ring {
    let name: String
    let id: Int64
    /// The number of the timer's last event. An answer applies only if the timer still has this
    /// number.
    let seq: Int64
    let firedUsec: Int64
    /// The key of the ring: that of the published value with the deadline of this ring.
    let key: RingKey
  }

  private var rings: [String: Ring] = [:]
  private var names: [RingKey: String] = [:]
  /// The keys of rings that began, or whose timer had another event, since the last call of
  /// `takeNew`.
  private var new: Set<RingKey> = []

  /// Updates the rings after a timer has changed. O(bytes).
  ///
  /// - Parameters:
  ///   - value: the new value of the timer; nil: the timer was removed.
  ///   - earlier: the published value that other machines have seen; nil: there is none.
  mutating func changed(_ name: String, to value: [UInt8]?, from earlier: [UInt8]?) {
    let known = rings.removeValue(forKey: name)
    if let known {
      names[known.key] = nil
      new.remove(known.key)
    }
    guard let ringing = value.flatMap(Self.read), let firedUsec = ringing.firedUsec else { return }
    var key: RingKey?
    if let known, known.id == ringing.key.id, known.firedUsec == firedUsec {
      key = known.key
    } else if let earlier = earlier.flatMap(Self.read), ringing.rings(for: earlier) {
      key = earlier.key
    }
    guard let key else { return }
    rings[name] = Ring(
      name: name, id: ringing.key.id, seq: ringing.key.seq, firedUsec: firedUsec, key: key)
    names[key] = name
    new.insert(key)
  }

  private static func read(_ payload: [UInt8]) -> PublishedRing? {
    (try? JSONValue.parse(payload)).flatMap(PublishedRing.init)
  }

  /// The keys of the rings that are in progress. O(rings).
  var keys: Set<RingKey> { Set(names.keys) }

  /// The keys of the rings that began or changed since the last call. Another machine may have
  /// answered them already.
  mutating func takeNew() -> Set<RingKey> {
    defer { new = [] }
    return new
  }

  /// The effect of an answer on this machine's timers; nil: the answer has no effect, because its
  /// ring is over.
  func answered(_ key: RingKey, _ answer: RingAnswer) -> AnsweredRing? {
    names[key].flatMap { rings[$0] }.map {
      AnsweredRing(name: $0.name, seq: $0.seq, answer: answer)
    }
  }
}

/// A ring of this machine's daemon that was answered on another machine.
public struct AnsweredRing: Equatable, Sendable {
  public let name: String
  /// The number of the timer's last event. The daemon applies the answer only if the timer still
  /// has this number.
  public let seq: Int64
  public let answer: RingAnswer

  public init(name: String, seq: Int64, answer: RingAnswer) {
    (self.name, self.seq, self.answer) = (name, seq, answer)
  }
}
