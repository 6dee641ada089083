internal import NightjarModel
internal import NightjarVarlink

/// The present rings of this machine's timers, and the published values that announced them.
struct OwnRings {
  private struct Ring {
    let name: String
    let id: Int64
    /// The timer's number while it rings: an answer applies only if the number is unchanged.
    let seq: Int64
    let firedUsec: Int64
    /// The key of the published value that had the deadline of this ring.
    let key: RingKey
  }

  private var rings: [String: Ring] = [:]
  private var names: [RingKey: String] = [:]
  /// Rings that began, or whose timer got another number, since the last `takeNew`.
  private var new: Set<RingKey> = []

  /// Updates the rings, because a timer's value differs from the published value. O(bytes).
  ///
  /// - Parameters:
  ///   - value: the new value; nil: the timer is gone.
  ///   - earlier: the value that other machines had; nil: none.
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

  /// The present rings. O(rings).
  var keys: Set<RingKey> { Set(names.keys) }

  /// The rings that began or changed since the last call. Another machine may have answered them
  /// already.
  mutating func takeNew() -> Set<RingKey> {
    defer { new = [] }
    return new
  }

  /// The effect of an answer on this machine's timers; nil: none, because that ring is over.
  func answered(_ key: RingKey, _ answer: RingAnswer) -> AnsweredRing? {
    names[key].flatMap { rings[$0] }.map {
      AnsweredRing(name: $0.name, seq: $0.seq, answer: answer)
    }
  }
}

/// A ring of this machine's daemon that was answered on another machine.
public struct AnsweredRing: Equatable, Sendable {
  /// The timer's name.
  public let name: String
  /// The timer's number: the daemon applies the answer only if the timer still has it.
  public let seq: Int64
  /// How it was answered.
  public let answer: RingAnswer

  /// Makes an answered ring.
  public init(name: String, seq: Int64, answer: RingAnswer) {
    (self.name, self.seq, self.answer) = (name, seq, answer)
  }
}
