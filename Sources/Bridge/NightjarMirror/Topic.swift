public import NightjarModel

/// A topic of Nightjar on the broker: `PREFIX/PERSON/DEVICE/…`. The prefix is `nightjar` unless it
/// is configured.
public enum Topic: Hashable, Sendable {
  /// Whether a device can be reached; retained. The members of the person's groups may read it.
  case presence(DeviceAddress)
  /// The status of a device; retained.
  case status(DeviceAddress)
  /// The value of a timer, by the timer's name; retained.
  case timer(DeviceAddress, name: String)
  /// An event of a device's ledger.
  case event(DeviceAddress)
  /// A call to a device's daemon.
  case call(DeviceAddress)
  /// An answer to a call that the device made.
  case reply(DeviceAddress)
  /// A message that the device sends to itself. All retained messages arrive before it.
  case marker(DeviceAddress)
  /// An answer to a ring; retained. The topic belongs to the person and not to a device, because
  /// the device may be asleep or removed.
  case ring(person: String, RingKey)

  /// The most levels that the name of a timer may have. A timer with more levels is not published:
  /// mosquitto 2.0.11 refuses topics with more than 200 levels, and other brokers have lower
  /// limits.
  public static let nameLevels = 128

  /// The device to which the topic belongs; nil for the topic of a ring, which belongs to a person.
  public var address: DeviceAddress? {
    switch self {
    case .presence(let address), .status(let address), .timer(let address, _), .event(let address),
      .call(let address), .reply(let address), .marker(let address):
      address
    case .ring: nil
    }
  }

  public var person: String {
    if case .ring(let person, _) = self { person } else { address?.person ?? "" }
  }

  /// Parses a topic.
  ///
  /// - Parameters:
  ///   - text: the topic as the broker sent it.
  ///   - prefix: the prefix of all topics, without a slash at its end.
  /// - Returns: nil if the text is not a topic of Nightjar.
  public init?(_ text: String, prefix: String) {
    guard text.utf8.starts(with: prefix.utf8), text.utf8.count > prefix.utf8.count + 1 else {
      return nil
    }
    let rest = text.utf8.dropFirst(prefix.utf8.count)
    guard rest.first == UInt8(ascii: "/") else { return nil }
    let levels = rest.dropFirst().split(
      separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false
    ).map { Substring($0) }
    if levels.count == 4, levels[1] == DeviceAddress.ringWord {
      let numbers = levels[3].split(separator: "/", omittingEmptySubsequences: false)
      guard DeviceAddress.isWord(levels[0]), numbers.count == 2,
        let key = RingKey(ledger: levels[2], id: numbers[0], expiry: numbers[1])
      else { return nil }
      self = .ring(person: String(levels[0]), key)
      return
    }
    guard levels.count >= 3,
      let address = DeviceAddress(person: String(levels[0]), device: String(levels[1]))
    else { return nil }
    switch (levels[2], levels.count) {
    case ("presence", 3): self = .presence(address)
    case ("status", 3): self = .status(address)
    case ("event", 3): self = .event(address)
    case ("call", 3): self = .call(address)
    case ("reply", 3): self = .reply(address)
    case ("marker", 3): self = .marker(address)
    case ("timer", 4):
      guard let name = Self.name(levels[3]) else { return nil }
      self = .timer(address, name: name)
    default: return nil
    }
  }

  /// The text of the topic, as the broker uses it. O(bytes).
  public func text(prefix: String) -> String {
    func below(_ address: DeviceAddress, _ rest: String) -> String {
      "\(prefix)/\(address.person)/\(address.device)/\(rest)"
    }
    return switch self {
    case .presence(let address): below(address, "presence")
    case .status(let address): below(address, "status")
    case .event(let address): below(address, "event")
    case .call(let address): below(address, "call")
    case .reply(let address): below(address, "reply")
    case .marker(let address): below(address, "marker")
    case .timer(let address, let name): below(address, "timer/\(Self.levels(name))")
    case .ring(let person, let key):
      "\(prefix)/\(person)/\(DeviceAddress.ringWord)/\(key.ledger)/\(key.id)/\(key.expiry)"
    }
  }

  /// Whether a timer of this name can have a topic. O(bytes).
  public static func canPublish(_ name: String) -> Bool {
    name.utf8.count { $0 == UInt8(ascii: "/") } < nameLevels
  }

  // MARK: - Names

  /// A timer's name as levels of a topic: each `/` in the name separates two levels. `+` and `#`,
  /// which have a meaning in MQTT, and `%` are percent-encoded (RFC 3986 section 2.1).
  private static func levels(_ name: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "%"): result += "%25".utf8
      case UInt8(ascii: "+"): result += "%2B".utf8
      case UInt8(ascii: "#"): result += "%23".utf8
      default: result.append(byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// - Returns: nil if `levels` would encode the name differently, because each name has only one
  ///   topic.
  private static func name(_ levels: Substring) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(levels.utf8.count)
    var rest = levels.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      switch Substring(rest.prefix(2)) {
      case "25": result.append(UInt8(ascii: "%"))
      case "2B": result.append(UInt8(ascii: "+"))
      case "23": result.append(UInt8(ascii: "#"))
      default: return nil
      }
      rest = rest.dropFirst(2)
    }
    return String(validating: result, as: UTF8.self)
  }
}

/// A message on a topic: one that is to be published, or one that the broker has delivered.
public struct Delivery: Equatable, Sendable {
  public var topic: Topic
  /// The session below whose prefix the topic is; nil: none.
  public var session: SessionAddress?
  /// The content. An empty retained message removes the message that the broker stores.
  public var payload: [UInt8]
  /// The flag of MQTT 5, section 3.3.1.3. If the message is to be published: whether the broker
  /// stores it for clients that subscribe later. If the broker has delivered it: whether the broker
  /// had stored it, because it was published before this client subscribed.
  public var isRetained: Bool
  /// After how many seconds the broker discards the message (MQTT 5, section 3.3.2.3.3); nil:
  /// never.
  public var expirySeconds: UInt32?

  public init(
    _ topic: Topic, _ payload: [UInt8], isRetained: Bool = false, expirySeconds: UInt32? = nil,
    in session: SessionAddress? = nil
  ) {
    self.topic = topic
    self.session = session
    self.payload = payload
    self.isRetained = isRetained
    self.expirySeconds = expirySeconds
  }
}
