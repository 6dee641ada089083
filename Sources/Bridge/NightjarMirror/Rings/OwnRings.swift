internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// The open rings of this machine's timers.
struct OwnRings {
  private struct Ring {
    let key: RingKey
    /// The number of the timer's last event. An answer is carried out only if the timer still has
    /// this number, because another timer may have taken its name.
    let seq: Int64
    let open: PublishedRing.Open
  }

  private var rings: [String: Ring] = [:]
  private var names: [RingKey: String] = [:]
  /// The names of timers whose rings opened or changed since the last call of `takeAnswered`.
  private var new: Set<String> = []

  /// Updates the ring of a timer. O(bytes).
  ///
  /// - Parameter value: the value of the timer; nil: the timer was removed.
  mutating func set(_ name: String, _ value: [UInt8]?) {
    if let known = rings.removeValue(forKey: name) { names[known.key.timer] = nil }
    new.remove(name)
    guard let json = value.flatMap({ try? JSONValue.parse($0) }), let ring = PublishedRing(json),
      let open = ring.open, let seq = ForeignNumber.read(json["seq"])
    else { return }
    let key = ring.key(open.expiry)
    rings[name] = Ring(key: key, seq: seq, open: open)
    names[key.timer] = name
    new.insert(name)
  }

  /// A ring with its state, to compare with that after an event.
  func ring(of name: String) -> (key: RingKey, open: PublishedRing.Open)? {
    rings[name].map { ($0.key, $0.open) }
  }

  mutating func renew() { new = Set(rings.keys) }

  /// The answers of other machines to the rings that opened or changed since the last call.
  mutating func takeAnswered(_ answers: RingAnswers, _ device: String) -> [AnsweredElsewhere] {
    defer { new = [] }
    return new.sorted().compactMap { answered($0, answers, device) }
  }

  /// The effect of the answer to `key` on this machine's timers; nil: it has none, because its ring
  /// is over.
  func answered(_ key: RingKey, _ answers: RingAnswers, _ device: String) -> AnsweredElsewhere? {
    names[key.timer].flatMap { answered($0, answers, device) }
  }

  private func answered(
    _ name: String, _ answers: RingAnswers, _ device: String
  ) -> AnsweredElsewhere? {
    guard let ring = rings[name],
      let (expiry, answer) = answers.ending(ring.key, dueUsec: ring.open.dueUsec),
      // This machine's own answer comes from its ledger.
      answer.device != device
    else { return nil }
    if case .snoozed(let untilUsec) = answer.kind, let present = ring.open.snoozedUntilUsec,
      PublishedRing.isSame(present, untilUsec)
    {
      return nil
    }
    return AnsweredElsewhere(name: name, seq: ring.seq, expiry: expiry, answer: answer)
  }
}

/// A ring of this machine's daemon that was answered on another machine.
public struct AnsweredElsewhere: Equatable, Sendable {
  public let name: String
  /// The number of the timer's last event.
  public let seq: Int64
  /// The number of the expiry in the answer.
  public let expiry: Int64
  public let answer: RingAnswer

  public init(name: String, seq: Int64, expiry: Int64, answer: RingAnswer) {
    (self.name, self.seq, self.expiry, self.answer) = (name, seq, expiry, answer)
  }
}
