package import NightjarVarlink

/// A device's status, retained on its topic `status`.
public struct DeviceStatus: Equatable, Sendable {
  /// Whether the device is connected.
  public enum State: String, Sendable {
    /// Its bridge is connected to the broker.
    case online
    /// It announced that it was going to sleep, and disconnected.
    case asleep
    /// It is not connected. The broker published its will, or its bridge was stopped and published
    /// this.
    case offline
  }

  /// Whether the user is at the device.
  public enum Active: String, Sendable {
    case yes
    /// The session is locked or idle.
    case no
    /// The device has no session that reports this.
    case unknown
  }

  /// How long the broker stores a published will, in seconds: ten years. The broker counts this
  /// down (MQTT 5, section 3.3.2.3.3), so a reader can compute when the broker lost the device.
  public static let willSeconds: UInt32 = 315_360_000

  /// Whether the device is connected.
  public var state: State
  /// A random word of the bridge that sent this; each start of a bridge has another word. Nil if
  /// the status has none.
  public var instance: String?
  /// Since when the device has been in this state, on the device's CLOCK_REALTIME. A will has none:
  /// it was written when the connection was made, and the broker adds nothing to it.
  public var sinceUsec: Int64?
  /// When this was sent, on the device's CLOCK_REALTIME; for a will, when the device connected.
  public var sentUsec: Int64?
  /// The name of its ledger; nil while its daemon does not answer.
  public var ledger: String?
  /// The number of the ledger's last event.
  public var lastSeq: Int64?
  /// The number of its timers on the broker.
  public var timers: Int64?
  /// The digest of these timers, as `TimerDigest.text`.
  public var digest: String?
  /// Whether the kernel reports the clock as synchronised.
  public var isSynchronized: Bool?
  /// Whether the user is at the device.
  public var active: Active
  /// Whether the user would see or hear a ring there.
  public var canRing: Bool

  /// Makes a status.
  public init(
    _ state: State, instance: String? = nil, sinceUsec: Int64? = nil, sentUsec: Int64? = nil,
    ledger: String? = nil,
    lastSeq: Int64? = nil, timers: Int64? = nil, digest: String? = nil,
    isSynchronized: Bool? = nil, active: Active = .unknown, canRing: Bool = false
  ) {
    self.state = state
    self.instance = instance
    self.sinceUsec = sinceUsec
    self.sentUsec = sentUsec
    self.ledger = ledger
    self.lastSeq = lastSeq
    self.timers = timers
    self.digest = digest
    self.isSynchronized = isSynchronized
    self.active = active
    self.canRing = canRing
  }

  /// Reads a status. O(bytes).
  ///
  /// - Returns: nil if the payload is no status. Unknown members are ignored: a later version may
  ///   send more.
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload),
      let state = json["state"]?.stringValue.flatMap(State.init(rawValue:))
    else { return nil }
    self.init(
      state, instance: json["instance"]?.stringValue,
      sinceUsec: ForeignNumber.read(json["since_usec"]),
      sentUsec: ForeignNumber.read(json["sent_usec"]), ledger: json["ledger"]?.stringValue,
      lastSeq: ForeignNumber.read(json["last_seq"]), timers: ForeignNumber.read(json["timers"]),
      digest: json["timers_digest"]?.stringValue,
      isSynchronized: json["clock_synchronized"]?.boolValue,
      active: json["active"]?.stringValue.flatMap(Active.init(rawValue:)) ?? .unknown,
      canRing: json["can_ring"]?.boolValue ?? false)
  }

  /// The status as it is published.
  public var payload: [UInt8] { json.bytes }

  /// The status as an object.
  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("state", .string(state.rawValue))
    add("instance", instance.map(JSONValue.string))
    add("since_usec", sinceUsec.map(JSONValue.integer))
    add("sent_usec", sentUsec.map(JSONValue.integer))
    add("ledger", ledger.map(JSONValue.string))
    add("last_seq", lastSeq.map(JSONValue.integer))
    add("timers", timers.map(JSONValue.integer))
    add("timers_digest", digest.map(JSONValue.string))
    add("clock_synchronized", isSynchronized.map(JSONValue.bool))
    add("active", .string(active.rawValue))
    add("can_ring", .bool(canRing))
    return .object(members)
  }
}
