internal import NightjarModel
internal import Varlink

/// Identifies a ring: by the value that its owner had published with the deadline of the ring.
public struct RingKey: Hashable, Sendable {
  /// The name of the owner's ledger.
  public let ledger: String
  public let id: Int64
  /// The number of the timer's last event in that value.
  public let seq: Int64

  /// - Returns: nil if the ledger's name cannot be a level of a topic.
  public init?(ledger: String, id: Int64, seq: Int64) {
    guard DeviceAddress.isWord(ledger) else { return nil }
    (self.ledger, self.id, self.seq) = (ledger, id, seq)
  }

  /// Parses the levels of a topic. Numbers with a sign or with leading zeros are refused, so that
  /// each key has only one topic.
  init?(ledger: Substring, id: Substring, seq: Substring) {
    guard let idNumber = Int64(id), let seqNumber = Int64(seq), "\(idNumber)" == id,
      "\(seqNumber)" == seq, ForeignNumber.range.contains(idNumber),
      ForeignNumber.range.contains(seqNumber)
    else { return nil }
    self.init(ledger: String(ledger), id: idNumber, seq: seqNumber)
  }
}

/// An answer to a ring. It is retained on its topic, because the owner may be asleep. The owner
/// reads the answer when it is awake again.
public struct RingAnswer: Equatable, Sendable {
  /// How the user answered.
  public enum Kind: Equatable, Sendable {
    case dismissed
    /// The ring is to begin again at that time, on the owner's CLOCK_REALTIME.
    case snoozed(untilUsec: Int64)

    func takesPrecedence(over other: Kind) -> Bool {
      switch (self, other) {
      case (_, .dismissed): false
      case (.dismissed, .snoozed): true
      case (.snoozed(let usec), .snoozed(let otherUsec)): usec > otherUsec
      }
    }
  }

  public var kind: Kind
  /// The device on which the user answered.
  public var device: String
  /// The time of the answer, on that device's CLOCK_REALTIME.
  public var sentUsec: Int64

  public init(_ kind: Kind, device: String, sentUsec: Int64) {
    (self.kind, self.device, self.sentUsec) = (kind, device, sentUsec)
  }

  /// Parses an answer; nil if the payload is not an answer. O(bytes).
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload), let word = json["how"]?.stringValue,
      let device = json["device"]?.stringValue, DeviceAddress.isWord(device)
    else { return nil }
    let kind: Kind
    switch word {
    case "dismissed": kind = .dismissed
    case "snoozed":
      guard let untilUsec = ForeignNumber.read(json["until_usec"]) else { return nil }
      kind = .snoozed(untilUsec: untilUsec)
    default: return nil
    }
    self.init(kind, device: device, sentUsec: ForeignNumber.read(json[EventValue.sent]) ?? 0)
  }

  public var payload: [UInt8] {
    var members: [JSONValue.Member] = []
    switch kind {
    case .dismissed: members.append(JSONValue.Member("how", "dismissed"))
    case .snoozed(let untilUsec):
      members.append(JSONValue.Member("how", "snoozed"))
      members.append(JSONValue.Member("until_usec", .integer(untilUsec)))
    }
    members.append(JSONValue.Member("device", .string(device)))
    members.append(JSONValue.Member(EventValue.sent, .integer(sentUsec)))
    return JSONValue.object(members).bytes
  }
}

/// The answers to the user's rings that this machine knows.
///
/// Disconnected machines can answer the same ring differently. In any order of arrival, all
/// machines keep the same answer: a dismissal takes precedence over a snooze, and a later snooze
/// over an earlier one.
public struct RingAnswers: Sendable {
  private var answers: [RingKey: RingAnswer] = [:]

  public init() {}

  /// The answer to a ring; nil: none is known.
  public subscript(key: RingKey) -> RingAnswer? { answers[key] }

  /// Adds an answer. At the limit, drops the oldest answer. O(1); O(answers) at the limit.
  ///
  /// - Returns: whether the answer takes precedence over the known answer, or there was none.
  mutating func take(_ answer: RingAnswer, to key: RingKey) -> Bool {
    if let known = answers[key]?.kind, !answer.kind.takesPrecedence(over: known) { return false }
    if answers[key] == nil, answers.count >= MirrorLimits.answers,
      let oldest = answers.min(by: { $0.value.sentUsec < $1.value.sentUsec })
    {
      answers[oldest.key] = nil
    }
    answers[key] = answer
    return true
  }
}
