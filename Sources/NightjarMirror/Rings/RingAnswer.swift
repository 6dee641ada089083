internal import NightjarModel
internal import NightjarVarlink

/// Which ring: that of the deadline which a timer's value had when it was published.
public struct RingKey: Hashable, Sendable {
  /// The name of the owner's ledger.
  public let ledger: String
  /// The timer's id.
  public let id: Int64
  /// The timer's number in that value.
  public let seq: Int64

  /// - Returns: nil if the ledger's name cannot be a level of a topic.
  public init?(ledger: String, id: Int64, seq: Int64) {
    guard DeviceAddress.isWord(ledger) else { return nil }
    (self.ledger, self.id, self.seq) = (ledger, id, seq)
  }

  /// Reads the levels of a topic. One key has one topic: a number with a sign or with zeros before it is none.
  init?(ledger: Substring, id: Substring, seq: Substring) {
    guard let idNumber = Int64(id), let seqNumber = Int64(seq), "\(idNumber)" == id,
      "\(seqNumber)" == seq, ForeignNumber.range.contains(idNumber),
      ForeignNumber.range.contains(seqNumber)
    else { return nil }
    self.init(ledger: String(ledger), id: idNumber, seq: seqNumber)
  }
}

/// How a ring was answered, retained on its topic: the owner may be asleep, and reads it when it is back.
public struct RingAnswer: Equatable, Sendable {
  /// What the user did.
  public enum How: Equatable, Sendable {
    case dismissed
    /// It rings again then, on the owner's CLOCK_REALTIME.
    case snoozed(untilUsec: Int64)

    /// Whether it is the one that counts, of two answers to one ring.
    func countsMore(than other: How) -> Bool {
      switch (self, other) {
      case (_, .dismissed): false
      case (.dismissed, .snoozed): true
      case (.snoozed(let usec), .snoozed(let otherUsec)): usec > otherUsec
      }
    }
  }

  /// What the user did.
  public var how: How
  /// Where.
  public var device: String
  /// When, on that device's CLOCK_REALTIME.
  public var sentUsec: Int64

  /// An answer.
  public init(_ how: How, device: String, sentUsec: Int64) {
    (self.how, self.device, self.sentUsec) = (how, device, sentUsec)
  }

  /// Reads an answer; nil if it is none. O(bytes).
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload), let word = json["how"]?.stringValue,
      let device = json["device"]?.stringValue, DeviceAddress.isWord(device)
    else { return nil }
    let how: How
    switch word {
    case "dismissed": how = .dismissed
    case "snoozed":
      guard let untilUsec = ForeignNumber.read(json["until_usec"]) else { return nil }
      how = .snoozed(untilUsec: untilUsec)
    default: return nil
    }
    self.init(how, device: device, sentUsec: ForeignNumber.read(json[EventValue.sent]) ?? 0)
  }

  /// The answer as it is published.
  public var payload: [UInt8] {
    var members: [JSONValue.Member] = []
    switch how {
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

/// The answers to the person's rings that are known here.
///
/// Machines that do not see each other can answer one ring differently. All of them end with the same answer, in whatever
/// order they arrive: a dismissal counts more than a snooze, and a later snooze more than an earlier one.
public struct RingAnswers: Sendable {
  private var answers: [RingKey: RingAnswer] = [:]

  /// None.
  public init() {}

  /// The answer to a ring; nil: none is known.
  public subscript(key: RingKey) -> RingAnswer? { answers[key] }

  /// Takes an answer. Beyond the limit the oldest is forgotten. O(1), at the limit O(answers).
  ///
  /// - Returns: whether it counts more than what was known.
  mutating func take(_ answer: RingAnswer, to key: RingKey) -> Bool {
    if let known = answers[key]?.how, !answer.how.countsMore(than: known) { return false }
    if answers[key] == nil, answers.count >= MirrorLimits.answers,
      let oldest = answers.min(by: { $0.value.sentUsec < $1.value.sentUsec })
    {
      answers[oldest.key] = nil
    }
    answers[key] = answer
    return true
  }
}
