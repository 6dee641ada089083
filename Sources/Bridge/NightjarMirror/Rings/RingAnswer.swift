internal import NightjarModel
package import Varlink

/// Identifies a ring on every machine: by its timer, and by the number of its newest expiry.
public struct RingKey: Hashable, Sendable {
  /// The name of the owner's ledger.
  public let ledger: String
  public let id: Int64
  /// The number of the expiry among the timer's expiries. It is published with the deadline, and
  /// never goes back.
  public let expiry: Int64

  /// - Returns: nil if the ledger's name cannot be a level of a topic.
  public init?(ledger: String, id: Int64, expiry: Int64) {
    guard DeviceAddress.isWord(ledger) else { return nil }
    (self.ledger, self.id, self.expiry) = (ledger, id, expiry)
  }

  /// Parses the levels of a topic. Numbers with a sign or with leading zeros are refused, so that
  /// each key has only one topic.
  init?(ledger: Substring, id: Substring, expiry: Substring) {
    guard let idNumber = Int64(id), let number = Int64(expiry), "\(idNumber)" == id,
      "\(number)" == expiry, ForeignNumber.range.contains(idNumber),
      ForeignNumber.range.contains(number)
    else { return nil }
    self.init(ledger: String(ledger), id: idNumber, expiry: number)
  }

  private init(_ key: RingKey, expiry: Int64) {
    (ledger, id, self.expiry) = (key.ledger, key.id, expiry)
  }

  /// The key of another ring of the same timer.
  func with(expiry: Int64) -> RingKey { RingKey(self, expiry: expiry) }

  /// The same value for all rings of a timer.
  var timer: RingKey { with(expiry: 0) }
}

/// An answer to a ring. It is retained on the ring's topic, because the owner may be asleep. The
/// owner reads the answer when it is awake again. It ends or moves this ring and older ones of the
/// timer.
public struct RingAnswer: Equatable, Sendable {
  /// How the user answered.
  public enum Kind: Equatable, Sendable {
    case dismissed
    /// The ring is to sound again at that time, on the owner's CLOCK_REALTIME.
    case snoozed(untilUsec: Int64)
    /// The owner undid the answers before: the ring is open.
    case undone
  }

  public var kind: Kind
  /// When the ring's newest expiry was due, on the owner's CLOCK_REALTIME. If the owner moves the
  /// deadline after the answer, the expiry with this number rings nevertheless.
  public var dueUsec: Int64
  /// The device on which the user answered.
  public var device: String
  /// The time of the answer, on that device's CLOCK_REALTIME.
  public var sentUsec: Int64
  /// The time of the last undo that the answer is later than, or of this undo; 0: none.
  private(set) var undoneUsec: Int64
  /// The `undo_id` of a person's answer; nil: a program gave it.
  public var undoID: String?

  public init(
    _ kind: Kind, dueUsec: Int64, device: String, sentUsec: Int64, undoneUsec: Int64 = 0,
    undoID: String? = nil
  ) {
    (self.kind, self.dueUsec, self.device, self.sentUsec) = (kind, dueUsec, device, sentUsec)
    self.undoID = undoID
    self.undoneUsec = kind == .undone ? sentUsec : undoneUsec
  }

  /// Parses an answer; nil if the payload is not an answer. O(bytes).
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload) else { return nil }
    self.init(json)
  }

  /// - Returns: nil if the value is not an answer.
  package init?(_ json: JSONValue) {
    guard let word = json["how"]?.stringValue, let dueUsec = ForeignNumber.read(json["due_usec"]),
      let device = json["device"]?.stringValue, DeviceAddress.isWord(device)
    else { return nil }
    let kind: Kind
    switch word {
    case "dismissed": kind = .dismissed
    case "snoozed":
      guard let untilUsec = ForeignNumber.read(json["until_usec"]) else { return nil }
      kind = .snoozed(untilUsec: untilUsec)
    case "undone": kind = .undone
    default: return nil
    }
    self.init(
      kind, dueUsec: dueUsec, device: device,
      sentUsec: ForeignNumber.read(json["sent_usec"]) ?? 0,
      undoneUsec: ForeignNumber.read(json["undone_usec"]) ?? 0,
      undoID: json["undo_id"]?.stringValue.flatMap { Self.isUndoID($0) ? $0 : nil })
  }

  public var payload: [UInt8] { json.bytes }

  package var json: JSONValue {
    let (word, untilUsec): (JSONValue, Int64?) =
      switch kind {
      case .dismissed: ("dismissed", nil)
      case .snoozed(let untilUsec): ("snoozed", untilUsec)
      case .undone: ("undone", nil)
      }
    return JSONValue.object(of: [
      ("how", word), ("until_usec", untilUsec.map(JSONValue.integer)),
      ("due_usec", .integer(dueUsec)), ("device", .string(device)),
      ("sent_usec", .integer(sentUsec)),
      ("undone_usec", undoneUsec == 0 ? nil : .integer(undoneUsec)),
      ("undo_id", undoID.map(JSONValue.string)),
    ])
  }

  /// Whether a daemon accepts the text as an `undo_id`.
  public static func isUndoID(_ text: String) -> Bool {
    (1...Limits.undoIDBytes).contains(text.utf8.count)
  }

  /// How much the due times of one expiry may differ, in microseconds: the owner's clock may be
  /// corrected.
  private static let toleranceUsec: Int64 = 10_000_000

  /// Whether the answer is to a ring whose newest expiry was due at this time, on the owner's
  /// CLOCK_REALTIME. If not, the owner has moved the deadline.
  func isTo(dueUsec: Int64) -> Bool {
    (self.dueUsec - dueUsec).magnitude <= UInt64(Self.toleranceUsec)
  }

  /// The same answer, given by somebody who knew of the undo that `known` is, or is later than.
  func after(_ known: RingAnswer?) -> RingAnswer {
    var answer = self
    if kind == .undone {
      answer.undoneUsec = sentUsec
    } else if let known, isTo(dueUsec: known.dueUsec) {
      answer.undoneUsec = known.undoneUsec
    }
    return answer
  }

  /// An undo takes precedence over the answers that are not later than it, and the later ones over
  /// the undo. Between two undos, a dismissal takes precedence over a snooze, and a later snooze
  /// over an earlier one. If the deadline was moved between two answers, the answer for the later
  /// deadline counts.
  func takesPrecedence(over other: RingAnswer) -> Bool {
    guard isTo(dueUsec: other.dueUsec) else { return dueUsec > other.dueUsec }
    guard undoneUsec == other.undoneUsec else { return undoneUsec > other.undoneUsec }
    return switch (kind, other.kind) {
    case (.undone, _): false
    case (_, .undone): true
    case (_, .dismissed): false
    case (.dismissed, .snoozed): true
    case (.snoozed(let usec), .snoozed(let otherUsec)):
      (sentUsec, usec) > (other.sentUsec, otherUsec)
    }
  }
}

/// The answers to the user's rings that this machine knows.
///
/// Disconnected machines can answer the same ring differently. In any order of arrival, all
/// machines keep the same answer.
public struct RingAnswers: Sendable {
  /// By `RingKey.timer`, and then by the number of the expiry.
  private var answers: [RingKey: [Int64: RingAnswer]] = [:]
  private var count = 0

  public init() {}

  /// The answer to a ring; nil: none is known.
  public subscript(key: RingKey) -> RingAnswer? { answers[key.timer]?[key.expiry] }

  /// The answer that ends or moves a ring: the answer to it, or to a later one of its timer, and
  /// the number in that answer. Nil: the user has answered none of them.
  ///
  /// - Parameter dueUsec: when the ring's newest expiry was due, on the owner's CLOCK_REALTIME.
  public func ending(_ key: RingKey, dueUsec: Int64) -> (expiry: Int64, answer: RingAnswer)? {
    let all = answers[key.timer] ?? [:]
    let latest = all.filter { $0.key >= key.expiry && $0.value.kind != .undone }
      .max { $0.key < $1.key }
    guard let (expiry, answer) = latest else { return nil }
    return expiry > key.expiry || answer.isTo(dueUsec: dueUsec) ? (expiry, answer) : nil
  }

  /// The keys of all rings with an answer.
  var keys: [RingKey] {
    answers.flatMap { timer, answers in answers.keys.map { timer.with(expiry: $0) } }
  }

  /// Adds an answer. At the limit, drops the oldest answer. O(1); O(answers) at the limit.
  ///
  /// - Returns: whether the answer takes precedence over the known answer, or there was none.
  mutating func take(_ answer: RingAnswer, to key: RingKey) -> Bool {
    if let known = self[key] {
      guard answer.takesPrecedence(over: known) else { return false }
    } else if count >= MirrorLimits.answers {
      dropOldest()
    } else {
      count += 1
    }
    answers[key.timer, default: [:]][key.expiry] = answer
    return true
  }

  private mutating func dropOldest() {
    guard let oldest = keys.min(by: { self[$0]?.sentUsec ?? 0 < self[$1]?.sentUsec ?? 0 }) else {
      return
    }
    answers[oldest.timer]?[oldest.expiry] = nil
    if answers[oldest.timer]?.isEmpty == true { answers[oldest.timer] = nil }
  }
}
