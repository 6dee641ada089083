internal import NightjarModel
internal import NightjarVarlink

/// The rings of this machine's timers that are on, and from which published values they were rung.
struct OwnRings {
  private struct Ring {
    let name: String
    let id: Int64
    /// The timer's number while it rings: a change is made only if the timer has not moved on.
    let seq: Int64
    let firedUsec: Int64
    /// The published value whose deadline this was.
    let key: RingKey
  }

  private var rings: [String: Ring] = [:]
  private var names: [RingKey: String] = [:]
  /// Rings that began, or whose timer has another number, since the last `takeNew`.
  private var new: Set<RingKey> = []

  /// A timer has another value than was published. O(bytes).
  ///
  /// - Parameters:
  ///   - value: the new value; nil: it is gone.
  ///   - earlier: what the others had of it; nil: nothing.
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

  /// The rings that are on. O(rings).
  var keys: Set<RingKey> { Set(names.keys) }

  /// The rings that are new since this was called last: they may have been answered already.
  mutating func takeNew() -> Set<RingKey> {
    defer { new = [] }
    return new
  }

  /// What an answer means for this machine's timers; nil: nothing, because that ring is not on.
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
  /// Its number: the daemon is to change it only if it still has this.
  public let seq: Int64
  /// How it was answered.
  public let answer: RingAnswer

  /// A ring that was answered.
  public init(name: String, seq: Int64, answer: RingAnswer) {
    (self.name, self.seq, self.answer) = (name, seq, answer)
  }
}
